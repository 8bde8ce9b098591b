package io.github.bellamy.spark;

import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Tuple2;

/**
 * Records the runs of an application, foretells its rest after every job and, by {@code spark.bellamy.rescale}, advises or acts where
 * the deadline needs more executors or allows less. {@code spark.plugins} names this class; the settings are in the README. Whatever
 * fails in it is logged, and the application runs on.
 */
public final class RescalerPlugin implements SparkPlugin {
  private static final Logger LOG = LoggerFactory.getLogger(RescalerPlugin.class);

  @Override
  public DriverPlugin driverPlugin() {
    return new DriverPlugin() {
      @Override
      public Map<String, String> init(SparkContext spark, PluginContext plugin) {
        try {
          spark.addSparkListener(listener(spark));
        } catch (RuntimeException | LinkageError wrong) {
          LOG.error("bellamy neither records nor rescales this application: {}", wrong.getMessage());
        }
        return Collections.emptyMap();
      }
    };
  }

  @Override
  public ExecutorPlugin executorPlugin() {
    return null;
  }

  private static RescalerListener listener(SparkContext spark) {
    SparkConf conf = spark.conf();
    Map<String, String> values = new HashMap<>();
    for (Tuple2<String, String> each : conf.getAllWithPrefix(RescalerSettings.PREFIX)) {
      values.put(each._1(), each._2());
    }
    RescalerSettings settings = new RescalerSettings(values);
    boolean dynamic = conf.getBoolean("spark.dynamicAllocation.enabled", false);
    if (dynamic && settings.acts) {
      LOG.warn("bellamy only advises: spark.dynamicAllocation.enabled already changes the executors of this application");
    }
    Rescaler rescaler = new Rescaler(spark.appName(), new SparkCluster(spark), !dynamic);
    return new RescalerListener(
        "spark " + spark.version(),
        spark.appName(),
        spark.startTime(),
        conf.getInt("spark.task.cpus", 1),
        settings,
        rescaler);
  }
}
