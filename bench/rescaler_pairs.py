#!/usr/bin/env python3
"""Pairs of runs with and without Spark's rescaler on a standalone master of this machine: for each of its states, with and without
decommissioning and the loss of an executor.

    rescaler_pairs.py BELLAMY.jar BELLAMY-SPARK.jar BELLAMY-SPARK-tests.jar [--rounds 4] [--json FILE] [--logs FOLDER]

Two drivers, one with the plugin, make the same runs at the same time, so that what else the machine does slows both. Tasks sleep: two
cores do for all executors. Spark is that of SPARK_HOME or of Python's package. A round is a pair of each case.
"""
import argparse
import itertools
import json
import math
import os
import random
import re
import socket
import statistics
import subprocess
import sys
import tempfile

from rescaler import COSTS, find_spark

PAIR = re.compile(r"pair (\S+) deadline (\S+) took (\S+) s and (\S+) executor-seconds")
PACKAGE = "io.github.bellamy.spark."
DECOMMISSIONS = {
    "spark.decommission.enabled": "true",
    "spark.storage.decommission.enabled": "true",
    "spark.storage.decommission.shuffleBlocks.enabled": "true",
    "spark.storage.decommission.replicationReattemptInterval": "1s",  # how long it looks for blocks to move before it goes: 30 s
}
PROBABILITY = 0.9  # with which deadlines are to be met
SEED = 47
LOST_BEFORE, UNKNOWN_FROM = 4, 6  # jobs, from 0
# State, executors at the start, mode, deadline in times of the median run on one executor, from which job on it is unknown.
SLACK, LATE = 2, 0.85
STATES = [
    ("learning", 2, "act", SLACK, -1),
    ("advising", 2, "advise", SLACK, -1),
    ("slack", 2, "act", SLACK, -1),
    ("silent", 2, "act", SLACK, UNKNOWN_FROM),
    ("late", 1, "act", LATE, -1),
]


def cases(rounds):
    """In an order that is drawn anew for each round. What is lost of a late run on one executor, no plugin can bring back in time."""
    draw = random.Random(SEED)
    for _ in range(rounds):
        order = []
        for state, executors, mode, deadline, unknown in STATES:
            for loses in (-1, LOST_BEFORE) if executors > 1 else (-1,):
                order.append(",".join(map(str, (state, executors, mode, deadline, loses, unknown))))
        draw.shuffle(order)
        yield from order


def daemon(spark, folder, name, *arguments):
    command = [os.path.join(spark, "bin", "spark-class"), "org.apache.spark.deploy." + name, "--webui-port", "0", *arguments]
    with open(os.path.join(folder, name + ".log"), "w") as log:
        return subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, "SPARK_DAEMON_MEMORY": "256m"})


def driver(spark, jars, url, folder, name, other, options, decommissions):
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.memory": "512m",
        "spark.executor.cores": "1",
        "spark.executor.memory": "450m",
        "spark.cores.max": "2",
        "spark.standalone.executorRemoveDelayOnDisconnection": "100ms",
        **(DECOMMISSIONS if decommissions else {}),
    }
    if name == "with":
        own = {"delay": options.delay, "maxExecutors": "2", "decisions": os.path.join(folder, "decisions.jsonl")}
        settings.update({"spark.plugins": PACKAGE + "RescalerPlugin", **{"spark.bellamy." + key: own[key] for key in own}})
    command = [os.path.join(spark, "bin", "spark-submit"), "--name", "sleepy pairs", "--master", url, "--jars", ",".join(jars[:2])]
    for key, value in settings.items():
        command += ["--conf", f"{key}={value}"]
    command += ["--class", PACKAGE + "SleepyPairs", jars[2], folder, name, other, options.jobs, options.millis, options.history]
    log = os.path.join(options.logs or folder, f"{name}.{'decommissions' if decommissions else 'keeps'}.log")
    # Lines of the pairs in a file of their own, so that Spark's log does not cut them in two.
    with open(log, "w") as err, open(log[:-3] + "out", "w") as out:
        return log, subprocess.Popen([*map(str, command), *cases(options.rounds)], stdout=out, stderr=err)


def measure(spark, jars, options, decommissions):
    """Rows of pairs, and what the plugin cost its driver."""
    with tempfile.TemporaryDirectory() as folder, socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        url = f"spark://127.0.0.1:{port}"
        daemons = [daemon(spark, folder, "master.Master", "--host", "127.0.0.1", "--port", str(port))]
        work = os.path.join(folder, "work")
        daemons.append(daemon(spark, folder, "worker.Worker", "--cores", "4", "--memory", "2g", "--work-dir", work, url))
        drivers = []
        try:
            for name, other in (("with", "without"), ("without", "with")):
                drivers.append(driver(spark, jars, url, folder, name, other, options, decommissions))
            while any(process.poll() is None for _, process in drivers):
                for log, process in drivers:
                    try:
                        failed = process.wait(timeout=1) != 0
                    except subprocess.TimeoutExpired:
                        continue
                    if failed:
                        sys.exit(open(log).read()[-4000:])
        finally:
            for process in [each for _, each in drivers] + daemons[::-1]:
                if process.poll() is None:
                    process.terminate()
                process.wait()
        logs = [open(log).read() for log, _ in drivers]
        pairs = [PAIR.findall(open(log[:-3] + "out").read()) for log, _ in drivers]
        with open(os.path.join(folder, "decisions.jsonl")) as lines:
            decisions = [json.loads(line) for line in lines]
    rows = []
    for number, (mine, theirs) in enumerate(zip(*pairs, strict=True)):
        assert mine[0] == theirs[0], f"expected the same case, found {mine[0]} and {theirs[0]}"
        state, *_, loses, _ = mine[0].split(",")
        run = number + 2 * options.history + 1  # those of the history come before, from 1
        answers = [each for each in decisions if re.search(rf" {run} {state}$", each["run"])]
        rows.append({
            "state": "held" if state == "slack" and not decommissions else state, "decommissions": decommissions,
            "loses": loses != "-1", "deadline_s": float(mine[1]), "with_s": float(mine[2]), "without_s": float(theirs[2]),
            "with_executor_s": float(mine[3]), "without_executor_s": float(theirs[3]),
            "answers": len(answers), "changes": sum(each.get("done", "").startswith("asks for ") for each in answers),
            "states": sorted({each["state"] for each in answers}),
        })
    costs = [float(each) for each in COSTS.search(logs[0]).groups()]
    return rows, {"preparing_s": costs[3], "questions_s": costs[4], "callbacks_s": costs[5], "driver_s": costs[7]}


def sign_flip(differences):
    """One-sided paired test of the mean: probability of one at least so large if signs were by chance; exact up to 16 pairs."""
    observed = sum(differences) - 1e-9
    if len(differences) <= 16:
        flips = itertools.product((-1, 1), repeat=len(differences))
    else:
        draw = random.Random(SEED)
        flips = ([draw.choice((-1, 1)) for _ in differences] for _ in range(100_000))
    sums = [sum(s * d for s, d in zip(each, differences)) >= observed for each in flips]
    return sum(sums) / len(sums)


def at_most(kept, runs):
    """Binomial probability of meeting no more deadlines, if each is met with the probability that is asked for."""
    return sum(math.comb(runs, k) * PROBABILITY**k * (1 - PROBABILITY) ** (runs - k) for k in range(kept + 1))


def line(name, own):
    kept = sum(r["with_s"] <= r["deadline_s"] for r in own)
    without = sum(r["without_s"] <= r["deadline_s"] for r in own)
    back = 100 - 100 * sum(r["with_executor_s"] for r in own) / sum(r["without_executor_s"] for r in own)
    means = [statistics.mean(r[key] for r in own) for key in ("with_s", "without_s")]
    later = sign_flip([r["with_s"] - r["without_s"] for r in own])
    print(
        f"{name:34} {len(own):5} {means[0]:7.1f} {means[1]:8.1f} {later:8.3f} {kept:5} {without:8} {at_most(kept, len(own)):9.3f}"
        f" {back:13.1f} {sum(r['changes'] for r in own):8}"
    )


def tell(rows, costs):
    print(f"\n{'state':34} pairs  with s  without  later: p  kept  without  binomial  given back %  changes")
    by = {}
    for row in rows:
        words = row["state"] + (", decommissioning" if row["decommissions"] else "") + (", loss" if row["loses"] else "")
        by.setdefault(words, []).append(row)
    for words in sorted(by):
        line(words, by[words])
    for state in sorted({row["state"] for row in rows}):
        line("all " + state, [row for row in rows if row["state"] == state])
    for each in costs:
        asked = each["questions_s"] + each["callbacks_s"]
        print(
            f"CPU of the driver {each['driver_s']:.1f} s: learning and binding {each['preparing_s']:.3f} s, questions"
            f" {each['questions_s']:.3f} s, callbacks {each['callbacks_s']:.3f} s; the last two {100 * asked / each['driver_s']:.2f} %"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jars", nargs=3, metavar="JAR")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--history", type=int, default=3, help="runs at each of two sizes, from which it learns")
    parser.add_argument("--jobs", type=int, default=16)
    parser.add_argument("--millis", type=int, default=250, help="that a task sleeps")
    parser.add_argument("--delay", default="3s")
    parser.add_argument("--json", help="file for the pairs")
    parser.add_argument("--logs", help="folder for the logs of the drivers")
    options = parser.parse_args()
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    if options.logs:
        os.makedirs(options.logs, exist_ok=True)
    jars = [os.path.abspath(each) for each in options.jars]
    rows, costs = [], []
    for decommissions in (True, False):
        more, cost = measure(find_spark(), jars, options, decommissions)
        rows += more
        costs.append(cost)
        if options.json:
            with open(options.json, "w") as out:
                json.dump({"pairs": rows, "costs": costs}, out, indent=1)
    tell(rows, costs)


if __name__ == "__main__":
    main()
