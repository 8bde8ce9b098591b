package io.github.bellamy.spark;

import io.github.bellamy.ApplicationTrace;
import java.util.List;

/** What a rescaler is to answer when a job has ended; immutable. */
final class Question {
  final RescalerSettings settings;
  final ApplicationTrace soFar;
  final long startMillis;

  /** In the order in which they came, and the cores of each. */
  final List<String> executors;
  final int cores;

  Question(RescalerSettings settings, ApplicationTrace soFar, long startMillis, List<String> executors, int cores) {
    this.settings = settings;
    this.soFar = soFar;
    this.startMillis = startMillis;
    this.executors = executors;
    this.cores = cores;
  }

  int coresOfAnExecutor() {
    return Math.max(1, executors.isEmpty() ? 1 : cores / executors.size());
  }
}
