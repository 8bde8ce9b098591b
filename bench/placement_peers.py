#!/usr/bin/env python3
"""Solves the instances that bench/placement --out wrote with CP-SAT (OR-Tools), and compares the costs.

    build/bench/placement --rows small --methods small --instances 5 --out build/instances
    bench/placement_peers.py build/instances [--seconds 10]

Needs the package ortools of PyPI; without it, says so and ends. Instances with traffic prices are left out.
"""

import argparse
import json
import pathlib
import sys
import time

UNIT = 1_000_000  # costs are whole numbers of a millionth


def table(site):
    """Cost rates at the loads 0 .. slots."""
    n = site["slots"]
    factor = site["price"] * site["pue"]
    return [0.0] + [
        factor * (site["switch_on"] + site["idle"] * u + site["dynamic"] * n * (u / n) ** site["exponent"]) for u in range(1, n + 1)
    ]


def solve(cp_model, instance, seconds):
    """Status, cost and bound of the assignment model: a task is in one site, a site has one load, neighbours may talk."""
    sites = instance["sites"]["data_centres"]
    near = [{i} for i in range(len(sites))]
    for a, b, _ in instance["sites"]["links"]:
        near[a].add(b)
        near[b].add(a)
    model = cp_model.CpModel()
    taken = [[] for _ in sites]
    for job in instance["jobs"]:
        at = [[model.NewBoolVar("") for _ in sites] for _ in range(job["tasks"])]
        for task in at:
            model.AddExactlyOne(task)
            for i, here in enumerate(task):
                taken[i].append(here)
        for a, b, _ in job["edges"]:
            for i in range(len(sites)):
                model.AddBoolOr([at[a][i].Not()] + [at[b][k] for k in near[i]])
                model.AddBoolOr([at[b][i].Not()] + [at[a][k] for k in near[i]])
    costs = []
    for i, site in enumerate(sites):
        loads = range(site["load"], site["slots"] + 1)
        is_load = [model.NewBoolVar("") for _ in loads]
        model.AddExactlyOne(is_load)
        model.Add(sum(taken[i]) + site["load"] == sum(u * x for u, x in zip(loads, is_load)))
        values = table(site)
        costs += [round(values[u] * UNIT) * x for u, x in zip(loads, is_load)]
    model.Minimize(sum(costs))
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = seconds
    solver.parameters.num_workers = 1
    status = solver.Solve(model)
    found = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    return solver.StatusName(status), solver.ObjectiveValue() / UNIT if found else None, solver.BestObjectiveBound() / UNIT


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=10, help="per instance")
    given = parser.parse_args()
    try:
        from ortools.sat.python import cp_model
    except ImportError as why:
        print(f"skipped: {why} (pip install ortools)")
        return 0
    wrong = 0
    print("| instance | CP-SAT | its cost | its bound | s | ours | ours / its |")
    print("|---|---|---|---|---|---|---|")
    for path in sorted(given.folder.glob("*.json")):
        instance = json.loads(path.read_text())
        if any(price > 0 for _, _, price in instance["sites"]["links"]):
            print(f"| {path.stem} | skipped: traffic prices | | | | | |")
            continue
        begin = time.monotonic()
        status, cost, bound = solve(cp_model, instance, given.seconds)
        passed = time.monotonic() - begin
        ours = instance["ours"]
        base = ours["cost_rate"] - ours["added_rate"]
        if ours["unplaced"]:
            print(f"| {path.stem} | {status} | | {bound:.4f} | {passed:.1f} | {ours['unplaced']} unplaced | |")
            continue
        # A bound above a valid plan would be an error of one of the two.
        wrong += bound > ours["cost_rate"] + 1e-4 or (cost is not None and ours["lower_bound"] > cost + 1e-4)
        ratio = f"{ours['added_rate'] / (cost - base):.4f}" if cost is not None and cost > base else ""
        shown = "none" if cost is None else f"{cost:.4f}"
        print(f"| {path.stem} | {status} | {shown} | {bound:.4f} | {passed:.1f} | {ours['cost_rate']:.4f} | {ratio} |")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
