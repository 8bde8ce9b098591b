package io.github.bellamy.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import scala.Tuple2;
import scala.collection.immutable.List$;
import scala.collection.immutable.Map;

class FileScansTest {
  /** Spark SQL's, which is not at hand. */
  static final class Metric {
    private final String name;
    private final long accumulator;

    Metric(String name, long accumulator) {
      this.name = name;
      this.accumulator = accumulator;
    }

    public String name() {
      return name;
    }

    public long accumulatorId() {
      return accumulator;
    }
  }

  static final class Plan {
    private final Map<String, String> metadata;
    private final List<Metric> metrics;
    private final List<Plan> children;

    Plan(Map<String, String> metadata, List<Metric> metrics, List<Plan> children) {
      this.metadata = metadata;
      this.metrics = metrics;
      this.children = children;
    }

    public scala.collection.Iterable<Plan> children() {
      return sequence(children);
    }

    public Map<String, String> metadata() {
      return metadata;
    }

    public scala.collection.Iterable<Metric> metrics() {
      return sequence(metrics);
    }
  }

  private static <T> scala.collection.immutable.List<T> sequence(List<T> of) {
    scala.collection.immutable.List<T> converted = List$.MODULE$.empty();
    for (int i = of.size() - 1; i >= 0; i--) {
      converted = converted.$colon$colon(of.get(i));
    }
    return converted;
  }

  private static Plan scan(String location, long files, long rows) {
    return new Plan(
        new Map.Map1<>("Location", location),
        List.of(new Metric("size of files read", files), new Metric("number of output rows", rows)),
        List.of());
  }

  private static Tuple2<Object, Object> update(long accumulator, long value) {
    return new Tuple2<>(accumulator, value);
  }

  @Test
  void filesThatSeveralScansReadCountOnce() {
    FileScans scans = new FileScans();
    Map<String, String> noScan = new Map.Map1<>("Format", "none");
    Plan both = new Plan(noScan, List.of(new Metric("size of files read", 9)), List.of(scan("a", 1, 2), scan("a", 3, 4)));
    scans.plan(new Plan(noScan, List.of(), List.of(both, scan("b", 5, 6))));
    scans.count(sequence(List.of(update(1, 700), update(2, 90_000), update(3, 900), update(5, 50), update(9, 90_000))));
    assertEquals(950, scans.bytes());
    scans.count(sequence(List.of(update(1, 300), update(5, 60)))); // another scan of fewer partitions, and one of more
    assertEquals(960, scans.bytes());
  }

  @Test
  void eventsOfOthersTellOfNoFiles() {
    FileScans scans = new FileScans();
    scans.plan(scan("a", 1, 2));
    scans.event(new Tuple2<>(1L, sequence(List.of(update(1, 700)))));
    assertEquals(0, scans.bytes());
  }
}
