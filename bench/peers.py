"""The same network, weights and inputs through bellamy, plain Eigen, libtorch, PyTorch and ONNX Runtime, in turns in one run;
and the same texts through scikit-learn's hashing.

    python3 bench/peers.py --library build/bench/libpeers.so [--json FILE]

Every contender must first give our numbers. CPU time of this thread, one thread each. Workloads: one context at scale-outs
1..n (curve_n), n contexts whose properties are encoded (batch_n), and each of both for one question alone. A peer that is not
installed is skipped with a word; libtorch and ONNX Runtime need PyTorch too, which writes the model's file.
"""
import argparse
import ctypes
import glob
import json
import os
import statistics
import tempfile
import time

# PyTorch's own setting does not reach OpenBLAS, whose helpers make small products three times slower.
os.environ["OPENBLAS_NUM_THREADS"] = "1"
import numpy

CURVE, BATCH = 0, 1
WORKLOADS = {"curve_1024": (CURVE, 1024), "batch_16": (BATCH, 16), "batch_256": (BATCH, 256), "batch_4096": (BATCH, 4096),
             "single_known_context": (CURVE, 1)}
# Nothing in them that an encoding leaves out.
TEXTS = 200 * ["m4.2xlarge", "c4.xlarge", "wallynode", "sgd-spark", "1001.0", "251000000", "publiccloudawsemr",
               "privateclusteryarn", "computer", "0.0001", "kmeans-spark", "500.001"]


class Library:
    """Our side, and Eigen's."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.has_torch = hasattr(self.library, "peers_torch")
        self.has_onnx = hasattr(self.library, "peers_onnx")
        peers = ("peers_torch",) * self.has_torch + ("peers_onnx",) * self.has_onnx
        for name in ("peers_ours", "peers_eigen", "peers_encode_text") + peers:
            getattr(self.library, name).restype = ctypes.c_double

    def parameters(self):
        flat = numpy.zeros(self.library.peers_parameter_count(), numpy.float32)
        start = numpy.zeros(8, numpy.float32)
        self.library.peers_parameters(pointer(flat), pointer(start))
        return flat, start

    def inputs(self, task, count):
        encoded = numpy.zeros((count, 8, 40), numpy.float32)
        features = numpy.zeros((count, 3), numpy.float32)
        self.library.peers_inputs(task, count, pointer(encoded), pointer(features))
        return encoded, features

    def timed(self, name, *what, values=1):
        """`what` ends with the number of items, of which each is so many values."""
        function = getattr(self.library, name)
        found = numpy.zeros(what[-1] * values, numpy.float32)

        def run(repeats):
            return function(*what, repeats, pointer(found)), found

        return run


def pointer(array):
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_float))


def timed(call, count):
    """From a call that returns predictions: a function of repeats that returns nanoseconds per item and predictions."""

    def run(repeats):
        found = call()
        begin = time.thread_time_ns()
        for _ in range(repeats):
            found = call()
        return (time.thread_time_ns() - begin) / repeats / count, numpy.asarray(found).ravel()

    return run


def torch_network(torch, flat, start):
    """Two modules: properties and features to seconds, and features to seconds for the folded context."""
    parts, at = {}, 0
    for name, inputs, outputs, has_bias in (("scale_out.0", 3, 16, True), ("scale_out.1", 16, 8, True), ("encoder.0", 40, 8, False),
                                            ("encoder.1", 8, 4, False), ("decoder.0", 4, 8, False), ("decoder.1", 8, 40, False),
                                            ("head.0", 32, 8, True), ("head.1", 8, 1, True)):
        layer = torch.nn.Linear(inputs, outputs, bias=has_bias)
        layer.weight.data = torch.tensor(flat[at:at + inputs * outputs].reshape(inputs, outputs).T.copy())
        at += inputs * outputs
        if has_bias:
            layer.bias.data = torch.tensor(flat[at:at + outputs].copy())
            at += outputs
        parts[name] = layer
    assert at == len(flat)
    selu = torch.nn.SELU
    scale_out = torch.nn.Sequential(parts["scale_out.0"], selu(), parts["scale_out.1"], selu())
    encoder = torch.nn.Sequential(parts["encoder.0"], selu(), parts["encoder.1"], selu())
    head = torch.nn.Sequential(parts["head.0"], selu(), parts["head.1"], selu())
    known = torch.nn.Linear(8, 8)
    known.weight.data = parts["head.0"].weight.data[:, :8].clone()
    known.bias.data = torch.tensor(start)

    class Full(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.scale_out, self.encoder, self.head = scale_out, encoder, head

        def forward(self, encoded, features):
            codes = self.encoder(encoded.reshape(-1, 40)).reshape(-1, 8, 4)
            essential = codes[:, :5].reshape(-1, 20)
            return self.head(torch.cat([self.scale_out(features), essential, codes[:, 5:].mean(1)], 1))

    return Full().eval(), torch.nn.Sequential(scale_out, known, selu(), parts["head.1"], selu()).eval()


def add_torch(torch, ours, contenders, folder):
    torch.set_num_threads(1)
    full, known = torch_network(torch, *ours.parameters())
    for name, (task, count) in WORKLOADS.items():
        encoded, features = (torch.tensor(each) for each in ours.inputs(task, count))
        given = (features,) if task == CURVE else (encoded, features)
        with torch.inference_mode():
            frozen = torch.jit.freeze(torch.jit.trace(known if task == CURVE else full, given))
            for _ in range(20):
                frozen(*given)

        def call(frozen=frozen, given=given):
            with torch.inference_mode():
                return frozen(*given)

        if ours.has_torch:
            frozen.save(f"{folder}/{name}.pt")
            contenders[name]["libtorch"] = ours.timed("peers_torch", f"{folder}/{name}.pt".encode(), task, count)
        contenders[name]["PyTorch"] = timed(call, count)


def add_onnx_runtime(torch, runtime, ours, contenders, folder):
    full, known = torch_network(torch, *ours.parameters())
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_ENABLE_ALL
    for name, (task, count) in WORKLOADS.items():
        encoded, features = ours.inputs(task, count)
        given = {"features": features} if task == CURVE else {"encoded": encoded, "features": features}
        file = f"{folder}/{name}.onnx"
        torch.onnx.export(known if task == CURVE else full, tuple(torch.tensor(each) for each in given.values()), file,
                          input_names=list(given), output_names=["runtime_s"], opset_version=13)
        if ours.has_onnx:
            library = glob.glob(os.path.join(os.path.dirname(runtime.__file__), "capi", "libonnxruntime.so*"))[0]
            contenders[name]["ONNX Runtime"] = ours.timed("peers_onnx", library.encode(), file.encode(), task, count)
        session = runtime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
        binding = session.io_binding()
        found = numpy.zeros((count, 1), numpy.float32)
        for key, value in given.items():
            binding.bind_cpu_input(key, value)
        binding.bind_output("runtime_s", "cpu", 0, numpy.float32, found.shape, found.ctypes.data)

        def call(session=session, binding=binding, found=found):
            session.run_with_iobinding(binding)
            return found

        contenders[name]["ONNX (Python)"] = timed(call, count)


def text_contenders(ours):
    """Encoded texts instead of predictions."""
    found = {"bellamy": ours.timed("peers_encode_text", (ctypes.c_char_p * len(TEXTS))(*(each.encode() for each in TEXTS)),
                                   len(TEXTS), values=40)}
    try:
        import sklearn
        from sklearn.feature_extraction.text import HashingVectorizer
    except ImportError:
        print("scikit-learn skipped: it is not installed (Debian: python3-sklearn)")
        return found
    hashing = HashingVectorizer(n_features=39, analyzer="char_wb", ngram_range=(1, 3), lowercase=False)
    run = timed(lambda: hashing.transform(TEXTS), len(TEXTS))

    def run_in_our_layout(repeats):
        ns, _ = run(repeats)
        return ns, numpy.pad(hashing.transform(TEXTS).toarray(), ((0, 0), (1, 0))).ravel()

    print(f"scikit-learn {sklearn.__version__}")
    return found | {"scikit-learn": run_in_our_layout}


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--library", required=True, help="libpeers.so of the build tree")
    arguments.add_argument("--rounds", type=int, default=9)
    arguments.add_argument("--json", help="write the ratios to this file")
    given = arguments.parse_args()

    ours = Library(given.library)
    contenders = {name: {"bellamy": ours.timed("peers_ours", *what), "Eigen": ours.timed("peers_eigen", *what)}
                  for name, what in WORKLOADS.items()}
    with tempfile.TemporaryDirectory() as folder:
        try:
            import torch
            add_torch(torch, ours, contenders, folder)
            print(f"PyTorch {torch.__version__}")
            if not ours.has_torch:
                print("libtorch skipped: this library was built without it (Debian: libtorch-dev)")
            try:
                import onnxruntime
                add_onnx_runtime(torch, onnxruntime, ours, contenders, folder)
                print(f"ONNX Runtime {onnxruntime.__version__}")
                if not ours.has_onnx:
                    print("ONNX Runtime from C skipped: this library was built without it (its onnxruntime_c_api.h)")
            except ImportError:
                print("ONNX Runtime skipped: it is not installed (PyPI: onnxruntime)")
        except ImportError:
            print("PyTorch, libtorch and ONNX Runtime skipped: PyTorch is not installed (Debian: python3-torch)")

        contenders["encode_text"] = text_contenders(ours)
        counts = {name: count for name, (_, count) in WORKLOADS.items()} | {"encode_text": len(TEXTS)}

        results = []
        print(f"ns per item, CPU time, medians of {given.rounds} rounds in turns; ratio to ours (spread)")
        for name, all_of in contenders.items():
            expected = all_of["bellamy"](1)[1].copy()
            repeats = {}
            for peer, run in all_of.items():
                ns, found = run(3)
                # Both are float: a few parts in a million of the usual prediction.
                error = numpy.abs(found - expected).max() / numpy.abs(expected).mean()
                if not error < 1e-5:
                    raise SystemExit(f"{peer} predicts other numbers than ours in {name}: they differ by {error}")
                repeats[peer] = max(3, int(5e6 / (ns * counts[name])))
            rounds = [{peer: run(repeats[peer])[0] for peer, run in all_of.items()} for _ in range(given.rounds)]
            for peer in all_of:
                ns = statistics.median(each[peer] for each in rounds)
                ratios = sorted(each[peer] / each["bellamy"] for each in rounds)
                ratio = statistics.median(ratios)
                print(f"{name:<22} {peer:<14} {ns:>12.1f} {ratio:>8.1f}  ({ratios[0]:.1f} .. {ratios[-1]:.1f})")
                if peer != "bellamy":
                    results.append({"peer": peer, "workload": name, "ratio": ratio})
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=2)


if __name__ == "__main__":
    main()
