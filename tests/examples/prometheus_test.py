"""Prometheus reads the metrics of `bellamy report`, and answers each query that the page of examples shows.

    prometheus_test.py BELLAMY EXAMPLES FOLDER
"""

import http.server
import json
import re
import shutil
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request
from pathlib import Path

if len(sys.argv) != 4:
    sys.exit(f"expected BELLAMY EXAMPLES FOLDER, found {sys.argv[1:]}\n{__doc__}")
program, examples, place = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
prometheus = shutil.which("prometheus")
if not prometheus:
    print("skipped: no prometheus (Debian: apt-get install prometheus)")
    sys.exit(77)

shutil.rmtree(place, ignore_errors=True)
place.mkdir(parents=True)
# Of two applications, one of late takes twice as long, too long for its deadline.
DAY, START = 86400, 1700000000
outcomes = {("steady", 3): "failed"}
lines = ["application,started_at_s,runtime_s,wait_s,outcome,executors,data_size_MB"]
for day in range(12):
    executors = (2, 4, 8)[day % 3]
    scatter = 1 + 0.01 * (5 * day % 7 - 3)
    for name, factor in (("steady", 1), ("slower", 2 if day >= 8 else 1)):
        lines.append(f"{name},{START + day * DAY},{(20 + 1000 / executors) * scatter * factor:.1f},5,"
                     f"{outcomes.get((name, day), 'succeeded')},{executors},1000")
(place / "runs.csv").write_text("\n".join(lines) + "\n")


def bellamy(*words):
    return subprocess.run([program, *map(str, words)], capture_output=True, text=True, check=True).stdout


bellamy("recommend", place / "runs.csv", "--deadline", "700", "--ledger", place / "ledger", "--at", START - 1)
question = ["report", place / "runs.csv", "--deadline", "200", "--ledger", place / "ledger", "--price", "$0.05/h",
            "--backtest"]
metrics = bellamy(*question, "--format", "prometheus")
report = json.loads(bellamy(*question, "--json"))

checked = subprocess.run(["promtool", "check", "metrics"], input=metrics, capture_output=True, text=True, check=False)
assert checked.returncode == 0, checked.stdout + checked.stderr


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.end_headers()
        self.wfile.write(metrics.encode())

    def log_message(self, *_):
        pass


def free_port():
    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as one:
        return one.server_port


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
port = free_port()
(place / "prometheus.yml").write_text(
    "global: {scrape_interval: 1s}\nscrape_configs:\n"
    f"- {{job_name: bellamy, static_configs: [{{targets: ['127.0.0.1:{server.server_port}']}}]}}\n")
running = subprocess.Popen(
    [prometheus, f"--config.file={place / 'prometheus.yml'}", f"--storage.tsdb.path={place / 'data'}",
     f"--web.listen-address=127.0.0.1:{port}"], stdout=subprocess.DEVNULL, stderr=(place / "log").open("w"))


def answer(query):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/query?" + urllib.parse.urlencode({"query": query})) as reply:
        return json.load(reply)["data"]["result"]


try:
    while True:  # until it has read them once
        if running.poll() is not None:
            sys.exit(f"expected prometheus to run, found:\n{(place / 'log').read_text()}")
        try:
            if answer("bellamy_runs"):
                break
        except OSError:
            pass
        time.sleep(0.2)
    queries = re.findall(r"^\| `([^`]*bellamy_[^`]*)` \|", (examples / "report.md").read_text(), re.M)
    assert len(queries) >= 6, queries
    for query in queries:
        found = answer(query)
        print(query, found)
        assert found, f"expected an answer to {query}, found none"
    hours = float(answer("sum(bellamy_unit_seconds) / 3600")[0]["value"][1])
    assert abs(hours - report["period"]["unit_hours"]) < 1e-4, (hours, report["period"])
    for query, figure in (
            ("sum(bellamy_unsuccessful_unit_seconds) / 3600", report["period"]["unsuccessful_unit_hours"]),
            ('sum(bellamy_cost{currency="$"})', report["period"]["money"]),
            ("sum(bellamy_saved_cost)", sum(one["saved_money"] for one in report["applications"])),
            ("sum(bellamy_late_runs)", sum(one["late_runs"]["late"] for one in report["applications"])),
            ('sum(bellamy_prediction_error{method="ernest"})',
             sum(one["backtest"]["median_error"]["ernest"] for one in report["applications"]))):
        found = float(answer(query)[0]["value"][1])
        assert abs(found - figure) < 1e-6 * max(1, abs(figure)), (query, found, figure)
    changed = {one["metric"]["application"] for one in answer("bellamy_change_factor > 1.2")}
    assert changed == {"slower"}, changed
finally:
    running.terminate()
    running.wait()
