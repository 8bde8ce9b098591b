package io.github.bellamy.spark;

import java.util.List;

/** What a rescaler may ask of a running application. Both return whether Spark took the request. */
interface Cluster {
  /** So many executors in all. */
  boolean request(int executors);

  /** Gives these back, of so many in all. */
  boolean release(List<String> executors, int ofAll);
}
