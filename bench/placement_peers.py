#!/usr/bin/env python3
"""Solves the instances that bench/placement --out wrote with CP-SAT (OR-Tools) and HiGHS, and compares costs, time and memory.

    build/bench/placement --rows small --methods place --instances 5 --out build/instances
    bench/placement_peers.py build/instances [--seconds 10] [--patience 600]

Needs the packages ortools and highspy of PyPI; says which one is missing and goes on without it. Both solve the assignment
model: a task is in one site, a site has one load, tasks that talk are in the same site or in linked ones, where their traffic
may cost. One thread each; memory is what a process of its own needs beyond the solver's library.
"""

import argparse
import importlib.util
import json
import multiprocessing
import pathlib
import queue
import resource
import sys
import time

UNIT = 1_000_000  # CP-SAT's costs are whole numbers of a millionth


def table(site):
    """Cost rates at the loads 0 .. slots."""
    n = site["slots"]
    factor = site["price"] * site["pue"]
    return [0.0] + [
        factor * (site["switch_on"] + site["idle"] * u + site["dynamic"] * n * (u / n) ** site["exponent"]) for u in range(1, n + 1)
    ]


def neighbourhoods(instance):
    near = [{i} for i in range(len(instance["sites"]["data_centres"]))]
    for a, b, _ in instance["sites"]["links"]:
        near[a].add(b)
        near[b].add(a)
    return near


def traffic(instance, rate):
    """What tasks that talk at this rate cost in two sites, as (site, site, cost rate) in both directions; where it costs."""
    for i, k, price in instance["sites"]["links"]:
        if rate * price > 0:
            yield from ((i, k, rate * price), (k, i, rate * price))


def cp_sat():
    """Returns a function from an instance and a limit in seconds to status, cost (None without a plan) and bound."""
    from ortools.sat.python import cp_model

    def solve(instance, seconds):
        sites = instance["sites"]["data_centres"]
        near = neighbourhoods(instance)
        model = cp_model.CpModel()
        taken = [[] for _ in sites]
        costs = []
        for job in instance["jobs"]:
            at = [[model.NewBoolVar("") for _ in sites] for _ in range(job["tasks"])]
            for task in at:
                model.AddExactlyOne(task)
                for i, here in enumerate(task):
                    taken[i].append(here)
            for a, b, rate in job["edges"]:
                for i in range(len(sites)):
                    model.AddBoolOr([at[a][i].Not()] + [at[b][k] for k in near[i]])
                    model.AddBoolOr([at[b][i].Not()] + [at[a][k] for k in near[i]])
                for i, k, cost in traffic(instance, rate):
                    apart = model.NewBoolVar("")
                    model.AddBoolOr([at[a][i].Not(), at[b][k].Not(), apart])
                    costs.append(round(cost * UNIT) * apart)
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

    return solve


def highs():
    """The same for HiGHS, as a mixed-integer program."""
    import highspy

    def solve(instance, seconds):
        sites = instance["sites"]["data_centres"]
        near = neighbourhoods(instance)
        model = highspy.Highs()
        for option, value in (("output_flag", False), ("time_limit", seconds), ("threads", 1)):
            model.setOptionValue(option, value)
        columns = 0

        def binaries(costs):
            nonlocal columns
            first = columns
            for cost in costs:
                model.addVar(0, 1)
                model.changeColCost(columns, cost)
                model.changeColIntegrality(columns, highspy.HighsVarType.kInteger)
                columns += 1
            return range(first, columns)

        def row(low, high, terms):
            model.addRow(low, high, len(terms), [x for x, _ in terms], [float(value) for _, value in terms])

        taken = [[] for _ in sites]
        for job in instance["jobs"]:
            at = [binaries([0.0] * len(sites)) for _ in range(job["tasks"])]
            for task in at:
                row(1, 1, [(x, 1) for x in task])
                for i, here in enumerate(task):
                    taken[i].append(here)
            for a, b, rate in job["edges"]:
                for i, k, cost in traffic(instance, rate):
                    row(-highspy.kHighsInf, 1, [(at[a][i], 1), (at[b][k], 1), (binaries([cost])[0], -1)])
                for one, other in ((a, b), (b, a)):
                    for i in range(len(sites)):
                        row(-highspy.kHighsInf, 0, [(at[one][i], 1)] + [(at[other][k], -1) for k in near[i]])
        for i, site in enumerate(sites):
            loads = range(site["load"], site["slots"] + 1)
            values = table(site)
            is_load = binaries([values[u] for u in loads])
            row(1, 1, [(x, 1) for x in is_load])
            row(site["load"], site["load"], [(x, u) for u, x in zip(loads, is_load) if u] + [(x, -1) for x in taken[i]])
        model.run()
        info = model.getInfo()
        found = info.primal_solution_status == 2  # feasible
        status = model.modelStatusToString(model.getModelStatus())
        return status, info.objective_function_value if found else None, info.mip_dual_bound

    return solve


SOLVERS = {"CP-SAT": cp_sat, "HiGHS": highs}


def solve_apart(name, path, seconds, answer):
    """In a process of its own: status, cost, bound, seconds, megabytes."""
    solve = SOLVERS[name]()
    instance = json.loads(path.read_text())
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begin = time.monotonic()
    found = solve(instance, seconds)
    passed = time.monotonic() - begin
    answer.put((*found, passed, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1000))


def run_apart(name, path, seconds, patience):
    """Large models may take longer to state than to solve, or more memory than there is."""
    answer = multiprocessing.Queue()
    child = multiprocessing.Process(target=solve_apart, args=(name, path, seconds, answer))
    begin = time.monotonic()
    child.start()
    while True:
        waits = child.is_alive() and time.monotonic() - begin < patience
        try:
            found = answer.get(timeout=0.2)
            break
        except queue.Empty:
            if not waits:
                child.kill()
                found = ("no answer", None, float("-inf"), time.monotonic() - begin, float("nan"))
                break
    child.join()
    return found


def available():
    """Looked for only, not loaded: OR-Tools carries a HiGHS of its own, and two cannot be in one process."""
    names = []
    for name, module in (("CP-SAT", "ortools"), ("HiGHS", "highspy")):
        if importlib.util.find_spec(module):
            names.append(name)
        else:
            print(f"{name} skipped: no module {module} (pip install ortools highspy)")
    return names


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=10, help="per instance and solver")
    parser.add_argument("--patience", type=float, default=600, help="seconds per instance and solver, stating the model included")
    given = parser.parse_args()
    names = available()
    wrong = 0
    if names:
        print("| instance | solver | status | its cost | its bound | s | MB | ours | s | MB | ours / its | ours / its bound |")
        print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    for path in sorted(given.folder.glob("*.json")):
        instance = json.loads(path.read_text())
        ours = instance["ours"]
        base = ours["cost_rate"] - ours["added_rate"]
        for name in names:
            status, cost, bound, passed, megabytes = run_apart(name, path, given.seconds, given.patience)
            line = f"| {path.stem} | {name} | {status} | {'none' if cost is None else f'{cost:.4f}'} | {bound:.4f} "
            line += f"| {passed:.2f} | {megabytes:.0f} "
            if ours["unplaced"]:
                print(line + f"| {ours['unplaced']} unplaced | | | | |")
                continue
            # A bound above a valid plan would be an error of one of the two.
            wrong += bound > ours["cost_rate"] + 1e-4 or (cost is not None and ours["lower_bound"] > cost + 1e-4)
            over_cost = f"{ours['added_rate'] / (cost - base):.4f}" if cost is not None and cost > base else ""
            over_bound = f"{ours['added_rate'] / (bound - base):.4f}" if bound > base else ""
            line += f"| {ours['cost_rate']:.4f} | {ours['seconds']:.3f} | {ours['heap_mb']:.1f} | {over_cost} | {over_bound} |"
            print(line, flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
