#!/usr/bin/env python3
"""Runs what the pages say to type, in an empty folder in which build, include and examples are ours, and compares the output that
they show. Others run what installs, Conan, Maven, pip and pkg-config: the tests of these routes, whose names say so.

    page_commands.py SOURCE BUILD FOLDER [--only PAGE] [--leave PAGE]

A block of `sh` is run. The first block of `text` after it, in the same section, is its output: every line must begin a line of what was
printed, whatever the numbers and the space between columns. A line of three dots stands for any lines.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys

from pages import PAGES_THAT_ARE_RUN, blocks, is_command

# The files that a page's commands leave.
MADE = {"README.md": ["backtest.html"], "include/bellamy/BUILDING.md": ["build/single_header/bellamy/bellamy.hpp"],
        "examples/import.md": ["report.bellamy"], "examples/backtest.md": ["backtest.html"],
        "examples/models.md": ["job.bellamy", "curve.svg"],
        "examples/running.md": ["daily.bellamy"], "examples/placement.md": ["sites.json", "jobs.json"],
        "examples/placement_days.md": ["arrivals.csv", "prices.csv", "days.svg"],
        "examples/recommend.md": ["tried.jsonl", "sizes/daily-report.conf"],
        "examples/report.md": ["page.html", "bellamy.prom"], "examples/c/README.md": ["libbellamy.so"]}
INLINE = re.compile(r"`(cmake --build build --target [a-z_]+)`")


def as_run(command):
    """What stands in for a command of the pages; None for what is not run here."""
    if command == "tests/run":  # runs this test
        return None
    if command == "examples/try":  # the rest of it made this build
        return "cmake --build build --target demo"
    if command.startswith("examples/try "):
        return command.replace("examples/try", "build/examples/bellamy", 1)
    if command.endswith("--target reference") and not shutil.which("doxygen"):
        print(f"left out: no doxygen for {command}")
        return None
    return command


def shape(line):
    """A line without its numbers and the widths of its columns."""
    return re.sub(r"\d[\d.,]*", "#", " ".join(line.split()))


def run(command, folder):
    print("$", command, flush=True)
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=folder, stdout=subprocess.PIPE, text=True, check=False)
    print(done.stdout, flush=True)
    if done.returncode:
        sys.exit(f"expected exit code 0 of {command}, found {done.returncode}")
    return done.stdout


def compare(page, shown, printed):
    lines = [shape(line) for line in printed.splitlines()]
    for line in shown.splitlines():
        if line.strip() not in ("", "...") and not any(found.startswith(shape(line)) for found in lines):
            sys.exit(f"{page}: expected this line of the output, found none like it: {line}")


def run_next(page, printed, folder):
    """The first command ends with the next thing to type, which does what it says."""
    last = (printed.split("\n\n")[-1].splitlines() or [""])[-1]
    if not last.startswith("  examples/try "):
        sys.exit(f"{page}: expected the output of examples/try to end with the next command, found: {last}")
    run(as_run(last.strip()), folder)


def run_page(source, folder, page):
    text = (source / page).read_text()
    ran = 0
    printed = None
    for language, content in blocks(text):
        if language == "heading" or (language == "text" and is_command(content)):
            printed = None
        elif language == "sh":
            printed = ""
            for command in content.replace("\\\n", "").splitlines():
                wanted = as_run(command)
                if wanted:
                    printed += run(wanted, folder)
                    ran += 1
                if command == "examples/try":
                    run_next(page, printed, folder)
        elif language == "text" and printed is not None:
            compare(page, content, printed)
            printed = None
    for command in sorted(set(INLINE.findall(text))):
        if as_run(command):
            run(command, folder)
        ran += 1
    if not ran:
        sys.exit(f"{page}: expected commands to run, found none")
    for name in MADE.get(page, []):
        if not (folder / name).is_file() or not (folder / name).stat().st_size:
            sys.exit(f"{page}: expected its commands to make {name}, found {sorted(path.name for path in folder.iterdir())}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("source", "build", "folder"):
        parser.add_argument(name, metavar=name.upper(), type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--only", metavar="PAGE", choices=PAGES_THAT_ARE_RUN)
    parser.add_argument("--leave", metavar="PAGE", choices=PAGES_THAT_ARE_RUN)
    given = parser.parse_args()
    shutil.rmtree(given.folder, ignore_errors=True)
    given.folder.mkdir(parents=True)
    for name in ("include", "examples"):
        (given.folder / name).symlink_to(given.source / name)
    (given.folder / "build").symlink_to(given.build)
    for page in [given.only] if given.only else PAGES_THAT_ARE_RUN:
        if page != given.leave:
            run_page(given.source, given.folder, page)


if __name__ == "__main__":
    main()
