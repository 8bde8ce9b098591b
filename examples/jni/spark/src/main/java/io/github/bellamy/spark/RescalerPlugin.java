package io.github.bellamy.spark;

import org.apache.spark.SparkContext;

/**
 * Records the runs of an application, predicts its rest after every job and, by {@code spark.bellamy.rescale}, advises or acts where
 * the deadline needs more executors or allows less. {@code spark.plugins} names this class; examples/jni/spark/README.md has the
 * settings. Whatever fails in it is logged, and the application runs on.
 */
public final class RescalerPlugin extends ListenerPlugin {
  @Override
  void listen(SparkContext spark) {
    add(spark, "bellamy neither records nor rescales this application", () -> listener(spark));
  }

  private static RescalerListener listener(SparkContext spark) {
    RescalerSettings settings = new RescalerSettings(values(spark.conf(), RescalerSettings.PREFIX));
    return new RescalerListener(
        RunListener.systemOf(spark),
        spark.appName(),
        spark.startTime(),
        RunListener.taskCpusOf(spark),
        settings,
        new Rescaler(settings.application(spark.appName()), settings.nameRule, new SparkCluster(spark), !allocatesDynamically(spark)));
  }
}
