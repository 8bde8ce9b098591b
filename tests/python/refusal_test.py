"""Bad input is refused with the library's code and a sentence that says what was expected and found."""

import io
import math
import pickle
import re
from pathlib import Path

import bellamy
import pytest

ROOT = Path(__file__).parents[2]


def refused(name, act):
    with pytest.raises(bellamy.Error) as caught:
        act()
    assert caught.value.name == name, caught.value
    assert "expected" in caught.value.message
    return caught.value


def test_an_error_has_the_code_of_the_list_and_can_be_pickled(tmp_path):
    codes = dict(re.findall(r"ENTRY\((\w+), (\d+)\)", (ROOT / "include/bellamy/detail/base/error_list.h").read_text()))
    error = refused("cannot_read", lambda: bellamy.Model.load(tmp_path / "none.bellamy"))
    assert error.code == int(codes["cannot_read"])
    assert str(tmp_path) in str(error)
    again = pickle.loads(pickle.dumps(error))
    assert (again.code, again.name, again.message) == (error.code, error.name, error.message)


@pytest.mark.parametrize("change, name, words", [
    ({"scale_out": 0}, "invalid_scale_out", "run 1"),
    ({"scale_out": 2.5}, "invalid_argument", "run 1"),
    ({"scale_out": None}, "invalid_argument", "run 1"),
    ({"scale_out": 2**40}, "invalid_argument", "run 1"),
    ({"runtime_s": 0}, "invalid_runtime", "run 1"),
    ({"runtime_s": math.nan}, "invalid_runtime", "run 1"),
    ({"runtime_s": "long"}, "invalid_argument", "run 1"),
    ({"weight": -1}, "invalid_weight", "run 1"),
    ({"outcome": "lost"}, "invalid_argument", "run 1"),
    ({"censored": "perhaps"}, "invalid_argument", "run 1"),
    ({"machine": None}, "unknown_value", "machine"),
    ({"machine": "a\0b"}, "invalid_text", "zero"),
    ({"size_gb": -3}, "invalid_quantity", "size_gb"),
    ({"size_gb": 2**60}, "number_too_large", "size_gb"),
    ({"size_gb": "many"}, "invalid_argument", "size_gb"),
])
def test_a_bad_run_is_named(history, change, name, words):
    assert words in refused(name, lambda: bellamy.pretrain([history[0], {**history[1], **change}, *history[2:]])).message


@pytest.mark.parametrize("slip, meant", [
    ("outcom", "outcome"), ("Outcome", "outcome"), ("OUTCOME", "outcome"), ("outcomes", "outcome"), ("out", "outcome"),
    ("uotcmoe", "outcome"), ("censord", "censored"),
])
def test_a_misspelled_outcome_is_no_property(history, model, job, slip, meant):
    finished = [{**each, slip: "succeeded"} for each in history]
    message = refused("invalid_argument", lambda: bellamy.pretrain(finished)).message
    assert f"column {meant} " in message and f"found {slip};" in message
    refused("invalid_argument", lambda: bellamy.pretrain({name: [each[name] for each in finished] for name in finished[0]}))
    refused("invalid_argument", lambda: model.condition([{**job, "scale_out": 2, "runtime_s": 9, slip: "killed"}]))
    refused("invalid_argument", lambda: bellamy.ExplorationPrior.learn([finished]))
    refused("invalid_argument", lambda: bellamy.explore([bellamy.TrialCandidate(job, 2)], finished))


@pytest.mark.parametrize("name", ["status", "State", "finalStatus", "final_status", "job_result", "final_outcome"])
def test_a_column_that_tells_outcomes_by_another_name_is_no_property(history, model, job, name):
    finished = [{**each, name: "SUCCEEDED"} for each in history]
    message = refused("invalid_argument", lambda: bellamy.pretrain(finished)).message
    assert f"'SUCCEEDED' in {name} of run 0" in message and "Columns" in message
    refused("invalid_argument", lambda: model.condition([{**job, "scale_out": 2, "runtime_s": 9, name: "FAILED"}]))
    refused("invalid_argument", lambda: bellamy.ExplorationPrior.learn([finished]))
    killed = [{**each, name: "TIMEOUT"} for each in history]
    assert bellamy.pretrain(killed, columns=bellamy.Columns(outcome=name)).report["censored_runs"] == len(killed)
    # What is said to be a property, and what holds no outcome, is one.
    with_property = bellamy.pretrain(finished, optional=[name])
    assert name in {each.name for each in with_property.properties}
    observed = [{**job, "scale_out": 2, "runtime_s": 9, name: "SUCCEEDED"}]
    assert with_property.condition(observed).stored_runs()
    # A column without a name is no outcome; as a property it has none.
    indexed = [{**each, "": i} for i, each in enumerate(history)]
    unnamed = refused("invalid_text", lambda: bellamy.pretrain(indexed, columns=bellamy.Columns(outcome="")))
    assert "property name" in unnamed.message
    for values in (["OK", "TX"], [17, 18], ["finished", "closed"]):
        other = [{**each, name: values[i % 2]} for i, each in enumerate(history)]
        assert name in {each.name for each in bellamy.pretrain(other).properties}


def test_a_last_line_that_has_lost_its_runtime_is_refused(history):
    pandas = pytest.importorskip("pandas")
    text = pandas.DataFrame(history).to_csv(index=False).rstrip("\n")
    assert text.split("\n")[0].endswith(",runtime_s")
    assert bellamy.pretrain(pandas.read_csv(io.StringIO(text))).runs == len(history)
    last = text.rindex("\n") + 1
    for end in range(last + 1, text.rindex(",") + 2):
        with pytest.raises(bellamy.Error, match=f"run {len(history) - 1}"):
            bellamy.pretrain(pandas.read_csv(io.StringIO(text[:end])))


@pytest.mark.parametrize("outcome", ["FAILED", "Error", "cancelled", "RUNNING", "timed_out"])
def test_an_outcome_may_be_a_schedulers_word_for_it(history, outcome):
    runs = [{**each, "outcome": outcome if i else "OK"} for i, each in enumerate(history)]
    assert bellamy.pretrain(runs).report["censored_runs"] == len(runs) - 1


def test_a_column_that_is_named_or_unlike_is_no_slip_of_the_outcome(history):
    def names_of(column, **options):
        known = bellamy.pretrain([{**each, column: each["runtime_s"]} for each in history], **options).properties
        return {each.name for each in known}

    assert "output" in names_of("output", essential=["machine", "size_gb", "output"])
    assert "output" in names_of("output") and "income" in names_of("income")
    assert "outcomes" in names_of("outcomes", optional=["outcomes"])
    assert "outcomes" in names_of("outcomes", kinds={"outcomes": "quantity"})
    assert "outcome_s" not in names_of("outcome_s", columns=bellamy.Columns(timestamp_s="outcome_s"))


@pytest.mark.parametrize("runs, options, name", [
    ([], {}, "empty_history"),
    (None, {"essential": ["machine", "size"]}, "invalid_argument"),
    (None, {"roles": {"size_gb": "age"}}, "invalid_argument"),
    (None, {"kinds": {"size_gb": "colour"}}, "invalid_argument"),
    (None, {"kinds": {"sizes": "text"}}, "invalid_argument"),
    (None, {"unit": "rack"}, "invalid_argument"),
    (None, {"mode": "worst"}, "invalid_argument"),
    (None, {"colour": 1}, "invalid_option"),
    (None, {"mode": "paper", "dropout": 2.0}, "invalid_option"),
    (None, {"columns": bellamy.Columns(runtime_s="seconds")}, "invalid_argument"),
    ({"scale_out": [1, 2], "runtime_s": [1.0]}, {}, "invalid_argument"),
])
def test_a_bad_history_or_option_is_refused(history, runs, options, name):
    refused(name, lambda: bellamy.pretrain(history if runs is None else runs, **options))


def test_a_context_that_does_not_fit_is_named(model, job):
    assert "size_gb" in refused("essential_count_mismatch", lambda: model.bind({"machine": "a"})).message
    assert "colour" in refused("unknown_property", lambda: model.bind({**job, "colour": "red"})).message
    assert "size_gb" in refused("property_mismatch", lambda: model.bind({**job, "size_gb": 2.5})).message
    with pytest.raises(TypeError, match="found .*list"):
        model.bind({**job, "size_gb": [1]})


def test_bad_bytes_are_refused(model):
    data = model.to_bytes()
    refused("not_a_model", lambda: bellamy.Model.from_bytes(b"PK" + data))
    refused("corrupted", lambda: bellamy.Model.from_bytes(data[:100] + bytes([data[100] ^ 1]) + data[101:]))
    refused("truncated", lambda: bellamy.Model.from_bytes(data[:-9]))
    refused("not_a_model", lambda: bellamy.Model.from_bytes(b""))


def test_a_request_that_has_no_answer_is_refused(model, job):
    curve = model.bind(job)
    candidates = curve.candidates([2, 4])
    refused("empty_candidates", lambda: bellamy.choose([], deadline_s=100))
    refused("invalid_deadline", lambda: bellamy.choose(candidates))
    refused("invalid_budget", lambda: bellamy.choose(candidates, budget=-1))
    refused("invalid_probability", lambda: bellamy.choose(candidates, deadline_s=100, probability=1.5))
    refused("invalid_price", lambda: bellamy.choose(curve.candidates([2], bellamy.Price(-1)), deadline_s=100))
    # A goal that compares money needs a price; one of 0 is stated, not assumed.
    for limits in ({"budget": 1}, {"goal": "least_expected_cost"}, {"goal": "cheapest_within_deadline", "deadline_s": 100}):
        assert "found none" in refused("invalid_price", lambda limits=limits: bellamy.choose(candidates, **limits)).message
        bellamy.choose(curve.candidates([2, 4], bellamy.Price(0)), **limits)
    assert math.isnan(bellamy.choose(candidates, deadline_s=100).expected_cost)
    assert "curve" in refused("invalid_argument", lambda: bellamy.choose([bellamy.Candidate(None, 2)], deadline_s=100)).message
    for ask in (curve.predict, curve.candidates):
        assert "range(8, 2)" in refused("invalid_argument", lambda ask=ask: ask(range(8, 2))).message
    refused("invalid_argument", lambda: bellamy.choose(candidates, deadline_s=100, goal="best"))
    refused("invalid_scale_out", lambda: bellamy.choose(curve.candidates([0]), deadline_s=100))
    refused("invalid_scale_out", lambda: curve.predict([0]))
    refused("invalid_scale_out", lambda: curve.median(-1))
    assert math.isnan(curve.quantile(4, 1.5)) and math.isnan(curve.medians(0, 1)[0])
    for wrong in (lambda: curve.median("four"), lambda: curve.predict(["four"]), lambda: bellamy.choose([curve], deadline_s=1)):
        with pytest.raises(TypeError):
            wrong()


def test_a_bad_trace_is_refused(traces):
    refused("empty_history", lambda: bellamy.Application.pretrain([]))
    for change in ({"runtime_s": -1.0}, {"unit": "rack"}, {"outcome": "lost"}, {"jobs": "two"}, {"scale_out": [[0.0]]}):
        refused("invalid_trace", lambda change=change: bellamy.Application.pretrain([*traces, {**traces[0], **change}]))
    forecast = bellamy.Application.pretrain(traces).bind({"data_size_MB": 200})
    refused("invalid_argument", lambda: forecast.job(99, [4]))
    refused("invalid_scale_out", lambda: forecast.run([-1]))
    refused("invalid_deadline", lambda: forecast.rescale([2], deadline_s=-1, elapsed_s=0, scale_out=2, price=bellamy.Price(1)))
    with pytest.raises(TypeError, match="price"):
        forecast.rescale([2], deadline_s=100, elapsed_s=0, scale_out=2)
    refused("invalid_price", lambda: forecast.rescale([2], deadline_s=1, elapsed_s=0, scale_out=2, price=bellamy.Price(math.nan)))
