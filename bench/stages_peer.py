"""One decision of Enel's network in a bare PyTorch loop, in turns with the program `stages_speed`, and the ratio of both.

    python3 bench/stages_peer.py --speed build/bench/stages_speed

25 jobs of four stages in a chain, 13 of them done: fine-tuning on these (overhead and runtime parts, Adam, noise anew in every
epoch), then 12 jobs to come at 33 candidates, metrics propagated from stage to stage. The least that PyTorch can do: graphs are
made beforehand, all candidates are one batch, chains are cumulative sums, no rule decides, and it trains for as many epochs as
the published rule never undercuts while the error is large (51, of at most 100).
"""
import argparse
import os
import re
import statistics
import subprocess
import sys
import time

os.environ["OPENBLAS_NUM_THREADS"] = "1"
try:
    import torch
    from torch import nn
except ImportError:
    print("skipped: PyTorch is not installed (Debian: python3-torch)")
    sys.exit(0)

DONE, TO_COME, STAGES, CANDIDATES, EPOCHS = 13, 12, 4, 33, 51
ROWS = STAGES + 2  # of a job's graph: summaries of the previous job, here and in the history, then the stages


def two_layers(inputs, outputs):
    return nn.Sequential(nn.Linear(inputs, inputs // 2), nn.SELU(), nn.Linear(inputs // 2, outputs))


class Enel(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(33, 16, bias=False), nn.SELU(), nn.Linear(16, 8, bias=False), nn.SELU())
        self.overhead, self.runtime, self.combine = two_layers(36, 1), two_layers(33, 1), two_layers(35, 5)
        self.source, self.target = nn.Linear(30, 30), nn.Linear(30, 30)
        self.attention = nn.Parameter(torch.rand(30))
        self.bias = nn.Parameter(torch.zeros(5))

    def contexts(self, encodings, means):
        codes = self.encoder(encodings)
        return torch.cat([mean @ codes for mean in means], 1).reshape(-1, ROWS, 24)

    def times(self, z, metrics, start, end, share):
        """Of the stages, and the longest path of each job: here a chain's sum."""
        overhead = nn.functional.selu(self.overhead(torch.cat([z, metrics, start, end, share], -1)))
        overhead = overhead * (start != end).any(-1, keepdim=True)
        stages = nn.functional.selu(self.runtime(torch.cat([z, metrics, end, overhead], -1)))[..., 2:, 0]
        return stages, torch.cumsum(stages, -1).amax(-1).clamp(min=0)

    def metrics_of(self, state, parents, metrics, child):
        """The next stage's metrics from those of what precedes it."""
        h = nn.functional.selu(self.source(state[..., parents, :]) + self.target(state[..., child, :]))
        weights = torch.softmax(h @ self.attention, -1)
        messages = nn.functional.selu(self.combine(torch.cat([h, metrics[..., parents, :]], -1)))
        return torch.sigmoid((weights[..., None] * messages).sum(-2) + self.bias)


def made_up(jobs):
    """Encodings that differ, and the averages over them that are the rows' contexts."""
    encodings = torch.rand(jobs * STAGES + jobs + 8, 33)
    means = [torch.rand(jobs * ROWS, len(encodings)) for _ in range(3)]
    return encodings, [mean / mean.sum(1, keepdim=True) for mean in means]


def decide_s():
    network = Enel()
    encodings, means = made_up(DONE)
    metrics = torch.rand(DONE, ROWS, 5)
    start = torch.rand(DONE, ROWS, 3)
    share = torch.zeros(DONE, ROWS, 1)
    stage_s, job_s = 100 + 200 * torch.rand(DONE, STAGES), 400 + 800 * torch.rand(DONE)
    later, later_means = made_up(TO_COME)
    later_start = torch.rand(TO_COME, ROWS, 3)
    later_end = torch.rand(CANDIDATES, TO_COME, ROWS, 3)
    later_share = torch.full((CANDIDATES, TO_COME, ROWS, 1), 0.9)
    begin = time.thread_time()
    for parameter in network.parameters():
        parameter.requires_grad = False
    tuned = [*network.overhead.parameters(), *network.runtime.parameters()]
    for parameter in tuned:
        parameter.requires_grad = True
    optimiser = torch.optim.Adam(tuned, lr=1e-3, weight_decay=1e-3)
    for _ in range(EPOCHS):
        z = network.contexts(encodings + 0.025 * torch.randn_like(encodings), means)
        noisy = (metrics + 0.025 * torch.randn_like(metrics)).abs()
        optimiser.zero_grad()
        stages, jobs = network.times(z, noisy, start, start, share)
        wanted = torch.cat([(stage_s + 0.5 * torch.randn_like(stage_s)).abs().flatten(), (job_s + 1.5 * torch.randn_like(job_s)).abs()])
        found = torch.cat([stages.flatten(), jobs])
        nn.functional.smooth_l1_loss(found, wanted).backward()
        optimiser.step()
        (found - wanted).abs().mean().item()
    with torch.no_grad():
        z = network.contexts(later, later_means).expand(CANDIDATES, -1, -1, -1)
        starts = later_start.expand(CANDIDATES, -1, -1, -1)
        state = torch.cat([starts, z, later_end], -1)
        known = torch.rand(CANDIDATES, TO_COME, ROWS, 5)
        for job in range(TO_COME):
            if job > 0:
                known[:, job, 0] = known[:, job - 1, 2:].mean(1)
            for stage in range(2, ROWS):
                parents = slice(0, 2) if stage == 2 else slice(stage - 1, stage)
                known[:, job, stage] = network.metrics_of(state[:, job], parents, known[:, job], slice(stage, stage + 1))
        network.times(z, known, starts, later_end, later_share)
    return time.thread_time() - begin


def main():
    parser = argparse.ArgumentParser(description="Times one decision of Enel's network beside a bare PyTorch loop.")
    parser.add_argument("--speed", required=True, help="the program stages_speed")
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float64)
    decide_s()
    ours, theirs = [], []
    for _ in range(given.rounds):
        printed = subprocess.run([given.speed, "--only-enel", "--rounds", "3"], check=True, capture_output=True, text=True).stdout
        ours.append(float(re.search(r"candidates: ([0-9.]+) ms", printed).group(1)))
        theirs.append(1000 * decide_s())
    ratio = statistics.median(b / a for a, b in zip(ours, theirs))
    print(f"ms of CPU for one decision, medians of {given.rounds}: bellamy {statistics.median(ours):.1f}, "
          f"PyTorch {statistics.median(theirs):.1f}, ratio {ratio:.1f}")


if __name__ == "__main__":
    main()
