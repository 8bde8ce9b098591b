"""The choice among candidates, its table, and the search for the next run."""

import bellamy
import pytest


@pytest.fixture
def curve(model, job):
    return model.bind(job)


def test_the_smallest_scale_out_that_keeps_the_deadline_is_chosen(curve):
    answer = bellamy.choose(curve.candidates(range(1, 13)), deadline_s=150, probability=0.9)
    assert answer.feasible and answer.outcome == "meets_deadline"
    kept = [n for n in range(1, 13) if curve.probability(n, 150) >= 0.9]
    assert answer.scale_out == answer.candidate.scale_out == min(kept)
    assert answer.quantile_s == curve.quantile(answer.scale_out, 0.9)


def test_the_table_why_is_a_data_frame_with_a_row_for_each_candidate(curve):
    pandas = pytest.importorskip("pandas")
    answer = bellamy.choose(curve.candidates(range(1, 13)), deadline_s=150)
    assert isinstance(answer.table, pandas.DataFrame)
    assert answer.table["scale_out"].tolist() == list(range(1, 13))
    chosen = answer.table[answer.table["verdict"] == "chosen"]
    assert chosen["scale_out"].tolist() == [answer.scale_out]
    assert answer.table["median_s"].tolist() == curve.predict(range(1, 13)).median_s.tolist()


def test_machines_are_told_apart_by_price_and_label(model):
    small, large = (model.bind({"machine": machine, "size_gb": 30}) for machine in ("m4.xlarge", "r4.2xlarge"))
    candidates = (small.candidates(range(2, 13), bellamy.Price(0.2), "small")
                  + large.candidates(range(2, 13), bellamy.Price(50.0), "large"))
    answer = bellamy.choose(candidates, deadline_s=200, goal="cheapest_within_deadline")
    assert answer.candidate.label == "small"
    assert answer.expected_cost == min(row["expected_cost"] for row in answer.rows if row["probability"] >= 0.9)
    assert [row["label"] for row in answer.rows] == 11 * ["small"] + 11 * ["large"]


def test_what_no_candidate_keeps_is_said_with_the_likeliest(curve):
    answer = bellamy.choose(curve.candidates([2, 12]), deadline_s=1)
    assert not answer.feasible and answer.outcome == "infeasible" and answer.candidate is not None


def test_a_budget_and_no_limit_at_all_have_goals_of_their_own(curve):
    price = bellamy.Price(1.0, start_up_s=60, billing_granularity_s=60)
    fastest = bellamy.choose(curve.candidates(range(1, 13), price), budget=0.5)
    cheapest = bellamy.choose(curve.candidates(range(1, 13), price), goal="least_expected_cost")
    assert fastest.expected_cost <= 0.5 and cheapest.expected_cost <= fastest.expected_cost
    assert fastest.median_s <= cheapest.median_s


def test_a_missed_deadline_may_have_a_cost(curve):
    candidates = curve.candidates(range(1, 13), bellamy.Price(1.0))
    cheap, dear = (bellamy.choose(candidates, deadline_s=150, cost_of_missing=cost) for cost in (1e-6, 1e6))
    assert cheap.feasible and cheap.outcome == "costs_least" and dear.outcome == "meets_deadline"
    assert cheap.probability < 0.9 <= dear.probability
    with pytest.raises(bellamy.Error, match="no cost of missing"):
        bellamy.choose(candidates, deadline_s=150, cost_of_missing=1.0, goal="cheapest_within_deadline")


def test_a_machine_never_seen_is_not_feasible_whatever_the_goal(model):
    strange = model.bind({"machine": "m4.xlrage", "size_gb": 30})
    candidates = strange.candidates([8], bellamy.Price(1.0))
    kept = bellamy.choose(candidates, deadline_s=100 * strange.quantile(8, 0.5))
    assert kept.outcome == "meets_deadline_unlike_any_seen" and kept.meets_limit and not kept.feasible
    cheap = bellamy.choose(candidates, deadline_s=strange.quantile(8, 0.5), cost_of_missing=1e-6)
    assert cheap.outcome == "costs_least_unlike_any_seen" and cheap.meets_limit and not cheap.feasible
    assert cheap.reason == "costs least, in a context unlike any seen"


ROLES = {"machine": "machine_type", "cores": "cores_per_node", "memory_mb": "memory_per_node"}
MACHINES = [{"machine": "lean", "cores": 4, "memory_mb": 8192}, {"machine": "big", "cores": 8, "memory_mb": 32768}]


def seconds(context, scale_out, work=20000):
    return 60 + work / (context["cores"] * scale_out)


@pytest.fixture
def trials():
    return [bellamy.TrialCandidate(machine, n, bellamy.Price(0.05 * machine["cores"]), f"{machine['machine']} {n}")
            for machine in MACHINES for n in (2, 4, 8, 16)]


def test_a_search_goes_on_until_a_trial_costs_more_than_it_gains(trials):
    runs = []
    while True:
        found = bellamy.explore(trials, runs, deadline_s=600, roles=ROLES)
        if found.stops:
            break
        proposed = found.next[0].candidate
        runs.append({**proposed.context, "scale_out": proposed.scale_out, "runtime_s": seconds(proposed.context, proposed.scale_out)})
    assert found.verdict == "costs_more_than_it_gains" and found.reason == "another run costs more than it gains"
    assert 0 < len(runs) < len(trials)
    costs = {each.label: each.price.per_unit_and_hour * each.scale_out * seconds(each.context, each.scale_out) for each in trials
             if seconds(each.context, each.scale_out) <= 600}
    assert costs[found.candidate.label] <= 1.2 * min(costs.values())
    assert found.meets_limit and found.probability >= 0.9 and found.best_run in trials


def test_before_a_run_was_in_time_no_gain_is_expected_and_a_table_has_a_row_for_each_trial(trials):
    pandas = pytest.importorskip("pandas")
    found = bellamy.explore(trials, deadline_s=600, roles=ROLES, trials=3)
    assert found.best_run is None and found.observed_runs == 0
    # The others assume that the first one ran.
    assert found.next[0].expected_gain is None and found.next[1].expected_gain > 0
    assert isinstance(found.table, pandas.DataFrame)
    assert found.table["label"].tolist() == [each.candidate.label for each in found.next]
    assert found.table["cores"].tolist() == [each.candidate.context["cores"] for each in found.next]
    assert len({each.candidate.label for each in found.next}) == 3


def test_other_jobs_make_a_search_surer_and_a_table_of_runs_is_a_data_frame_too(trials):
    pandas = pytest.importorskip("pandas")
    jobs = [pandas.DataFrame({**each.context, "nodes": each.scale_out, "seconds": seconds(each.context, each.scale_out, work)}
                             for each in trials) for work in (8000, 15000, 40000)]
    columns = bellamy.Columns(scale_out="nodes", runtime_s="seconds")
    known = bellamy.ExplorationPrior.learn(jobs, roles=ROLES, columns=columns)
    run = pandas.DataFrame([{**MACHINES[0], "nodes": 4, "seconds": 1300.0}])
    sure, unsure = (bellamy.explore(trials, run, roles=ROLES, columns=columns, known=each) for each in (known, None))
    assert sure.quantile_s / sure.median_s < unsure.quantile_s / unsure.median_s
    assert sure.best_run is unsure.best_run is trials[1]


def test_goals_and_bounds_are_those_of_the_library(trials):
    run = [{**MACHINES[0], "scale_out": 4, "runtime_s": 1300.0}, {**MACHINES[1], "scale_out": 8, "runtime_s": 380.0}]
    assert bellamy.explore(trials, run, roles=ROLES, runs_to_come=0.001).verdict == "costs_more_than_it_gains"
    assert bellamy.explore(trials, run, roles=ROLES, least_gain=0.9).verdict == "below_least_gain"
    assert bellamy.explore(trials, run, roles=ROLES, deadline_s=1).verdict == "hopeless"
    assert bellamy.explore(trials[:1], [{**MACHINES[0], "scale_out": 2, "runtime_s": 9}], roles=ROLES).verdict == "everything_tried"
    assert bellamy.explore(trials, run, roles=ROLES, budget=0.7).best_run is not None
    free = [bellamy.TrialCandidate(each.context, each.scale_out, bellamy.Price(0.0)) for each in trials]
    assert bellamy.explore(free, run, roles=ROLES).verdict == "costs_more_than_it_gains"


@pytest.mark.parametrize("change, name, words", [
    ({"candidates": []}, "empty_candidates", "at least one candidate"),
    ({"candidates": [bellamy.TrialCandidate(MACHINES[0], 2, bellamy.Price(-1.0))]}, "invalid_price", "candidate 0"),
    ({"candidates": [bellamy.TrialCandidate(MACHINES[0], 2)]}, "invalid_price", "found none"),
    ({"candidates": [bellamy.TrialCandidate(MACHINES[0], 0, bellamy.Price(1.0))]}, "invalid_scale_out", "candidate 0"),
    ({"runs_to_come": 0}, "invalid_option", "runs to come"),
    ({"runs_to_come": -5}, "invalid_option", "runs to come"),
    ({"least_gain": -1}, "invalid_option", "least gain"),
    ({"trials": 0}, "invalid_option", "at least one trial"),
    ({"trials": -1}, "invalid_argument", "trials"),
    ({"deadline_s": -1}, "invalid_deadline", "deadline"),
    ({"goal": "dearest"}, "invalid_argument", "dearest"),
    ({"roles": {"colour": "data_size"}}, "invalid_argument", "colour"),
    ({"unit": "rack"}, "invalid_argument", "rack"),
    ({"runs": [{**MACHINES[0], "scale_out": 2, "runtime_s": -3}]}, "invalid_runtime", "run 0"),
    ({"runs": [{**MACHINES[0], "scale_out": 2}]}, "invalid_argument", "run 0"),
])
def test_what_a_search_cannot_use_is_refused(trials, change, name, words):
    with pytest.raises(bellamy.Error, match=words) as caught:
        bellamy.explore(**{"candidates": trials, "roles": ROLES, **change})
    assert caught.value.name == name


def test_a_prior_needs_jobs_with_runs_and_candidates_have_their_type(trials):
    for jobs, words in (([], "one job"), ([[{**MACHINES[0], "scale_out": 2, "runtime_s": 9}], []], "job 1")):
        with pytest.raises(bellamy.Error, match=words) as caught:
            bellamy.ExplorationPrior.learn(jobs)
        assert caught.value.name == "empty_history"
    with pytest.raises(TypeError, match="TrialCandidate"):
        bellamy.explore([MACHINES[0]])
