#!/usr/bin/env python3
"""What a call costs from Python: the same network and inputs through the package of examples/python and ONNX Runtime, in turns.

    python3 bench/python_calls.py FOLDER [--wheel FILE] [--rounds 31]

FOLDER has what export_network wrote (examples/jni/bench). Both must give the same numbers first. Thread CPU time, one thread
each. Also how long importing takes, in a fresh interpreter each, and the size of a wheel.
"""
import argparse
import os
import resource
import statistics
import subprocess
import sys
import time

import bellamy
import numpy
import onnxruntime

# Number 40 of bench/support/made_up.hpp.
CONTEXT = {"machine_type": "m4.2xlarge", "job_args": "25", "data_size_MB": 21701, "data_characteristics": "100 217010",
           "environment": "public cloud aws emr", "job_type": "sort-spark", "memory": 30000, "slots": 8}
COUNT = 1024


def contenders(folder):
    """Two tasks, each with calls that return its predictions."""
    curve = bellamy.Model.load(f"{folder}/network.bellamy").bind(CONTEXT)
    features = numpy.fromfile(f"{folder}/features.bin", numpy.float32).reshape(COUNT, 3)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(f"{folder}/folded.onnx", options, providers=["CPUExecutionProvider"])

    def bound(inputs):
        binding = session.io_binding()
        found = numpy.zeros((len(inputs), 1), numpy.float32)
        binding.bind_cpu_input("features", inputs)
        binding.bind_output("runtime_s", "cpu", 0, numpy.float32, found.shape, found.ctypes.data)

        def call():
            session.run_with_iobinding(binding)
            return found

        return call

    one = features[5:6].copy()
    scale_outs = list(range(1, COUNT + 1))
    return {
        "one scale-out": {
            "bellamy": lambda: curve.median(6),
            "ONNX Runtime": lambda: session.run(None, {"features": one})[0],
            "ONNX Runtime, bound": bound(one),
            "bellamy: at, with its flags": lambda: curve.at(6).median_s,
        },
        f"{COUNT} scale-outs": {
            "bellamy": lambda: curve.medians(1, COUNT),
            "ONNX Runtime": lambda: session.run(None, {"features": features})[0],
            "ONNX Runtime, bound": bound(features),
            "bellamy: predict, a list": lambda: curve.predict(scale_outs).median_s,
        },
    }


def ns_of(call, repeats):
    began = time.thread_time_ns()
    for _ in range(repeats):
        call()
    return (time.thread_time_ns() - began) / repeats


def compare(task, calls, rounds):
    expected = numpy.ravel(calls["ONNX Runtime"]())
    repeats = {}
    for name, call in calls.items():
        error = numpy.abs(numpy.ravel(call()) - expected).max() / numpy.abs(expected).mean()
        if not error < 1e-5:
            raise SystemExit(f"{name} gives other numbers for {task}: they differ by {error}")
        repeats[name] = max(3, int(5e6 / ns_of(call, 50)))
    turns = [{name: ns_of(call, repeats[name]) for name, call in calls.items()} for _ in range(rounds)]
    for name in calls:
        ns = statistics.quantiles((turn[name] for turn in turns), n=4)
        ratio = statistics.quantiles((turn[name] / turn["bellamy"] for turn in turns), n=4)
        print(f"{task:<16} {name:<28} {ns[1]:>10.0f} ns ({ns[0]:.0f} to {ns[2]:.0f})"
              f"  {ratio[1]:>6.1f} times ours ({ratio[0]:.1f} to {ratio[2]:.1f})")


def ms_to_import(module, rounds=11):
    """Beyond what an interpreter takes that imports nothing, CPU time."""

    def cpu_ms(statement):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", statement], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return 1e3 * (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)

    return statistics.median(cpu_ms(f"import {module}") - cpu_ms("pass") for _ in range(rounds))


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("folder", help="with network.bellamy, folded.onnx and features.bin")
    arguments.add_argument("--wheel", help="whose size is told")
    arguments.add_argument("--rounds", type=int, default=31)
    given = arguments.parse_args()
    print(f"bellamy {bellamy.__version__}, ONNX Runtime {onnxruntime.__version__}, Python {sys.version.split()[0]}; "
          f"medians of {given.rounds} rounds, and quartiles")
    for task, calls in contenders(given.folder).items():
        compare(task, calls, given.rounds)
    for module in ("bellamy", "numpy", "onnxruntime"):
        print(f"import {module:<12} {ms_to_import(module):>7.1f} ms of CPU time")
    if given.wheel:
        print(f"{os.path.basename(given.wheel)}: {os.path.getsize(given.wheel) / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
