"""What every command prints with --json is as examples/bellamy/schema.json says: one line, every key described.

    json_schema_test.py BELLAMY EXAMPLES FOLDER
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

try:
    import jsonschema
except ImportError:
    print("skipped: no jsonschema (pip install jsonschema)")
    sys.exit(77)

if len(sys.argv) != 4:
    sys.exit(f"expected BELLAMY EXAMPLES FOLDER, found {sys.argv[1:]}\n{__doc__}")
program, examples, place = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
schema = json.loads((examples / "bellamy/schema.json").read_text())
jsonschema.Draft202012Validator.check_schema(schema)
commands = {definition["properties"]["command"]["const"]: name for name, definition in schema["$defs"].items()
            if "command" in definition.get("properties", {})}
seen = set()


def run(*words, codes=(0,)):
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, check=False)
    assert done.returncode in codes, (words, done.returncode, done.stderr)
    assert done.stdout.count("\n") == 1, (words, done.stdout)
    record = json.loads(done.stdout)
    assert record["command"] == words[0], record
    # Not the whole schema: an error then names the key instead of eight commands that do not fit.
    validator = jsonschema.Draft202012Validator({"$ref": f"#/$defs/{commands[words[0]]}", "$defs": schema["$defs"]})
    for problem in validator.iter_errors(record):
        raise AssertionError(f"{' '.join(map(str, words))}: {problem.json_path}: {problem.message}")
    jsonschema.validate(record, schema, cls=jsonschema.Draft202012Validator)
    seen.add(words[0])
    return record


shutil.rmtree(place, ignore_errors=True)
place.mkdir(parents=True)
history, table, model = examples / "sample/history.jsonl.zst", examples / "sample/runs.csv", place / "job.bellamy"
columns = ["--essential", "machine,arguments,size_mb", "--natural", "size_mb", "--role", "size_mb=data_size", "--scale-out",
           "nodes", "--runtime", "seconds"]
job = ["--property", "machine=m4.2xlarge", "--property", "arguments=25", "--property", "size_mb=15GB"]

START = 1700000000000
TASK = {"Task ID": 0, "Index": 0, "Launch Time": START + 3000, "Executor ID": "0", "Speculative": False}
STAGE = {"Stage ID": 0, "Stage Attempt ID": 0, "Stage Name": "count", "Number of Tasks": 1,
         "RDD Info": [{"Number of Partitions": 1}], "Parent IDs": [], "Submission Time": START + 3000}
LOG = [
    {"Event": "SparkListenerLogStart", "Spark Version": "3.5.5"},
    {"Event": "SparkListenerApplicationStart", "App Name": "report", "App ID": "app-1", "Timestamp": START, "User": "u"},
    {"Event": "SparkListenerExecutorAdded", "Timestamp": START + 2000, "Executor ID": "0",
     "Executor Info": {"Host": "h", "Total Cores": 1}},
    {"Event": "SparkListenerJobStart", "Job ID": 0, "Submission Time": START + 3000, "Stage IDs": [0]},
    {"Event": "SparkListenerStageSubmitted", "Stage Info": STAGE},
    {"Event": "SparkListenerTaskStart", "Stage ID": 0, "Stage Attempt ID": 0, "Task Info": {**TASK, "Finish Time": 0}},
    {"Event": "SparkListenerTaskEnd", "Stage ID": 0, "Stage Attempt ID": 0, "Task End Reason": {"Reason": "Success"},
     "Task Info": {**TASK, "Finish Time": START + 9000}, "Task Metrics": {"Executor Run Time": 5900}},
    {"Event": "SparkListenerStageCompleted", "Stage Info": {**STAGE, "Completion Time": START + 9000}},
    {"Event": "SparkListenerJobEnd", "Job ID": 0, "Completion Time": START + 9000, "Job Result": {"Result": "JobSucceeded"}},
    {"Event": "SparkListenerApplicationEnd", "Timestamp": START + 10000},
]
logs = place / "logs"
logs.mkdir()
for name in ("app-1", "app-3"):
    (logs / name).write_text("".join(json.dumps(event) + "\n" for event in LOG).replace("app-1", name))
run("import", logs, "--traces", place / "runs.jsonl", "--json")
(logs / "app-2").write_text("no events\n")
run("import", logs, "--json", codes=(3,))

run("pretrain", "--table", table, *columns, "--out", model, "--json")
run("pretrain", "--table", table, *columns, "--mode", "paper", "--epochs", "5", "--out", place / "paper.bellamy", "--json")
run("pretrain", history, "--application", "daily report", "--out", place / "report.bellamy", "--json")
for each in (model, place / "paper.bellamy", place / "report.bellamy"):
    run("inspect", each, "--json")
run("allocate", "--model", model, *job, "--observe", "4=298", "--deadline", "5m", "--range", "2:12", "--json")
run("allocate", "--model", model, *job, "--deadline", "1s", "--price", "$0.40/h", "--json", codes=(4,))
run("allocate", "--cold-start", "--scale-outs", "2,4", "--deadline", "100", "--json", codes=(0, 4))
run("recommend", history, "--deadline", "10m", "--json")
run("recommend", history, "--application", "daily report", "--deadline", "1s", "--json", codes=(4,))
run("recommend", examples.parent / "tests/examples/flink_archives/2.3.0", "--application", "waits", "--deadline", "5", "--json")
run("report", history, "--deadline", "10m", "--price", "$0.05/h", "--machine", "new=0.04,cores=2,memory=8GB", "--json")
sizes = place / "sizes.tsv"
sizes.write_text("application\tstarted_at_s\truntime_s\texecutors\tcores\texecutor_cores\n" + "".join(
    f"sizes\t{1700000000 + 86400 * i}\t{20 + 1000 / (2 + i % 3) + i % 5}\t{2 + i % 3}\t{(2 + i % 3) * cores}\t{cores}\n"
    for i, cores in enumerate([1, 2] * 8)))
machines = run("recommend", sizes, "--price", "$0.05/h", "--json")["applications"][0]["machines"]
assert [each["executors"] for each in machines] == ["2 cores", "1 core"], machines
run("report", history, "--backtest", "--json")
run("backtest", history, "--deadline", "10m", "--json")
search = ["--machine", "small=$0.10,cores=2,memory=8GB", "--machine", "large=$0.40,cores=8,memory=32GB", "--scale-outs", "2,4,8", "--json"]
run("explore", *search)
run("explore", examples / "sample/trials.csv", "--application", "churn model", *search, "--deadline", "20m", "--trials", "3")
run("place", "--json", "--budget", "1s")
(place / "arrivals.csv").write_text("job,arrives_h,ends_h,tasks,shape\na,0,2,3,star\nb,3,4,2,path\n")
run("place", "--arrivals", place / "arrivals.csv", "--json")
run("place", "--arrivals", place / "arrivals.csv", "--rule", "exp3", "--json")

forecast = ["forecast", place / "runs.jsonl", "--run", "app-1", "--after", "0", "--history", place / "runs.jsonl", "--json"]
run(*forecast)
run(*forecast, "--deadline", "10m", codes=(0, 4))
assert seen == set(commands), seen
print("valid: " + ", ".join(sorted(seen)))
