#!/usr/bin/env python3
"""`import --history-server`: what Spark's own history server hands out gives the rows of the folder that it reads, and what a bad
server answers is named, while what was fetched stays whole. Saved answers of /api/v1 give what they tell of these rows.

    history_server_test.py PROGRAM FOLDER bad
    history_server_test.py PROGRAM FOLDER answers        of made-up answers
    history_server_test.py PROGRAM FOLDER spark LOGS     with the Spark of SPARK_HOME; LOGS are zips of logs

Exit code 77 where there is no Spark, or a program without libcurl.
"""
import base64
import concurrent.futures
import csv
import http.server
import io
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.request
import zipfile

from odd_logs_test import log, text_of

UPDATED = 1_767_225_600_000
MB = 1 << 20
# By a process of its own: what a process held before it became another program counts as well.
MEASURE = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)
print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def zip_of(name):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, text_of(log(name)))
    return made.getvalue()


def listed(*ids, updated=UPDATED):
    """As the server lists them: the newest first, which is the last of these."""
    return json.dumps([{"id": each, "name": each, "attempts": [{"completed": True, "lastUpdatedEpoch": updated}]} for each in reversed(ids)]).encode()


class Answer:
    def __init__(self, body=b"", status=200, length=None, headers=(), then=None):
        """length: as announced, None for that of the body, -1 for none; then: called when the body was sent."""
        self.body, self.status, self.length, self.headers, self.then = body, status, length, headers, then


def endless(start, block):
    yield start
    while True:
        yield block


class Server:
    """Answers by `answers`, from a path below the applications to an answer, or to a list of them, of which the last stays."""

    def __init__(self, answers, port=0):
        self.answers = {path: each if isinstance(each, list) else [each] for path, each in answers.items()}
        self.asked, self.credentials, self.sent = [], [], 0
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer.answer(self)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        self.address = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def answer(self, to):
        path = to.path.removeprefix("/api/v1/applications").lstrip("/")
        self.asked.append(path)
        self.credentials.append(to.headers.get("Authorization", ""))
        left = self.answers.get(path.split("?")[0], [Answer(b"not found", 404)])
        one = left.pop(0) if len(left) > 1 else left[0]
        to.send_response(one.status)
        if one.length != -1:
            to.send_header("Content-Length", str(len(one.body) if one.length is None else one.length))
        for header in one.headers:
            to.send_header(*header)
        to.end_headers()
        try:
            for block in [one.body] if isinstance(one.body, bytes) else one.body:
                to.wfile.write(block)
                self.sent += len(block)
        except OSError:
            pass  # the program wants no more
        if one.then:
            one.then()
        to.close_connection = True

    def stop(self):
        self.server.server_close()  # refuses from here on
        self.server.shutdown()


class Case:
    """One folder for logs, and what was wrong."""

    def __init__(self, program, place, name):
        self.program, self.name, self.wrong = program, name, []
        self.place = os.path.join(place, name.replace(" ", "_"))
        self.logs = os.path.join(self.place, "logs")
        os.makedirs(self.place)

    def expect(self, what, right, found):
        if right != found:
            self.wrong.append(f"{self.name}: {what}: expected {right!r}, found {found!r}")

    def expect_text(self, part, text):
        if part not in text:
            self.wrong.append(f"{self.name}: expected {part!r} in {text!r}")

    def run(self, server, *options, address=None, logs=None, code=0):
        """Rows, report and record of an import."""
        table, report = os.path.join(self.place, "t.tsv"), os.path.join(self.place, "r.json")
        for path in (table, report):
            if os.path.exists(path):
                os.remove(path)
        words = [self.program, "import", logs or self.logs, "--table", table, "--report", report, "--json", *options]
        if server:
            words += ["--history-server", address or server.address]
        done = subprocess.run(words, capture_output=True, text=True, env=dict(os.environ, HOME=self.place, no_proxy="*"))
        self.expect(f"exit code of {' '.join(words)}, {done.stderr}", code, done.returncode)
        self.stderr = done.stderr
        self.rows = list(csv.DictReader(open(table), delimiter="\t")) if os.path.exists(table) else []
        self.report = json.load(open(report)) if os.path.exists(report) else {}
        self.record = json.loads(done.stdout) if done.stdout else {}
        return self.record.get("history_server", {})

    def expect_fetched(self, found, fetched, present, missed):
        self.expect("counts", {"fetched": fetched, "present": present, "missed": missed}, found)

    def expect_missed(self, name, *parts):
        skipped = self.report.get(name, {}).get("skipped", "")
        for part in parts:
            self.expect_text(part, f"{name}: {skipped}")

    def expect_files(self, *names):
        self.expect("files", sorted(names), sorted(os.listdir(self.logs)) if os.path.isdir(self.logs) else [])


def good(case):
    names = ["app-1", "app-2"]
    server = Server({"": Answer(listed(*names)), **{f"{each}/logs": Answer(zip_of(each)) for each in names}})
    case.expect_fetched(case.run(server, "--since", "2026-01-31T00:30+01:00"), 2, 0, 0)
    case.expect("requests", ["?minDate=2026-01-30T23:30:00.000GMT", "app-1/logs", "app-2/logs"], server.asked)
    fetched = case.rows
    plain = os.path.join(case.place, "plain")
    os.makedirs(plain)
    for each in names:
        with open(os.path.join(plain, each), "w") as file:
            file.write(text_of(log(each)))
    case.run(None, logs=plain)
    case.expect("rows", case.rows, fetched)
    case.expect("number of rows", 2, len(fetched))


def again(case):
    """Nothing is fetched twice, but what was updated; what an interrupted fetch left is removed."""
    server = Server({"": Answer(listed("app-1", "app-2")), **{f"app-{i}/logs": Answer(zip_of(f"app-{i}")) for i in (1, 2)}})
    os.makedirs(case.logs)
    open(os.path.join(case.logs, ".app-1.zip.partial"), "w").close()
    for address in ("", "/", "/api/v1", "/api/v1/applications/"):
        case.run(server, address=server.address + address)
    case.expect("requests", ["", "app-1/logs", "app-2/logs", "", "", ""], server.asked)
    case.expect_fetched(case.record["history_server"], 0, 2, 0)
    case.expect_files("app-1.zip", "app-2.zip")
    updated = json.loads(listed("app-1", "app-2"))
    updated[0]["attempts"].append({"lastUpdatedEpoch": UPDATED + 60_000})  # the second attempt at app-2
    server.answers[""] = [Answer(json.dumps(updated).encode())]
    case.expect_fetched(case.run(server), 1, 1, 0)
    case.expect("last request", "app-2/logs", server.asked[-1])
    case.expect_fetched(case.run(server), 0, 2, 0)


def passing(case):
    """What passes is asked for again: a server's error, and a zip that is cut where nothing says its length."""
    whole = zip_of("app-1")
    server = Server({"": [Answer(b"busy", 503), Answer(listed("app-1"))],
                     "app-1/logs": [Answer(b"busy", 429), Answer(whole[:-30], length=-1), Answer(whole)]})
    case.expect_fetched(case.run(server), 1, 0, 0)
    case.expect("requests", ["", "", "app-1/logs", "app-1/logs", "app-1/logs"], server.asked)


def stopping(case):
    """A server that stops half way through the second of three logs, and is there again later."""
    whole = zip_of("app-2")
    stopped = []
    server = Server({"": Answer(listed("app-1", "app-2", "app-3")), "app-1/logs": Answer(zip_of("app-1")),
                     "app-2/logs": Answer(whole[:len(whole) // 2], length=len(whole), then=lambda: stopped.append(server.stop()))})
    case.expect_fetched(case.run(server, code=3), 1, 0, 2)
    case.expect("the server stopped", 1, len(stopped))
    case.expect_files("app-1.zip")
    case.expect("rows", 1, len(case.rows))
    case.expect("logs that were read", 1, case.record["logs"])
    case.expect_missed("app-2", "not_fetched: expected a zip of logs at http://127.0.0.1", "Couldn't connect")
    case.expect_missed("app-3", "not_fetched: ", "the server no longer answers")
    case.expect("skipped", ["app-2", "app-3"], [each["log"] for each in case.record["skipped"]])
    back = Server({"": Answer(listed("app-1", "app-2", "app-3")), **{f"app-{i}/logs": Answer(zip_of(f"app-{i}")) for i in (1, 2, 3)}}, server.port)
    case.expect_fetched(case.run(back), 2, 1, 0)
    case.expect("requests", ["", "app-2/logs", "app-3/logs"], back.asked)


def failing(case):
    """Errors of a server about one application: five times the first, and once until the server answers again."""
    server = Server({"": Answer(listed("app-1", "app-2", "app-3", "app-4")), "app-1/logs": Answer(b"no <b>log</b>", 500),
                     "app-2/logs": Answer(b"", 500), "app-3/logs": Answer(zip_of("app-3")), "app-4/logs": Answer(b"gone", 404)})
    case.expect_fetched(case.run(server, code=3), 1, 0, 3)
    case.expect("requests", [""] + ["app-1/logs"] * 5 + [f"app-{i}/logs" for i in (2, 3, 4)], server.asked)
    case.expect_missed("app-1", "found: status 500: no <b>log</b>")
    case.expect_missed("app-2", "found: status 500")
    case.expect_missed("app-4", "found: status 404: gone")
    case.expect_files("app-3.zip")


def other_answers(case):
    """Lists of other servers."""
    expected = "expected a list of applications"
    for answer, code, found in (
            (Answer(b"<html><body>Welcome</body></html>"), "other_answer: ", "found <html><body>Welcome"),
            (Answer(b'{"status": "ok"}'), "other_answer: ", 'found {"status": "ok"}'),
            (Answer(b'[{"id": 3, "attempts": [{}]}]'), "other_answer: ", 'found [{"id": 3'),
            (Answer(b'[{"id": "app-1"}]'), "other_answer: ", 'found [{"id": "app-1"}]'),
            (Answer(b'[{"id": "app-1", "attempts": []}]'), "other_answer: ", "found ["),
            (Answer(listed("app-1")[:-5]), "other_answer: ", "found ["),
            (Answer(b"\x1b[31m\xff"), "other_answer: ", "found [31m?"),
            (Answer(b""), "other_answer: ", "found an empty answer"),
            (Answer(b"<html>no such page</html>", 404), "no_history_server: ", "found: status 404: <html>no such page"),
            (Answer(b"", 401), "no_history_server: ", "found: status 401"),
            (Answer(b"", 302, headers=[("Location", "file:///etc/passwd")]), "no_history_server: ", "file"),
            (Answer(endless(b"[", b" " * MB), length=-1), "no_history_server: ", "found: more than 64 MB")):
        server = Server({"": answer})
        case.run(server, code=1)
        for part in (code, expected, found):
            case.expect_text(part, case.stderr)
    case.expect("a folder", False, os.path.exists(case.logs))


def other_logs(case):
    """Zips that are none, that never end, or that are too large; each stops before much was sent."""
    bomb = zip_of("app-5")
    size = bomb.rindex(b"app-5", 0, bomb.rindex(b"PK\5\6")) - 46 + 24
    bomb = bomb[:size] + ((1 << 30) + 1).to_bytes(4, "little") + bomb[size + 4:]
    server = Server({"": Answer(listed("app-1", "app-2", "app-3", "app-4", "app-5", "app-6")),
                     "app-1/logs": Answer(b"<html>Please log in</html>"),
                     "app-2/logs": Answer(endless(b"PK\3\4", b"\0" * MB), length=-1),
                     "app-3/logs": Answer(endless(b"<html>", b" " * MB), length=-1),
                     "app-4/logs": Answer(endless(b"PK\3\4", b"\0" * MB), length=1 << 50),
                     "app-5/logs": Answer(bomb),
                     "app-6/logs": Answer(zip_of("app-6"))})
    case.expect_fetched(case.run(server, "--largest-zip", "2", code=3), 1, 0, 5)
    case.expect_missed("app-1", "found: <html>Please log in</html>")
    case.expect_missed("app-2", "found: more than 2 MB")
    case.expect_missed("app-3", "found: <html>")
    case.expect_missed("app-4", "found: more than 2 MB")
    case.expect_missed("app-5", "found: oversized_archive: ")
    case.expect("requests for each", 7, len(server.asked))
    case.expect("more than 100 MB were sent", False, server.sent > 100 * MB)
    case.expect_files("app-6.zip")


def ids(case):
    """No id leads out of the folder, and none is asked for that a file cannot be called by."""
    odd = ["../../evil", "/etc/evil", "..", ".evil", "evil/../evil", "", "evil\\evil", "evil\n", "e" * 201, "évil", "evil?x=1"]
    server = Server({"": Answer(listed("app-1", *odd)), "app-1/logs": Answer(zip_of("app-1"))})
    case.expect_fetched(case.run(server, code=3), 1, 0, len(odd))
    case.expect("requests", ["", "app-1/logs"], server.asked)
    case.expect_missed("../../evil", "unusual_id: ")
    case.expect_files("app-1.zip")
    case.expect("files beside the folder", ["logs", "r.json", "t.tsv"], sorted(os.listdir(case.place)))


def memory(case):
    """A zip goes to the disk as it comes."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("app-1", text_of(log("app-1")))
        archive.writestr("notes.txt", b"none\n" * (40 * MB))
    server = Server({"": Answer(listed("app-1")), "app-1/logs": Answer(made.getvalue())})
    command = [case.program, "import", case.logs, "--history-server", server.address]
    measured = subprocess.run([sys.executable, "-c", MEASURE, *command], capture_output=True, text=True, env=dict(os.environ, no_proxy="*"))
    code, kilobytes = map(int, measured.stdout.split())
    case.expect("exit code", 0, code)
    case.expect(f"less than 100 MB held, {kilobytes} kB", True, kilobytes < 100 << 10)
    case.expect("bytes of the file", len(made.getvalue()), os.path.getsize(os.path.join(case.logs, "app-1.zip")))


def passwords(case):
    """A name and a password of the address or of ~/.netrc are used, and not shown."""
    with open(os.path.join(case.place, ".netrc"), "w") as file:
        file.write("machine 127.0.0.1 login reader password of-netrc\n")
    server = Server({"": Answer(b"", 403)})
    for address, password in ((server.address.replace("//", "//reader:of-address@"), "of-address"), (server.address, "of-netrc")):
        case.run(server, address=address, code=1)
        case.expect("credentials", "Basic " + base64.b64encode(f"reader:{password}".encode()).decode(), server.credentials[-1])
        case.expect("a password is shown", False, password in case.stderr)
        case.expect_text("found: status 403", case.stderr)


def usage(case):
    server = Server({"": Answer(listed())})
    for options, found in ((["--since", "2026"], "2026-01-31"), (["--since", "soon"], "2026-01-31"), (["--largest-zip", "0"], "1 to"),
                           ([os.path.join(case.place, "more")], "one folder")):
        case.run(server, *options, code=2)
        case.expect_text(found, case.stderr)
    case.run(server, address="127.0.0.1:1", code=2)
    case.expect_text("expected --history-server http://HOST:18080", case.stderr)
    case.run(None, "--since", "2026-01-31", code=2)
    case.expect_text("--history-server", case.stderr)
    case.expect("requests", [], server.asked)
    file = os.path.join(case.place, "file")
    open(file, "w").close()
    for place in (file, os.path.join(case.place, "no", "folder")):
        case.run(server, logs=place, code=1)
        case.expect_text("cannot_write: expected a folder for fetched logs at", case.stderr)
    case.run(server, code=1)  # no application, and an empty folder
    case.expect_text("no_runs: ", case.stderr)


START = 1_767_225_600_000  # 2026-01-01
# What only tasks or SQL executions tell.
NOT_TOLD = {"longest_task_s": "0.000", "longest_task_share": "0.000", "task_core_s": "0.000", "largest_stage_tasks": "0",
            "peak_task_memory_MB": "0", "peak_executor_heap_MB": "0", "source_MB": "0"}


def at(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(START // 1000 + seconds)) + ".000GMT"


def made_up(**changes):
    """Answers about an application of 100 s: two executors of four cores from 10 s on, two jobs of a stage each."""
    attempt = {"startTime": at(0), "endTime": at(100), "startTimeEpoch": START, "endTimeEpoch": START + 100_000, "completed": True,
               "sparkUser": "u", "appSparkVersion": "3.5.5"}
    stages = [{"status": "COMPLETE", "stageId": i, "attemptId": 0, "numTasks": 16, "numCompleteTasks": 16, "submissionTime": at(10 + 40 * i),
               "completionTime": at(50 + 40 * i), "executorRunTime": 300_000, "executorCpuTime": 10**9, "jvmGcTime": 7,
               "inputBytes": 600 * MB, "inputRecords": 10**6, "diskBytesSpilled": 3 * MB, "name": f"stage {i}",
              "shuffleReadBytes": i * 200 * MB, "shuffleWriteBytes": 200 * MB} for i in (1, 0)]
    stages.append({"status": "SKIPPED", "stageId": 2, "attemptId": 0, "numTasks": 99, "numCompleteTasks": 0, "name": "stage 2"})
    jobs = [{"jobId": i, "submissionTime": at(10 + 40 * i), "completionTime": at(50 + 40 * i), "stageIds": [i, 2], "status": "SUCCEEDED",
             "numCompletedStages": 1} for i in (1, 0)]
    executors = [{"id": "driver", "hostPort": "h:1", "totalCores": 0, "totalTasks": 0, "addTime": at(1)}]
    executors += [{"id": str(i), "hostPort": "h:2", "totalCores": 4, "totalTasks": 16, "addTime": at(10)} for i in (1, 2)]
    settings = [["spark.executor.memory", "3g"], ["spark.executor.cores", "4"], ["spark.master", "yarn"]]
    made = {"application": {"id": "application_1", "name": "report", "attempts": [attempt]}, "stages": stages, "jobs": jobs, "allexecutors": executors,
            "environment": {"runtime": {"javaVersion": "17"}, "sparkProperties": settings,
                            "systemProperties": [["sun.java.command", "org.apache.spark.deploy.SparkSubmit --class x job.jar 7"]]}}
    for change in changes.values():
        change(made)
    return made


def answers(case):
    """Rows of answers that somebody saved, and what is said of those that cannot be taken."""
    right = {"application": "report", "run": "application_1", "attempt": "1", "started_at_s": "1767225600.000", "runtime_s": "90.000", "wait_s": "10.000",
             "outcome": "succeeded", "executors": "2", "cores": "8", "data_size_MB": "1200", "arguments": "7", "executor_memory_MB": "3072",
             "executor_cores": "4", "spilled_MB": "6", "master": "yarn", "system": "spark 3.5.5", "flags": "", "records_read": "2000000",
             "first_shuffle_MB": "200", "data_measure": "bytes", **NOT_TOLD}

    def take(name, code=0, folder="application_1", more=(), **changes):
        shutil.rmtree(case.logs, ignore_errors=True)
        os.makedirs(os.path.join(case.logs, folder))
        for kind, answer in [*made_up(**changes).items(), *more]:
            with open(os.path.join(case.logs, folder, kind + ".json"), "w") as file:
                file.write(answer if isinstance(answer, str) else json.dumps(answer, indent=2))
        case.run(None, code=code)
        return case.rows[0] if case.rows else {}

    def expect_row(name, row, **changed):
        for field, value in {**right, **changed}.items():
            case.expect(f"{name}: {field}", value, row.get(field))

    def attempts(made):
        newest = {**made["application"]["attempts"][0], "attemptId": "2"}
        made["application"]["attempts"] = [newest, {**newest, "attemptId": "1", "startTimeEpoch": START - 10**6}]

    def older(made):
        attempts(made)
        made["application"]["attempts"][0]["startTimeEpoch"] = START + 20_000  # after the first job

    def one_goes(made):
        made["allexecutors"][2].update(removeTime=at(50))

    def fails(made):
        made["jobs"][0]["status"] = made["stages"][0]["status"] = "FAILED"
        made["jobs"][0]["numCompletedStages"] = 0
        made["stages"][0].update(failureReason="Job aborted\nat x", attemptId=1)

    expect_row("whole", take("whole"))
    traces = os.path.join(case.place, "t.jsonl")
    case.run(None, "--traces", traces)
    stages = [stage for job in json.load(open(traces))["jobs"] for stage in job["stages"]]
    case.expect("seconds of tasks", [300, 300], [stage["metrics"]["run_s"] for stage in stages])
    case.expect("what is not told", [], [key for stage in stages for key in ("task_s", "first_wave", "partitions", "peak_execution_memory_bytes") if key in {**stage, **stage["metrics"]}])
    case.expect("notes", True, any("saved answers: " in each for each in case.report["application_1"]["notes"]))
    expect_row("two attempts", take("two attempts", change=attempts), attempt="2")
    expect_row("the jobs are of the first", take("older", change=older), attempt="1", started_at_s="1767224600.000", wait_s="1010.000")
    expect_row("an executor goes", take("goes", change=one_goes), executors="2", cores="6", flags="rescaled")
    expect_row("the last job fails", take("fails", change=fails), outcome="failed", flags="failed_jobs,retried_stages")
    def cancelled(made):
        fails(made)
        made["stages"][0].update(attemptId=0, failureReason="Job 1 cancelled")

    def local(made):
        made.pop("environment")
        made["allexecutors"] = [{**made["allexecutors"][0], "totalCores": 2, "totalTasks": 32, "addTime": at(10)}]

    expect_row("a local run", take("local", change=local), executors="1", cores="2", executor_cores="2", arguments="", executor_memory_MB="0", master="")
    expect_row("a stage of two jobs", take("shared", change=lambda m: m["jobs"][0]["stageIds"].append(0)))
    expect_row("the last job is cancelled", take("cancelled", change=cancelled), outcome="killed", flags="")
    expect_row("it goes on", take("on", change=lambda m: m["application"]["attempts"][0].update(completed=False, endTimeEpoch=-1)), outcome="unfinished", runtime_s="80.000")
    expect_row("a stream", take("stream", change=lambda m: m["jobs"][0].update(description="x\nid = 1\nrunId = 2\nbatch = 3")), flags="streaming")
    expect_row("without stages", take("no stages", change=lambda m: m.pop("stages")), data_size_MB="0", records_read="0", spilled_MB="0", first_shuffle_MB="0")
    expect_row("stages forgotten", take("forgotten", change=lambda m: m["stages"].pop(1)), data_size_MB="600", records_read="1000000", spilled_MB="3",
               first_shuffle_MB="0", flags="incomplete")
    case.expect("the note", True, "1 stages of the jobs are missing among the stages" in case.report["application_1"]["notes"])
    expect_row("a stage without bytes", take("no bytes", change=lambda m: m["stages"][0].update(inputBytes=0)), data_size_MB="600")
    case.expect("the note on bytes", True, any("bytes may be those of a part" in each for each in case.report["application_1"]["notes"]))

    def reads(first, second):
        return lambda m: [stage.update(inputBytes=read[0], inputRecords=read[1]) for stage, read in zip(m["stages"], (first, second))]

    expect_row("a table without bytes", take("table", change=reads((0, 20_000_000), (600 * MB, 10**6))), data_measure="records", data_size_MB="0",
               records_read="21000000")
    expect_row("ten times as many records without bytes", take("ten times", change=reads((0, 10_000_000), (600 * MB, 10**6))), data_size_MB="600",
               records_read="11000000")
    expect_row("many records of little data", take("little", change=reads((0, 2_000_000), (600 * MB, 10**5))), data_size_MB="600", records_read="2100000")
    expect_row("tables without bytes", take("tables", change=reads((0, 10), (0, 60))), data_measure="records", data_size_MB="0", records_read="70")
    expect_row("kilobytes of millions of records", take("ends", change=reads((4000, 10**6), (4000, 10**6))), data_measure="records", data_size_MB="0")
    expect_row("nothing but shuffle", take("shuffle", change=reads((0, 0), (4000, 10))), data_measure="shuffle", data_size_MB="0", records_read="10")
    expect_row("without an environment", take("bare", change=lambda m: m.pop("environment")), arguments="", executor_memory_MB="0", master="")
    expect_row("both lists of executors", take("both", more=[("executors", made_up()["allexecutors"][:2])]))
    take("without executors", change=lambda m: m.pop("allexecutors"))
    case.expect("rows without executors", {"it ran on no executor": 1}, case.record["without_row"])

    for change, found in ((lambda m: m.pop("application"), "no_application: "), (lambda m: m["application"].update(attempts={"sparkUser": "u"}), "other_answer: "),
                          (lambda m: m.update(application=[m["application"]] * 2), "found 2 of them"),
                          (lambda m: m.update(jobs=json.dumps(m["jobs"])[:-1]), "cut or damaged"),
                          (lambda m: m.update(more_jobs=m["jobs"]), "two_answers: expected a folder for each application"),
                          (lambda m: m["application"]["attempts"][0].update(startTimeEpoch=-1), "no_start: ")):
        take("bad", code=1, change=change)
        case.expect_missed("application_1", found)
    case.expect("a list of applications alone", {}, take("list", code=1, change=lambda m: [m.pop(each) for each in ("stages", "jobs", "allexecutors", "environment")]))
    case.expect_text("no_runs: ", case.stderr)


def check_saved(case, address, names):
    """Spark's own answers about applications whose rows are known."""
    known = {row["run"]: row for row in case.rows}
    for name in names:
        folder = os.path.join(case.place, "answers", name)
        os.makedirs(folder)
        for path in ("", "/stages", "/jobs", "/allexecutors", "/executors", "/environment"):
            with urllib.request.urlopen(f"{address}/api/v1/applications/{name}{path}") as answer:
                with open(os.path.join(folder, (path.strip("/") or "application") + ".json"), "wb") as file:
                    file.write(answer.read())
    case.run(None, logs=os.path.join(case.place, "answers"))
    case.expect("runs of answers", sorted(names), sorted(row["run"] for row in case.rows))
    for row in case.rows:
        case.expect("a row of answers", {**known[row["run"]], **NOT_TOLD}, row)


CASES = (good, again, passing, stopping, failing, other_answers, other_logs, ids, memory, passwords, usage)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_for(url, server):
    while server.poll() is None:
        try:
            with urllib.request.urlopen(url) as answer:
                if len(json.load(answer)) == 2:
                    return
        except OSError:
            pass  # 404 as well, until it has read its folder
        time.sleep(0.2)
    sys.exit(f"expected Spark's history server to run, found that it ended with {server.returncode}")


def spark(program, place, logs):
    home = os.environ.get("SPARK_HOME", "")
    if not os.path.exists(os.path.join(home, "bin", "spark-class")) or not shutil.which("java"):
        print("skipped: no Spark in SPARK_HOME, or no Java")
        return 77
    case = Case(program, place, "spark")
    folder = os.path.join(case.place, "spark-events")
    for name in ("server.zip", "server_rolling.zip"):
        with zipfile.ZipFile(os.path.join(logs, name)) as archive:
            archive.extractall(folder)
    port = free_port()
    options = f"-Dspark.history.fs.logDirectory=file://{folder} -Dspark.history.ui.port={port}"
    server = subprocess.Popen([os.path.join(home, "bin", "spark-class"), "org.apache.spark.deploy.history.HistoryServer"],
                              env=dict(os.environ, SPARK_HISTORY_OPTS=options), cwd=case.place, stderr=subprocess.DEVNULL)
    try:
        address = f"http://127.0.0.1:{port}"
        wait_for(address + "/api/v1/applications", server)
        case.run(None, logs=folder)
        right = case.rows
        case.expect("rows of the folder", 2, len(right))
        case.expect_fetched(case.run(True, "--since", "2026-11-27", address=address), 2, 0, 0)
        case.expect("rows", right, case.rows)
        case.expect_fetched(case.run(True, address=address), 0, 2, 0)
        check_saved(case, address, [row["run"] for row in right])
        late = os.path.join(case.place, "late")
        case.expect_fetched(case.run(True, "--since", "2026-11-27T13:15:20", address=address, logs=late), 1, 0, 0)
        case.run(True, address=address + "/elsewhere", code=1)
        case.expect_text("other_answer: ", case.stderr)
    finally:
        server.terminate()
        server.wait()
    for each in case.wrong:
        print(each)
    return 1 if case.wrong else 0


def main(program, place, kind, logs=None):
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(place)
    program, place = os.path.abspath(program), os.path.abspath(place)
    if kind == "answers":
        case = Case(program, place, "answers")
        answers(case)
        for each in case.wrong:
            print(each)
        return 1 if case.wrong else 0
    tried = subprocess.run([program, "import", place, "--history-server", "none"], capture_output=True, text=True)
    if "not_built_in: expected a program built with libcurl" in tried.stderr and tried.returncode == 1:
        print("skipped: a program without libcurl (Debian: apt-get install libcurl4-openssl-dev)")
        return 77
    if kind == "spark":
        return spark(program, place, logs)
    cases = [Case(program, place, each.__name__) for each in CASES]
    with concurrent.futures.ThreadPoolExecutor(len(cases)) as pool:  # most of them wait
        list(pool.map(lambda each, case: each(case), CASES, cases))
    wrong = [each for case in cases for each in case.wrong]
    for each in wrong:
        print(each)
    print(f"{len(cases)} cases, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5) or sys.argv[3] not in ("bad", "answers", "spark"):
        sys.exit(f"expected PROGRAM FOLDER bad|answers|spark [LOGS], found {sys.argv[1:]}")
    sys.exit(main(*sys.argv[1:]))
