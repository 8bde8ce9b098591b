package io.github.bellamy.spark;

import com.codahale.metrics.MetricRegistry;
import org.apache.spark.SparkContext;

/**
 * Records the runs of an application, predicts its rest after every job and, by {@code spark.bellamy.rescale}, advises or acts where
 * the deadline needs more executors or allows less. {@code spark.plugins} names this class; examples/jni/spark/rescale.md has the
 * settings, states.md beside it the states and metrics. Whatever fails in it is logged, and the application runs on.
 */
public final class RescalerPlugin extends ListenerPlugin {
  @Override
  void listen(SparkContext spark, MetricRegistry metrics) {
    add(spark, "bellamy neither records nor rescales this application", () -> listener(spark, metrics));
  }

  private static RescalerListener listener(SparkContext spark, MetricRegistry metrics) {
    RescalerSettings settings = new RescalerSettings(values(spark.conf(), RescalerSettings.PREFIX));
    String name = RunListener.nameOf(spark);
    Rescaler rescaler = new Rescaler(settings.application(name), settings.nameRule, new SparkCluster(spark));
    rescaler.status().register(metrics);
    return new RescalerListener(
        RunListener.systemOf(spark),
        name,
        spark.startTime(),
        RunListener.taskCpusOf(spark),
        settings,
        rescaler);
  }
}
