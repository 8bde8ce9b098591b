#!/usr/bin/env python3
"""What accuracy, stages and rescaling print, and histories, explore, real_advice.py, rescaler_pairs.py and report_speed.py write comes into their files of figures, and nothing else changes there."""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "bench"))
import tables as tables_py

PRINTED = """\
method     job             cell          splits   median     mean  interval          50 %  90 %  pinball
best       all             k=0              240     2.07     5.90  3.53 - 8.83       56.7  92.1     2.27
best       all             k=1 extrap       240     1.86     4.74  3.23 - 6.40       52.1  92.9     1.64
best       sort            k=2-6 interp     180     1.52     2.61  1.80 - 3.90       55.0  91.1     0.90
ernest     all             k=1 extrap       240    87.10   472.40  297.80 - 683.50
"""


def take(folder, printed, name="printed.txt"):
    (folder / name).write_text(printed)
    command = [sys.executable, ROOT / "bench/take_figures.py", folder / name, "--commit", "abc1234", "--results", folder]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        shutil.copy(ROOT / "bench/results/accuracy.json", folder)
        expected = json.loads((folder / "accuracy.json").read_text())
        before = expected["commit"].rsplit("the others ", 1)[-1]
        expected["commit"] = f"abc1234 (best mode, Ernest); the others {before}"
        best = {"median": 2.07, "mean": 5.9, "low": 3.53, "high": 8.83, "covers_50": 56.7, "covers_90": 92.1, "pinball": 2.27}
        later = {"median": 1.86, "mean": 4.74, "low": 3.23, "high": 6.4, "covers_50": 52.1, "covers_90": 92.9, "pinball": 1.64}
        sort = {"median": 1.52, "mean": 2.61, "low": 1.8, "high": 3.9, "covers_50": 55.0, "covers_90": 91.1, "pinball": 0.9}
        ernest = {"median": 87.1, "mean": 472.4, "low": 297.8, "high": 683.5}
        rows = {row["method"]: row for row in expected["tables"]["errors"]["rows"]}
        jobs = {row["job"]: row for row in expected["tables"]["best_by_job"]["rows"]}
        rows["best mode"].update({"k=0": best, "k=1 extrap": later})
        jobs["all"].update({"k=0": best, "k=1 extrap": later})
        jobs["sort"].update({"k=2-6 interp": sort})
        rows["Ernest"].update({"k=1 extrap": ernest})

        done = take(folder, PRINTED)
        found = json.loads((folder / "accuracy.json").read_text())
        if done.returncode or found != expected:
            sys.exit(f"expected the figures that were printed in accuracy.json, found others: {done.stdout}{done.stderr}")
        if take(folder, "no figures\n").returncode == 0:
            sys.exit("expected a text without figures to be refused")

        shutil.copy(ROOT / "bench/results/grids.json", folder)
        point = {"part": "grids", "group": "every thin5", "method": "nearest", "tests": 7, "mean": 15.678, "median": 8.0}
        choice = {"part": "grids", "decision": "5 runs, median", "method": "known", "tests": 3, "stated": 100.0, "kept": 50.0,
                  "regret": 21.0}
        done = take(folder, json.dumps([point, choice, point | {"group": "job thin5", "mean": 1.0}]), "printed.json")
        tables = json.loads((folder / "grids.json").read_text())["tables"]
        errors, decisions = tables["errors"]["rows"], tables["decisions"]["rows"]
        if done.returncode or [row["nearest scaled"] for row in errors] != [{"mean": 15.68, "median": 8.0}] or errors[0]["answers"] != 7:
            sys.exit(f"expected one split of the nearest run, found {errors}: {done.stdout}{done.stderr}")
        if [row["known runs alone"] for row in decisions] != [{"stated": 100.0, "kept": 50.0, "regret": 21.0}]:
            sys.exit(f"expected the decision among known runs, found {decisions}")

        shutil.copy(ROOT / "bench/results/far.json", folder)
        beyond = {"part": "far", "group": "every size<=1", "method": "ernest", "tests": 9, "mean": 20.0, "median": 10.0}
        done = take(folder, json.dumps([beyond, beyond | {"part": "far-set", "mean": 7.0}, beyond | {"group": "c3o size<=1"}]), "printed.json")
        rows = json.loads((folder / "far.json").read_text())["tables"]["errors"]["rows"]
        if done.returncode or [(row["doublings beyond"], row["Ernest"]["mean"]) for row in rows] != [
                ("size, at most 1", 20.0), ("size, at most 1 (chosen on)", 7.0)]:
            sys.exit(f"expected two pooled rows of far, found {rows}: {done.stdout}{done.stderr}")

        shutil.copy(ROOT / "bench/results/noise.json", folder)
        known = {"part": "noise", "group": "heavy 0.2 x 5 k=8", "method": "best", "tests": 9, "median": 2.5, "pinball": 5.5, "oracle_pinball": 5.0,
                 "covered_50": 51.0, "covered_90": 91.0, "stated": 95.0, "kept": 96.0, "worse_t": -1.0, "drift_unobserved": 0.1,
                 "drift_observed": 0.5, "drift_slowed": 60.0}
        done = take(folder, json.dumps([known, known | {"group": "heavy 0.2 x 5 k=30", "pinball": 5.0}]), "printed.json")
        tables = json.loads((folder / "noise.json").read_text())["tables"]
        page = tables_py.markdown(tables["answers"]) + tables_py.markdown(tables["drift"])
        if done.returncode or "| heavy, 0.2, 5 | - | - | 2.5; 1.10; 51 / 91; 95 / 96 | 2.5; 1.00; " not in page or "| heavy, 0.2, 5 | 0.10 | 0.50 | 60 |" not in page:
            sys.exit(f"expected a cell of noise in both tables, found {page}: {done.stdout}{done.stderr}")
        take(folder, json.dumps([known | {"drift_slowed": 0.0}]), "printed.json")
        if json.loads((folder / "noise.json").read_text())["tables"]["drift"] != tables["drift"]:
            sys.exit("expected the table of drift as it was where no batch was measured")

        shutil.copy(ROOT / "bench/results/explore.json", folder)
        before = json.loads((folder / "explore.json").read_text())["tables"]["searches"]
        names = [name for column in before["columns"][1:] for name in re.findall(r"{(\w+)", column["form"])]
        found = {"group": "all", "method": "random"} | {name: 1.234 for name in names} | {"regret_after_5": None}
        done = take(folder, json.dumps({"searches": [found], "speed": [{"candidates": 5, "runs": 2, "ms": 0.123}]}), "printed.json")
        tables = json.loads((folder / "explore.json").read_text())["tables"]
        row = tables["searches"]["rows"][0]
        if done.returncode or row["searches"] != "all six: random" or row["regret after 5"] is not None or row["money"] != {"money_at_stop": 1.23}:
            sys.exit(f"expected one row of explore, found {tables}: {done.stdout}{done.stderr}")

        shutil.copy(ROOT / "bench/results/advice.json", folder)
        before = json.loads((folder / "advice.json").read_text())["tables"]["proposals"]["columns"]
        row = {"application": "all", "runs": 60, "kept": 45, "stated": 45.2, "probability": 0.5, "median error, %": 13.6}
        errors = {"application": "all", "predicted": 87, "bellamy": 10.0, "ernest": 11.0, "p of ernest": 0.61, "boosting": 12.0,
                  "p of boosting": 0.72}
        for wanted, more in (["backtest", "proposals"], {"backtest": [errors]}), (["proposals"], {}):
            done = take(folder, json.dumps({"rows": [row], "runs": []} | more), "printed.json")
            tables = json.loads((folder / "advice.json").read_text())["tables"]
            if done.returncode or sorted(tables) != wanted or tables["proposals"]["columns"] != before:
                sys.exit(f"expected the tables {wanted} of advice, found {tables}: {done.stdout}{done.stderr}")
            if tables["proposals"]["rows"][0]["in time"] != 45 or more and tables["backtest"]["rows"][0]["Ernest"] != {"error": 11.0, "p": 0.61}:
                sys.exit(f"expected the rows that real_advice.py wrote, found {tables}")
            if more and "| all | 87 | 10.0 | 11.0; 0.61 | 12.0; 0.72 |" not in tables_py.markdown(tables["backtest"]):
                sys.exit(f"expected a row of the back-test in the page, found {tables_py.markdown(tables['backtest'])}")

        shutil.copy(ROOT / "bench/results/spark_pairs.json", folder)
        expected = json.loads((folder / "spark_pairs.json").read_text()) | {"commit": "abc1234"}
        table = expected["tables"]["pairs"]
        table["caption"] = re.sub(r"took [0-9.]+ and [0-9.]+ %", "took 1.50 and 0.50 %", table["caption"])
        table["rows"] = [{"state": "held", "pairs": 2, "with, s": 29.5, "without, s": 29.0, "p of later": 0.5, "in time with": 1,
                          "in time without": 2, "executor-seconds saved, %": 20.0}]
        pair = {"state": "held", "deadline_s": 30.0, "with_s": 31.0, "without_s": 29.0, "with_executor_s": 40.0, "without_executor_s": 50.0}
        cost = {"questions_s": 1.0, "callbacks_s": 0.5, "driver_s": 100.0}
        printed = {"pairs": [pair, pair | {"with_s": 28.0}], "costs": [cost, cost | {"driver_s": 300.0}]}
        done = take(folder, json.dumps(printed), "printed.json")
        found = json.loads((folder / "spark_pairs.json").read_text())
        if done.returncode or found != expected:
            sys.exit(f"expected a row of two held pairs, and what the plugin cost, found {found}: {done.stdout}{done.stderr}")
        if take(folder, json.dumps(printed | {"costs": [cost]}), "printed.json").returncode == 0:
            sys.exit("expected pairs of which half is missing to be refused")

        shutil.copy(ROOT / "bench/results/report.json", folder)
        row = {"applications": 3, "data sizes": "mixed", "s": {"median": 1.0, "low": 0.9, "high": 1.1}, "CPU s": 2.0, "page, MB": 0.5}
        expected = json.loads((folder / "report.json").read_text()) | {"commit": "abc1234"}
        table = expected["tables"]["fleets"]
        table["caption"] = table["caption"].replace("of 21 runs", "of 5 runs").replace("of 3 reports", "of 2 reports")
        table["rows"] = [row]
        done = take(folder, json.dumps({"runs": 5, "rounds": 2, "fleets": [row]}), "printed.json")
        found = json.loads((folder / "report.json").read_text())
        if done.returncode or found != expected or "| 3 | mixed | 1.00 (0.90-1.10) | 2.00 | 0.50 |" not in tables_py.markdown(found["tables"]["fleets"]):
            sys.exit(f"expected a row of a fleet in the page, found {found}: {done.stdout}{done.stderr}")

        shutil.copy(ROOT / "bench/results/histories.json", folder)
        score = {"method": "best", "tests": 3, "mean": 9.0, "median": 4.0, "pinball": 2.0, "covered_50": 50.0, "covered_90": 90.0}
        groups = [("c3o", "sort 2 contexts x 1 k=0"), ("c3o", "grep 3 contexts x 6 k=0"), ("c3o", "sort 4 contexts x 1 k=0"),
                  *(("made-up", f"{law} {layout} {contexts} {place}") for law in ("overhead", "amdahl", "usl", "contention", "cliff")
                    for layout in ("one", "grid") for contexts in (3, 10, 30, 100, 300) for place in ("inside", "scale-out", "size"))]
        printed = [score | {"part": part, "group": group} for part, group in groups]
        printed[1] = printed[1] | {"tests": 1, "mean": 5.0}
        printed += [row | {"method": "true form", "median": 8.0} for row in printed if row["part"] == "made-up"]
        done = take(folder, json.dumps(printed), "printed.json")
        tables = json.loads((folder / "histories.json").read_text())["tables"]
        first, second = tables["errors"]["rows"][:2]
        if done.returncode or (first["history"], first["answers"], first["best"]["mean"]) != ("C3O: 2 and 3 contexts k=0", 4, 8.0) or second["answers"] != 3:
            sys.exit(f"expected the mean over four answers of two groups, found {tables}: {done.stdout}{done.stderr}")
        if {cell for row in tables["laws"]["rows"] for cell in list(row.values())[1:]} != {0.5} or len(tables["errors"]["rows"]) != 8:
            sys.exit(f"expected half the errors of the true form, and rows of what was printed alone, found {tables}")

        shutil.copy(ROOT / "bench/results/stages.json", folder)
        lines = [f"{split} {application} {what} {method} {rows} {mean} 1.0 {covers}"
                 for split, application, whats in (("scale", "sleepy-etl", "stage job run"), ("late", "all", "remaining"), ("scale", "all", "stage job run"))
                 for rows, what in enumerate(whats.split(), 1)
                 for method, mean, covers in (("best", 7.0 + rows, "60.0 90.0"), ("median", 20.0, ""), ("ernest", 9.5, ""), ("replay <=x2", 1.0, "50.0 60.0"))]
        before = json.loads((folder / "stages.json").read_text())["tables"]["errors"]["rows"]
        done = take(folder, "\n".join(lines), "ellis.txt")
        tables = json.loads((folder / "stages.json").read_text())["tables"]
        row = {"application, split": "sleepy-etl, scale", "best": {"stage": 8.0, "job": 9.0, "run": 10.0},
               "covers 50 / 90 %": {"covers_50": 60, "covers_90": 90}, "best other method": {"stage": 9.5, "job": 9.5, "run": 9.5}}
        expected = [row if each["application, split"] == row["application, split"] else each for each in before]
        rest = next(each for each in tables["rest"]["rows"] if each["file"] == "ellis, all")
        if done.returncode or tables["errors"]["rows"] != expected or rest["best"] != 8.0 or rest["sum of medians"] != 20.0:
            sys.exit(f"expected the rows of sleepy-etl and of ellis that stages printed, found {tables}: {done.stdout}{done.stderr}")

        shutil.copy(ROOT / "bench/results/speed.json", folder)
        written = [{"name": "batch_16", "ns_per_item": 80.123, "cycles_per_item": 354.8, "items": 16, "roofline_ratio": 2.809},
                   {"name": "new", "ns_per_item": 1234567.0, "cycles_per_item": 1.0, "items": 1, "roofline_ratio": None}]
        expected = json.loads((folder / "speed.json").read_text())["tables"]
        rows = expected["workloads"]["rows"]
        batch = next(row for row in rows if row["workload"].startswith("batch_16:"))
        batch["ns with -march=x86-64-v3"], batch["x roofline with that"] = 80.1, 2.81
        rows.append({"workload": "new", "ns": None, "cycles": None, "x roofline": None, "ns with -march=x86-64-v3": 1230000, "x roofline with that": None})
        done = take(folder, json.dumps(written), "speed_v3.json")
        found = json.loads((folder / "speed.json").read_text())
        if done.returncode or found["tables"] != expected or not found["commit"].startswith("abc1234 (workloads); the others "):
            sys.exit(f"expected the rows of two workloads, and all others as they were, found {found}: {done.stdout}{done.stderr}")

        shutil.copy(ROOT / "bench/results/rescaling.json", folder)
        text = ("Simulated, not measured.\npolicy caution\nellis 1 39.0 6.5 1.6 2.0 1.3\noracle                  13.5          4.20      1.400   1.500      0.6\n\n"
                "best at equal executor-seconds\nellis            1*  1.600:  39.0,  6.50  best  25.5,  1.13\n")
        done = take(folder, text)
        rows = {(row["policy"], row["caution"]): row for row in json.loads((folder / "rescaling.json").read_text())["tables"]["policies"]["rows"]}
        ellis, oracle = rows["Ellis", 1], rows["oracle", None]
        if done.returncode or ellis["missed, %"] != 39.0 or ellis["best at equal executor-seconds"] != {"missed": 25.5, "minutes": 1.13} or oracle["cost"] != 1.5:
            sys.exit(f"expected the two policies that rescaling printed, found {rows}: {done.stdout}{done.stderr}")

        if take(folder, "[]", "printed.json").returncode == 0:
            sys.exit("expected a list without figures to be refused")


if __name__ == "__main__":
    main()
