"""From a table of runs to a decision and a plot, cell by cell; open it in an editor that knows `# %%`, or run it:

    python examples/python/tutorial.py [curve.svg]
"""

# %% [markdown]
# What was recorded: a row for each run, with what may change its runtime and is known at submission.

# %%
import csv
import sys
from pathlib import Path

import bellamy

TABLE = Path(__file__).parents[1] / "sample/runs.csv"
try:
    import pandas

    pandas.set_option("display.width", 150, "display.max_columns", None)
    runs = pandas.read_csv(TABLE, dtype={"arguments": str})
except ImportError:  # rows do as well
    with open(TABLE, newline="", encoding="utf-8") as file:
        runs = [{**row, "size_mb": int(row["size_mb"]), "nodes": int(row["nodes"]), "seconds": float(row["seconds"])}
                for row in csv.DictReader(file)]

# %% [markdown]
# A general model of the job, learned from all contexts. What is no property is named in `columns`.

# %%
COLUMNS = bellamy.Columns(scale_out="nodes", runtime_s="seconds")
general = bellamy.pretrain(runs, roles={"size_mb": "data_size", "machine": "machine_type"}, columns=COLUMNS, algorithm="kmeans")
print(general)

# %% [markdown]
# The job at hand has never run on this data size. Its curve: medians and quantiles over the scale-out, as arrays.

# %%
job = {"machine": "m4.2xlarge", "arguments": "25", "size_mb": 15408}
nodes = range(2, 13)
print(general.bind(job).predict(nodes).to_frame())

# %% [markdown]
# Two runs later. Conditioning is exact and takes a fraction of a millisecond; the general model stays as it is.

# %%
observed = [{"scale_out": 4, "runtime_s": 266}, {"scale_out": 8, "runtime_s": 185}]
curve = general.condition(observed, context=job).bind(job)
predicted = curve.predict(nodes, quantiles=[0.05, 0.25, 0.75, 0.95])
print(f"On 6 nodes {curve.median(6):.0f} s, and at most {curve.quantile(6, 0.9):.0f} s in nine of ten runs.")

# %% [markdown]
# The cheapest cluster that meets a deadline, and the table why.

# %%
DEADLINE_S = 230
answer = bellamy.choose(curve.candidates(nodes, bellamy.Price(0.4)), deadline_s=DEADLINE_S, goal="cheapest_within_deadline")
print(answer.table)
print(f"Take {answer.scale_out} nodes: {answer.reason} with probability {answer.probability:.2f}.")

# %% [markdown]
# A picture: matplotlib's where it is installed, otherwise a drawing of our own.


# %%
def draw_with_matplotlib(pyplot, path):
    figure, axes = pyplot.subplots(figsize=(7, 4))
    for low, high, share in ((0, 3, "90 %"), (1, 2, "50 %")):
        axes.fill_between(nodes, predicted.quantiles_s[:, low], predicted.quantiles_s[:, high], alpha=0.25, color="C0", label=share)
    axes.plot(nodes, predicted.median_s, color="C0", label="median")
    axes.plot([each["scale_out"] for each in observed], [each["runtime_s"] for each in observed], "ko", label="observed")
    axes.axhline(DEADLINE_S, color="C3", linestyle="--", label="deadline")
    axes.axvline(answer.scale_out, color="C2", linestyle=":", label="chosen")
    axes.set(xlabel="scale-out (nodes)", ylabel="runtime (s)", ylim=(0, None))
    axes.legend()
    pyplot.rcParams["svg.fonttype"] = "none"
    figure.savefig(path)


def draw_plainly(path):
    top = max(predicted.quantiles_s[i, 3] for i in range(len(nodes)))

    def points(values, among=nodes):
        return " ".join(f"{50 * x - 40:.1f},{320 - 300 * y / top:.1f}" for x, y in zip(among, values))

    def column(number):
        return [predicted.quantiles_s[i, number] for i in range(len(nodes))]

    shapes = [f'<polygon points="{points(column(low))} {points(reversed(column(high)), reversed(nodes))}" fill="#9bc" opacity="0.5"/>'
              for low, high in ((0, 3), (1, 2))]
    shapes.append(f'<polyline points="{points(predicted.median_s)}" fill="none" stroke="#036" stroke-width="2"/>')
    shapes.append(f'<polyline points="{points([DEADLINE_S] * 2, (2, 12))}" stroke="#c00" stroke-dasharray="6"/>')
    labels = "".join(f'<text x="{50 * x - 46}" y="345">{x}</text>' for x in nodes)
    path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 620 380">{"".join(shapes)}{labels}'
                    '<text x="240" y="370">scale-out (nodes)</text></svg>\n', encoding="utf-8")


picture = Path(sys.argv[1] if len(sys.argv) > 1 else "curve.svg")
try:
    from matplotlib import pyplot

    draw_with_matplotlib(pyplot, picture)
except ImportError:
    draw_plainly(picture)
print(f"Drawn: {picture}")
