package io.github.bellamy.spark;

import com.codahale.metrics.MetricRegistry;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;
import org.apache.spark.scheduler.SparkListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Tuple2;

/** A plugin that only listens, in the driver. A listener that cannot be made is logged, and the application runs on without it. */
abstract class ListenerPlugin implements SparkPlugin {
  private static final Logger LOG = LoggerFactory.getLogger(ListenerPlugin.class);

  /** Adds its listeners by {@link #add}. */
  abstract void listen(SparkContext spark, MetricRegistry metrics);

  @Override
  public final DriverPlugin driverPlugin() {
    return new DriverPlugin() {
      @Override
      public Map<String, String> init(SparkContext spark, PluginContext plugin) {
        listen(spark, plugin.metricRegistry());
        return Collections.emptyMap();
      }
    };
  }

  @Override
  public final ExecutorPlugin executorPlugin() {
    return null;
  }

  /** {@code inVain} is said where the listener cannot be made. */
  static void add(SparkContext spark, String inVain, Supplier<SparkListener> listener) {
    try {
      spark.addSparkListener(listener.get());
    } catch (RuntimeException | LinkageError wrong) {
      LOG.error("{}: {}", inVain, wrong.getMessage());
    }
  }

  /** Of the settings that begin so, without that. */
  static Map<String, String> values(SparkConf conf, String prefix) {
    Map<String, String> values = new HashMap<>();
    for (Tuple2<String, String> each : conf.getAllWithPrefix(prefix)) {
      values.put(each._1(), each._2());
    }
    return values;
  }

  static boolean allocatesDynamically(SparkContext spark) {
    return spark.conf().getBoolean("spark.dynamicAllocation.enabled", false);
  }
}
