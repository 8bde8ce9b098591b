#!/usr/bin/env python3
"""Mutation testing: breaks one line of a header at a time, and names the breaks that the header's tests do not notice.

    tests/mutation.py [--sample N] [--seed S] [--compiler g++] [header ...]

Works on a copy of include/, so that nothing is changed here. A mutant that crashes, hangs or fails a test is killed; one that
does not compile is not counted. What survives is either no change of behaviour or a missing test; a person has to say which.
"""

import argparse
import pathlib
import random
import re
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Header and the tests that are meant to notice.
MIRRORS = {
    "encoding.hpp": ["encoding_test.cpp"],
    "network.hpp": ["network_test.cpp"],
    "price.hpp": ["price_test.cpp"],
    "prediction.hpp": ["prediction_test.cpp"],
    "curve.hpp": ["curve_test.cpp"],
    "detail/decision/choice.hpp": ["choose_test.cpp"],
    "choose.hpp": ["choose_test.cpp"],
    "serialize.hpp": ["serialize_test.cpp"],
    "detail/format/envelope.hpp": ["serialize_test.cpp", "serialize_blend_test.cpp"],
}

OPERATORS = [
    # relational
    (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "), (r" == ", " != "), (r" != ", " == "),
    # arithmetic
    (r" \+ ", " - "), (r" - ", " + "), (r" \* ", " / "), (r" / ", " * "), (r" \+= ", " -= "), (r"\+\+(?=\w)", "--"),
    # logic
    (r" && ", " || "), (r" \|\| ", " && "), (r"\bif \((?!constexpr|const |auto )", "if (!"), (r"\btrue\b", "false"),
    (r"\bfalse\b", "true"),
    # constants
    (r"(?<![\w.<])0(?![\w.x])", "1"), (r"(?<![\w.<])1(?![\w.x>])", "2"), (r"(?<![\w.])0\.5(?!\w)", "0.25"),
]
SKIPPED = re.compile(r"^\s*(//|#|static_assert|assert\(|template|namespace|using|requires)")
STATEMENT = re.compile(r"^(\s*)([\w.\->\[\]*]+ (=|\+=|-=) .*|\w[\w.\->]*\(.*\)|continue|break);$")


def mutants_of(lines):
    for number, line in enumerate(lines):
        if SKIPPED.match(line):
            continue
        code = line.split("  //")[0]
        for pattern, replacement in OPERATORS:
            for found in re.finditer(pattern, code):
                yield number, line[: found.start()] + replacement + line[found.end():]
        statement = STATEMENT.match(code)
        if statement:
            yield number, statement.group(1) + ";"


def is_killed(compiler, include, tests, place):
    """Whether the tests notice; None where they do not compile."""
    program = place / "mutant"
    sources = [str(ROOT / "tests" / each) for each in tests]
    build = [compiler, "-std=c++20", "-O0", "-w", "-UNDEBUG", f"-I{include}", f"-I{ROOT / 'tests'}", "-isystem",
             "/usr/include/eigen3", f'-DBELLAMY_GOLDEN_DIR="{ROOT / "tests/golden"}"', *sources, str(place / "main.o"), "-o",
             str(program)]
    if subprocess.run(build, capture_output=True).returncode != 0:
        return None
    try:
        return subprocess.run([str(program)], capture_output=True, timeout=120).returncode != 0
    except subprocess.TimeoutExpired:
        return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("headers", nargs="*", default=list(MIRRORS))
    parser.add_argument("--sample", type=int, default=20, help="mutants of each header (default: 20)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--compiler", default="g++")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        include = place / "include"
        shutil.copytree(ROOT / "include", include)
        subprocess.run([arguments.compiler, "-std=c++20", "-c", str(ROOT / "tests/support/main.cpp"), "-o",
                        str(place / "main.o")], check=True)
        total = killed = 0
        for header in arguments.headers:
            tests = MIRRORS[header]
            path = include / "bellamy" / header
            original = path.read_text()
            lines = original.split("\n")
            if is_killed(arguments.compiler, include, tests, place) is not False:
                raise SystemExit(f"the tests of {header} fail before anything is broken")
            mutants = sorted(set(mutants_of(lines)))
            chosen = random.Random(arguments.seed).sample(mutants, min(arguments.sample, len(mutants)))
            viable = survived = 0
            for number, replacement in sorted(chosen):
                path.write_text("\n".join(lines[:number] + [replacement] + lines[number + 1:]))
                noticed = is_killed(arguments.compiler, include, tests, place)
                viable += noticed is not None
                if noticed is False:
                    survived += 1
                    print(f"survived: {header}:{number + 1}\n  - {lines[number].strip()}\n  + {replacement.strip()}", flush=True)
            path.write_text(original)
            total += viable
            killed += viable - survived
            print(f"{header}: {viable - survived} of {viable} killed ({len(mutants)} possible)", flush=True)
        print(f"all: {killed} of {total} killed")


if __name__ == "__main__":
    main()
