package io.github.bellamy.spark;

import io.github.bellamy.ApplicationTrace;
import io.github.bellamy.JobTrace;
import io.github.bellamy.Rescaling;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** What a rescaler is to answer when a job has ended; immutable. */
final class Question {
  final RescalerSettings settings;
  final ApplicationTrace soFar;

  /** In the order in which they came, and the cores of each. */
  final List<String> executors;
  final int cores;

  Question(RescalerSettings settings, ApplicationTrace soFar, List<String> executors, int cores) {
    this.settings = settings;
    this.soFar = soFar;
    this.executors = executors;
    this.cores = cores;
  }

  /** The same, without executors that are going. */
  Question without(Set<String> going) {
    List<String> staying = executors.stream().filter(each -> !going.contains(each)).collect(Collectors.toList());
    int gone = executors.size() - staying.size();
    return gone == 0 ? this : new Question(settings, soFar, staying, cores - gone * coresOfAnExecutor());
  }

  /** From the start of the run to the end of its last job: when the rest begins, however long the question waited. */
  double elapsedSeconds() {
    return soFar.jobs().stream().mapToDouble(JobTrace::completedSeconds).max().orElse(0);
  }

  /** Of the size that was decided. */
  int executorsFor(Rescaling decision) {
    return (decision.scaleOut() + coresOfAnExecutor() - 1) / coresOfAnExecutor();
  }

  int coresOfAnExecutor() {
    return Math.max(1, executors.isEmpty() ? 1 : cores / executors.size());
  }
}
