#!/usr/bin/env python3
"""real_advice.py fails where the back-test errs more than both peers by more than chance allows, and where proposals are not kept as stated."""

import pathlib
import random
import stat
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
import real_advice

SAYS = {
    # errors of bellamy, Ernest, boosting: whether that is to be refused
    "as good": ((0.10, 0.10, 0.10), False),
    "worse than one": ((0.20, 0.10, 0.30), False),
    "worse than both": ((0.20, 0.10, 0.10), True),
    "better": ((0.05, 0.10, 0.10), False),
}


def predictions(errors, runs):
    chance = random.Random(1)
    scattered = lambda error: 100 * (1 + error * chance.uniform(0.6, 1.4))
    return [{"run": i, "measured_s": 100, **{name + "_s": scattered(error) for name, error in zip(("bellamy", "ernest", "boosting"), errors)}}
            for i in range(runs)]


def program_that_prints(folder, errors):
    """In the place of bellamy: prints what its back-test would."""
    each = [{"application": name, "predicted": 20, "median_error": dict(zip(("bellamy", "ernest", "boosting"), errors)),
             "predictions": predictions(errors, 20)} for name in ("a", "b")]
    record = {"applications": each, "all": {**each[0], "application": "all", "predicted": 40}}
    path = folder / "program"
    path.write_text(f"#!{sys.executable}\nimport json\nprint(json.dumps({record!r}))\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def main():
    kept = [{"probability": 0.5}]
    with tempfile.TemporaryDirectory() as name:
        for case, (errors, is_refused) in SAYS.items():
            rows = real_advice.backtest(program_that_prints(pathlib.Path(name), errors), "runs.tsv")
            if [row["application"] for row in rows] != ["a", "b", "all"] or rows[-1]["bellamy"] != round(100 * errors[0], 1):
                sys.exit(f"expected rows of a, b and all, found {rows}")
            if bool(real_advice.failures_of(kept, rows)) != is_refused:
                sys.exit(f"{case}: expected {'a' if is_refused else 'no'} failure, found {rows[-1]}")
    if len(real_advice.failures_of([{"probability": 0.01}], rows)) != 1:
        sys.exit("expected proposals that are kept too seldom to be refused")


if __name__ == "__main__":
    main()
