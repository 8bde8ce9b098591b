#!/usr/bin/env python3
"""Event logs as they should not be: what bellamy import makes of them is what a reading of its own makes of them.

    odd_logs_test.py PROGRAM FOLDER PAGE FIELD_CASES

Writes logs of each kind into FOLDER, works out by plain rules what is right, and compares it with the table of the import. Every
test that the table of PAGE (examples/logs.md) names must be here or in FIELD_CASES (field_cases_test.cpp).
"""
import collections
import csv
import gzip
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
import zipfile

START = 1_700_000_000_000
SPARK_SQL = "org.apache.spark.sql.execution.ui.SparkListenerSQLExecution"
MB = 1 << 20

# What says that there are such logs, by how the names of the cases begin: a class or setting of Spark, a document, an issue.
QUEUE = "Spark: AsyncEventQueue drops events, spark.scheduler.listenerbus.eventqueue.capacity"
EXIT_CODE = "SPARK-46399: SparkListenerApplicationEnd.exitCode; SPARK-54879: 0 is no proof of success"
TASK_END = "Spark: TaskEndReason, and JsonProtocol.taskEndReasonToJson; a failed attempt has metrics, too"
OTHER_EVENTS = "Spark: JsonProtocol.sparkEventFromJson takes an event of any class, SparkListenerEvent.logEvent"
MICRO_BATCH = "Spark: StreamExecution.QUERY_ID_KEY, MicroBatchExecution.BATCH_ID_KEY"
DSTREAMS = "Spark: streaming.scheduler.JobScheduler.BATCH_TIME_PROPERTY_KEY, OUTPUT_OP_ID_PROPERTY_KEY"
THRIFT = "Spark: sql.hive.thriftserver.HiveThriftServer2, ui.HiveThriftServer2EventManager; sbin/start-thriftserver.sh --name"
CONNECT = "Spark: sql.connect.service.SparkConnectServer, SparkListenerConnectServiceStarted; spark.api.mode since 4.0"
DATABRICKS = ("NVIDIA/cudf-spark #2690, #2732: names of parts; #2663, NVIDIA/cudf-spark-tools #785: no end; #1297: folders; "
              "synccomputingcode/spark_log_parser #15: first events")
EMR_SERVERLESS = ("docs.aws.amazon.com, EMR Serverless User Guide, Rotating logs, Streaming job log management; programs that copy "
                  "applications/ID/jobs/RUN/sparklogs/eventlog_v2_RUN/events_0_RUN for a history server")
EMR_ON_EKS = ("docs.aws.amazon.com, EMR on EKS Development Guide, emr-eks-log-rotation: parts, of which the oldest are deleted; "
              "aws.github.io/aws-emr-containers-best-practices, EKS Node Placement: spark.kubernetes.node.selector.*; "
              "kubernetes.io, Well-Known Labels: node.kubernetes.io/instance-type, beta.kubernetes.io/instance-type")
DATAPROC = "cloud.google.com/dataproc/docs/concepts/jobs/history-server: BUCKET/CLUSTER/spark-job-history"
DATAPROC_SERVERLESS = "cloud.google.com/dataproc-serverless/docs/concepts/properties: spark.dataproc.executor.compute.tier"
SOURCES = {
    "as it should be": "Spark: JsonProtocol",
    "executor": QUEUE, "no ": QUEUE,
    "open job": "Spark: SparkContext.stop posts SparkListenerApplicationEnd whatever runs; DAGScheduler.cleanUpAfterSchedulerStop",
    "exit code": EXIT_CODE, "last job failed": EXIT_CODE, "open job, exit code": EXIT_CODE,
    "SQL": "Spark: SparkListenerSQLExecutionEnd.errorMessage",
    "SQL that has": "Spark: SQLExecution.withNewExecutionId posts an end whatever happens, unless the context stops before",
    "records without bytes": "apache/iceberg #3062: S3FileIO counts no bytes; Spark: DataSourceRDD counts records itself",
    "kilobytes with": "apache/datafusion-comet #5264, NVIDIA/cudf-spark #15705: readers of their own",
    "records of": "Spark: JDBCRDD and RangeExec count records alone; NVIDIA/cudf-spark #15816: bytes of other threads are lost",
    "kilobytes of": "apache/iceberg #17236, apache/datafusion-comet #5336: input bytes are those of the files' ends alone",
    "nothing": "Spark: InputMetrics counts what Hadoop's file systems tell; others read past it",
    "bytes of": TASK_END, "bytes of a speculative copy": "Spark: spark.speculation, TaskInfo.speculative",
    "a stage that ran again": "Spark: DAGScheduler.resubmitFailedStages, Resubmitted; TaskInfo.partitionId since SPARK-37831",
    "future time": OTHER_EVENTS, "time in": OTHER_EVENTS,
    "a start in": "Spark: SparkListenerApplicationStart has System.currentTimeMillis, which is 1970 until the clock of a machine is set",
    "a clock that": "Spark: TaskInfo, StageInfo and listener events take System.currentTimeMillis of the driver, tasks' run times "
                    "System.nanoTime of the executor",
    "executors of": "spark.apache.org/docs/latest/configuration.html, Stage Level Scheduling: SparkListenerResourceProfileAdded; "
                    "a standalone worker gives all its cores where spark.executor.cores is not set",
    "memory that": "Spark: spark.redaction.regex", "cores that": "Spark: spark.redaction.regex",
    "cores ": "Spark: JsonProtocol.executorInfoFromJson; programs that write events of their own",
    "query": "Spark: StreamingQueryListener.QueryStartedEvent, QueryProgressEvent, QueryTerminatedEvent",
    "batches of a query": MICRO_BATCH, "DStreams": DSTREAMS,
    "Thrift": THRIFT, "Connect": CONNECT, "a batch job with a server": CONNECT,
    "a batch job": "Spark: launcher.Main writes the arguments of the program into sun.java.command, too",
    "Livy": "apache/livy: rsc.driver.RSCDriverBootstrapper; SparkApp.prepareSparkConf tags livy-session-N-RANDOM, livy-batch-N-RANDOM",
    "Zeppelin": "apache/zeppelin: bin/interpreter.sh submits interpreter.remote.RemoteInterpreterServer; spark/interpreter-setting.json",
    "Toree": "apache/incubator-toree: kernel/src/main/scala/org/apache/toree/Main.scala",
    "Kyuubi": "apache/kyuubi: engine.spark.SparkSQLEngine; EngineRef.defaultEngineName kyuubi_LEVEL_TYPE_user",
    "Hive on Spark": "apache/hive: spark-client's org.apache.hive.spark.client.RemoteDriver",
    "spark-shell": "Spark: bin/spark-shell --class org.apache.spark.repl.Main --name \"Spark shell\"",
    "redacted": "Spark: spark.redaction.regex hides sun.java.command; repl.Main sets spark.repl.class.uri",
    "shell of": "Spark: python/pyspark/shell.py PySparkShell, bin/sparkR SparkR; sparklyr's default app_name",
    "SQL shell": "Spark: SparkSQLEnv names SparkSQL::HOST; SparkSQLCLIDriver", "SQL file": "Spark: SparkSQLCLIDriver -f",
    "SQL statement": "Spark: SparkSQLCLIDriver -e",
    "Databricks": DATABRICKS, "job of Databricks": DATABRICKS, "notebooks of Databricks": DATABRICKS,
    "EMR on EKS": EMR_ON_EKS, "Dataproc Serverless": DATAPROC_SERVERLESS,
    "a line that is cut": "Spark: ReplayListenerBus reads logs that may be truncated (maybeTruncated)",
    "lines that are no events": "Spark: ReplayListenerBus logs and passes over what it cannot parse",
    "EMR Serverless": EMR_SERVERLESS, "EMR on EC2": "NVIDIA/cudf-spark-tools #927: in HDFS, application_N; emr-eks-log-rotation: never in parts",
    "Dataproc, ": DATAPROC, "parts": DATABRICKS,
    "names": "apache/airflow: providers/cncf/kubernetes, add_unique_suffix; kubernetes: apiserver/storage/names, generateName",
    "zip": "spark.apache.org/docs/latest/monitoring.html: /applications/APP/logs gives a zip of event logs",
    "other format": "nightlies.apache.org/flink, HistoryServer; spark.apache.org/docs/latest/monitoring.html, REST API",
}


def source_of(case):
    return max((begin for begin in SOURCES if case.startswith(begin)), key=len, default=None)


def task(number, index, launched, finished, executor, **more):
    info = {"Task ID": number, "Index": index, "Launch Time": launched, "Executor ID": executor,
            "Speculative": more.get("speculative", False), "Finish Time": 0}
    if "partition" in more:
        info["Partition ID"] = more["partition"]
    begun = {"Event": "SparkListenerTaskStart", "Stage ID": more["stage"], "Stage Attempt ID": more.get("attempt", 0),
             "Task Info": info}
    ended = {"Event": "SparkListenerTaskEnd", "Stage ID": more["stage"], "Stage Attempt ID": more.get("attempt", 0),
             "Task End Reason": {"Reason": more.get("reason", "Success")},
             "Task Info": dict(info, **{"Finish Time": finished}),
             "Task Metrics": {"Executor Run Time": finished - launched,
                              "Input Metrics": {"Bytes Read": more.get("read", 10 * MB), "Records Read": more.get("records", 1000)},
                              "Shuffle Write Metrics": {"Shuffle Bytes Written": more.get("shuffled", 0)}}}
    return begun, ended


def log(name="report", executors=4, cores=2, jobs=2, spark=None, command="org.apache.spark.deploy.SparkSubmit --class x job.jar",
        job_properties=None, **metrics):
    """Jobs of one stage each, whose tasks fill the cores three times, five seconds a time."""
    at = START
    properties = {"spark.executor.memory": "3g", "spark.executor.cores": str(cores), "spark.master": "yarn"}
    properties.update(spark or {})
    events = [{"Event": "SparkListenerLogStart", "Spark Version": "3.5.1"},
              {"Event": "SparkListenerApplicationStart", "App Name": name, "App ID": "app-" + str(abs(hash(name)) % 10**9),
               "Timestamp": at, "User": "u"},
              {"Event": "SparkListenerEnvironmentUpdate", "Spark Properties": properties,
               "System Properties": {"sun.java.command": command}}]
    events += [{"Event": "SparkListenerExecutorAdded", "Timestamp": at + 4000, "Executor ID": str(i),
                "Executor Info": {"Host": "h", "Total Cores": cores}} for i in range(executors)]
    at += 5000
    number = 0
    for job in range(jobs):
        events.append({"Event": "SparkListenerJobStart", "Job ID": job, "Submission Time": at, "Stage IDs": [job],
                       "Properties": job_properties or {}})
        info = {"Stage ID": job, "Stage Attempt ID": 0, "Stage Name": "s", "Number of Tasks": 3 * executors * cores,
                "Parent IDs": [], "RDD Info": [], "Submission Time": at}
        events.append({"Event": "SparkListenerStageSubmitted", "Stage Info": info})
        for wave in range(3):
            for slot in range(executors * cores):
                launched = at + 5000 * wave
                events += task(number, number % (3 * executors * cores), launched, launched + 5000, str(slot % executors),
                               stage=job, **metrics)
                number += 1
        at += 15000
        events.append({"Event": "SparkListenerStageCompleted", "Stage Info": dict(info, **{"Completion Time": at})})
        events.append({"Event": "SparkListenerJobEnd", "Job ID": job, "Completion Time": at, "Job Result": {"Result": "JobSucceeded"}})
        at += 1000
    events.append({"Event": "SparkListenerApplicationEnd", "Timestamp": at})
    return events


def kind(event):
    return event["Event"].replace("SparkListener", "")


def without(events, drop):
    return [e for e in events if not drop(e)]


def delivered(events, number=0):
    first = {"Event": "DBCEventLoggingListenerMetadata", "Spark Version": "3.4.1", "Timestamp": START,
             "Rollover Number": number, "SparkContext Id": 7109237026247389532}
    return [first] + [e for e in events if e["Event"] not in ("SparkListenerLogStart", "SparkListenerApplicationEnd")]


def reading(events):
    """What is right, from nothing but the events of Spark."""
    by = {}
    for e in events:
        by.setdefault(e["Event"], []).append(e)
    start = by["SparkListenerApplicationStart"][0]["Timestamp"]
    environment = by["SparkListenerEnvironmentUpdate"][0]["Spark Properties"]
    tasks = by.get("SparkListenerTaskEnd", [])
    added = {e["Executor ID"]: (e["Timestamp"], e["Executor Info"].get("Total Cores")) for e in by.get("SparkListenerExecutorAdded", [])}
    cores = next((each for _, each in added.values() if each), 0) or int(environment.get("spark.executor.cores", 0))
    for e in by.get("SparkListenerTaskStart", []) + tasks:
        info = e["Task Info"]
        if info["Executor ID"] not in added or info["Executor ID"] in added and len(added[info["Executor ID"]]) == 3:
            known = added.get(info["Executor ID"], (info["Launch Time"], cores, "inferred"))
            added[info["Executor ID"]] = (min(known[0], info["Launch Time"]), cores, "inferred")
    first = min(at for at, *_ in added.values())
    last_launch = {}
    for e in by.get("SparkListenerTaskStart", []) + tasks:
        info = e["Task Info"]
        last_launch[info["Executor ID"]] = max(info["Launch Time"], last_launch.get(info["Executor ID"], 0))
    gone = {e["Block Manager ID"]["Executor ID"]: e["Timestamp"] for e in by.get("SparkListenerBlockManagerRemoved", [])}
    gone.update({e["Executor ID"]: e["Timestamp"] for e in by.get("SparkListenerExecutorRemoved", [])})
    gone = {id: at for id, at in gone.items() if (any(e["Executor ID"] == id for e in by.get("SparkListenerExecutorRemoved", []))
                                                  or last_launch.get(id, 0) <= at) and not any(e["Executor ID"] == id and e["Timestamp"] > at for e in by.get("SparkListenerExecutorAdded", []))}

    stage_end = {e["Stage Info"]["Stage ID"]: e["Stage Info"]["Completion Time"] for e in by.get("SparkListenerStageCompleted", [])
                 if "Failure Reason" not in e["Stage Info"]}
    begun = {e["Job ID"]: e for e in by.get("SparkListenerJobStart", [])}
    ends = {e["Job ID"]: (e["Completion Time"], e["Job Result"]["Result"] == "JobSucceeded") for e in by.get("SparkListenerJobEnd", [])
            if e["Job ID"] in begun}
    for job, e in begun.items():  # with its last stage a job ends
        if job not in ends and max(e["Stage IDs"]) in stage_end:
            ends[job] = (stage_end[max(e["Stage IDs"])], True)
    sql = {e["executionId"]: e for e in by.get(SPARK_SQL + "End", [])}
    open_sql = {e["executionId"] for e in by.get(SPARK_SQL + "Start", [])} - set(sql)
    is_open = bool(set(begun) - set(ends))
    final = [(at, good) for at, good in ends.values()] + [(e["time"], not e.get("errorMessage")) for e in sql.values()]
    application_end = by.get("SparkListenerApplicationEnd", [None])[0]
    is_databricks = "DBCEventLoggingListenerMetadata" in by
    if application_end:
        end = application_end["Timestamp"]
        is_open |= bool(open_sql)
    elif is_databricks and not is_open and not open_sql:
        end = max(at for at, _ in final)
    else:
        times = [e["Task Info"][key] for e in tasks for key in ("Launch Time", "Finish Time")]
        times += [at for at, *_ in added.values()] + list(stage_end.values()) + [at for at, _ in ends.values()] + [e["Submission Time"] for e in begun.values()]
        end, is_open = max(times), True
    if application_end and application_end.get("ExitCode"):
        outcome = "failed"
    elif is_open:
        outcome = "unfinished"
    else:
        outcome = "succeeded" if max(final)[1] else "failed"

    parents = {e["Stage Info"]["Stage ID"]: e["Stage Info"]["Parent IDs"] for e in by.get("SparkListenerStageSubmitted", [])}
    sources = {e["Stage Info"]["Stage ID"]: {rdd.get("Name") for rdd in e["Stage Info"]["RDD Info"] if not rdd.get("Parent IDs")}
               for e in by.get("SparkListenerStageSubmitted", [])}
    read, records, shuffled, seen, with_bytes, without_bytes = 0, 0, 0, set(), 0, 0
    for e in tasks:
        info = e["Task Info"]
        place = (e["Stage ID"], info.get("true partition", info.get("Partition ID", info["Index"])))
        if e["Task End Reason"]["Reason"] != "Success" or place in seen:
            continue
        seen.add(place)
        metrics = e["Task Metrics"]
        read += metrics["Input Metrics"]["Bytes Read"]
        records += metrics["Input Metrics"]["Records Read"]
        if metrics["Input Metrics"]["Bytes Read"]:
            with_bytes += metrics["Input Metrics"]["Records Read"]
        elif sources.get(e["Stage ID"]) != {"ParallelCollectionRDD"}:  # what the program makes itself is no input
            without_bytes += metrics["Input Metrics"]["Records Read"]
        if not parents.get(e["Stage ID"], [0]):
            shuffled += metrics["Shuffle Write Metrics"]["Shuffle Bytes Written"]
    if read > 0:
        records = with_bytes + without_bytes
    measure = "bytes"
    if read == 0 and records > 0 or read < records // 10 or without_bytes > max(10 * with_bytes, read // 100) and with_bytes > 0:
        measure = "records"
    elif shuffled > MB and shuffled > 100 * read:
        measure = "shuffle"

    submitted = {(e["Stage Info"]["Stage ID"], e["Stage Info"]["Stage Attempt ID"]): e["Stage Info"] for e in by.get("SparkListenerStageSubmitted", [])}
    completed = {(e["Stage Info"]["Stage ID"], e["Stage Info"]["Stage Attempt ID"]): e["Stage Info"] for e in by.get("SparkListenerStageCompleted", [])}
    good = [(e["Stage ID"], e.get("Stage Attempt ID", 0)) for e in tasks if e["Task End Reason"]["Reason"] == "Success"]
    lost = any(e["Job ID"] not in begun for e in by.get("SparkListenerJobEnd", []))
    lost |= any((e["Stage ID"], e["Stage Attempt ID"]) not in set(submitted) | set(completed) for e in tasks)
    lost |= any(stage not in completed for stage in submitted if any(
        ends.get(job, (0, False))[1] and stage[0] in e["Stage IDs"] for job, e in begun.items()))
    retried = {stage for stage, attempt in submitted if attempt > 0}
    succeeded = {stage for (stage, _), info in completed.items() if "Failure Reason" not in info}
    lost |= any("Failure Reason" not in info and stage[1] == 0 and good.count(stage) < info["Number of Tasks"]
                for stage, info in completed.items())
    lost |= any(sum(place[0] == stage for place in seen) < info["Number of Tasks"]  # each partition by some attempt
                for (stage, attempt), info in submitted.items() if attempt == 0 and stage in retried & succeeded)
    lost |= any((e["Stage ID"], e["Stage Attempt ID"]) not in set(submitted) | set(completed) for e in by.get("SparkListenerTaskStart", []))
    lost |= any(stage not in {each for e in begun.values() for each in e["Stage IDs"]} for stage, _ in set(submitted) | set(completed))
    lost |= any(ends.get(job, (0, False))[1] and max(e["Stage IDs"]) not in succeeded for job, e in begun.items())
    lost |= 0 in begun and len(begun) <= max(begun)  # jobs are numbered one by one
    lost |= any(e["Executor ID"] in gone and last_launch.get(e["Executor ID"], 0) > e["Timestamp"] for e in by.get("SparkListenerExecutorRemoved", []))
    memory = re.fullmatch("([0-9]+)g", environment["spark.executor.memory"])
    executors = len(added)
    if gone:  # on average while jobs ran
        begin, stop = min(e["Submission Time"] for e in begun.values()), max(at for at, _ in ends.values())
        executors -= sum(1 - (at - begin) / (stop - begin) for at in gone.values())
    return {"runtime_s": f"{(end - first) / 1000:.3f}", "outcome": outcome, "executors": str(round(executors)),
            "machine_type": next((environment[key] for key in MACHINES if key in environment), ""),
            "executor_cores": str(cores), "cores": str(round(executors * cores)), "executor_memory_MB": str(1024 * int(memory[1]) if memory else 0),
            "data_size_MB": str(math.ceil(read / MB) if measure == "bytes" else 0), "records_read": str(records),
            "first_shuffle_MB": str(math.ceil(shuffled / MB)), "data_measure": measure, "lost_events": lost,
            "tells_part": read > 0 and without_bytes > with_bytes / 10,
            "retried_stages": bool(retried)}


def moved(event, after, by):
    """With the times behind `after`, which the driver's clock gave, moved."""
    if not isinstance(event, dict):
        return event
    times = ("Timestamp", "Submission Time", "Completion Time", "Launch Time", "Finish Time")
    return {key: moved(value, after, by) if isinstance(value, dict) else value + by if key in times and value > after else value
            for key, value in event.items()}


def retries():
    """A stage of 24 tasks runs again as a whole or in part: each partition counts once, whatever its attempts are called."""
    base = log("retried")
    end_of_stage = next(i for i, e in enumerate(base) if kind(e) == "StageCompleted")
    first = base[end_of_stage]["Stage Info"]
    at = first["Completion Time"]

    def attempt(partitions, names_partitions, stage=0, number=920, begun=at):
        info = dict(first, **{"Stage Attempt ID": 1, "Number of Tasks": len(partitions), "Submission Time": begun})
        info.pop("Completion Time")
        yield {"Event": "SparkListenerStageSubmitted", "Stage Info": info}
        for index, partition in enumerate(partitions):
            for e in task(number + index, index, begun, begun + 500, "1", stage=stage, attempt=1):
                e["Task Info"]["Partition ID" if names_partitions else "true partition"] = partition
                yield e
        yield {"Event": "SparkListenerStageCompleted", "Stage Info": dict(info, **{"Completion Time": begun + 500})}

    for names_partitions, since in ((True, ""), (False, ", before Spark 3.3")):
        events = [dict(e, **{"Task Info": dict(e["Task Info"], **{"Partition ID": e["Task Info"]["Index"]})})
                  if names_partitions and "Task Info" in e else e for e in base]
        head, completed, tail = events[:end_of_stage], events[end_of_stage], events[end_of_stage + 1:]
        for name, partitions in (("as a fetch failed", [4]), ("as an executor was lost", [2, 9, 23]), ("as a whole", list(range(24)))):
            yield f"a stage that ran again {name}{since}", head + [completed, *attempt(partitions, names_partitions)] + tail, ""
        with_lost = [e for e in head if kind(e) != "TaskEnd" or e["Task Info"]["Index"] not in (3, 7)]
        yield (f"no end of some tasks of a stage that ran again{since}",
               with_lost + [completed, *attempt([3], names_partitions)] + tail, "lost_events")
        half = [e for e in head if not (kind(e) in ("TaskStart", "TaskEnd") and e["Task Info"]["Index"] >= 12)]
        failed = {"Event": "SparkListenerStageCompleted", "Stage Info": dict(first, **{"Failure Reason": "FetchFailedException"})}
        yield (f"a stage that ran again for its second half{since}",
               half + [failed, *attempt(list(range(12, 24)), names_partitions)] + tail, "")
        in_job = next(i for i, e in enumerate(events) if kind(e) == "JobStart" and e["Job ID"] == 1)
        of_both = dict(events[in_job], **{"Stage IDs": [0, 1]})
        if names_partitions:
            yield ("no end of some tasks of a stage of which an attempt failed",
                   [e for e in half if kind(e) != "TaskEnd" or e["Task Info"]["Index"] not in (3, 7)] +
                   [failed, *attempt(list(range(12, 24)), names_partitions)] + tail, "lost_events")
        yield (f"a stage that ran again for another job{since}",
               events[:in_job] + [of_both, *attempt([3, 4], names_partitions, begun=at + 1000)] + events[in_job + 1:], "")
        lost = next(e for e in events if kind(e) == "TaskEnd" and e["Task Info"]["Task ID"] == 3)
        again = task(930, 3, at - 400, at - 100, "2", stage=0)
        for e in again:
            e["Task Info"].update({"Partition ID": 3} if names_partitions else {})
        yield (f"a stage that ran again within its attempt{since}",
               head + [dict(lost, **{"Task End Reason": {"Reason": "Resubmitted"}}), *again, completed] + tail, "")


def cases():
    base = log()
    last = base[-1]["Timestamp"]
    is_of = lambda what, **fields: lambda e: kind(e) == what and all(e.get(k.replace("_", " ")) == v for k, v in fields.items())
    yield "as it should be", base, ""

    # A full queue of listeners drops events of any kind.
    yield "executor never added", without(base, is_of("ExecutorAdded", Executor_ID="2")), ""
    yield "no executor added", without(base, is_of("ExecutorAdded")), ""
    yield "no executor added but the last", without(base, lambda e: kind(e) == "ExecutorAdded" and e["Executor ID"] != "3"), ""
    yield "no end of some tasks", without(base, lambda e: kind(e) == "TaskEnd" and e["Task Info"]["Task ID"] in (3, 7)), "lost_events"
    yield "no end of a stage", without(base, lambda e: kind(e) == "StageCompleted" and e["Stage Info"]["Stage ID"] == 0), "lost_events"
    yield "no start of a stage", without(base, lambda e: kind(e) in ("StageSubmitted", "StageCompleted") and e["Stage Info"]["Stage ID"] == 1), "lost_events"
    yield "no start of a job", without(base, is_of("JobStart", Job_ID=1)), "lost_events"
    leaves = {"Event": "SparkListenerExecutorRemoved", "Timestamp": START + 15000, "Executor ID": "3", "Removed Reason": "idle"}
    block_manager = {"Event": "SparkListenerBlockManagerRemoved", "Timestamp": START + 15000,
                     "Block Manager ID": {"Executor ID": "3", "Host": "h", "Port": 1}}
    at_leave = next(i for i, e in enumerate(base) if e.get("Task Info", {}).get("Launch Time") == START + 15000)
    rest = [dict(e, **{"Task Info": dict(e["Task Info"], **{"Executor ID": "0"})})
            if e.get("Task Info", {}).get("Executor ID") == "3" else e for e in base[at_leave:]]
    yield "executor that leaves", base[:at_leave] + [block_manager, leaves] + rest, ""
    yield "no end of an executor but that of its block manager", base[:at_leave] + [block_manager] + rest, ""
    yield "no end of an executor that has another block manager", base[:at_leave] + [block_manager] + base[at_leave:], ""
    yield "executor that runs tasks behind its removal", base[:at_leave] + [leaves] + base[at_leave:], "lost_events"
    comes_back = {"Event": "SparkListenerExecutorAdded", "Timestamp": START + 13000, "Executor ID": "3", "Executor Info": {"Host": "h", "Total Cores": 2}}
    yield "executor that comes back", base[:at_leave] + [dict(leaves, Timestamp=START + 12000), comes_back] + base[at_leave:], ""
    yield "no start of tasks", without(base, is_of("TaskStart")), ""
    yield "no end of a job", without(base, is_of("JobEnd", Job_ID=1)), ""
    yield "no end of any job", without(base, is_of("JobEnd")), ""
    of_job = lambda e: e.get("Job ID", e.get("Stage ID", e.get("Stage Info", {}).get("Stage ID")))
    yield "no job between others", without(log("three", jobs=3), lambda e: of_job(e) == 1), "lost_events"
    yield "no start and no end of the last job", without(base, lambda e: kind(e) in ("JobStart", "JobEnd") and e["Job ID"] == 1), "lost_events"
    yield "no start and no end of the last jobs", without(log("three", jobs=3), lambda e: kind(e) in ("JobStart", "JobEnd") and e["Job ID"] > 0), "lost_events"
    of_stage = lambda e: e.get("Stage ID", e.get("Stage Info", {}).get("Stage ID"))
    yield "no event of a stage", without(log("three", jobs=3), lambda e: of_stage(e) == 1), "lost_events"
    yield "no event of the last stage", without(base, lambda e: of_stage(e) == 1), "lost_events"
    yield "no event of the only stage", without(log("one", jobs=1), lambda e: of_stage(e) == 0), "lost_events"
    yield ("no event of a stage but the start of a task",
           without(log("three", jobs=3), lambda e: of_stage(e) == 1 and not (kind(e) == "TaskStart" and e["Task Info"]["Task ID"] == 30)), "lost_events")
    yield "no start and no end of a job", without(log("three", jobs=3), lambda e: kind(e) in ("JobStart", "JobEnd") and e["Job ID"] == 1), "lost_events"

    # The application stopped while a job ran.
    cut = without(base, lambda e: kind(e) == "JobEnd" and e["Job ID"] == 1 or kind(e) == "StageCompleted" and e["Stage Info"]["Stage ID"] == 1)
    yield "open job", cut, ""
    yield "open job, exit code 0", cut[:-1] + [dict(cut[-1], ExitCode=0)], ""
    yield "open job, exit code unknown", cut[:-1] + [dict(cut[-1], ExitCode=None)], ""
    for code in (1, 137, 143, -1):
        yield f"exit code {code}", base[:-1] + [dict(base[-1], ExitCode=code)], ""
    yield "exit code 0", base[:-1] + [dict(base[-1], ExitCode=0)], ""
    failed = [dict(e, **{"Job Result": {"Result": "JobFailed", "Exception": {"Message": "Job aborted"}}}) if kind(e) == "JobEnd" and e["Job ID"] == 1 else e for e in base]
    yield "last job failed, exit code 0", failed[:-1] + [dict(base[-1], ExitCode=0)], ""
    sql = [{"Event": SPARK_SQL + "Start", "executionId": 0, "time": START + 5000}]
    sql_end = {"Event": SPARK_SQL + "End", "executionId": 0, "time": last - 200}
    yield "SQL failed behind the last job", base[:-1] + sql + [dict(sql_end, errorMessage="commit failed")] + base[-1:], ""
    yield "SQL that has no end", base[:-1] + sql + base[-1:], ""
    yield "SQL that has no end, exit code 0", base[:-1] + sql + [dict(base[-1], ExitCode=0)], ""
    yield "SQL that has no end beside one that has", base[:-1] + sql + [dict(sql[0], executionId=1), dict(sql_end, executionId=1)] + base[-1:], ""
    yield "SQL succeeded", base[:-1] + sql + [dict(sql_end, errorMessage="")] + base[-1:], ""

    # Bytes that nobody counted.
    yield "records without bytes", log("iceberg", read=0, records=5000), ""
    yield "records without bytes, shuffled", log("reader", read=0, records=70, shuffled=5 * MB), ""
    yield "kilobytes with gigabytes shuffled", log("metadata", read=100, records=1, shuffled=50 * MB), ""
    yield "nothing but shuffle", log("custom", read=0, records=0, shuffled=9 * MB), ""
    yield "nothing at all", log("generated", read=0, records=0), ""
    made_by_program, of_table, of_files = "ParallelCollectionRDD", "DataSourceRDD", "FileScanRDD"
    rdds = {"records of a range beside files": ([of_files], [made_by_program]),
            "records of a range beside records without bytes": ([made_by_program], [of_table]),
            "records without bytes beside files of 10 MB": ([of_files], [of_table]),
            "records without bytes beside files and a range": ([of_files], [of_table, made_by_program])}
    for name, of_first, of_second in (
            ("records of a database beside files of kilobytes", (40_000, 10), (0, 5_000_000)),
            ("records of a small table beside files", (10 * MB, 1000), (0, 10)),
            ("records of a range beside files", (10 * MB, 1000), (0, 200_000_000)),
            ("records of a range beside records without bytes", (0, 10_000_000), (0, 1000)),
            ("records without bytes beside files of 1 MB", (MB, 1000), (0, 200_000)),
            ("records without bytes beside files of 10 MB", (10 * MB, 1000), (0, 5_000_000)),
            ("records without bytes beside files of 100 MB", (100 * MB, 100_000), (0, 5_000_000)),
            ("records without bytes beside files, ten times as many", (MB // 2, 1000), (0, 10_000)),
            ("records without bytes beside files, more than ten times as many", (MB // 2, 1000), (0, 10_001)),
            ("records without bytes beside files, of little data", (100 * MB, 1), (0, 20_000)),
            ("records without bytes beside files whose records nobody counted", (10 * MB, 0), (0, 5_000_000)),
            ("records without bytes beside files and a range", (10 * MB, 1000), (0, 5_000_000)),
            ("records of threads that count no bytes", (0, 70), (10, 60)),
            ("kilobytes of millions of records", (4000, 5_000_000), (4000, 5_000_000)),
            ("kilobytes of millions of records beside files", (4000, 5_000_000), (10 * MB, 1000)),
            ("kilobytes of thousands of records", (4000, 1000), (4000, 1000))):
        events = log(name.replace(" ", "-"))
        sources_of = rdds.get(name, ([], []))
        for e in events:
            if kind(e) == "TaskEnd":
                bytes_read, records = (of_first, of_second)[e["Stage ID"]]
                e["Task Metrics"]["Input Metrics"] = {"Bytes Read": bytes_read, "Records Read": records}
            elif kind(e) in ("StageSubmitted", "StageCompleted") and sources_of[e["Stage Info"]["Stage ID"]]:
                e["Stage Info"]["RDD Info"] = [
                    {"RDD ID": n, "Name": rdd, "Parent IDs": [], "Number of Partitions": 24}
                    for n, rdd in enumerate(sources_of[e["Stage Info"]["Stage ID"]])
                ] + [{"RDD ID": 9, "Name": "MapPartitionsRDD", "Parent IDs": [0], "Number of Partitions": 24}]
        yield name, events, ""

    # What counts once, and what does not.
    stop = next(i for i, e in enumerate(base) if kind(e) == "StageCompleted")
    extra = [e for n, reason in enumerate(("ExceptionFailure", "TaskKilled", "FetchFailed", "ExecutorLostFailure"))
             for e in task(900 + n, n, START + 15000, START + 20000, "0", stage=0, reason=reason, read=500 * MB)]
    yield "bytes of failed and killed tasks", base[:stop] + extra + base[stop:], ""
    copy = list(task(910, 3, START + 15000, START + 20000, "1", stage=0, speculative=True, reason="TaskKilled", read=300 * MB))
    yield "bytes of a speculative copy", base[:stop] + copy + base[stop:], ""
    yield from retries()

    # Clocks of others.
    for n, (name, field) in enumerate((("org.vendor.AuditEvent", "time"), ("com.vendor.SparkListenerLineage", "Timestamp"),
                                       ("SparkRapidsBuildInfoEvent", "Completion Time"), ("DBCSomething", "Submission Time"))):
        far = {"Event": name, field: 8_700_000_000_000}
        yield f"future time of {name}", base[:8] + [far] + without(base[8:], is_of("ApplicationEnd")), ""
    for unit, at in (("seconds", 1_700_000_900), ("microseconds", 1_700_000_900_000_000), ("nanoseconds", 1_700_000_900_000_000_000),
                     ("words", "2286-01-01T00:00:00Z"), ("a fraction", 8.7e12)):
        yield f"time in {unit}", base[:8] + [{"Event": "org.vendor.AuditEvent", "time": at, "Timestamp": at}] + base[8:-1], ""
    nested = {"Event": "org.vendor.StageReport", "Stage Info": {"Stage ID": 0, "Completion Time": 8_700_000_000_000}}
    yield "future time of a stage in another's event", base[:8] + [nested] + base[8:-1], ""
    later = {"Event": "SparkListenerExecutorExcluded", "time": 8_700_000_000_000, "executorId": "1", "taskFailures": 1}
    yield "future time of an executor that is excluded", base[:8] + [later] + base[8:-1], ""
    for name, after, by in (("goes back by 12 s", 21_000, -12_000), ("goes back by 3 s", 22_000, -3000),
                            ("jumps an hour while tasks run", 22_000, 3_600_000)):
        yield "a clock that " + name, [moved(e, START + after, by) for e in base], "wrong_clock"
    year, month, between = 365 * 86_400_000, 30 * 86_400_000, START + 20_500
    of_executor = lambda e, by: dict(e, Timestamp=e["Timestamp"] + by) if is_of("ExecutorAdded", Executor_ID="3")(e) else e
    yield "a clock that jumps a year before the end", base[:-1] + [dict(base[-1], Timestamp=last + year)], "wrong_clock"
    yield "a clock that jumps a year between jobs", [moved(e, between, year) for e in base], "wrong_clock"
    yield "a clock that jumps a year for an executor", [of_executor(e, year) for e in base], "wrong_clock"
    yield "a clock that jumps a year for an executor, and no end", [of_executor(e, year) for e in base[:-1]], "wrong_clock"
    yield "a clock that is kept true for a month before the end", base[:-1] + [dict(base[-1], Timestamp=last + month)], ""
    yield "a clock that is kept true for a month between jobs", [moved(e, between, month) for e in base], ""
    yield "a clock that is kept true", [moved(e, START + 22_000, -400) for e in base], ""

    # Executors that no one number tells.
    second = {"Event": "SparkListenerResourceProfileAdded", "Resource Profile Id": 1, "Executor Resource Requests": {
        "memory": {"Resource Name": "memory", "Amount": 16384}}, "Task Resource Requests": {}}
    for name, more in (("other cores", {"Total Cores": 8}), ("another profile", {"Resource Profile Id": 1}),
                       ("another profile with other cores", {"Total Cores": 1, "Resource Profile Id": 1})):
        events = [dict(e, **{"Executor Info": dict(e["Executor Info"], **more)}) if kind(e) == "ExecutorAdded" and e["Executor ID"] == "3"
                  else e for e in base]
        yield "executors of " + name, events[:3] + [second] + events[3:], "mixed_executors"
    same = [dict(e, **{"Executor Info": dict(e["Executor Info"], **{"Resource Profile Id": 0})}) if kind(e) == "ExecutorAdded" else e for e in base]
    yield "executors of the default profile", same, ""
    # Cores that ExecutorAdded does not tell: those of others, else those of the settings, else none.
    def with_cores(events, cores_of, keeps_setting=True):
        for e in events:
            if kind(e) == "ExecutorAdded":
                told = cores_of(e["Executor ID"])
                e["Executor Info"] = {"Host": "h", **({} if told is None else {"Total Cores": told})}
            if kind(e) == "EnvironmentUpdate" and not keeps_setting:
                e["Spark Properties"].pop("spark.executor.cores")
        return events

    yield "cores left out of ExecutorAdded", with_cores(log("bare"), lambda _: None), ""
    yield "cores of 0 in ExecutorAdded", with_cores(log("bare"), lambda _: 0), ""
    yield "cores of one executor left out", with_cores(log("bare"), lambda each: None if each == "1" else 2, False), ""
    yield "cores that nothing tells", with_cores(log("bare"), lambda _: None, False), ""
    for text in ("*********(redacted)", "4 g", "much"):
        yield "memory that is " + text, log("hidden", spark={"spark.executor.memory": text}), ""
    for text in ("*********(redacted)", "two"):
        yield "cores that are " + text, log("hidden", spark={"spark.executor.cores": text}), ""

    # What is no batch job, and what is.
    query = "org.apache.spark.sql.streaming.StreamingQueryListener$Query"
    yield "query started", base[:8] + [{"Event": query + "StartedEvent", "id": "a", "timestamp": "2025-11-24T16:00:00.000Z"}] + base[8:], "streaming"
    yield "query progressed", base[:8] + [{"Event": query + "ProgressEvent", "progress": {}}] + base[8:], "streaming"
    yield "batches of a query", log("q", job_properties={"sql.streaming.queryId": "a", "streaming.sql.batchId": "3"}), "streaming"
    yield "DStreams by their output", log("d", job_properties={"spark.streaming.internal.batchTime": "2", "callSite.short": "print"}), "streaming"
    yield "query ended", base[:8] + [{"Event": query + "TerminatedEvent", "id": "a", "runId": "b", "exception": None}] + base[8:], "streaming"
    yield "DStreams of one job", log("d", jobs=1, job_properties={"spark.streaming.internal.batchTime": "1"}), "streaming"
    yield "DStreams", log("d", job_properties={"spark.streaming.internal.batchTime": "1", "spark.streaming.internal.outputOpId": "0"}), "streaming"
    thrift = "org.apache.spark.sql.hive.thriftserver."
    yield "Thrift sessions", base[:8] + [{"Event": thrift + "ui.SparkListenerThriftServerSessionCreated", "startTime": 1}] + base[8:], "server"
    yield "Thrift server", log("bi", command=f"org.apache.spark.deploy.SparkSubmit --class {thrift}HiveThriftServer2 spark-internal"), "server"
    yield "Thrift by name", log("Thrift JDBC/ODBC Server", command="*********(redacted)"), "server"
    connect = {"Event": "org.apache.spark.sql.connect.service.SparkListenerConnectServiceStarted", "hostAddress": "h"}
    yield "Connect service", base[:8] + [connect] + base[8:], "server"
    yield "Connect server", log("c", command="org.apache.spark.deploy.SparkSubmit --class org.apache.spark.sql.connect.service.SparkConnectServer spark-internal"), "server"
    in_process = log("own server", spark={"spark.api.mode": "connect"})
    yield "a batch job with a server of its own", in_process[:8] + [connect] + in_process[8:], ""
    yield "Livy", log("x", command="org.apache.spark.deploy.SparkSubmit --class org.apache.livy.rsc.driver.RSCDriverBootstrapper spark-internal"), "interactive"
    for n, (name, key, tag) in enumerate((("in YARN", "spark.yarn.tags", "livy-session-12-aB3dE5fG"),
                                          ("in YARN with others", "spark.yarn.tags", "team,livy-session-12-aB3dE5fG"),
                                          ("in Kubernetes", "spark.kubernetes.driver.label.spark-app-tag", "livy-session-0-aB3dE5fG"))):
        yield "Livy by its tag " + name, log(f"tagged-by-livy-{n}-x", command="*********(redacted)", spark={key: tag}), "interactive"
    yield "Livy, a batch", log("batch", command="*********(redacted)", spark={"spark.yarn.tags": "livy-batch-3-aB3dE5fG"}), ""
    yield "Livy by name", log("livy-session-7", command=""), "interactive"
    yield "Zeppelin", log("zep", command="org.apache.spark.deploy.SparkSubmit --class org.apache.zeppelin.interpreter.remote.RemoteInterpreterServer z.jar"), "interactive"
    yarn = "org.apache.spark.deploy.yarn.ApplicationMaster --class "
    yield "Zeppelin in a cluster", log("z2", command=yarn + "org.apache.zeppelin.interpreter.remote.RemoteInterpreterServer --jar z.jar"), "interactive"
    yield "Zeppelin by name", log("Zeppelin", command=""), "interactive"
    yield "Toree in a cluster", log("t2", command=yarn + "org.apache.toree.Main --jar toree-assembly.jar --arg --profile"), "interactive"
    yield "Toree by name", log("Apache Toree", command="*********(redacted)"), "interactive"
    yield "Kyuubi in a cluster", log("k2", command=yarn + "org.apache.kyuubi.engine.spark.SparkSQLEngine --jar k.jar"), "server"
    yield "Kyuubi by name", log("kyuubi_CONNECTION_SPARK_SQL_u_7a5a07ab-5b5a-4b44-9b1c-94d4ba2e8c6f", command=""), "server"
    yield "Kyuubi for a group", log("kyuubi_GROUP_SPARK_SQL_staff_default", command="*********(redacted)"), "server"
    yield "Hive on Spark in a cluster", log("h2", command=yarn + "org.apache.hive.spark.client.RemoteDriver --jar hive-exec.jar"), "server"
    yield "Hive on Spark of a session", log("Hive on Spark (sessionId = 1)", command="org.apache.spark.deploy.SparkSubmit --properties-file p --class org.apache.hive.spark.client.RemoteDriver hive-exec.jar --remote-host h"), "server"
    yield "Connect session", base[:8] + [{"Event": "org.apache.spark.sql.connect.service.SparkListenerConnectSessionStarted", "sessionId": "s"}] + base[8:], "server"
    submit = "org.apache.spark.deploy.SparkSubmit "
    yield "a batch job whose arguments name spark-shell", log("audit-a-x", command=submit + "--class a.Main job.jar --find org.apache.spark.repl.Main"), ""
    yield "a batch job whose arguments name Zeppelin", log("audit-b-x", command=submit + "--verbose job.py --class org.apache.zeppelin.Old"), ""
    yield "a batch job whose arguments name Toree", log("audit-c-x", command=yarn + "a.Main --jar job.jar --arg org.apache.toree.Main"), ""
    yield "a batch job named as Kyuubi", log("kyuubi_usage_report", command=submit + "--class a.Main job.jar"), ""
    yield "spark-shell behind a flag", log("s2", command=submit + "--verbose --class org.apache.spark.repl.Main spark-shell"), "interactive"
    yield "Thrift server in a standalone cluster", log("bi2", command=f"org.apache.spark.deploy.worker.DriverWrapper spark://w:1 /s.jar {thrift}HiveThriftServer2"), "server"
    yield "shell of R by its program", log("r2", command=submit + "--name r2 sparkr-shell"), "interactive"
    yield "Toree", log("toree", command="org.apache.spark.deploy.SparkSubmit --class org.apache.toree.Main toree.jar"), "interactive"
    yield "Kyuubi", log("kyuubi_USER_SPARK_SQL_u", command="org.apache.spark.deploy.SparkSubmit --class org.apache.kyuubi.engine.spark.SparkSQLEngine k.jar"), "server"
    yield "Hive on Spark", log("Hive on Spark", command="org.apache.spark.deploy.SparkSubmit --class org.apache.hive.spark.client.RemoteDriver hive.jar"), "server"
    yield "spark-shell", log("s", command="org.apache.spark.deploy.SparkSubmit --class org.apache.spark.repl.Main --name s spark-shell"), "interactive"
    yield "spark-shell by name", log("Spark shell", command=""), "interactive"
    yield "redacted shell of 2.x", log("t3", command="*********(redacted)", spark={"spark.repl.class.outputDir": "/tmp/spark-1/repl-2"}), "interactive"
    for name in ("PySparkShell", "SparkR", "sparklyr"):
        yield "shell of " + name, log(name, command=""), "interactive"
    yield "redacted shell", log("t", command="*********(redacted)", spark={"spark.repl.class.uri": "spark://h:1/classes"}), "interactive"
    cli = f"org.apache.spark.deploy.SparkSubmit --class {thrift}SparkSQLCLIDriver spark-internal"
    yield "SQL shell", log("SparkSQL::10.0.0.1", command=cli), "interactive"
    yield "SQL file", log("SparkSQL::10.0.0.2", command=cli + " -f report.sql"), ""
    yield "SQL statement", log("SparkSQL::10.0.0.3", command=cli + " -e select"), ""

    # Databricks ends no application.
    yield "Databricks", delivered(base), ""
    tags = {"spark.databricks.clusterUsageTags.clusterName": "job-12-run-345", "spark.repl.class.uri": "spark://h:1/classes"}
    yield "job of Databricks", delivered(log("Databricks Shell", spark=tags, command="com.databricks.backend.daemon.driver.DriverDaemon")), ""
    yield "notebooks of Databricks", delivered(log("Databricks Shell", spark={"spark.databricks.clusterUsageTags.clusterName": "shared"})), "interactive"
    yield "Databricks, SQL ends last", delivered(base[:-1] + sql + [dict(sql_end, time=last + 4000)]), ""
    yield "Databricks, a job runs", delivered(cut), ""
    yield "Databricks, SQL runs", delivered(base[:-1] + sql), ""

    # Machines that Kubernetes and Dataproc Serverless name.
    for n, (name, key, machine) in enumerate((
            ("EMR on EKS, nodes of a type", "spark.kubernetes.node.selector.node.kubernetes.io/instance-type", "m5.4xlarge"),
            ("EMR on EKS, executors' nodes", "spark.kubernetes.executor.node.selector.node.kubernetes.io/instance-type", "r5d.2xlarge"),
            ("EMR on EKS, the label of old", "spark.kubernetes.node.selector.beta.kubernetes.io/instance-type", "c5.xlarge"),
            ("Dataproc Serverless, standard", "spark.dataproc.executor.compute.tier", "standard"),
            ("Dataproc Serverless, premium", "spark.dataproc.executor.compute.tier", "premium"))):
        yield name, log(f"machines-{n}-x", spark={key: machine, "spark.master": "k8s://https://h:443"}), ""
    yield "EMR on EKS, another label", log("zones", spark={"spark.kubernetes.node.selector.topology.kubernetes.io/zone": "eu-west-1a"}), ""
    yield "Dataproc Serverless, driver alone", log("tiers", spark={"spark.dataproc.driver.compute.tier": "premium"}), ""


# What selects a machine for executors, as the documents name it.
MACHINES = ("spark.kubernetes.executor.node.selector.node.kubernetes.io/instance-type",
            "spark.kubernetes.node.selector.node.kubernetes.io/instance-type",
            "spark.kubernetes.node.selector.beta.kubernetes.io/instance-type", "spark.dataproc.executor.compute.tier")


def text_of(events):
    return "".join(json.dumps(e) + "\n" for e in events)


def import_of(program, place, *logs):
    table, report = os.path.join(place, "t.tsv"), os.path.join(place, "r.json")
    done = subprocess.run([program, "import", *logs, "--table", table, "--report", report], capture_output=True, text=True)
    rows = list(csv.DictReader(open(table), delimiter="\t")) if os.path.exists(table) else []
    found = rows, json.load(open(report)) if os.path.exists(report) else {}, done
    for path in (table, report):
        if os.path.exists(path):
            os.remove(path)
    return found


def advice_on(program, place, path):
    """What is proposed by a log, by its trace and by its row."""
    histories = [path, os.path.join(place, "a.jsonl"), os.path.join(place, "a.tsv")]
    subprocess.run([program, "import", path, "--traces", histories[1], "--table", histories[2]], capture_output=True)
    for history in histories:
        done = subprocess.run([program, "recommend", history, "--deadline", "60", "--json"], capture_output=True, text=True)
        yield json.loads(done.stdout)["applications"][0]["proposed"]["configuration"] if done.returncode == 0 else done.stderr
    for written in histories[1:]:
        os.remove(written)


def stored_logs():
    """Folders of logs as services store them, the files beside them, and what else the run is marked with."""
    base = text_of(log("stored"))
    lines = base.splitlines(keepends=True)
    thirds = ["".join(lines[:30]), "".join(lines[30:60]), "".join(lines[60:])]
    run = "00f5trm1fv0d3p09"
    serverless = f"logs/applications/00f1r9ftp2uhk90d/jobs/{run}/sparklogs/eventlog_v2_{run}/"
    yield "EMR Serverless, one part", {serverless + f"events_0_{run}": base, serverless + f"appstatus_{run}": "",
                                       f"logs/applications/00f1r9ftp2uhk90d/jobs/{run}/SPARK_DRIVER/stdout.gz": "done"}, ""
    yield "EMR Serverless, rotated", {serverless + f"events_{i}_{run}": part for i, part in enumerate(thirds)}, ""
    yield "EMR Serverless, a part is missing", {serverless + f"events_{i}_{run}": thirds[i] for i in (0, 2)}, "incomplete"
    pod = "spark-000000032v5qo4oj3g4"
    eks = f"abc123/jobs/{pod[6:]}/sparklogs/eventlog_v2_{pod}/"
    yield "EMR on EKS, rotated", {eks + f"events_{i + 1}_{pod}": part for i, part in enumerate(thirds)}, ""
    for name in ("application_1700000000000_0001", "application_1700000000000_0001_1", "application_1700000000000_0001.inprogress"):
        yield f"EMR on EC2, {name}", {f"var/log/spark/apps/{name}": base}, ""
    yield "a line that is cut", {"app-1": base[:-30]}, "incomplete"
    yield "lines that are no events", {"app-1": "".join(lines[:9] + ["{\n", "[]\n", "Warning: none\n"] + lines[9:])}, ""
    copied = {f"events_{i}_{run}": part for i, part in enumerate(thirds)}
    other = {f"events_{i + 1}_app-2": part for i, part in enumerate(thirds)}
    yield "EMR Serverless, copied without its folder", dict(copied, **{f"appstatus_{run}": ""}), ""
    yield "EMR Serverless, copied beside tables", dict(copied, **{"events_2024_sales.csv": "a,b\n1,2\n", "events_2025_sales.csv": "a,b\n"}), ""
    yield "EMR on EKS, copied without its folder", other, ""
    yield "EMR on EKS, the first part was deleted", {eks + f"events_{i}_{pod}": thirds[i - 1] for i in (2, 3)}, "skipped: parts are missing"
    for name, unset in (("1970", 12_000), ("1970, a day later", 86_400_000), ("the year 2000", 946_684_800_000)):
        begun = [dict(e, Timestamp=unset) if kind(e) == "ApplicationStart" else e for e in log("stored")]
        yield "a start in " + name, {"app-1": text_of(begun)}, "skipped: no_start"
    yield "EMR Serverless, copied without a part", {name: text for name, text in copied.items() if "_1_" not in name}, "incomplete"
    cluster = "0b1c7a5e-1111-2222-3333-444455556666/spark-job-history/"
    yield "Dataproc, a cluster", {cluster + "application_1700000000000_0007": base}, ""
    yield "Dataproc, an attempt", {cluster + "application_1700000000000_0008_1": base, "google-cloud-dataproc-metainfo/x/driveroutput.000000000": "out"}, ""
    yield "Dataproc, rolling", {cluster + f"eventlog_v2_app-1/events_{i + 1}_app-1": part for i, part in enumerate(thirds)}, ""


class Stream:
    """Takes bytes alone, as the server's answer: a zip has its sizes behind the data then."""

    def __init__(self, file):
        self.write, self.flush = file.write, file.flush


def write_zip(path, members, packing=zipfile.ZIP_DEFLATED, streamed=False):
    with open(path, "wb") as file, zipfile.ZipFile(Stream(file) if streamed else file, "w", packing) as archive:
        for member, content in members.items():
            archive.writestr(member, content if isinstance(content, bytes) else text_of(content))


def archives(base):
    """Zips of the history server as browsers, people and Macs leave them: name, file, members, how they are packed, what is right."""
    packed = lambda events: gzip.compress(text_of(events).encode())
    streamed = {"streamed": True}
    yield "deflated", "eventLogs-app-1.zip", {"app-1": base}, {}, base
    yield "stored", "eventLogs-app-1.zip", {"app-1": base}, {"packing": zipfile.ZIP_STORED}, base
    yield "rolling", "eventLogs-a.zip", {"eventlog_v2_a/": b"", "eventlog_v2_a/appstatus_a": b"", "eventlog_v2_a/events_10_a": base[60:],
                                         "eventlog_v2_a/events_9_a.compact": base[:60], "eventlog_v2_a/events_1_a": b""}, streamed, base
    yield "of an attempt", "eventLogs-application_1700000000000_0001-1.zip", {"application_1700000000000_0001_1": base}, streamed, base
    yield "called so again by a browser", "eventLogs-app-1 (1).zip", {"app-1": base}, streamed, base
    yield "without an ending", "download", {"app-1": base}, streamed, base
    yield "of a run that goes on", "eventLogs-app-1.zip", {"app-1.inprogress": base[:-1]}, streamed, base[:-1]
    yield "packed again by a Mac", "logs.zip", {"logs/": b"", "logs/app-1": base, "__MACOSX/logs/._app-1": b"\0\5\x16\7\0\2\0\0Mac OS X",
                                                "logs/.DS_Store": b"\0\0\0\1Bud1"}, {}, base
    yield "without the parts' folder", "parts.zip", {"events_1_a": base[:50], "events_2_a": base[50:]}, {}, base
    parts = "c/eventlog/c_10_0_0_1/7/"
    yield ("of parts of Databricks", "c.zip", {parts + "eventlog-2025-01-01--09-00.gz": packed(delivered(base[:40], 0)),
                                               parts + "eventlog": delivered(base[40:-1], 1)}, {}, delivered(base))


def random_names():
    """Names as operators make them, and the applications that they are of. A third spells like words, versions or sizes."""
    chance = random.Random(7)
    drawn = lambda alphabet, size, count: ["".join(chance.choice(alphabet) for _ in range(size)) for _ in range(count)]
    letters_and_digits, of_pods = "abcdefghijklmnopqrstuvwxyz0123456789", "bcdfghjklmnpqrstvwxz2456789"
    once = lambda *names: collections.Counter(names)
    yield "Airflow", [f"daily-report-{end}" for end in drawn(letters_and_digits, 8, 20)], collections.Counter({"daily-report": 20})
    yield "Kubernetes", [f"daily-report-{end}" for end in drawn(of_pods, 5, 12)], collections.Counter({"daily-report": 12})
    yield ("Argo", [f"daily-{end}-{1_000_000_000 + 7 * n}" for n, end in enumerate(drawn(of_pods, 5, 12))], collections.Counter({"daily": 12}))
    yield ("words", ["load-customer", "load-products", "load-invoices", "load-x9k2m4qz", "load-7bq0wz1p"],
           once("load-customer", "load-products", "load-invoices", "load", "load"))
    yield ("a word that runs twice", ["load-customer"] * 2 + [f"load-{end}" for end in ("x9k2m4qz", "7bq0wz1p", "k3j9x0ab")],
           collections.Counter({"load-customer": 2, "load": 3}))
    yield ("days", [f"load-2025110{day}" for day in range(1, 6)] + ["load-customer"], collections.Counter({"load": 5, "load-customer": 1}))
    yield ("versions", [f"etl-{end}" for end in ("part1", "part2", "html5", "tpcds")], once("etl-part1", "etl-part2", "etl-html5", "etl-tpcds"))


def tests_on(page):
    """Letter and words of each test that the tables name, and the letters alone of rows that name none; those on Flink have no letter."""
    for row in open(page):
        if row.startswith("|"):
            cell = row.rsplit("|", 2)[1]
            if re.fullmatch(" [FOCZH] ", cell) and "](" not in row:
                yield cell.strip(), None
            for letter, names in re.findall(r'(?:\b([FOCZH]) )?((?:"[^"]+"(?:, )?)+)', cell):
                yield from ((letter, name) for name in re.findall(r'"([^"]+)"', names))


def main(program, place, page, field_cases):
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(place)
    wrong = []
    compared = 0
    marks = {"lost_events", "incomplete", "wrong_clock", "mixed_executors", "streaming", "server", "interactive"}

    def compare(name, rows, expected, mark):
        nonlocal compared
        if len(rows) != 1:
            wrong.append(f"{name}: expected one row, found {len(rows)}")
            return
        found = dict(rows[0], **{flag: flag in rows[0]["flags"].split(",") for flag in ("lost_events", "retried_stages")})
        flagged = marks & set(rows[0]["flags"].split(","))
        if flagged != ({mark} if mark else set()):
            wrong.append(f"{name}: expected the mark {mark or 'none'}, found {rows[0]['flags'] or 'none'}")
        for column, value in expected.items():
            if column == "tells_part":
                continue
            compared += 1
            if found[column] != value and not (
                    mark in ("lost_events", "wrong_clock") and column == "executors" or
                    mark in ("lost_events", "wrong_clock", "mixed_executors") and column == "cores"):
                wrong.append(f"{name}: expected {column} {value}, found {found[column]}")

    told = []
    for name, files, mark in stored_logs():
        told.append(name)
        folder = os.path.join(place, "stored")
        for file, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(folder, file)), exist_ok=True)
            opened = gzip.open if file.endswith(".gz") else open
            with opened(os.path.join(folder, file), "wt") as out:
                out.write(text)
        rows, report, _ = import_of(program, place, folder)
        if mark.startswith("skipped: "):
            if rows or mark.removeprefix("skipped: ") not in str(report):
                wrong.append(f"{name}: expected no run, as {mark}, found {rows}, {report}")
        elif mark:
            if len(rows) != 1 or mark not in rows[0]["flags"]:
                wrong.append(f"{name}: expected one run that is {mark}, found {rows}")
        else:
            compare(name, rows, reading(log("stored")), mark)
        shutil.rmtree(folder)
    for name, events, mark in cases():
        told.append(name)
        path = os.path.join(place, "log")
        with open(path, "w") as file:
            file.write(text_of(events))
        expected = reading(events)
        if expected["lost_events"] != (mark == "lost_events"):
            wrong.append(f"{name}: the reading finds lost events: {expected['lost_events']}")
        rows, report, _ = import_of(program, place, path)
        compare(name, rows, expected, mark)
        if expected["tells_part"] != ("bytes are those of a part" in str(report)):
            wrong.append(f"{name}: expected a note that bytes are those of a part: {expected['tells_part']}")
        if name.startswith(("memory that", "cores ")):
            known = {"executor_cores": int(expected["executor_cores"]) or None, "executor_memory_MB": int(expected["executor_memory_MB"]) or None}
            if known["executor_cores"]:
                known["executors"] = 4  # as it ran, where its tasks tell what fewer would take
            for n, found in enumerate(advice_on(program, place, path)):
                if not isinstance(found, dict) or {key: found[key] for key in known} != known:
                    wrong.append(f"{name}: expected advice {known} by {('the log', 'its trace', 'its row')[n]}, found {found}")
        os.remove(path)

    # One log in parts, in any order of names; as a zip, of files and of a rolling folder.
    base = log()
    expected = reading(delivered(base))
    folder = os.path.join(place, "logs/c/eventlog/c_10_0_0_1/7")
    thirds = [base[:40], base[40:70], base[70:-1]]
    for names in (("eventlog-2025-01-01--09-00.gz", "eventlog-2025-01-01--10-00.gz", "eventlog"), ("c.log", "b.log", "a.log"),
                  ("eventlog-2025-01-01--10-00", "eventlog-2025-01-01--09-00", "eventlog.gz")):
        os.makedirs(folder)
        for number, (name, events) in enumerate(zip(names, thirds)):
            opened = gzip.open if name.endswith(".gz") else open
            with opened(os.path.join(folder, name), "wt") as file:
                file.write(text_of(delivered(events, number)))
        compare(f"parts {names}", import_of(program, place, os.path.join(place, "logs"))[0], expected, "")
        with (gzip.open if names[0].endswith(".gz") else open)(os.path.join(folder, names[0]), "rt") as file:
            first = file.read()
        # The first part once more: unpacked or packed, and under a name that tells nothing.
        for copy in (names[0].removesuffix(".gz") if names[0].endswith(".gz") else names[0] + ".gz", "copy of the first"):
            with (gzip.open if copy.endswith(".gz") else open)(os.path.join(folder, copy), "wt") as file:
                file.write(first)
            compare(f"parts {names}, {copy}", import_of(program, place, os.path.join(place, "logs"))[0], expected, "")
            os.remove(os.path.join(folder, copy))
        with open(os.path.join(folder, "another"), "w") as file:
            file.write(text_of(delivered(thirds[1], 1)).replace(str(START), str(START + 1), 1))
        rows = import_of(program, place, os.path.join(place, "logs"))[0]
        if len(rows) != 1 or "incomplete" not in rows[0]["flags"]:
            wrong.append(f"parts {names} with two second ones that differ: expected one incomplete run, found {rows}")
        os.remove(os.path.join(folder, "another"))
        os.remove(os.path.join(folder, names[1]))
        rows = import_of(program, place, os.path.join(place, "logs"))[0]
        if len(rows) != 1 or "incomplete" not in rows[0]["flags"]:
            wrong.append(f"parts {names} without the second: expected one incomplete run, found {rows}")
        shutil.rmtree(os.path.join(place, "logs"))
    # Cut where no job runs, what was closed looks whole: the part behind it tells that it is not.
    between = next(i for i, e in enumerate(base) if kind(e) == "JobEnd") + 1
    middle = next(i for i, e in enumerate(base) if kind(e) == "StageSubmitted")
    for closed in ((base[:between],), (base[:middle], base[middle:between])):
        os.makedirs(folder)
        for number, events in enumerate(closed):
            with gzip.open(os.path.join(folder, f"eventlog-2025-01-01--0{number}-00.gz"), "wt") as file:
                file.write(text_of(delivered(events, number)))
        rows = import_of(program, place, os.path.join(place, "logs"))[0]
        if len(rows) != 1 or "incomplete" not in rows[0]["flags"]:
            wrong.append(f"{len(closed)} parts without the newest: expected one incomplete run, found {rows}")
        shutil.rmtree(os.path.join(place, "logs"))
    for name, file, members, how, events in archives(base):
        path = os.path.join(place, file)
        write_zip(path, members, **how)
        compare("zip, " + name, import_of(program, place, path)[0], reading(events), "")
        with open(path, "r+b") as cut:
            cut.truncate(os.path.getsize(path) - 40)
        rows, report, done = import_of(program, place, path)
        if rows or "zip archive" not in str(report) + done.stdout + done.stderr:
            wrong.append(f"zip, {name}, cut: expected to be named, found {rows}, {report}, {done.stderr}")
        os.remove(path)
    for name, names, applications in random_names():
        folder = os.path.join(place, "named")
        os.makedirs(folder)
        for n, each in enumerate(names):
            events = [dict(e, **{"App ID": f"app-{n}"}) if kind(e) == "ApplicationStart" else e for e in log(each, jobs=1)]
            with open(os.path.join(folder, f"app-{n}"), "w") as file:
                file.write(text_of(events))
        found = collections.Counter(row["application"] for row in import_of(program, place, folder)[0])
        compared += len(names)
        if found != applications:
            wrong.append(f"names, {name}: expected {dict(applications)}, found {dict(found)}")
        shutil.rmtree(folder)
    for other, text in (("an archive of one job of Flink", '{"archive": [{"path": "/jobs/overview", "json": "{}"}]}'),
                        ("an answer of Spark's REST interface", '[ {\n "id" : "a", "attempts" : [ { "sparkUser" : "u" } ] } ]'),
                        ("an answer of Flink's REST interface", '{"jid": "0", "name": "x", "state": "FINISHED"}')):
        path = os.path.join(place, "other")
        with open(path, "w") as file:
            file.write(text)
        report = import_of(program, place, path)[1]
        if other not in str(report):
            wrong.append(f"expected {other} to be named, found {report}")
        os.remove(path)

    wrong += [f"{name}: no document or class says that there are such logs" for name in told if source_of(name) is None]
    wrong += [f"a source of no case: {begin}" for begin in SOURCES if not any(source_of(name) == begin for name in told)
              and begin not in ("parts", "zip", "names", "other format")]
    text_beside = lambda file: open(os.path.join(os.path.dirname(field_cases), file)).read()
    cases_of = lambda text: " ".join(re.findall(r'"([^"]*)"', " ".join(re.findall(r'TEST_CASE\(\s*((?:"[^"]*"\s*)+)', text))))
    in_cpp = {"F": cases_of(text_beside(os.path.basename(field_cases))), "": cases_of(text_beside("flink_test.cpp"))}
    beside = {letter: text_beside(file) for letter, file in (
        ("C", "compressed_log_test.cpp"), ("Z", "zip_archives_test.py"), ("H", "history_server_test.py"))}
    named = list(tests_on(page))
    for letter, words in named:
        if words is None:
            wrong.append(f"{page} names no test of {letter} in a row")
        elif not (words in in_cpp[letter] if letter in in_cpp else f'"{words}' in beside[letter] if letter in beside else
                  any(each.startswith(words) for each in told + ["parts", "zip", "names"])):
            wrong.append(f"{page} names a test that is not there: {letter} {words}")
    if len(named) < 20:
        wrong.append(f"expected tests named in the table of {page}, found {len(named)}")
    for each in wrong:
        print(each)
    print(f"{compared} numbers compared, {len(wrong)} wrong")
    return 1 if wrong or compared < 1800 else 0


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(f"expected PROGRAM FOLDER PAGE FIELD_CASES, found {sys.argv[1:]}")
    sys.exit(main(*sys.argv[1:]))
