"""Models: learned from tables of any kind, conditioned, bound, kept."""

import pickle
import subprocess
import sys
import threading
import time

import bellamy
import numpy
import pytest

from conftest import ROLES, made_up_runs


class ToDicts:
    """What polars' DataFrame looks like to us."""

    def __init__(self, rows):
        self._rows = rows

    def to_dicts(self):
        return self._rows


def test_data_frames_rows_and_columns_give_the_same_model(history, model):
    pandas = pytest.importorskip("pandas")
    columns = {name: [row[name] for row in history] for name in history[0]}
    for table in (pandas.DataFrame(history), ToDicts(history), columns, iter(history)):
        assert bellamy.pretrain(table, roles=ROLES, algorithm="made up", seed=3).to_bytes() == model.to_bytes()


def test_the_schema_is_told_by_the_values_and_by_what_is_said(history, model):
    assert model.properties == (
        bellamy.Property("machine", "text", "machine_type", False, True),
        bellamy.Property("size_gb", "natural", "data_size", False, True),
    )
    assert (model.algorithm, model.unit, model.runs, model.contexts) == ("made up", "node", 36, 9)
    assert model.seen_scale_outs == (2, 12)
    assert model.report["stopped"] == "closed_form" and model.report["usable_experts"] > 0
    assert model.report["censored_runs"] == 0
    killed = [{**run, "outcome": "killed"} for run in history]
    assert bellamy.pretrain(killed, roles=ROLES).report["censored_runs"] == len(killed)
    told = bellamy.pretrain(history, essential=["machine"], optional=["size_gb"], kinds={"size_gb": "quantity"},
                            scaling=["size_gb"], unit="executor")
    assert told.properties[1] == bellamy.Property("size_gb", "quantity", "none", True, False)
    assert told.unit == "executor"


def test_an_optional_value_that_is_missing_in_a_table_is_left_out(history, job):
    with_gaps = [{**row, "size_gb": None if i % 4 else row["size_gb"]} for i, row in enumerate(history)]
    without = [{name: value for name, value in row.items() if value is not None} for row in with_gaps]
    options = {"essential": ["machine"], "optional": ["size_gb"]}
    learned = bellamy.pretrain(with_gaps, **options)
    assert learned.to_bytes() == bellamy.pretrain(without, **options).to_bytes()
    assert learned.bind({"machine": "m4.xlarge"}).median(4) > 0


def test_killed_runs_raise_the_runtimes(model, job):
    finished = [{"scale_out": 4, "runtime_s": 400}]
    medians = [model.condition(runs, context=job).bind(job).median(4)
               for runs in ([], finished, [{**finished[0], "outcome": "killed"}], [{**finished[0], "censored": True}])]
    assert medians[2] == medians[3] > medians[0]
    assert medians[1] != medians[2]


def test_conditioning_pulls_the_curve_to_the_runs_and_leaves_the_model_alone(model, job):
    before = model.bind(job)
    adapted = model.condition([{**job, "scale_out": n, "runtime_s": 1.2 * before.median(n)} for n in (4, 8)])
    assert adapted.observed_runs == 2 and model.observed_runs == 0
    assert [row["runtime_s"] for row in adapted.stored_runs()] == [1.2 * before.median(n) for n in (4, 8)]
    assert adapted.bind(job).median(4) > 1.1 * before.median(4)
    assert model.bind(job).median(4) == before.median(4)


def test_a_run_in_milliseconds_is_named_by_its_number_in_a_history_and_among_observed_runs(model, history, job):
    assert model.improbable_runs() == []
    wrong = [{**row, "runtime_s": row["runtime_s"] * (1000 if i == 17 else 1)} for i, row in enumerate(history)]
    learned = bellamy.pretrain(wrong, roles=ROLES)
    (named,) = learned.improbable_runs()
    assert isinstance(named, bellamy.ImprobableRun) and named.run == 17
    assert named.found_s == pytest.approx(wrong[17]["runtime_s"])
    assert named.expected_s == pytest.approx(history[17]["runtime_s"], rel=0.2)
    assert bellamy.Model.from_bytes(learned.to_bytes()).improbable_runs() == []
    median_s = model.bind(job).median(4)
    observed = [{**job, "scale_out": n, "runtime_s": model.bind(job).median(n)} for n in (2, 8, 12)]
    (named,) = model.condition([*observed, {**job, "scale_out": 4, "runtime_s": 1000 * median_s}]).improbable_runs()
    assert (named.run, named.found_s) == (3, 1000 * median_s)
    assert named.expected_s == pytest.approx(median_s, rel=0.1)


def test_learning_takes_in_the_whole_history_and_leaves_the_model_alone(model, history, job):
    runs = [*history, *({**job, "scale_out": n, "runtime_s": 1.2 * model.bind(job).median(n)} for n in (4, 8))]
    learned = model.learn(runs)
    assert learned.observed_runs == 0 and learned.runs == len(runs) and model.runs == len(history)
    assert learned.bind(job).median(4) > 1.05 * model.bind(job).median(4)


def test_medians_and_quantiles_come_as_arrays_in_one_call(model, job):
    curve = model.bind(job)
    predicted = curve.predict(range(2, 13), quantiles=[0.1, 0.5, 0.9])
    assert isinstance(predicted.median_s, numpy.ndarray) and predicted.median_s.dtype == numpy.float64
    assert predicted.median_s.shape == (11,) and predicted.quantiles_s.shape == (11, 3)
    assert (numpy.diff(predicted.quantiles_s, axis=1) > 0).all()
    for i, scale_out in enumerate(predicted.scale_outs):
        assert predicted.median_s[i] == curve.median(scale_out) == curve.at(scale_out).median_s
        assert predicted.quantiles_s[i, 2] == curve.quantile(scale_out, 0.9) == curve.at(scale_out).quantile(0.9)
        assert predicted.probability(200)[i] == curve.probability(scale_out, 200)
    assert curve.medians(2, 11).tolist() == predicted.median_s.astype(numpy.float32).tolist()
    assert bellamy.Flag.OUTSIDE_SEEN_SCALE_OUTS in curve.at(100).flags
    assert bellamy.Flag.OUTSIDE_SEEN_SCALE_OUTS not in curve.at(4).flags
    assert predicted.to_frame()["p90_s"].tolist() == predicted.quantiles_s[:, 2].tolist()
    assert curve.predict([]).quantiles_s.shape == (0, 4)


def test_many_contexts_are_answered_as_their_curves_would(model, history):
    questions = [{name: row[name] for name in ("machine", "size_gb", "scale_out")} for row in history]
    expected = [model.bind({"machine": row["machine"], "size_gb": row["size_gb"]}).median(row["scale_out"]) for row in questions]
    assert model.predict(questions).median_s.tolist() == expected
    scale_outs = [row.pop("scale_out") for row in questions]
    assert model.predict(questions[::-1], scale_outs[::-1]).median_s.tolist() == expected[::-1]


def test_values_of_other_types_mean_what_they_spell(model, job):
    expected = model.bind(job).median(4)
    for size in (30.0, "30", numpy.int64(30), numpy.float32(30)):
        assert model.bind({**job, "size_gb": size}).median(4) == expected


def test_models_are_kept_as_bytes_files_and_pickles(model, job, tmp_path):
    adapted = model.condition([{**job, "scale_out": 4, "runtime_s": 150}])
    adapted.save(tmp_path / "job.bellamy")
    for same in (bellamy.Model.from_bytes(adapted.to_bytes()), bellamy.Model.load(tmp_path / "job.bellamy"),
                 pickle.loads(pickle.dumps(adapted))):
        assert same.to_bytes() == adapted.to_bytes() and same.id == adapted.id
        assert same.bind(job).median(6) == adapted.bind(job).median(6)


def test_a_cold_start_waits_for_a_first_run(job):
    model = bellamy.cold_start(job, algorithm="sort").condition([{**job, "scale_out": 4, "runtime_s": 298}])
    assert model.bind(job).median(4) == pytest.approx(298, rel=0.2)


def test_a_network_is_trained_tells_its_progress_and_can_be_stopped(history):
    told = []
    options = {"mode": "paper", "epochs": 30, "batch_size": 8, "seed": 1}
    trained = bellamy.pretrain(history, progress=told.append, **options)
    assert [each["epoch"] for each in told] == list(range(told[0]["epoch"], told[0]["epoch"] + 30))
    assert trained.kind == "network"
    stopped = bellamy.pretrain(history, progress=lambda now: now["epoch"] < 5, **options)
    assert stopped.report["stopped"] == "cancelled"

    def fails(_):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        bellamy.pretrain(history, progress=fails, **options)
    job = {"machine": "m4.xlarge", "size_gb": 10}
    tuned = trained.fine_tune([row for row in history if row["machine"] == "m4.xlarge" and row["size_gb"] == 10], epochs=20)
    assert tuned.bind(job).median(4) != trained.bind(job).median(4)
    assert bellamy.Flag.POINT in trained.bind(job).at(4).flags


def test_other_threads_go_on_while_one_learns(history):
    counted = 0
    done = threading.Event()

    def learn():
        bellamy.pretrain(history, mode="paper", epochs=5000, batch_size=8)
        done.set()

    learner = threading.Thread(target=learn)
    learner.start()
    while not done.is_set():
        counted += 1
        time.sleep(0.001)
    learner.join()
    assert counted > 5


def test_importing_needs_and_loads_no_other_package():
    program = ("import sys; sys.modules['numpy'] = sys.modules['pandas'] = None; import bellamy\n"
               "job = {'machine': 'a', 'size': 3}\n"
               "curve = bellamy.cold_start(job).condition([{**job, 'scale_out': 4, 'runtime_s': 298}]).bind(job)\n"
               "made = curve.predict([2, 4, 8], quantiles=[0.1, 0.9])\n"
               "assert made.quantiles_s.shape == (3, 2) and made.quantiles_s[1, 1] == curve.quantile(4, 0.9)\n"
               "assert made.median_s[2] == curve.median(8) and len(curve.medians(1, 9)) == 9\n"
               "answer = bellamy.choose(curve.candidates([2, 4]), deadline_s=900)\n"
               "assert [row['scale_out'] for row in answer.table] == [2, 4] and len(made.to_frame()) == 3\n")
    subprocess.run([sys.executable, "-c", program], check=True)
    loaded = subprocess.run([sys.executable, "-c", "import sys, bellamy; print('numpy' in sys.modules, 'pandas' in sys.modules)"],
                            check=True, capture_output=True, text=True)
    assert loaded.stdout.split() == ["False", "False"]


def test_many_threads_may_ask_one_model(model, job):
    expected = [model.bind(job).median(n) for n in range(1, 50)]
    wrong = []

    def ask():
        for _ in range(20):
            if [model.bind(job).median(n) for n in range(1, 50)] != expected:
                wrong.append(1)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong


def test_noise_widens_what_is_predicted(job):
    calm, noisy = (bellamy.pretrain(made_up_runs(noise), roles=ROLES).bind(job) for noise in (0.01, 0.3))
    assert noisy.quantile(4, 0.9) / noisy.median(4) > calm.quantile(4, 0.9) / calm.median(4)
