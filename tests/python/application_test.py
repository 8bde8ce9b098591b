"""Applications stage by stage: forecasts before and during a run, rescaling, files."""

import json
import pickle

import bellamy
import pytest


@pytest.fixture(scope="module")
def application(traces):
    return bellamy.Application.pretrain(traces, seed=2)


def test_a_forecast_tells_the_run_its_jobs_and_its_stages(application):
    forecast = application.bind({"data_size_MB": 200})
    assert application.name == "daily report" and application.seen_scale_outs == (2, 8)
    assert (forecast.jobs, forecast.finished_jobs, forecast.stage_counts) == (2, 0, [2, 1])
    run = forecast.run([2, 4, 8])
    assert run.median_s.shape == (3,) and (run.median_s[:-1] > run.median_s[1:]).all()
    assert run.median_s[1] == pytest.approx(1.75 * 200 / 4, rel=0.15)
    assert forecast.job(0, 4).median_s[0] == pytest.approx(0.75 * 200 / 4, rel=0.15)
    assert forecast.stage(0, 1, 4).median_s[0] == pytest.approx(0.25 * 200 / 4, rel=0.15)


def test_the_rest_is_predicted_from_what_has_ended(application, traces):
    running = traces[1]
    first = running["jobs"][0]
    so_far = {**running, "jobs": [first], "outcome": "unfinished", "runtime_s": first["completed_s"]}
    forecast = application.bind(running["properties"]).observe(so_far)
    assert forecast.finished_jobs == 1
    assert forecast.remaining(4).median_s[0] == pytest.approx(running["runtime_s"] - first["completed_s"], rel=0.15)


def test_a_run_that_is_late_is_told_to_grow(application):
    forecast = application.bind({"data_size_MB": 300})
    answer = forecast.rescale([2, 4, 8], deadline_s=120, elapsed_s=0, scale_out=2, price=bellamy.Price(1.0))
    assert answer.changes and answer.scale_out == 8 and answer.outcome == "meets_deadline"
    assert [row["scale_out"] for row in answer.rows] == [2, 4, 8]
    assert answer.table["verdict"].tolist()[2] == "chosen"
    cheap = forecast.rescale([2, 4, 8], deadline_s=1, elapsed_s=0, scale_out=2, price=bellamy.Price(1.0), cost_of_missing=1e-9)
    assert cheap.scale_out == 2 and cheap.outcome == "costs_least"
    stays = forecast.rescale([2, 4, 8], deadline_s=1000, elapsed_s=0, scale_out=2, price=bellamy.Price(1.0))
    assert not stays.changes and stays.scale_out == 2


def test_applications_are_kept_as_bytes_files_and_pickles(application, tmp_path):
    application.save(tmp_path / "report.bellamy")
    for same in (bellamy.Application.load(tmp_path / "report.bellamy"), pickle.loads(pickle.dumps(application))):
        assert same.to_bytes() == application.to_bytes()


def test_traces_are_read_from_lines_of_json(traces, tmp_path, application):
    (tmp_path / "runs.jsonl").write_text("".join(json.dumps(each) + "\n" for each in traces))
    read = bellamy.read_traces(tmp_path / "runs.jsonl")
    assert read == traces
    assert bellamy.Application.pretrain(read, seed=2).to_bytes() == application.to_bytes()
