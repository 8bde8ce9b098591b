#!/usr/bin/env python3
"""Mutation testing: breaks one line of a header at a time, and names the breaks that the header's tests do not notice.

    tests/mutation.py [--sample N] [--seed S] [--compiler g++] [--jobs N] [header or room ...]

Works on copies of include/, so that nothing is changed here. A mutant that crashes, hangs or fails a test is killed; one that
does not compile is not counted. What survives is either no change of behaviour or a missing test; a person has to say which.
"""

import argparse
import concurrent.futures
import pathlib
import queue
import random
import re
import resource
import shutil
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Header and the tests that are meant to notice, the quickest first.
MIRRORS = {
    "encoding.hpp": ["encoding_test.cpp"],
    "network.hpp": ["network_test.cpp"],
    "price.hpp": ["price_test.cpp"],
    "prediction.hpp": ["prediction_test.cpp"],
    "curve.hpp": ["curve_test.cpp"],
    "detail/decision/choose_impl.hpp": ["choose_test.cpp"],
    "detail/decision/ranking.hpp": ["choose_test.cpp", "rescale_test.cpp"],
    "detail/decision/rescale_impl.hpp": ["rescale_test.cpp"],
    "choose.hpp": ["choose_test.cpp"],
    "detail/placement/network_impl.hpp": ["placement/network_test.cpp"],
    "detail/placement/job_graph_impl.hpp": ["placement/job_graph_test.cpp"],
    "detail/placement/plan_impl.hpp": ["placement/enumerated_plans_test.cpp", "placement/plan_test.cpp"],
    "placement/selection.hpp": ["placement/selection_test.cpp"],
    "detail/placement/arrivals_impl.hpp": ["placement/arrivals_test.cpp"],
    "detail/placement/consensus_impl.hpp": ["placement/consensus_test.cpp"],
    "detail/placement/costs.hpp": ["placement/enumerated_plans_test.cpp"],
    "detail/placement/place_impl.hpp": ["placement/place_test.cpp"],
    "detail/placement/enumerated_plans_impl.hpp": ["placement/enumerated_plans_test.cpp", "placement/plan_test.cpp"],
    "detail/placement/crawl_impl.hpp": ["placement/crawl_test.cpp"],
    "detail/placement/strategies_impl.hpp": ["placement/plan_test.cpp", "placement/enumerated_plans_test.cpp"],
    "detail/placement/problem.hpp": ["placement/enumerated_plans_test.cpp", "placement/plan_test.cpp"],
    "detail/placement/relaxation.hpp": ["placement/enumerated_plans_test.cpp"],
    "detail/placement/free_slots.hpp": ["placement/crawl_test.cpp"],
    "detail/placement/local_search.hpp": ["placement/crawl_test.cpp"],
    "detail/placement/choose_variants_impl.hpp": ["placement/choose_variants_test.cpp"],
    "detail/placement/walk.hpp": ["placement/crawl_test.cpp"],
    "serialize.hpp": ["serialize_test.cpp", "serialize_blend_test.cpp"],
    "detail/format/envelope.hpp": ["serialize_test.cpp", "serialize_blend_test.cpp"],
    "detail/maths/dense.hpp": ["detail/maths/dense_test.cpp"],
    "detail/maths/empirical.hpp": ["detail/maths/empirical_test.cpp"],
    "detail/maths/kernels.hpp": ["detail/maths/kernels_test.cpp"],
    "detail/maths/lbfgs.hpp": ["detail/maths/lbfgs_test.cpp"],
    "detail/maths/mixture.hpp": ["detail/maths/mixture_test.cpp"],
    "detail/maths/subset_average.hpp": ["detail/maths/subset_average_test.cpp"],
    "detail/context/features.hpp": ["detail/context/features_test.cpp", "detail/context/features_fit_test.cpp"],
    "detail/context/features_fit.hpp": ["detail/context/features_fit_test.cpp"],
    "detail/context/history.hpp": ["detail/context/history_test.cpp"],
    "detail/context/identity.hpp": ["detail/context/identity_test.cpp"],
    "detail/context/run_impl.hpp": ["run_test.cpp"],
    "detail/blend/blend.hpp": ["detail/blend/blend_test.cpp"],
    "detail/blend/blend_fit.hpp": ["detail/blend/blend_fit_test.cpp", "detail/blend/blend_test.cpp"],
    "detail/blend/conditioning.hpp": ["detail/blend/conditioning_test.cpp"],
    "detail/blend/expert_question.hpp": ["detail/blend/gaussian_process_test.cpp"],
    "detail/blend/expert_weights.hpp": ["detail/blend/expert_weights_test.cpp"],
    "detail/blend/gaussian_process.hpp": ["detail/blend/gaussian_process_test.cpp"],
    "detail/blend/gaussian_process_covariance.hpp": ["detail/blend/gaussian_process_fit_test.cpp"],
    "detail/blend/gaussian_process_fit.hpp": ["detail/blend/gaussian_process_fit_test.cpp"],
    "detail/blend/growth_trend.hpp": ["detail/blend/growth_trend_test.cpp"],
    "detail/blend/growth_trend_fit.hpp": ["detail/blend/growth_trend_test.cpp"],
    "detail/blend/hierarchical_ernest.hpp": ["detail/blend/hierarchical_ernest_test.cpp"],
    "detail/blend/knots.hpp": ["detail/blend/knots_test.cpp"],
    "detail/blend/mixture_binding.hpp": ["detail/blend/mixture_binding_test.cpp", "detail/blend/shape_prior_test.cpp"],
    "detail/blend/noise_posterior.hpp": ["detail/blend/noise_posterior_test.cpp"],
    "detail/blend/process_layout.hpp": ["detail/blend/gaussian_process_fit_test.cpp"],
    "detail/blend/outliers.hpp": ["detail/blend/outliers_test.cpp"],
    "detail/blend/processes.hpp": ["detail/blend/processes_test.cpp", "detail/blend/hierarchical_ernest_test.cpp"],
    "detail/blend/summary.hpp": ["detail/blend/summary_test.cpp", "detail/blend/blend_test.cpp"],
    "detail/blend/weights.hpp": ["detail/blend/weights_test.cpp"],
    "detail/maths/mixture_weights.hpp": ["detail/maths/mixture_weights_test.cpp"],
    "detail/blend/covariance_terms.hpp": ["detail/blend/covariance_terms_test.cpp", "detail/blend/gaussian_process_test.cpp"],
    "detail/blend/run_likelihood.hpp": ["detail/blend/conditioning_test.cpp", "detail/blend/run_noise_test.cpp"],
    "detail/blend/run_noise_fit.hpp": ["detail/blend/run_noise_test.cpp"],
    "detail/blend/shape_prior.hpp": ["detail/blend/shape_prior_test.cpp", "detail/blend/resized_runs_test.cpp", "cold_start_test.cpp"],
    "detail/blend/shape_prior_fit.hpp": ["detail/blend/shape_prior_test.cpp", "cold_start_test.cpp"],
    "detail/format/job_store_impl.hpp": ["job_store_test.cpp"],
    "detail/trace/list_schedule.hpp": ["replay_test.cpp"],
    "detail/trace/replay_impl.hpp": ["replay_test.cpp"],
    "detail/trace/stage_graph.hpp": ["detail/trace/stage_graph_test.cpp"],
    "detail/trace/trace_impl.hpp": ["trace_test.cpp"],
    "detail/trace/trace_metrics.hpp": ["detail/trace/trace_metrics_test.cpp", "detail/trace/stage_graph_test.cpp"],
    "detail/application/application_fields.hpp": ["application_file_test.cpp"],
    "detail/application/application_file_impl.hpp": ["application_file_test.cpp"],
    "detail/application/application_fit.hpp": ["application_test.cpp"],
    "detail/application/application_impl.hpp": ["application_test.cpp"],
    "detail/application/application_parts.hpp": ["application_test.cpp"],
    "detail/application/common_context.hpp": ["application_test.cpp"],
    "detail/application/job_residuals.hpp": ["detail/application/run_factor_test.cpp"],
    "detail/application/run_factor.hpp": ["detail/application/run_factor_test.cpp"],
}
# Every header of these has to be in the list, unless it holds declarations alone.
ROOMS = ["detail/maths", "detail/context", "detail/blend", "detail/trace", "detail/application", "detail/placement"]

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


class Workshop:
    """A copy of include/, of which one file is broken at a time, and a place to compile in."""

    # What no mutant is in is compiled once.
    COMMON = ["doctest/doctest.h", "algorithm", "array", "cmath", "map", "random", "string", "vector", "functional", "Eigen/Core"]

    def __init__(self, place, compiler, limits):
        self.place = place
        self.limits = limits  # seconds that each test may take, from when nothing was broken
        self.compiler = compiler
        self.include = place / "include"
        shutil.copytree(ROOT / "include", self.include)
        # Some tests forbid Eigen to allocate.
        self.flags = ["-std=c++20", "-O1", "-w", "-UNDEBUG", "-D_GLIBCXX_ASSERTIONS", "-DEIGEN_RUNTIME_NO_MALLOC", "-isystem",
                      "/usr/include/eigen3"]
        common = place / "common.hpp"
        common.write_text("".join(f"#include <{each}>\n" for each in self.COMMON))
        compiled = place / ("common.hpp.pch" if "clang" in compiler else "common.hpp.gch")
        subprocess.run([compiler, *self.flags, "-x", "c++-header", str(common), "-o", str(compiled)], check=True)
        self.main = place / "main.o"
        subprocess.run([compiler, *self.flags, "-c", str(ROOT / "tests/support/main.cpp"), "-o", str(self.main)], check=True)

    def passes(self, test):
        """Whether the test does; None where it does not compile."""
        program = self.place / "mutant"
        build = [self.compiler, *self.flags, "-include", str(self.place / "common.hpp"), f"-I{self.include}",
                 f"-I{ROOT / 'tests'}", f"-I{ROOT / 'bench'}", f'-DBELLAMY_GOLDEN_DIR="{ROOT / "tests/golden"}"', str(ROOT / "tests" / test),
                 str(self.main), "-o", str(program)]
        if subprocess.run(build, capture_output=True).returncode != 0:
            return None
        # A mutant that never ends may fill the memory too.
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
        began = time.monotonic()
        try:
            passed = subprocess.run([str(program)], capture_output=True, preexec_fn=limit,
                                    timeout=self.limits.get(test, 600)).returncode == 0
        except subprocess.TimeoutExpired:
            return False
        if passed:
            self.limits.setdefault(test, 10 + 10 * (time.monotonic() - began))
        return passed

    def is_killed(self, header, text, tests):
        """Whether any of the tests notices; None where the mutant does not compile."""
        path = self.include / "bellamy" / header
        original = path.read_text()
        path.write_text(text)
        try:
            for test in tests:
                passed = self.passes(test)
                if not passed:
                    return None if passed is None else True
            return False
        finally:
            path.write_text(original)


def headers_of(names):
    """The names, rooms replaced by their headers."""
    found = [header for name in names for header in MIRRORS if header == name or header.startswith(name.rstrip("/") + "/")]
    unknown = [name for name in names if not any(h == name or h.startswith(name.rstrip("/") + "/") for h in found)]
    if unknown:
        raise SystemExit(f"no tests are named for {', '.join(unknown)}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("headers", nargs="*", default=list(MIRRORS))
    parser.add_argument("--sample", type=int, default=20, help="mutants of each header (default: 20)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--jobs", type=int, default=1, help="mutants at once (default: 1)")
    arguments = parser.parse_args()
    for room in ROOMS:
        for each in sorted((ROOT / "include/bellamy" / room).rglob("*.hpp")):
            header = str(each.relative_to(ROOT / "include/bellamy"))
            if header not in MIRRORS:
                print(f"no tests are named for {header}")
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        workshops = queue.SimpleQueue()
        limits = {}
        for number in range(arguments.jobs):
            place = pathlib.Path(folder) / str(number)
            place.mkdir()
            workshops.put(Workshop(place, arguments.compiler, limits))

        def is_killed(header, text, tests):
            workshop = workshops.get()
            try:
                return workshop.is_killed(header, text, tests)
            finally:
                workshops.put(workshop)

        total = killed = 0
        for header in headers_of(arguments.headers):
            tests = MIRRORS[header]
            original = (ROOT / "include/bellamy" / header).read_text()
            lines = original.split("\n")
            if is_killed(header, original, tests) is not False:
                raise SystemExit(f"the tests of {header} fail before anything is broken")
            mutants = sorted(set(mutants_of(lines)))
            chosen = sorted(random.Random(arguments.seed).sample(mutants, min(arguments.sample, len(mutants))))
            broken = ["\n".join(lines[:number] + [replacement] + lines[number + 1:]) for number, replacement in chosen]
            noticed = list(pool.map(lambda text: is_killed(header, text, tests), broken))
            for (number, replacement), each in zip(chosen, noticed):
                if each is False:
                    print(f"survived: {header}:{number + 1}\n  - {lines[number].strip()}\n  + {replacement.strip()}")
            viable = sum(each is not None for each in noticed)
            total += viable
            killed += noticed.count(True)
            print(f"{header}: {noticed.count(True)} of {viable} killed ({len(mutants)} possible)", flush=True)
        print(f"all: {killed} of {total} killed")


if __name__ == "__main__":
    main()
