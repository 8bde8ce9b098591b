#!/usr/bin/env python3
"""Puts what a program of this folder printed into bench/results, and writes the tables of the pages anew.

    build/bench/accuracy --data DATA/c3o --splits DATA/splits_open.csv --mode best,boosting > open.txt
    bench/take_figures.py open.txt --commit "$(git rev-parse --short HEAD)"

    build/bench/histories --traces DATA/traces --data DATA/c3o --json histories.json
    bench/take_figures.py histories.json --commit "$(git rev-parse --short HEAD)"

    build/bench/histories --part grids --data DATA/grids --json grids.json
    bench/take_figures.py grids.json --commit "$(git rev-parse --short HEAD)"

    for f in connectedcomponents linearregression logisticregression sleepy-etl; do
      build/bench/stages --train DATA/traces/$f.jsonl.zst --split scale,size,big > $f.txt; done
    for f in ellis enel; do build/bench/stages --train DATA/traces/$f.jsonl.zst --split late --mode best,median > $f.txt; done
    for f in *.txt; do bench/take_figures.py $f --commit "$(git rev-parse --short HEAD)"; done

    build/bench/speed --json speed.json          # built with -march=native
    build/bench/speed --json speed_v3.json       # built with -march=x86-64-v3
    for f in speed.json speed_v3.json; do bench/take_figures.py $f --commit "$(git rev-parse --short HEAD)"; done

    build/bench/rescaling ... > rescaling.txt
    bench/take_figures.py rescaling.txt --commit "$(git rev-parse --short HEAD)"

    build/bench/explore --grid DATA/grids/scout.tsv --json explore.json
    bench/take_figures.py explore.json --commit "$(git rev-parse --short HEAD)"

    python3 bench/real_advice.py build/examples/bellamy --json real.json
    bench/take_figures.py real.json --commit "$(git rev-parse --short HEAD)"

    python3 bench/rescaler_pairs.py BELLAMY.jar BELLAMY-SPARK.jar BELLAMY-SPARK-tests.jar --json pairs.json
    bench/take_figures.py pairs.json --commit "$(git rev-parse --short HEAD)"

    python3 bench/report_speed.py build/examples/bellamy --json report.json
    bench/take_figures.py report.json --commit "$(git rev-parse --short HEAD)"

What stages printed of all applications together is named so by its file, all.txt, as ellis and enel are; so are speed's instructions.
The parts far and noise are taken like the part grids. Methods that accuracy did not run keep their figures. --results FOLDER writes there, and no page.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

from rescaler_pairs import sign_flip

HERE = pathlib.Path(__file__).resolve().parent
LABELS = {
    "best": "best mode",
    "gp": "its Gaussian processes alone",
    "eb": "its hierarchical Ernest alone",
    "boosting": "gradient boosting",
    "paper": "paper mode",
    "local": "the same network without pre-training",
    "bell": "Bell",
    "ernest": "Ernest",
    "nearest": "nearest run",
}
# Groups and methods of the part grids of histories, as the tables name them.
SPLITS = {
    "every thin5": "5 runs known",
    "every thin10": "10 runs known",
    "every thin15": "15 runs known",
    "every machine0": "a machine type unseen, k=0",
    "every machine1": "a machine type unseen, k=1",
    "every machine2": "a machine type unseen, k=2",
    "every nodes": "a number of nodes unseen",
    "every cores": "more than 48 cores unseen",
    "every size0": "the larger size unseen, k=0",
    "every size1": "the larger size unseen, k=1",
    "every anywhere": "one run of the larger size known",
}
GRID_METHODS = {
    "best": "best",
    "cores": "Ernest over cores",
    "ernest": "Ernest",
    "nearest": "nearest scaled",
    "log-linear": "log-linear",
    "boosting": "boosting",
    "known": "known runs alone",
}
# Rows of the table of histories: the parts and patterns of the groups that each pools.
HISTORIES = {
    **{f"C3O: 2 and 3 contexts k={k}": ("c3o", rf"\w+ [23] contexts x \d k={k}") for k in range(3)},
    **{f"C3O: 4 to 10 contexts k={k}": ("c3o", rf"\w+ (4|5|7|10) contexts x \d k={k}") for k in range(3)},
    **{f"C3O: {name} k={k}": ("c3o", rf"\w+ {name} k={k}") for name in ("larger sizes", "unseen machine") for k in range(3)},
    **{f"made-up: {name}, {place}": ("made-up", rf"\w+ (one|grid) ({counts}) {group}")
       for name, counts in (("10 to 300 contexts", "10|30|100|300"), ("3 contexts", "3"))
       for place, group in (("inside", "inside"), ("larger scale-out", "scale-out"), ("larger size", "size"))},
    **{f"traces: {name}": ("traces", group) for name, group in (("larger sizes unseen", "every big"), ("a scale-out unseen", "every scale"), ("sizes unseen", "every size"))},
}
LAYOUTS = {"one": "one", "five": "grid"}
PLACES = {"inside": "inside", "larger scale-out": "scale-out", "larger size": "size"}
LAWS = {"overhead": "overhead", "Amdahl": "amdahl", "USL": "usl", "contention": "contention", "cliff": "cliff"}
# Groups of searches of explore; the others are named as they are.
SEARCHES = {"all": "all six", "chosen on": "chosen on", "not chosen on": "not chosen on"}
# method, job, cell (which has spaces), splits, median, mean, interval of the mean; inside 50 %, inside 90 %, pinball where there are any
ROW = re.compile(r"^(\w+) +([\w:]+) +(\S.*?) +\d+ +([\d.]+) +([\d.]+) +([\d.]+) - ([\d.]+)(?: +([\d.]+) +([\d.]+) +([\d.]+))?\s*$", re.M)


# split, application, what, method, rows, mean, median; inside 50 %, inside 90 % where there are any
STAGE_ROW = re.compile(r"^(\w+) +(\S+) +(stage|job|run|remaining) +(\S.*?) +(\d+) +([\d.]+) +([\d.]+)(?: +([\d.]+) +([\d.]+))?\s*$", re.M)
# policy, caution, missed, minutes, executor-seconds, cost, changes
POLICY_ROW = re.compile(r"^(\S+) +([\d.]+)? +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+)$", re.M)
EQUAL_ROW = re.compile(r"^(\S+) +([\d.]+)\*? +[\d.]+: .*  best +(?:([\d.]+), +([\d.]+)|needs more)$", re.M)
POLICIES = {"oracle": "oracle", "least-cost": "least-cost", "best": "best", "ellis": "Ellis", "enel-best": "Enel's rule on best mode's forecast",
            "static": "static, by best mode's forecast", "enel": "Enel's network and rule (20 runs each)"}
STAGE_PARTS = ("stage", "job", "run")


def figures_of(text):
    """{(method, job, cell): {mean, median, low, high, covers_50, covers_90, pinball}}"""
    names = ("median", "mean", "low", "high", "covers_50", "covers_90", "pinball")
    return {row[:3]: {name: float(value) for name, value in zip(names, row[3:]) if value} for row in ROW.findall(text)}


def take(row, figures, method, job):
    """Replaces in a row of a table the cells that were printed; how many."""
    taken = 0
    for (its_method, its_job, cell), values in figures.items():
        if (its_method, its_job) == (method, job) and cell in row:
            row[cell] = values
            taken += 1
    return taken


def take_grids(printed, result):
    """The tables of the part grids anew from what histories wrote; how many cells."""
    by_split = {label: {"split": label} for label in SPLITS.values()}
    by_question = {}
    for row in printed:
        method = GRID_METHODS[row["method"]]
        if "decision" in row:
            by_question.setdefault(row["decision"], {"known, limit": row["decision"], "decisions": row["tests"]})[method] = {
                name: row[name] for name in ("stated", "kept", "regret", "equal_regret") if name in row}
        elif row["group"] in SPLITS:
            split = by_split[SPLITS[row["group"]]]
            split["answers"] = row["tests"]
            split[method] = {name: row[name] for name in ("mean", "median", "covered_50", "covered_90", "width") if name in row}
    for name, rows in ("errors", by_split.values()), ("decisions", by_question.values()):
        columns = [column["name"] for column in result["tables"][name]["columns"]]
        result["tables"][name]["rows"] = [{column: rounded(row.get(column)) for column in columns} for row in rows if len(row) > 1]
    return sum(len(row) - 2 for rows in (by_split, by_question) for row in rows.values() if len(row) > 1)


def pooled(printed, part, pattern, method, name):
    """Mean over the answers of all groups that fit; None without any."""
    rows = [row for row in printed if row["part"] == part and row["method"] == method and name in row and re.fullmatch(pattern, row["group"])]
    answers = sum(row["tests"] for row in rows)
    return sum(row[name] * row["tests"] for row in rows) / answers if answers else None


def take_histories(printed, result):
    """The tables of the parts traces, c3o and made-up anew; how many cells."""
    tables = result["tables"]
    tables["errors"]["rows"] = []
    for label, (part, pattern) in HISTORIES.items():
        best = {name: pooled(printed, part, pattern, "best", name) for name in ("mean", "pinball", "covered_50", "covered_90")}
        others = {column: pooled(printed, part, pattern, method, "mean")
                  for column, method in (("Ernest", "ernest"), ("log-linear", "log-linear"), ("c s/x", "work"), ("true form", "true form"))}
        answers = sum(row["tests"] for row in printed if row["part"] == part and row["method"] == "best" and re.fullmatch(pattern, row["group"]))
        if answers:
            tables["errors"]["rows"].append({"history": label, "answers": answers, "best": rounded(best), **{
                column: None if value is None else round(value, 2) for column, value in others.items()}})
    if not tables["errors"]["rows"]:
        return 0
    for row in tables["needed"]["rows"]:
        for column in list(row)[1:]:
            layout, place = column.split(": ")
            group = rf"\w+ {LAYOUTS[layout]} {row['contexts']} {PLACES[place]}"
            row[column] = rounded({"best": pooled(printed, "made-up", group, "best", "mean"),
                                   "true_form": pooled(printed, "made-up", group, "true form", "mean")})
    for row in tables["laws"]["rows"]:
        contexts, layout = re.match(r"(\d+)(?: and more)?, (one|five)", row["contexts, layout"]).groups()
        for law, name in LAWS.items():
            group = f"{name} {LAYOUTS[layout]} {'(30|100|300)' if 'and more' in row['contexts, layout'] else contexts} inside"
            medians = [pooled(printed, "made-up", group, method, "median") for method in ("best", "true form")]
            row[law] = round(medians[0] / medians[1], 2)
    return sum(len(row) - 1 for table in tables.values() for row in table["rows"])


def take_far(printed, result):
    """The table of the part far anew from what histories wrote; how many cells."""
    rows = {}
    for row in printed:
        source, beyond = row["group"].split(" ", 1)
        if source == "every":
            name = f"{beyond.replace('<=', ', at most ').replace('>', ', more than ')}{' (chosen on)' if row['part'] == 'far-set' else ''}"
            rows.setdefault(name, {"doublings beyond": name, "answers": row["tests"]})[GRID_METHODS[row["method"]]] = {
                name: row[name] for name in ("mean", "median", "pinball", "covered_50", "covered_90", "width") if name in row}
    columns = [column["name"] for column in result["tables"]["errors"]["columns"]]
    result["tables"]["errors"]["rows"] = [{column: rounded(row.get(column)) for column in columns} for row in rows.values()]
    return sum(len(row) - 2 for row in rows.values())


def take_noise(printed, result):
    """The tables of the part noise anew from what histories wrote; how many cells."""
    answers, drift = {}, {}
    for row in printed:
        shape, scatter, _, runs, observed = row["group"].split(" ")
        cell = f"{shape}, {scatter}, {runs}"
        figures = {name: round(row[name], 2) for name in ("median", "covered_50", "covered_90", "stated", "kept")}
        figures["ratio"] = round(row["pinball"] / row["oracle_pinball"], 2)
        answers.setdefault(cell, {"noise, scatter, runs": cell})[f"{observed[2:]} observed"] = figures
        drift[cell] = {"noise, scatter, runs": cell, **{name: round(row[f"drift_{name}"], 2) for name in ("unobserved", "observed", "slowed")}}
    tables = result["tables"]
    tables["answers"]["rows"] = list(answers.values())
    tables["drift"]["rows"] = list(drift.values()) if any(row["drift_slowed"] > 0 for row in printed) else tables["drift"]["rows"]
    return sum(len(row) - 1 for table in tables.values() for row in table["rows"])


def take_explore(printed, result):
    """The tables of explore anew from what it wrote; how many cells."""
    tables = result["tables"]
    tables["searches"]["rows"] = [
        {"searches": f"{SEARCHES.get(row['group'], row['group'])}: {row['method']}", **{
            column["name"]: rounded({name: row[name] for name in re.findall(r"{(\w+)", column["form"]) if row[name] is not None}) or None
            for column in tables["searches"]["columns"][1:]}}
        for row in printed["searches"]]
    tables["speed"]["rows"] = [{"proposal": f"{row['candidates']} candidates, {row['runs']} runs", "ms": {"ms": round(row["ms"], 2)}} for row in printed["speed"]]
    return sum(len(row) - 1 for table in tables.values() for row in table["rows"])


BACKTEST = {
    "caption": "Back-test of all these runs: median errors in %, and how probable an error so much above the peer's is where the two of each "
               "run are exchanged by chance (one-sided).",
    "columns": [{"name": "application"}, {"name": "predicted", "form": "{value}"}, {"name": "bellamy", "form": "{value:.1f}"},
                {"name": "Ernest", "form": "{error:.1f}; {p:.2f}"}, {"name": "boosting", "form": "{error:.1f}; {p:.2f}"}],
}


def take_advice(printed, result):
    """The tables of what real_advice.py wrote anew; that of the back-test where it made one. How many cells."""
    rows = [{"application": row["application"], "runs": row["runs"], "in time": row["kept"], "stated": row["stated"], "p": row["probability"],
             "median error, %": row["median error, %"]} for row in printed["rows"]]
    result["tables"]["proposals"]["rows"] = rows
    result["tables"].pop("backtest", None)
    if "backtest" in printed:
        errors = [{"application": row["application"], "predicted": row["predicted"], "bellamy": row["bellamy"],
                   "Ernest": {"error": row["ernest"], "p": row["p of ernest"]},
                   "boosting": {"error": row["boosting"], "p": row["p of boosting"]}} for row in printed["backtest"]]
        result["tables"]["backtest"] = {**BACKTEST, "rows": errors}
    return sum(len(row) - 1 for table in result["tables"].values() for row in table["rows"])


def take_stages(text, name, result):
    """The rows of the applications that stages printed; how many."""
    rows = {}
    for split, application, what, method, count, mean, _, half, most in STAGE_ROW.findall(text):
        rows[split, application, what, method] = {"count": int(count), "mean": float(mean), "half": float(half or 0), "most": float(most or 0)}
    taken = 0
    for row in result["tables"]["errors"]["rows"]:
        application, split = row["application, split"].split(", ")
        best = {what: rows.get((split, application, what, "best")) for what in STAGE_PARTS}
        if None in best.values() or (application == "all") != (name == "all"):
            continue
        counts = sum(figures["count"] for figures in best.values())
        row["best"] = {what: best[what]["mean"] for what in STAGE_PARTS}
        row["covers 50 / 90 %"] = {cover: round(sum(figures[key] * figures["count"] for figures in best.values()) / counts)
                                   for cover, key in (("covers_50", "half"), ("covers_90", "most"))}
        others = {method for its_split, its_application, _, method in rows
                  if (its_split, its_application) == (split, application) and method != "best" and not method.startswith("replay")}
        row["best other method"] = {what: min(rows[split, application, what, method]["mean"] for method in others) for what in STAGE_PARTS}
        taken += 1
    for row in result["tables"]["rest"]["rows"]:
        file, application = row["file"].split(", ")
        best = rows.get(("late", application, "remaining", "best"))
        if file == name and best:
            row["best"] = best["mean"]
            row["covers 50 / 90 %"] = {"covers_50": round(best["half"]), "covers_90": round(best["most"])}
            row["sum of medians"] = rows["late", application, "remaining", "median"]["mean"]
            taken += 1
    return taken


def take_rescaling(text, result):
    """The rows of the policies that rescaling printed; how many."""
    printed = {(POLICIES[row[0]], float(row[1] or 0)): [float(value) for value in row[2:6]] for row in POLICY_ROW.findall(text)}
    equal = {(POLICIES[policy], float(caution)): {"missed": float(missed), "minutes": float(minutes)} if missed else "needs more"
             for policy, caution, missed, minutes in EQUAL_ROW.findall(text)}
    # Enel's network is simulated with fewer runs than the others, beside its own oracle.
    alone = any(policy.startswith("Enel's network") for policy, _ in printed)
    taken = 0
    for row in result["tables"]["policies"]["rows"]:
        key = row["policy"], row["caution"] or 0
        if key not in printed or alone != row["policy"].startswith("Enel's network"):
            continue
        row.update(zip(("missed, %", "minutes over", "executor-seconds", "cost"), printed[key]))
        row["best at equal executor-seconds"] = equal.get(key)
        taken += 1
    return taken


def take_speed(printed, name, result):
    """The rows of the workloads that speed wrote; how many. Those of a workload that is new there are the last."""
    columns = ("ns with -march=x86-64-v3", None, "x roofline with that") if name.endswith("_v3") else ("ns", "cycles", "x roofline")
    rows = {re.match(r"\w+", row["workload"]).group(): row for row in result["tables"]["workloads"]["rows"]}
    for each in printed:
        row = rows.get(each["name"])
        if row is None:
            row = {"workload": each["name"], **{column["name"]: None for column in result["tables"]["workloads"]["columns"][1:]}}
            result["tables"]["workloads"]["rows"].append(row)
        for column, value in zip(columns, (each["ns_per_item"], each["cycles_per_item"], each["roofline_ratio"])):
            if column:
                row[column] = None if value is None else round(value, 2) if column.startswith("x ") else float(f"{value:.3g}")
                if row[column] and row[column] >= 100:
                    row[column] = round(row[column])
    return len(printed)


def replaced(pattern, text, caption):
    """The caption with the one place that fits the pattern replaced."""
    made, count = re.subn(pattern, text, caption)
    if count != 1:
        sys.exit(f"expected one place like \"{pattern}\" in a caption, found {count}: {caption}")
    return made


def take_pairs(printed, result):
    """The table of what rescaler_pairs.py wrote, anew. How many cells."""
    table = result["tables"]["pairs"]
    shares = [100 * (cost["questions_s"] + cost["callbacks_s"]) / cost["driver_s"] for cost in printed["costs"]]
    if len(shares) != 2:
        sys.exit(f"expected pairs with and without decommissioning, found {len(shares)} of the two: rescaler_pairs.py was broken off")
    table["caption"] = replaced(r"took [\d.]+ and [\d.]+ %", "took {:.2f} and {:.2f} %".format(*shares), table["caption"])
    table["rows"] = []
    for state in sorted({pair["state"] for pair in printed["pairs"]}):
        own = [pair for pair in printed["pairs"] if pair["state"] == state]
        sums = {key: sum(pair[key] for pair in own) for key in ("with_s", "without_s", "with_executor_s", "without_executor_s")}
        table["rows"].append({
            "state": state, "pairs": len(own), "with, s": round(sums["with_s"] / len(own), 1), "without, s": round(sums["without_s"] / len(own), 1),
            "p of later": round(sign_flip([pair["with_s"] - pair["without_s"] for pair in own]), 3),
            "in time with": sum(pair["with_s"] <= pair["deadline_s"] for pair in own),
            "in time without": sum(pair["without_s"] <= pair["deadline_s"] for pair in own),
            "executor-seconds saved, %": round(100 - 100 * sums["with_executor_s"] / sums["without_executor_s"], 1),
        })
    return sum(len(row) - 1 for row in table["rows"])


def take_report(printed, result):
    """The rows of what report_speed.py wrote. How many cells."""
    table = result["tables"]["fleets"]
    table["rows"] = printed["fleets"]
    table["caption"] = replaced(r"of \d+ runs each", f"of {printed['runs']} runs each", table["caption"])
    table["caption"] = replaced(r"of \d+ reports", f"of {printed['rounds']} reports", table["caption"])
    return sum(len(row) - 2 for row in printed["fleets"])


def rounded(cell):
    """Figures with two places; None stays."""
    return {name: round(value, 2) for name, value in cell.items()} if isinstance(cell, dict) else cell


def written(result):
    """As the files are: a row of a table in a line."""
    lines = ["{"]
    for key, value in result.items():
        if key != "tables":
            lines.append(f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=False, indent=2)},".replace("\n]", "\n ]"))
    lines.append(' "tables": {')
    tables = []
    for name, table in result["tables"].items():
        columns = ",\n".join("    " + json.dumps(column, ensure_ascii=False) for column in table["columns"])
        rows = ",\n".join("    " + json.dumps(row, ensure_ascii=False) for row in table["rows"])
        caption = json.dumps(table["caption"], ensure_ascii=False)
        tables.append(f'  {json.dumps(name)}: {{\n   "caption": {caption},\n   "columns": [\n{columns}\n   ],\n   "rows": [\n{rows}\n   ]\n  }}')
    return "\n".join(lines) + "\n" + ",\n".join(tables) + "\n }\n}\n"


def take_accuracy(arguments, result):
    """What accuracy printed; how many cells."""
    figures = figures_of(arguments.printed.read_text())
    methods = {label: method for method, label in LABELS.items()}
    taken = sum(take(row, figures, methods[row["method"]], "all") for row in result["tables"]["errors"]["rows"])
    taken += sum(take(row, figures, "best", row["job"]) for row in result["tables"]["best_by_job"]["rows"])
    if not taken:
        sys.exit(f"expected rows of the summary of accuracy in {arguments.printed}, found none")
    new = [label for method, label in LABELS.items() if (method, "all", "k=1 extrap") in figures]
    before = result["commit"].rsplit("the others ", 1)[-1]
    result["commit"] = arguments.commit if len(new) == len(LABELS) else f"{arguments.commit} ({', '.join(new)}); the others {before}"
    return taken


def taker_of(printed, name):
    """The file of figures that what a program printed (text) or wrote (JSON) comes into, and what takes it. `name`: of its file."""
    if isinstance(printed, str):
        if STAGE_ROW.search(printed):
            return "stages", lambda text, result: take_stages(text, name, result)
        return ("rescaling", take_rescaling) if printed.startswith("Simulated, not measured.") else ("accuracy", None)
    if printed and isinstance(printed, list) and "ns_per_item" in printed[0]:
        return "speed", lambda rows, result: take_speed(rows, name, result)
    if "searches" in printed:
        return "explore", take_explore
    if "runs" in printed and "rows" in printed:
        return "advice", take_advice
    if "pairs" in printed:
        return "spark_pairs", take_pairs
    if "fleets" in printed:
        return "report", take_report
    parts = {row["part"] for row in printed}
    if parts & {"traces", "c3o", "made-up"}:
        return "histories", take_histories
    if "noise" in parts:
        return "noise", take_noise
    return ("far", take_far) if any(part.startswith("far") for part in parts) else ("grids", take_grids)


def main():
    parser = argparse.ArgumentParser(description="Puts what a program of this folder printed or wrote into its file of bench/results.")
    parser.add_argument("printed", type=pathlib.Path, help="what accuracy, stages or rescaling printed, or the .json that another one wrote")
    parser.add_argument("--commit", required=True, help="of the build that printed it")
    parser.add_argument("--results", type=pathlib.Path, help="another folder than bench/results")
    arguments = parser.parse_args()
    results = arguments.results or HERE / "results"
    text = arguments.printed.read_text()
    printed = json.loads(text) if arguments.printed.suffix == ".json" else text
    name, taker = taker_of(printed, arguments.printed.stem)
    file = results / f"{name}.json"
    result = json.loads(file.read_text())
    if taker:
        taken = taker(printed, result)
        if not taken:
            sys.exit(f"expected rows of histories, stages, speed, rescaling, explore, real_advice.py, rescaler_pairs.py or report_speed.py in {arguments.printed}, found none")
        # Peers and training stay as they are.
        others = "; the others " + result["commit"].rsplit("the others ", 1)[-1] if name == "speed" else ""
        result["commit"] = f"{arguments.commit} (workloads){others}" if others else arguments.commit
    else:
        taken = take_accuracy(arguments, result)
    file.write_text(written(result))
    print(f"{taken} cells of {file}")
    if not arguments.results:
        subprocess.run([sys.executable, HERE / "tables.py"], check=True)


if __name__ == "__main__":
    main()
