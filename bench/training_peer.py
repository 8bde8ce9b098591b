"""Pre-training and fine-tuning in a bare PyTorch loop, in turns with the program `speed`, and the ratio of both.

    python3 bench/training_peer.py --speed build/bench/speed

The loop has no data loading, no shuffling, no target noise, no validation and no checkpoints: the least that PyTorch can do.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

# PyTorch's own setting does not reach OpenBLAS, whose helpers make small products slower.
os.environ["OPENBLAS_NUM_THREADS"] = "1"
try:
    import torch
    from torch import nn
except ImportError:
    print("skipped: PyTorch is not installed (Debian: python3-torch)")
    sys.exit(0)


class Network(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.scale_out = nn.Sequential(nn.Linear(3, 16), nn.SELU(), nn.Linear(16, 8), nn.SELU())
        self.encoder = nn.Sequential(nn.Linear(40, 8, bias=False), nn.SELU(), nn.AlphaDropout(dropout), nn.Linear(8, 4, bias=False), nn.SELU())
        self.decoder = nn.Sequential(nn.Linear(4, 8, bias=False), nn.SELU(), nn.AlphaDropout(dropout), nn.Linear(8, 40, bias=False), nn.Tanh())
        self.head = nn.Sequential(nn.Linear(32, 8), nn.SELU(), nn.Linear(8, 1), nn.SELU())

    def predict(self, features, essential, optional):
        samples = len(features)
        codes = [self.scale_out(features), essential.reshape(samples, 20), optional.reshape(samples, 3, 4).mean(1)]
        return self.head(torch.cat(codes, 1))


def pretrain_epochs_s(runs, epochs, dtype):
    encoded = torch.rand(runs, 8, 40, dtype=dtype)
    features = torch.rand(runs, 3, dtype=dtype)
    runtimes = 2 + 5 * torch.rand(runs, 1, dtype=dtype)
    network = Network(0.1).to(dtype)
    optimiser = torch.optim.Adam(network.parameters(), lr=1e-3, weight_decay=1e-3)
    smooth_l1, mse = nn.SmoothL1Loss(), nn.MSELoss()
    begin = time.thread_time()
    for _ in range(epochs):
        for i in range(0, runs, 64):
            essential, optional = encoded[i:i + 64, :5].reshape(-1, 40), encoded[i:i + 64, 5:].reshape(-1, 40)
            optimiser.zero_grad()
            essential_code, optional_code = network.encoder(essential), network.encoder(optional)
            predicted = network.predict(features[i:i + 64], essential_code, optional_code)
            loss = smooth_l1(predicted, runtimes[i:i + 64]) + mse(network.decoder(essential_code), essential) + mse(network.decoder(optional_code), optional)
            loss.backward()
            optimiser.step()
    return time.thread_time() - begin


def fine_tune_s(epochs, dtype):
    """Five runs; the codes are computed once, the scale-out network joins at epoch 240."""
    encoded = torch.rand(5, 8, 40, dtype=dtype)
    features = torch.rand(5, 3, dtype=dtype)
    runtimes = 2 + 5 * torch.rand(5, 1, dtype=dtype)
    network = Network(0.0).to(dtype)
    for parameter in network.parameters():
        parameter.requires_grad = False
    for parameter in network.head.parameters():
        parameter.requires_grad = True
    optimiser = torch.optim.Adam(network.parameters(), lr=5e-3, weight_decay=1e-3)
    smooth_l1 = nn.SmoothL1Loss()
    essential, optional = network.encoder(encoded[:, :5].reshape(-1, 40)), network.encoder(encoded[:, 5:].reshape(-1, 40))
    begin = time.thread_time()
    for epoch in range(epochs):
        if epoch == 240:
            for parameter in network.scale_out.parameters():
                parameter.requires_grad = True
        optimiser.zero_grad()
        loss = smooth_l1(network.predict(features, essential, optional), runtimes)
        loss.backward()
        optimiser.step()
    return time.thread_time() - begin


def ours_s(program, name):
    """CPU seconds of one iteration."""
    with tempfile.NamedTemporaryFile() as file:
        subprocess.run([program, "--only", name, "--rounds", "3", "--json", file.name], check=True, capture_output=True)
        return json.load(file)[0]["ns_per_item"] * 1e-9


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--speed", required=True, help="the program bench/speed of the build tree")
    arguments.add_argument("--rounds", type=int, default=5)
    given = arguments.parse_args()
    torch.set_num_threads(1)
    # A share of the epochs is timed, since every epoch does the same work.
    workloads = {
        "pretrain_epoch_200": lambda: pretrain_epochs_s(200, 20, torch.float) / 20,
        "pretrain_epoch_200_double": lambda: pretrain_epochs_s(200, 20, torch.double) / 20,
        "fine_tune_5": lambda: fine_tune_s(2500, torch.float),
    }
    print(f"PyTorch {torch.__version__}, 1 thread, CPU time, medians of {given.rounds} rounds in turns")
    print(f"{'workload':<28} {'ours':>12} {'PyTorch':>12} {'ratio':>7}  (spread of the ratio)")
    for name, peer in workloads.items():
        ours, theirs = [], []
        for _ in range(given.rounds):
            ours.append(ours_s(given.speed, name))
            theirs.append(peer())
        ratios = sorted(b / a for a, b in zip(ours, theirs))
        print(f"{name:<28} {1e3 * statistics.median(ours):>9.3f} ms {1e3 * statistics.median(theirs):>9.1f} ms "
              f"{statistics.median(ratios):>7.1f}  ({ratios[0]:.1f} .. {ratios[-1]:.1f})")


if __name__ == "__main__":
    main()
