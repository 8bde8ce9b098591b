"""Uses bellamy/c.h from Python, as a foreign runtime that knows nothing but the shared library and the layout of structs.

usage: ctypes_test.py LIBRARY QUICKSTART
"""

import math
import subprocess
import sys
from ctypes import (CDLL, POINTER, Structure, byref, c_char, c_char_p, c_double, c_int32, c_int64, c_size_t, c_uint32, c_uint64,
                    c_void_p, create_string_buffer, pointer, sizeof)


class Sized(Structure):
    """A struct that begins with its size, which is set here."""

    def __init__(self, **values):
        super().__init__(size=sizeof(type(self)), **values)


class Error(Sized):
    _fields_ = [("size", c_size_t), ("code", c_int32), ("message", c_char * 252)]


class Property(Sized):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("text", c_char_p), ("natural", c_uint64), ("quantity", c_double),
                ("kind", c_int32), ("role", c_int32), ("scales_with_scale_out", c_int32)]


class Context(Sized):
    _fields_ = [("size", c_size_t), ("essential", POINTER(Property)), ("essential_count", c_size_t),
                ("optional", POINTER(Property)), ("optional_count", c_size_t), ("unit", c_int32)]


class Run(Sized):
    _fields_ = [("size", c_size_t), ("context", POINTER(Context)), ("runtime_s", c_double), ("weight", c_double),
                ("timestamp_s", c_double), ("scale_out", c_int32), ("censored", c_int32)]


class Prediction(Sized):
    _fields_ = [("size", c_size_t), ("median_s", c_double), ("log_quantiles", c_double * 17), ("flags", c_uint32),
                ("observed_runs", c_uint32)]


class Question(Sized):
    _fields_ = [("size", c_size_t), ("context", POINTER(Context)), ("scale_out", c_int32)]


class Candidate(Sized):
    _fields_ = [("size", c_size_t), ("curve", c_void_p), ("price", c_void_p), ("scale_out", c_int32)]


class Request(Sized):
    _fields_ = [("size", c_size_t), ("deadline_s", c_double), ("budget", c_double), ("probability", c_double),
                ("cost_of_missing", c_double), ("goal", c_int32)]


class Decision(Sized):
    _fields_ = [("size", c_size_t), ("candidate", c_int64), ("median_s", c_double), ("quantile_s", c_double),
                ("probability", c_double), ("expected_cost", c_double), ("flags", c_uint32), ("observed_runs", c_uint32),
                ("scale_out", c_int32), ("outcome", c_int32)]


class Refused(Exception):
    """Carries the code and the sentence of an error."""


if len(sys.argv) != 3:
    sys.exit(f"expected LIBRARY QUICKSTART, found {sys.argv[1:]}")
library = CDLL(sys.argv[1])
library.bellamy_code_name.restype = c_char_p
library.bellamy_prediction_quantile.restype = c_double
library.bellamy_prediction_probability.restype = c_double


def call(function, *arguments):
    """Calls a function whose last argument is the error, and raises what it refuses."""
    error = Error()
    if getattr(library, function)(*arguments, byref(error)) != 0:
        raise Refused(library.bellamy_code_name(error.code).decode() + ": " + error.message.decode())


def expect_refusal(words, function, *arguments):
    try:
        call(function, *arguments)
    except Refused as refused:
        assert words in str(refused), refused
    else:
        raise AssertionError("expected a refusal with the words " + words)


def quantile_s(row, p):
    return library.bellamy_prediction_quantile(byref(row), c_double(p))


def probability_within(row, limit_s):
    return library.bellamy_prediction_probability(byref(row), c_double(limit_s))


def predict(curve, scale_outs):
    rows = (Prediction * len(scale_outs))()
    rows[0].size = sizeof(Prediction)
    call("bellamy_curve_predict", curve, (c_int32 * len(scale_outs))(*scale_outs), c_size_t(len(scale_outs)), rows)
    return rows


assert library.bellamy_abi_version() == 1

# What examples/c/quickstart.c asks, and gets the same answer to.
facts = (Property * 2)(Property(name=b"machine_type", text=b"m4.2xlarge", kind=0),
                       Property(name=b"data_size_MB", natural=15408, kind=1))
job = Context(essential=facts, essential_count=2)
observed = (Run * 2)(Run(context=pointer(job), scale_out=4, runtime_s=298, weight=1),
                     Run(context=pointer(job), scale_out=8, runtime_s=226, weight=1))
general, model, curve = c_void_p(), c_void_p(), c_void_p()
call("bellamy_cold_start", byref(job), b"sort", byref(general))
call("bellamy_model_condition", general, observed, c_size_t(2), byref(model))
call("bellamy_model_bind", model, byref(job), None, byref(curve))
row = predict(curve, [6])[0]
line = f"About {row.median_s:.0f} s, and {quantile_s(row, 0.9):.0f} s or less in nine of ten runs.\n"
from_c = subprocess.run([sys.argv[2]], capture_output=True, text=True, check=True).stdout
assert line == from_c, (line, from_c)

# The same through bytes, and as a batch.
size = c_size_t()
call("bellamy_model_to_bytes", model, None, c_size_t(0), byref(size))
buffer = create_string_buffer(size.value)
call("bellamy_model_to_bytes", model, buffer, size, byref(size))
loaded = c_void_p()
call("bellamy_model_from_bytes", buffer, size, byref(loaded))
questions = (Question * 3)(*(Question(context=pointer(job), scale_out=x) for x in (4, 6, 8)))
rows = (Prediction * 3)()
rows[0].size = sizeof(Prediction)
call("bellamy_model_predict", loaded, questions, c_size_t(3), rows)
assert rows[1].median_s == row.median_s
assert [each.observed_runs for each in rows] == [2, 2, 2]
assert probability_within(rows[0], 260) < probability_within(rows[1], 260) < probability_within(rows[2], 260)

# A decision.
candidates = (Candidate * 3)(*(Candidate(curve=curve.value, scale_out=x) for x in (4, 6, 8)))
decision = Decision()
call("bellamy_choose", candidates, c_size_t(3), byref(Request(deadline_s=260, probability=0.9, goal=0)), byref(decision), None,
     c_size_t(0))
assert decision.scale_out == 8 and decision.outcome == 0, (decision.scale_out, decision.outcome)

# What is wrong is an exception, and the interpreter lives on.
expect_refusal("invalid_scale_out: expected a scale-out from 1", "bellamy_curve_predict", curve, (c_int32 * 1)(0), c_size_t(1),
               rows)
assert math.isnan(quantile_s(rows[0], math.nan))
expect_refusal("corrupted", "bellamy_model_from_bytes", bytes(b ^ (i == size.value // 2) for i, b in enumerate(buffer.raw)), size,
               byref(loaded))
library.bellamy_curve_release(byref(curve))
assert not curve.value
expect_refusal("null handle", "bellamy_curve_predict", curve, (c_int32 * 1)(6), c_size_t(1), rows)
library.bellamy_model_release(byref(model))
library.bellamy_model_release(byref(general))
library.bellamy_model_release(byref(loaded))
print("the interface works from Python")
