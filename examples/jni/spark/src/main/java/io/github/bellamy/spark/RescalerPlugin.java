package io.github.bellamy.spark;

import org.apache.spark.SparkContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records the runs of an application, foretells its rest after every job and, by {@code spark.bellamy.rescale}, advises or acts where
 * the deadline needs more executors or allows less. {@code spark.plugins} names this class; the settings are in the README. Whatever
 * fails in it is logged, and the application runs on.
 */
public final class RescalerPlugin extends ListenerPlugin {
  private static final Logger LOG = LoggerFactory.getLogger(RescalerPlugin.class);

  @Override
  void listen(SparkContext spark) {
    add(spark, "bellamy neither records nor rescales this application", () -> listener(spark));
  }

  private static RescalerListener listener(SparkContext spark) {
    RescalerSettings settings = new RescalerSettings(values(spark.conf(), RescalerSettings.PREFIX));
    boolean dynamic = allocatesDynamically(spark);
    if (dynamic && settings.acts) {
      LOG.warn("bellamy only advises: spark.dynamicAllocation.enabled already changes the executors of this application");
    }
    return new RescalerListener(
        RunListener.systemOf(spark),
        spark.appName(),
        spark.startTime(),
        RunListener.taskCpusOf(spark),
        settings,
        new Rescaler(spark.appName(), new SparkCluster(spark), !dynamic));
  }
}
