"""The answers are those of C++, to the bit: its programs learn from and answer about the same."""

import csv
import json
from pathlib import Path

import bellamy
import pytest

ROOT = Path(__file__).parents[2]
JOB = {"machine": "m4.2xlarge", "arguments": "25", "size_mb": 15408}
FACTS = [part for name, value in JOB.items() for part in ("--property", f"{name}={value}")]


@pytest.fixture(scope="module", params=["best", "paper"])
def learned(request, run_program, tmp_path_factory):
    """A model file of the C++ tool, and a model of the same table."""
    table = ROOT / "examples/sample/runs.csv"
    file = tmp_path_factory.mktemp("models") / "job.bellamy"
    mode = [] if request.param == "best" else ["--mode", "paper", "--epochs", "40"]
    run_program("pretrain", *mode, "--table", table, "--essential", "machine,arguments,size_mb", "--natural", "size_mb", "--role",
                "size_mb=data_size", "--scale-out", "nodes", "--runtime", "seconds", "--algorithm", "job", "--seed", "5",
                "--out", file)
    with open(table, newline="", encoding="utf-8") as rows:
        runs = [{**row, "size_mb": int(row["size_mb"]), "nodes": int(row["nodes"]), "seconds": float(row["seconds"])}
                for row in csv.DictReader(rows)]
    model = bellamy.pretrain(runs, essential=list(JOB), roles={"size_mb": "data_size"}, algorithm="job", seed=5,
                             columns=bellamy.Columns(scale_out="nodes", runtime_s="seconds"), mode=request.param,
                             **({"epochs": 40} if mode else {}))
    return file, model


def test_pre_training_gives_the_bytes_of_the_cpp_tool(learned):
    file, model = learned
    assert model.to_bytes() == file.read_bytes()


def test_curves_and_choices_are_those_of_the_cpp_tool(learned, run_program):
    file, model = learned
    told = run_program("allocate", "--model", file, *FACTS, "--observe", "4=298", "--observe", "8=226", "--deadline", "260",
                       "--probability", "0.8", "--range", "2:12", "--price", "0.4", "--format", "json")
    observed = [{"scale_out": 4, "runtime_s": 298}, {"scale_out": 8, "runtime_s": 226}]
    loaded = bellamy.Model.load(file)
    adapt = loaded.fine_tune if loaded.kind == "network" else loaded.condition
    curve = adapt(observed, context=JOB).bind(JOB)
    scale_outs = [row["scale_out"] for row in told["candidates"]]
    predicted = curve.predict(scale_outs, quantiles=[0.8])
    assert scale_outs == list(range(2, 13))
    assert predicted.median_s.tolist() == [row["median_s"] for row in told["candidates"]]
    assert predicted.quantiles_s[:, 0].tolist() == [row["quantile_s"] for row in told["candidates"]]
    assert predicted.probability(260).tolist() == [row["probability"] for row in told["candidates"]]

    answer = bellamy.choose(curve.candidates(scale_outs, bellamy.Price(0.4)), deadline_s=260, probability=0.8,
                            goal="cheapest_within_deadline" if told["goal"].startswith("cheapest") else None)
    assert answer.scale_out == told["chosen"]["scale_out"]
    assert [row["verdict"] for row in answer.rows] == [row["verdict"] for row in told["candidates"]]
    assert [row["expected_cost"] for row in answer.rows] == [row["expected_cost"] for row in told["candidates"]]


def test_forecasts_and_rescaling_are_those_of_the_cpp_tool(traces, run_program, tmp_path):
    past, running = traces[:-1], traces[-1]
    (tmp_path / "past.jsonl").write_text("".join(json.dumps(each) + "\n" for each in past))
    (tmp_path / "running.jsonl").write_text(json.dumps(running) + "\n")
    told = run_program("forecast", tmp_path / "running.jsonl", "--history", tmp_path / "past.jsonl", "--after", 1,
                       "--deadline", 400, "--scale-outs", "2,4,8", "--price", 2, "--delay", 5, "--cost-of-change", 0.01, "--json")

    first = running["jobs"][0]
    so_far = {**running, "jobs": [first], "outcome": "unfinished", "runtime_s": first["completed_s"]}
    before = bellamy.Application.pretrain(bellamy.read_traces(tmp_path / "past.jsonl")).bind(running["properties"])
    forecast = before.observe(so_far)
    rest = forecast.remaining(8, quantiles=[0.05, 0.25, 0.75, 0.95])
    assert forecast.finished_jobs == told["finished_jobs"] == 1
    assert rest.median_s[0] == told["rest"]["median_s"]
    assert rest.quantiles_s[0].tolist() == [told["rest"][name] for name in ("p05_s", "p25_s", "p75_s", "p95_s")]

    decision = forecast.rescale([2, 4, 8], deadline_s=400, elapsed_s=told["elapsed_s"], scale_out=8,
                                probability=told["probability"], price=bellamy.Price(2.0, start_up_s=5), cost_of_change=0.01)
    assert decision.scale_out == told["decision"]["scale_out"]
    assert [row["probability"] for row in decision.rows] == [row["probability"] for row in told["table"]]
    assert [row["expected_cost"] for row in decision.rows] == [row["expected_cost"] for row in told["table"]]
    assert [row["verdict"] for row in decision.rows] == [row["why"] for row in told["table"]]


def test_golden_models_give_the_answers_that_cpp_wrote_down():
    folder = ROOT / "tests/golden/models/1.0"
    with open(folder / "answers.csv", newline="", encoding="utf-8") as file:
        answers = list(csv.DictReader(file))
    assert {row["model"] for row in answers} == {"best", "network", "shapes"}
    for row in answers:
        curve = bellamy.Model.load(folder / f"{row['model']}.bellamy").bind({"machine": "m5.large", "size_gb": 30, "memory_gb": 8})
        scale_out = int(row["scale_out"])
        # Of this machine; those were written on another, in nine digits.
        assert curve.median(scale_out) == pytest.approx(float(row["median_s"]), rel=1e-4)
        assert curve.quantile(scale_out, 0.9) == pytest.approx(float(row["quantile_90_s"]), rel=1e-4)


def test_the_next_run_is_that_of_the_cpp_tool(run_program):
    table = ROOT / "examples/sample/trials.csv"
    machines = {(4, 8192): ("lean", 0.16), (4, 16384): ("rich", 0.21), (8, 32768): ("big", 0.42)}
    given = [part for (cores, memory), (name, price) in machines.items()
             for part in ("--machine", f"{name}={price},cores={cores},memory={memory // 1024}GB")]
    told = run_program("explore", table, "--application", "churn model", "--deadline", "20m", *given, "--scale-outs", "2,4,8,16",
                       "--trials", "3", "--json")

    def context_of(cores, memory, size):
        return {"machine": machines.get((cores, memory), ("",))[0], "cores": cores, "memory_mb": memory, "size": float(size)}

    applications = {}
    with open(table, newline="", encoding="utf-8") as rows:
        for row in csv.DictReader(rows):
            where = context_of(int(row["executor_cores"]), int(row["executor_memory_MB"]), row["data_size_MB"])
            applications.setdefault(row["application"], []).append(
                {**where, "scale_out": int(row["executors"]), "runtime_s": float(row["runtime_s"]), "outcome": row["outcome"]})
    own = applications.pop("churn model")
    same = {"roles": {"machine": "machine_type", "cores": "cores_per_node", "memory_mb": "memory_per_node", "size": "data_size"},
            "unit": "executor"}
    candidates = [bellamy.TrialCandidate(context_of(cores, memory, own[-1]["size"]), x, bellamy.Price(price), name)
                  for (cores, memory), (name, price) in machines.items() for x in (2, 4, 8, 16)]
    # In the order of the tool: sums depend on it in their last bits.
    known = bellamy.ExplorationPrior.learn([runs for _, runs in sorted(applications.items())], **same)
    found = bellamy.explore(candidates, own, deadline_s=1200, trials=3, known=known, **same)
    assert found.stops == told["stops"] and found.reason == told["verdict"]

    def same_row(row, made):
        assert (row["machine"], row["scale_out"]) == (made.candidate.label, made.candidate.scale_out)
        names = ("median_s", "probability", "expected_cost")
        assert [getattr(made, name) for name in names] == [row[name] for name in names]

    same_row(told["choice"], found)
    assert found.meets_limit == told["choice"]["meets_limit"]
    assert len(found.next) == len(told["next"]) == 3
    for row, made in zip(told["next"], found.next):
        same_row(row, made)
        assert made.expected_gain == row["expected_gain"]
