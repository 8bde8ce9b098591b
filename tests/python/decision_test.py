"""The choice among candidates, and its table."""

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
