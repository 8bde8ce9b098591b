#!/usr/bin/env python3
"""Whether what `bellamy recommend` proposes is in time as often as it states, on real executors of this machine.

    real_advice.py BELLAMY [--history 10] [--proposals 20] [--at-once 3] [--json FILE] [--table FILE]

Three applications whose tasks sleep, with executors of 1, 2 and 4 cores, on a standalone Spark of this machine. Each first runs
--history times on 1 to 4 executors. Then, --proposals times: its event logs are imported, a size is asked for, and the next run has
the proposed configuration. The deadline is what one size in turn keeps with 60, 75 or 90 %, by the prediction before the run. It
counts from the submission, the creation of a Spark context, to the result of the last job, by a clock of this script and not of the
logs. Every run is an application of its own; those of one name share a driver's JVM. Spark is that of SPARK_HOME or of Python's
package.

At the end `bellamy backtest` predicts all these runs, each from those before it. The script fails where proposals are kept more or
less often than stated, and where the median error of the back-test is above both Ernest's and gradient boosting's; each by more than
chance allows at 5 %.
"""
import argparse
import concurrent.futures
import glob
import json
import math
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time

CORES = {"sessions": 1, "report": 2, "features": 4}  # of an executor
SIZES = (2, 4, 1, 3)  # executors of the runs before the first proposal, and those whose quantile is the deadline
PROBABILITIES = (0.9, 0.6, 0.75)
JVM = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"


def stages_of(name, chance):
    """Seconds that each task of each job sleeps; the driver sleeps before the first one."""
    run = math.exp(chance.gauss(0, 0.06))
    tasks = lambda count, seconds: [run * seconds * math.exp(chance.gauss(0, 0.2)) for _ in range(count)]
    if name == "sessions":  # a hot partition
        return 0, [tasks(1, 8) + tasks(24, 1)]
    if name == "report":
        return 3, [tasks(48, 0.8), tasks(6, 1.5)]
    return 1, [tasks(20, 1.2) for _ in range(5)]


def run_application(name, executors, memory_mb, settings, chance):
    """Seconds from the submission to the result."""
    from pyspark import SparkConf
    from pyspark.sql import SparkSession

    conf = SparkConf().setAll(settings.items()).setAppName(name)
    conf.set("spark.executor.cores", CORES[name]).set("spark.cores.max", executors * CORES[name])
    conf.set("spark.executor.memory", f"{memory_mb}m")
    driver_s, jobs = stages_of(name, chance)
    submitted = time.monotonic()
    spark = SparkSession.builder.config(conf=conf).getOrCreate()
    time.sleep(driver_s)
    for tasks in jobs:
        milliseconds = ", ".join(f"{1000 * each:.0f}L" for each in tasks)
        sleep = f"java_method('java.lang.Thread', 'sleep', element_at(array({milliseconds}), int(id) + 1))"
        spark.range(0, len(tasks), 1, len(tasks)).selectExpr(sleep).write.format("noop").mode("overwrite").save()
    result = time.monotonic()
    spark.stop()
    return result - submitted


def recommend(program, table, *options):
    done = subprocess.run([program, "recommend", table, "--json", *options], stdout=subprocess.PIPE, text=True)
    if done.returncode not in (0, 4):
        sys.exit(f"expected an advice, found exit code {done.returncode}")
    return json.loads(done.stdout)["applications"][0]


def walk(name, program, master, folder, history, proposals):
    """Runs the history and then what is proposed; returns a record for each proposal."""
    own = os.path.join(folder, name)
    logs, table, ledger = (os.path.join(own, each) for each in ("logs", "runs.tsv", "ledger.jsonl"))
    os.makedirs(logs)
    os.environ["PYSPARK_SUBMIT_ARGS"] = f"--driver-memory 512m --driver-java-options '{JVM}' pyspark-shell"
    settings = {"spark.master": master, "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false",
                "spark.eventLog.enabled": "true", "spark.eventLog.dir": "file://" + logs, "spark.eventLog.compress": "false",
                "spark.executor.extraJavaOptions": JVM, "spark.driver.host": "127.0.0.1",
                "spark.scheduler.minRegisteredResourcesRatio": "0.8"}  # as on YARN and Kubernetes
    chance = random.Random(name)
    run_application(name, 1, 512, {**settings, "spark.eventLog.enabled": "false"}, chance)  # loads the driver's classes
    for i in range(history):
        taken_s = run_application(name, SIZES[i % len(SIZES)], 512, settings, chance)
        print(f"{name}: run {i + 1} before the first proposal, {SIZES[i % len(SIZES)]} executors: {taken_s:.1f} s", flush=True)
    made = []
    for i in range(proposals):
        subprocess.run([program, "import", logs, "--table", table], check=True, stdout=subprocess.DEVNULL)
        probability = PROBABILITIES[i % len(PROBABILITIES)]
        asked = ["--probability", str(probability)]
        rows = {row["scale_out"]: row for row in recommend(program, table, *asked)["table"]}
        deadline_s = math.ceil(10 * rows[SIZES[i % len(SIZES)]]["quantile_s"]) / 10
        advice = recommend(program, table, *asked, "--deadline", str(deadline_s), "--ledger", ledger)
        proposed = advice["proposed"]
        if proposed is None:
            print(f"{name}: nothing proposed for {deadline_s} s: {advice['warnings']}", flush=True)
            continue
        size = proposed["configuration"]
        if size["executor_cores"] != CORES[name]:
            sys.exit(f"expected executors of {CORES[name]} cores, found {size}")
        taken_s = run_application(name, size["executors"], size["executor_memory_MB"], settings, chance)
        made.append({"application": name, "executors": size["executors"], "deadline_s": deadline_s, "stated": proposed["probability"],
                     "median_s": proposed["median_s"], "taken_s": taken_s, "kept": taken_s <= deadline_s})
        print(f"{name}: proposal {i + 1}, {size['executors']} executors, {deadline_s} s with {100 * proposed['probability']:.1f} %: "
              f"{taken_s:.1f} s", flush=True)
    subprocess.run([program, "import", logs, "--table", table], check=True, stdout=subprocess.DEVNULL)
    print(f"{name}: the ledger says {recommend(program, table, '--ledger', ledger)['past_proposals']}", flush=True)
    return made


def probability_of(stated, kept):
    """Exact two-sided test: that a count no likelier than this one is kept, where the odds are right and runs are independent."""
    counts = [1.0]
    for odds in stated:
        counts = [(counts[k] * (1 - odds) if k < len(counts) else 0) + (counts[k - 1] * odds if k else 0) for k in range(len(counts) + 1)]
    return min(1.0, sum(each for each in counts if each <= counts[kept] * (1 + 1e-9)))


def row_of(name, runs):
    stated, kept = [run["stated"] for run in runs], sum(run["kept"] for run in runs)
    errors = sorted(abs(run["median_s"] / run["taken_s"] - 1) for run in runs)
    return {"application": name, "runs": len(runs), "kept": kept, "stated": round(sum(stated), 1),
            "probability": round(probability_of(stated, kept), 4), "median error, %": round(100 * errors[len(errors) // 2], 1)}


def probability_of_more(own, other):
    """One-sided paired test: that the first median is so much above the second where the two of each pair are exchanged by chance."""
    above, draws, chance = statistics.median(own) - statistics.median(other), 10_000, random.Random(0)
    as_much = 0
    for _ in range(draws):
        pairs = [pair if chance.random() < 0.5 else pair[::-1] for pair in zip(own, other)]
        first, second = zip(*pairs)
        as_much += statistics.median(first) - statistics.median(second) >= above
    return (1 + as_much) / (1 + draws)


def row_of_backtest(scores, predictions):
    """Median errors in %, and of each peer the probability of its test over the runs that it predicts, too."""
    error = lambda each, method: abs(each[method + "_s"] / each["measured_s"] - 1)
    row = {"application": scores["application"], "predicted": scores["predicted"], "bellamy": round(100 * scores["median_error"]["bellamy"], 1)}
    for peer in ("ernest", "boosting"):
        both = [each for each in predictions if each[peer + "_s"] is not None]
        if not both:
            sys.exit(f"expected predictions of {peer}, found none of {scores['application']}: was bellamy built without xgboost?")
        row[peer] = round(100 * scores["median_error"][peer], 1)
        row["p of " + peer] = round(probability_of_more(*([error(each, name) for each in both] for name in ("bellamy", peer))), 4)
    return row


def backtest(program, table):
    """A row for each application, and the last one for all."""
    done = subprocess.run([program, "backtest", table, "--json"], stdout=subprocess.PIPE, text=True, check=True)
    record = json.loads(done.stdout)
    each = record["applications"]
    pooled = [prediction for scores in each for prediction in scores["predictions"]]
    return [row_of_backtest(scores, scores["predictions"]) for scores in each] + [row_of_backtest(record["all"], pooled)]


def failures_of(proposals, backtests):
    """What the pooled rows contradict at 5 %."""
    kept, errors = proposals[-1], backtests[-1]
    said = []
    if kept["probability"] < 0.05:
        said.append("expected proposals to be kept as often as stated, found a significant difference")
    if errors["p of ernest"] < 0.05 and errors["p of boosting"] < 0.05:
        said.append(f"expected errors not above both Ernest's and boosting's, found {errors}")
    return said


def conclude(program, runs, folder, options):
    """Prints and writes what came of the proposals, then the back-test; returns what is not as expected."""
    table = options.table or os.path.join(folder, "runs.tsv")
    logs = [os.path.join(folder, name, "logs") for name in CORES]
    subprocess.run([program, "import", *logs, "--table", table], check=True, stdout=subprocess.DEVNULL)
    pooled = [run for each in runs.values() for run in each]
    found = {"rows": [row_of(name, each) for name, each in runs.items()] + [row_of("all", pooled)], "runs": pooled}
    write(found, "rows", options.json)  # an error below loses no proposal
    found["backtest"] = backtest(program, table)
    write(found, "backtest", options.json)
    return failures_of(found["rows"], found["backtest"])


def write(found, name, path):
    for row in found[name]:
        print(row)
    if path:
        with open(path, "w") as file:
            json.dump(found, file, indent=1)


def free_port():
    with socket.socket() as any_port:
        any_port.bind(("127.0.0.1", 0))
        return any_port.getsockname()[1]


def find_spark():
    """Its folder; its Python package can be imported then."""
    if "SPARK_HOME" not in os.environ:
        import pyspark
        os.environ["SPARK_HOME"] = os.path.dirname(pyspark.__file__)
    sys.path += glob.glob(os.path.join(os.environ["SPARK_HOME"], "python", "lib", "*.zip"))
    return os.environ["SPARK_HOME"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", metavar="BELLAMY")
    parser.add_argument("--history", type=int, default=10, help="runs of each application before the first proposal")
    parser.add_argument("--proposals", type=int, default=20, help="for each application")
    parser.add_argument("--at-once", type=int, default=len(CORES), help="applications that run at the same time")
    parser.add_argument("--json", metavar="FILE", help="every proposal and what came of it, for bench/take_figures.py")
    parser.add_argument("--table", metavar="FILE", help="all runs, those before the first proposal too, as bellamy import writes them")
    options = parser.parse_args()
    os.environ.update(SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable, SPARK_MASTER_OPTS="-Dspark.worker.timeout=900")
    start = os.path.join(find_spark(), "bin", "spark-class")
    master = f"spark://127.0.0.1:{free_port()}"
    program = os.path.abspath(options.program)
    with tempfile.TemporaryDirectory() as folder:
        servers = []
        with open(os.path.join(folder, "servers.log"), "w") as log:
            for command in (["master.Master", "--host", "127.0.0.1", "--port", master.split(":")[2], "--webui-port", "0"],
                            ["worker.Worker", "--host", "127.0.0.1", "--cores", "64", "--memory", "16g", "--webui-port", "0", "--work-dir",
                             os.path.join(folder, "work"), master]):
                words = [start, "org.apache.spark.deploy." + command[0], *command[1:]]
                servers.append(subprocess.Popen(words, stdout=log, stderr=log))
            try:
                with concurrent.futures.ProcessPoolExecutor(options.at_once) as drivers:
                    walks = [drivers.submit(walk, name, program, master, folder, options.history, options.proposals) for name in CORES]
                    runs = {name: each.result() for name, each in zip(CORES, walks)}
            finally:
                for server in servers:
                    server.terminate()
                    server.wait()
        sys.exit("\n".join(conclude(program, runs, folder, options)) or 0)


if __name__ == "__main__":
    main()
