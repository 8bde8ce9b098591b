package io.github.bellamy.spark;

import java.util.HashMap;
import java.util.Map;
import scala.Option;
import scala.Product;
import scala.Tuple2;
import scala.collection.Iterable;
import scala.collection.Iterator;

/**
 * Bytes of the files that Spark SQL scans, each location once, by its events. Their classes are not of Spark's core: what is not as
 * Spark 3 and 4 have it counts nothing. One thread writes.
 */
final class FileScans {
  private static final String SQL = "org.apache.spark.sql.execution.ui.SparkListenerSQL";
  private static final String DRIVER_COUNTS = "org.apache.spark.sql.execution.ui.SparkListenerDriverAccumUpdates";
  private static final String PLAN = "org.apache.spark.sql.execution.SparkPlanInfo";

  /** Plans of thousands of unions are that deep; what lies deeper counts nothing, as in the importer of event logs. */
  private static final int DEEPEST_PLAN = 200;

  private final Map<Long, String> locations = new HashMap<>(); // by the accumulator of a scan
  private final Map<String, Long> bytes = new HashMap<>(); // by location: the most that a scan read

  /** Any event of a listener. */
  void event(Object event) {
    String type = event.getClass().getName();
    boolean counts = type.equals(DRIVER_COUNTS);
    if (!(event instanceof Product) || !(counts || type.startsWith(SQL))) {
      return;
    }
    for (Iterator<Object> parts = ((Product) event).productIterator(); parts.hasNext(); ) {
      Object part = parts.next();
      if (counts && part instanceof Iterable) {
        count((Iterable<?>) part);
      } else if (part != null && part.getClass().getName().equals(PLAN)) {
        plan(part);
      }
    }
  }

  /** Pairs of an accumulator and its value. */
  void count(Iterable<?> updates) {
    for (Iterator<?> each = updates.iterator(); each.hasNext(); ) {
      Tuple2<?, ?> update = (Tuple2<?, ?>) each.next();
      String location = locations.get(update._1());
      if (location != null) {
        bytes.merge(location, (Long) update._2(), Math::max);
      }
    }
  }

  /** The root of a query's plan, before its counts. */
  void plan(Object root) {
    plan(root, 0);
  }

  private void plan(Object node, int depth) {
    if (depth > DEEPEST_PLAN) {
      return;
    }
    for (Iterator<?> each = ((Iterable<?>) part(node, "children")).iterator(); each.hasNext(); ) {
      plan(each.next(), depth + 1);
    }
    @SuppressWarnings("unchecked")
    Option<String> location = ((scala.collection.Map<String, String>) part(node, "metadata")).get("Location");
    if (location.isEmpty()) {
      return;
    }
    for (Iterator<?> each = ((Iterable<?>) part(node, "metrics")).iterator(); each.hasNext(); ) {
      Object metric = each.next();
      if (part(metric, "name").equals("size of files read")) {
        locations.put((Long) part(metric, "accumulatorId"), location.get());
      }
    }
  }

  private static Object part(Object of, String name) {
    try {
      return of.getClass().getMethod(name).invoke(of);
    } catch (ReflectiveOperationException failed) {
      throw new IllegalStateException("expected a part of Spark SQL's plan, found none: " + name, failed);
    }
  }

  /** 0 where no event tells. */
  long bytes() {
    return bytes.values().stream().mapToLong(Long::longValue).sum();
  }
}
