package io.github.bellamy.spark;

import io.github.bellamy.RunTable;
import io.github.bellamy.RuntimeModel;
import io.github.bellamy.Schema;
import java.nio.file.Path;
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
 * Records the runtimes of an application that need not know of it: {@code spark.plugins} names this class, {@value #MODEL} a model
 * file whose schema tells what the properties mean, {@value #TABLE} the run table to append to, and {@value #PROPERTY}NAME the value
 * of each property of the application's context. What is wrong with these is logged, and the application runs on.
 */
public final class RunRecorderPlugin implements SparkPlugin {
  public static final String MODEL = "spark.bellamy.model";
  public static final String TABLE = "spark.bellamy.table";
  public static final String PROPERTY = "spark.bellamy.property.";

  private static final Logger LOG = LoggerFactory.getLogger(RunRecorderPlugin.class);

  @Override
  public DriverPlugin driverPlugin() {
    return new DriverPlugin() {
      @Override
      public Map<String, String> init(SparkContext spark, PluginContext plugin) {
        try {
          spark.addSparkListener(recorder(spark));
        } catch (RuntimeException wrong) {
          LOG.error("bellamy does not record this application", wrong);
        }
        return Collections.emptyMap();
      }
    };
  }

  @Override
  public ExecutorPlugin executorPlugin() {
    return null;
  }

  private static RunRecorder recorder(SparkContext spark) {
    SparkConf conf = spark.conf();
    Map<String, String> values = new HashMap<>();
    for (Tuple2<String, String> each : conf.getAllWithPrefix(PROPERTY)) {
      values.put(each._1(), each._2());
    }
    try (RuntimeModel model = RuntimeModel.load(Path.of(conf.get(MODEL)))) {
      Schema schema = model.schema();
      return new RunRecorder(schema.context(values), new RunTable(Path.of(conf.get(TABLE)), schema), spark.startTime());
    }
  }
}
