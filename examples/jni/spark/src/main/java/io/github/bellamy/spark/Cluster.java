package io.github.bellamy.spark;

import java.util.List;

/** What a rescaler may ask of a running application. Requests return whether Spark took them. */
interface Cluster {
  /** So many executors in all. */
  boolean request(int executors);

  /** Whether Spark's dynamic allocation changes executors, too; it gives those back that idle. */
  boolean allocatesDynamically();

  /** Bounds of dynamic allocation; without it those of the cluster are not known: 1 and {@link Integer#MAX_VALUE}. */
  int leastExecutors();

  int mostExecutors();

  /** Whether what executors have shuffled outlives them: a job that needs it would run their stages again. */
  boolean keepsShuffles();

  /** Gives these back, of so many in all. */
  boolean release(List<String> executors, int ofAll);
}
