"""A made-up job: its runs, a model of them, and a context that none of them had."""

import json
import os
import random
import subprocess

import bellamy
import pytest

ROLES = {"machine": "machine_type", "size_gb": "data_size"}


def made_up_runs(noise=0.03):
    generator = random.Random(7)
    speeds = {"m4.xlarge": 1.0, "c4.xlarge": 0.7, "r4.2xlarge": 0.5}
    return [
        {
            "machine": machine,
            "size_gb": size,
            "scale_out": nodes,
            "runtime_s": (10 + 20 * speed * size / nodes + 2 * nodes) * generator.uniform(1 - noise, 1 + noise),
        }
        for machine, speed in speeds.items()
        for size in (10, 20, 40)
        for nodes in (2, 4, 8, 12)
    ]


def made_up_traces(count=6):
    """Two jobs of two stages and of one; the second stage waits for the first."""
    generator = random.Random(11)
    runs = []
    for number in range(count):
        size, nodes = 100 + 50 * number, (2, 4, 8)[number % 3]
        first, second, third = (each * size / nodes * generator.uniform(0.97, 1.03) for each in (0.5, 0.25, 1.0))
        stages = [
            {"id": 0, "name": "read", "tasks": 8, "submitted_s": 0.0, "completed_s": first, "scale_out": [nodes, nodes]},
            {"id": 1, "name": "join", "tasks": 8, "parents": [0], "submitted_s": first, "completed_s": first + second,
             "scale_out": [nodes, nodes]},
        ]
        last = {"id": 2, "name": "write", "tasks": 4, "submitted_s": first + second, "completed_s": first + second + third,
                "scale_out": [nodes, nodes]}
        runs.append({
            "format": 1,
            "application": "daily report",
            "run": f"run-{number}",
            "unit": "executor",
            "runtime_s": first + second + third,
            "outcome": "succeeded",
            "properties": {"data_size_MB": size},
            "scale_out": [[0.0, nodes]],
            "jobs": [
                {"id": 0, "submitted_s": 0.0, "completed_s": first + second, "stages": stages},
                {"id": 1, "submitted_s": first + second, "completed_s": first + second + third, "stages": [last]},
            ],
        })
    return runs


@pytest.fixture(scope="session")
def history():
    return made_up_runs()


@pytest.fixture(scope="session")
def model(history):
    return bellamy.pretrain(history, roles=ROLES, algorithm="made up", seed=3)


@pytest.fixture
def job():
    return {"machine": "m4.xlarge", "size_gb": 30}


@pytest.fixture(scope="session")
def traces():
    return made_up_traces()


@pytest.fixture(scope="session")
def run_program():
    """Runs a command of the program of the build and gives its line of JSON."""
    if "BELLAMY_PROGRAM" not in os.environ:
        pytest.skip("no program in BELLAMY_PROGRAM")

    def run(name, *arguments):
        command = [os.environ["BELLAMY_PROGRAM"], name, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode in (0, 4), done.stderr
        return json.loads(done.stdout) if done.stdout.startswith("{") else done.stdout

    return run
