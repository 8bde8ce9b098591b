#!/usr/bin/env python3
"""Real runs of Spark: each field of the imported table against an independent reading of the event log and against what was
submitted; and what the plugin recorded of the same run against the import, field by field.

    real_spark_test.py PROGRAM FOLDER [JARS]

Runs every Spark of SPARK_HOME and SPARK4_HOME; exit code 77 where there is none. JARS is examples/jni, whose jars `mvn verify`
made: without them the plugin's part is skipped. Tasks sleep, so that two cores do for all executors. Takes some minutes.
"""
import csv
import glob
import json
import math
import os
import shutil
import signal
import socket
import subprocess
import sys
import time

MB = 1 << 20
APPLICATION = """
import sys, threading, time
from pyspark import SparkConf, SparkContext
kind = sys.argv[1]
spark = SparkContext()
while spark._jsc.sc().getExecutorMemoryStatus().size() <= int(spark.getConf().get("spark.test.executors", "0")):
    time.sleep(0.1)  # the driver is one of them
def wait(_):
    time.sleep(0.3)
def job(tasks):
    spark.parallelize(range(tasks), tasks).foreach(wait)
if kind == "reads":
    def slowly(lines):
        wait(0)
        return ((len(line) % 3, 1) for line in lines)
    spark.textFile(sys.argv[2], 6).mapPartitions(slowly).reduceByKey(lambda a, b: a + b, 2).count()
    job(6)
elif kind == "fails":
    job(4)
    try:
        spark.parallelize(range(2), 2).foreach(lambda _: 1 / 0)
    except Exception:
        pass
elif kind == "exits":
    job(4)
    try:
        spark._jsc.sc().stop(3)  # Spark 4 tells its listeners
    except Exception:
        spark.stop()
    sys.exit(3)
elif kind == "cancelled":
    job(2)
    threading.Timer(2, spark.cancelAllJobs).start()
    try:
        spark.parallelize(range(40), 40).foreach(wait)
    except Exception:
        pass
elif kind == "killed":
    job(4)
    print("first job ended", flush=True)
    job(1000)
elif kind == "grows":
    job(24)
    while spark._jsc.sc().getExecutorMemoryStatus().size() > 2:
        time.sleep(0.1)  # idle executors go
    job(2)
elif kind == "loses":
    shuffled = spark.parallelize(range(4), 4).map(lambda i: (i % 2, i)).partitionBy(2)
    shuffled.count()
    executors = spark._jsc.sc().getExecutorMemoryStatus().size()
    spark._jsc.sc().killAndReplaceExecutor("0")
    while spark._jsc.sc().getExecutorMemoryStatus().size() == executors:
        time.sleep(0.01)
    shuffled.count()  # the stage that wrote what it had runs again
elif kind == "scans":
    from pyspark.sql import SparkSession
    lines = SparkSession(spark).read.text(sys.argv[2])
    lines.union(lines).groupBy("value").count().count()
elif kind == "streams":
    from pyspark.sql import SparkSession
    query = SparkSession(spark).readStream.format("rate").load().writeStream.format("noop").start()
    while not query.lastProgress or query.lastProgress["batchId"] < 2:
        time.sleep(0.1)
    query.stop()
spark.stop()
"""


def scans_below(plan):
    """Locations of the files that a plan of Spark SQL scans, by the accumulators that count the bytes of these files."""
    location = plan.get("metadata", {}).get("Location")
    own = {each["accumulatorId"]: location for each in plan.get("metrics", []) if location and each["name"] == "size of files read"}
    for child in plan.get("children", []):
        own.update(scans_below(child))
    return own


def bytes_of_sources(events):
    """Of the files that Spark SQL scanned, each location once."""
    location_of, sizes = {}, {}
    for e in events:
        location_of.update(scans_below(e.get("sparkPlanInfo", {})))
        for accumulator, size in e.get("accumUpdates", []) if e["Event"].endswith("SparkListenerDriverAccumUpdates") else []:
            if accumulator in location_of:
                sizes[location_of[accumulator]] = max(size, sizes.get(location_of[accumulator], 0))
    return sum(sizes.values())


def with_executors_of_start(changes, since):
    """Executors that come within 15 s, before any goes, count as there from the start."""
    shifted, is_starting = [], True
    for at, who, cores in changes:
        is_starting &= cores is not None and at <= since + 15_000
        shifted.append((min(at, since) if is_starting else at, who, cores))
    return shifted


def reading(events, is_cut):
    """The row, by the definitions of the table alone; is_cut: the last line of the log is."""
    by = {}
    for e in events:
        by.setdefault(e["Event"].split(".")[-1].replace("SparkListener", ""), []).append(e)
    start = by["ApplicationStart"][0]
    environment = by["EnvironmentUpdate"][0]
    spark, system = environment["Spark Properties"], environment["System Properties"]
    jobs = {e["Job ID"]: e for e in by.get("JobStart", [])}
    ends = {e["Job ID"]: e for e in by.get("JobEnd", [])}
    stages = {(e["Stage Info"]["Stage ID"], e["Stage Info"]["Stage Attempt ID"]): e["Stage Info"] for e in by.get("StageSubmitted", [])}
    tasks = by.get("TaskEnd", [])

    changes = sorted([(e["Timestamp"], e["Executor ID"], e["Executor Info"]["Total Cores"]) for e in by.get("ExecutorAdded", [])] +
                     [(e["Timestamp"], e["Executor ID"], None) for e in by.get("ExecutorRemoved", [])], key=lambda c: c[0])
    first = max(start["Timestamp"], changes[0][0])
    end = by["ApplicationEnd"][0]["Timestamp"] if "ApplicationEnd" in by else max(
        [v for e in tasks for v in (e["Task Info"]["Launch Time"], e["Task Info"]["Finish Time"])] +
        [e["Task Info"]["Launch Time"] for e in by.get("TaskStart", [])] + [e["Submission Time"] for e in jobs.values()] +
        [e["Completion Time"] for e in ends.values()] + [e["Stage Info"]["Submission Time"] for e in by.get("StageSubmitted", [])] +
        [e["Stage Info"].get("Completion Time", 0) for e in by.get("StageCompleted", [])] + [c[0] for c in changes] +
        [e["Timestamp"] for e in by.get("BlockManagerAdded", []) + by.get("BlockManagerRemoved", [])] + [e["time"] for e in by.get("SQLExecutionStart", [])])
    since = max(first, min(e["Submission Time"] for e in jobs.values()))
    until = min(end, max(ends[j]["Completion Time"] if j in ends else end for j in jobs))
    present, executors, cores, rescaled, largest_executor = {}, 0, 0, False, 0
    changes = with_executors_of_start(changes, since)
    for i, (at, who, size) in enumerate(changes):
        if size is None:
            present.pop(who, None)
        else:
            present[who] = size
            largest_executor = max(largest_executor, size)
        length = max(0, min(until, changes[i + 1][0] if i + 1 < len(changes) else until) - max(since, at))
        executors += len(present) * length / (until - since)
        cores += sum(present.values()) * length / (until - since)
        rescaled |= since < at < until

    if by.get("ApplicationEnd", [{}])[0].get("ExitCode"):
        outcome = "failed"
    elif "ApplicationEnd" not in by or set(jobs) - set(ends):
        outcome = "unfinished"
    else:
        last = max(ends.values(), key=lambda e: e["Completion Time"])["Job Result"]
        message = last.get("Exception", {}).get("Message", "").split("\n")[0].lower()
        outcome = "succeeded" if last["Result"] == "JobSucceeded" else "killed" if "cancelled" in message else "failed"

    read = records = shuffled = 0
    seen = set()
    for e in tasks:
        metrics = e.get("Task Metrics") or {}
        place = (e["Stage ID"], e["Task Info"]["Partition ID"])
        if e["Task End Reason"]["Reason"] != "Success" or place in seen:
            continue
        seen.add(place)
        read += metrics["Input Metrics"]["Bytes Read"]
        records += metrics["Input Metrics"]["Records Read"]
        if not stages[e["Stage ID"], e["Stage Attempt ID"]]["Parent IDs"]:
            shuffled += metrics["Shuffle Write Metrics"]["Shuffle Bytes Written"]
    measure = "records" if (read == 0 and records) or read < records // 10 else "shuffle" if shuffled > MB and shuffled > 100 * read else "bytes"
    up = lambda size: str(math.ceil(size / MB))
    of_tasks = lambda name: [(e.get("Task Metrics") or {}).get(name, 0) for e in tasks]

    durations = {}  # of tasks that succeeded, in ms, by the attempt of their stage
    for e in tasks:
        if e["Task End Reason"]["Reason"] == "Success":
            of_stage = durations.setdefault((e["Stage ID"], e["Stage Attempt ID"]), {})
            of_stage.setdefault(e["Task Info"]["Index"], e["Task Info"]["Finish Time"] - e["Task Info"]["Launch Time"])
    beyond_executor = [e["Task Info"]["Finish Time"] - e["Task Info"]["Launch Time"] - e["Task Metrics"]["Executor Run Time"]
                       for e in tasks if e["Task End Reason"]["Reason"] == "Success" and e["Task Metrics"]["Executor Run Time"] > 0]
    every = [each for of_stage in durations.values() for each in of_stage.values()]
    longest, cpus = max(every, default=0), int(spark.get("spark.task.cpus", 1))
    cores_of_task = largest_executor / (largest_executor // cpus)

    command = system.get("sun.java.command", "").split(" ")
    program = next((i for i, w in enumerate(command) if i and w.endswith((".py", ".jar", "spark-internal", "spark-shell")) and "=" not in w and
                    not command[i - 1].startswith("--")), len(command))
    is_local = spark["spark.master"].startswith("local[")
    memory = spark.get("spark.driver.memory" if is_local else "spark.executor.memory", "1g")
    flags = [flag for flag, holds in (
        ("rescaled", rescaled), ("dynamic_allocation", spark.get("spark.dynamicAllocation.enabled") == "true"),
        ("failed_jobs", any(e["Job Result"]["Result"] != "JobSucceeded" and
                            "cancelled" not in e["Job Result"]["Exception"]["Message"].split("\n")[0].lower() for e in ends.values())),
        ("retried_stages", any(attempt for _, attempt in stages)),
        ("incomplete", is_cut or 0 not in jobs),
        ("wrong_clock", any(not -1000 <= each <= 600_000 for each in beyond_executor)),
        ("streaming", any("StreamingQueryListener" in e["Event"] for e in events)),
        ("server", any("thriftserver" in e["Event"].lower() for e in events)),
        ("interactive", "repl.Main" in " ".join(command))) if holds]
    return {
        "application": spark["spark.app.name"], "run": start["App ID"], "attempt": "1",
        "started_at_s": f'{start["Timestamp"] / 1000:.3f}', "runtime_s": f"{(end - first) / 1000:.3f}",
        "wait_s": f'{(first - start["Timestamp"]) / 1000:.3f}', "outcome": outcome, "executors": str(max(1, round(executors))),
        "cores": str(max(1, round(cores))), "data_size_MB": up(read) if measure == "bytes" else "0",
        "arguments": " ".join(command[program + 1:]), "machine_type": "",
        "executor_memory_MB": str(int(memory[:-1]) * (1024 if memory[-1] == "g" else 1)),
        "executor_cores": spark.get("spark.executor.cores", str(round(cores / executors))),
        "spilled_MB": up(sum(of_tasks("Disk Bytes Spilled"))), "peak_task_memory_MB": up(max(of_tasks("Peak Execution Memory"), default=0)),
        "peak_executor_heap_MB": up(max((e.get("Task Executor Metrics", {}).get("JVMHeapMemory", 0) for e in tasks), default=0)),
        "master": spark["spark.master"].split("[")[0].split(":")[0], "system": "spark " + by["LogStart"][0]["Spark Version"],
        "flags": ",".join(flags), "records_read": str(records), "first_shuffle_MB": up(shuffled), "data_measure": measure,
        "longest_task_s": f"{longest / 1000:.3f}", "longest_task_share": f"{longest / (end - first):.3f}",
        "task_core_s": f"{sum(every) * cores_of_task / 1000:.3f}",
        "largest_stage_tasks": str(max(map(len, durations.values()), default=0)), "source_MB": up(bytes_of_sources(events))}


class Sparks:
    """One distribution of Spark, its runs, and what they left."""

    def __init__(self, home, place, jars, tells_exit_code):
        self.home, self.place, self.jars, self.tells_exit_code = home, place, jars, tells_exit_code
        self.logs, self.records = os.path.join(place, "logs"), os.path.join(place, "records.jsonl")
        os.makedirs(self.logs)
        self.settings = {"spark.ui.enabled": "false", "spark.eventLog.enabled": "true", "spark.eventLog.dir": "file://" + self.logs,
                         "spark.eventLog.compress": "false", "spark.driver.memory": "512m", "spark.executor.memory": "512m"}
        if jars:
            self.settings.update({"spark.plugins": "io.github.bellamy.spark.RunRecorderPlugin", "spark.jars": ",".join(jars),
                                  "spark.bellamy.record": self.records})

    def command(self, program, settings, *words):
        made = [os.path.join(self.home, "bin", program)]
        for name, value in {**self.settings, **settings}.items():
            made += ["--conf", f"{name}={value}"]
        return made + list(words)

    def start(self, command, **more):
        environment = dict(os.environ, SPARK_HOME=self.home, PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
        return subprocess.Popen(command, cwd=self.place, env=environment, text=True, stderr=open(os.path.join(self.place, "spark.log"), "a"),
                                stdin=more.pop("stdin", subprocess.DEVNULL), stdout=subprocess.PIPE, start_new_session=True)

    def submit(self, name, settings, *words):
        done = self.start(self.command("spark-submit", {"spark.app.name": name, **settings}, os.path.join(self.place, "application.py"), *words))
        done.communicate()
        return done.returncode


def until(what, holds, seconds=600):
    for _ in range(10 * seconds):
        if holds():
            return
        time.sleep(0.1)
    raise SystemExit(f"expected {what} within {seconds} s")


def is_open(port):
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def run_all(spark):
    """What was submitted, by the name of the application: fields of its row that are known without its log."""
    with open(os.path.join(spark.place, "application.py"), "w") as file:
        file.write(APPLICATION)
    text = os.path.join(spark.place, "text")
    with open(text, "w") as file:
        file.writelines(f"line {i} {'x' * (i % 90)}\n" for i in range(60_000))
    expected = {}
    for executors, cores in ((2, 1), (2, 2), (1, 4)):
        name = f"reads-{executors}x{cores}"
        code = spark.submit(name, {"spark.master": f"local-cluster[{executors},{cores},512]", "spark.executor.cores": cores,
                            "spark.test.executors": executors}, "reads", text)
        if code != 0:
            raise SystemExit(f"expected {name} to end with exit code 0, found {code}: {spark.place}/spark.log")
        expected[name] = {"executors": str(executors), "cores": str(executors * cores), "executor_cores": str(cores), "outcome": "succeeded",
                          "executor_memory_MB": "512", "arguments": "reads " + text, "flags": ""}
    spark.submit("two-cores-a-task", {"spark.master": "local-cluster[1,4,512]", "spark.executor.cores": 4, "spark.task.cpus": 2,
                                      "spark.test.executors": 1}, "reads", text)
    expected["two-cores-a-task"] = {"executors": "1", "cores": "4", "outcome": "succeeded"}
    spark.submit("grows", {"spark.master": "local-cluster[3,1,512]", "spark.executor.cores": 1, "spark.dynamicAllocation.enabled": "true",
                           "spark.dynamicAllocation.shuffleTracking.enabled": "true", "spark.dynamicAllocation.minExecutors": 1,
                           "spark.dynamicAllocation.initialExecutors": 1, "spark.dynamicAllocation.executorIdleTimeout": "2s",
                           "spark.dynamicAllocation.shuffleTracking.timeout": "2s"}, "grows")
    expected["grows"] = {"flags": "rescaled,dynamic_allocation", "outcome": "succeeded"}
    spark.submit("loses", {"spark.master": "local-cluster[2,1,512]", "spark.executor.cores": 1, "spark.test.executors": 2}, "loses")
    expected["loses"] = {"outcome": "succeeded"}
    local = {"spark.master": "local[2]"}
    spark.submit("scans", local, "scans", text)
    expected["scans"] = {"source_MB": str(math.ceil(os.path.getsize(text) / MB)), "outcome": "succeeded"}
    spark.submit("fails", local, "fails")
    expected["fails"] = {"outcome": "failed", "flags": "failed_jobs", "cores": "2"}
    code = spark.submit("exits", local, "exits")
    expected["exits"] = {"cores": "2", "outcome": "failed" if spark.tells_exit_code else "succeeded"}
    assert code != 0, "expected an exit code, found none"
    spark.submit("cancelled", local, "cancelled")
    expected["cancelled"] = {"outcome": "killed", "flags": ""}
    spark.submit("streams", local, "streams")
    expected["streams"] = {"flags": "streaming"}

    killed = spark.start(spark.command("spark-submit", {"spark.app.name": "killed", **local}, os.path.join(spark.place, "application.py"), "killed"))
    killed.stdout.readline()
    time.sleep(1)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.wait()
    expected["killed"] = {"outcome": "unfinished"}

    shell = spark.start(spark.command("spark-shell", local), stdin=subprocess.PIPE)
    shell.communicate("spark.range(100).repartition(2).count()\n")
    expected["Spark shell"] = {"flags": "interactive"}

    port = 20_000 + os.getpid() % 20_000
    server = spark.start(spark.command(
        "spark-submit", {"spark.app.name": "server", "spark.hadoop.hive.server2.thrift.port": port, **local}, "--class",
        "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2", "spark-internal"))
    until("a Thrift server", lambda: server.poll() is not None or is_open(port))
    if server.poll() is None:
        client = spark.start([os.path.join(spark.home, "bin", "beeline"), "-u", f"jdbc:hive2://127.0.0.1:{port}", "-n", "u", "-e",
                              "select count(*) from range(0, 100, 1, 2)"])
        client.communicate()
        os.killpg(server.pid, signal.SIGTERM)
        server.wait()
        expected["server"] = {"flags": "server"}
    return expected


def same(a, b):
    if isinstance(a, dict) and isinstance(b, dict):
        return set(a) == set(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)
    return a == b


def differences(imported, recorded, at=""):
    if isinstance(imported, dict) and isinstance(recorded, dict):
        return [d for k in {**imported, **recorded} for d in differences(imported.get(k), recorded.get(k), f"{at}.{k}")]
    if isinstance(imported, list) and isinstance(recorded, list) and len(imported) == len(recorded):
        return [d for i, pair in enumerate(zip(imported, recorded)) for d in differences(*pair, f"{at}[{i}]")]
    return [] if same(imported, recorded) else [f"{at[1:]}: imported {imported}, recorded {recorded}"]


def with_late_tasks(logs, to, kept):
    """The same logs with so many of the tasks that ended after the last job did, which was cancelled or failed. Spark tells each
    listener of these and of the application's end in an order of its own, and the plugin writes its record at that end."""
    shutil.copytree(logs, to)
    for path in glob.glob(os.path.join(to, "**", "*"), recursive=True):
        if os.path.isfile(path):
            with open(path) as file:
                lines = file.readlines()
            last = max((i for i, line in enumerate(lines) if '"SparkListenerJobEnd"' in line), default=None)
            if last is None or '"JobFailed"' not in lines[last]:
                continue
            late = [i for i in range(last, len(lines)) if '"SparkListenerTaskEnd"' in lines[i]][kept:]
            with open(path, "w") as file:
                file.writelines(line for i, line in enumerate(lines) if i not in late)
    return to


def imported_traces(spark, program, kept):
    traces = os.path.join(spark.place, f"{kept}_late_tasks.jsonl")
    logs = with_late_tasks(spark.logs, os.path.join(spark.place, f"logs_{kept}_late_tasks"), kept)
    subprocess.run([program, "import", logs, "--traces", traces], check=True, stdout=subprocess.DEVNULL)
    with open(traces) as file:
        return {trace["run"]: trace for trace in map(json.loads, file)}


def check(spark, program, expected, wrong):
    table = os.path.join(spark.place, "t.tsv")
    subprocess.run([program, "import", spark.logs, "--table", table], check=True, stdout=subprocess.DEVNULL)
    rows = {row["run"]: row for row in csv.DictReader(open(table), delimiter="\t")}
    compared, seen = 0, set()
    for path in glob.glob(os.path.join(spark.logs, "**", "*"), recursive=True):
        if not os.path.isfile(path) or os.path.basename(path).startswith(("appstatus", ".")):
            continue
        *lines, last = open(path).read().rstrip("\n").split("\n")
        events, is_cut = [json.loads(line) for line in lines], False
        try:
            events.append(json.loads(last))
        except ValueError:
            is_cut = True  # of a driver that was killed
        right = reading(events, is_cut)
        found = rows.get(right["run"], {})
        name = right["application"]
        seen.add(name)
        for field, value in {**right, **expected.get(name, {})}.items():
            compared += 1
            if found.get(field) != value:
                wrong.append(f"{right['system']}, {name}: expected {field} {value!r}, found {found.get(field)!r}")
        if set(found) - set(right):
            wrong.append(f"{name}: columns that nobody checks: {set(found) - set(right)}")
    for name in set(expected) - seen:
        wrong.append(f"{spark.home}: expected a log of {name}, found none")
    if spark.jars:
        recorded = {trace["run"]: trace for trace in map(json.loads, open(spark.records))}
        ways = [imported_traces(spark, program, kept) for kept in (2, 1, 0)]  # two cores: at most so many run when a job ends
        missing = {trace["application"] for run, trace in ways[0].items() if run not in recorded} - {"killed"}
        wrong += [f"{spark.home}: {name} was imported and not recorded" for name in sorted(missing)]
        for run, trace in recorded.items():
            compared += 1
            found = min((differences(imported.get(run, {}), trace) for imported in ways), key=len)
            wrong += [f"{trace['system']}, {trace['application']}: {each}" for each in found[:12]]
    return compared


def main(program, place, jars=""):
    program, place, jars = (path and os.path.abspath(path) for path in (program, place, jars))  # Spark runs elsewhere
    homes = [(home, kind) for home, kind in ((os.environ.get("SPARK_HOME"), "spark"), (os.environ.get("SPARK4_HOME"), "spark4"))
             if home and os.path.exists(os.path.join(home, "bin", "spark-submit"))]
    if not homes or not shutil.which("java"):
        print("skipped: no Spark in SPARK_HOME or SPARK4_HOME, or no Java")
        return 77
    shutil.rmtree(place, ignore_errors=True)
    wrong, compared = [], 0
    for home, kind in homes:
        found = [path for part in ("bellamy", kind) for path in glob.glob(os.path.join(jars, part, "target", "bellamy*-0.1.0.jar"))]
        if len(found) < 2:
            print(f"skipped: the plugin's records for {home}: no jars below {jars or 'a folder that was named'}")
            found = []
        spark = Sparks(home, os.path.join(os.path.abspath(place), kind), found, kind == "spark4")
        compared += check(spark, program, run_all(spark), wrong)
    for each in wrong:
        print(each)
    print(f"{compared} fields compared, {len(wrong)} wrong")
    return 1 if wrong or compared < 200 * len(homes) else 0


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(f"expected PROGRAM FOLDER [JARS], found {sys.argv[1:]}")
    sys.exit(main(*sys.argv[1:]))
