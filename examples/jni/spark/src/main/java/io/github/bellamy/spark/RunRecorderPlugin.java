package io.github.bellamy.spark;

import com.codahale.metrics.MetricRegistry;
import io.github.bellamy.RunTable;
import io.github.bellamy.RuntimeModel;
import io.github.bellamy.Schema;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;

/**
 * Records the runs of an application that need not know of it; {@code spark.plugins} names this class, and {@value #PROPERTY}NAME the
 * value of each property of the application's context. Where {@value #RECORD} names a trace file, runs are appended to it stage by
 * stage. Where {@value #MODEL} names a model file, whose schema tells what the properties mean, runtimes are appended to the run table
 * {@value #TABLE}. What is wrong with these is logged, and the application runs on.
 */
public final class RunRecorderPlugin extends ListenerPlugin {
  public static final String MODEL = "spark.bellamy.model";
  public static final String TABLE = "spark.bellamy.table";
  public static final String RECORD = "spark.bellamy.record";
  public static final String PROPERTY = "spark.bellamy.property.";

  @Override
  void listen(SparkContext spark, MetricRegistry metrics) {
    boolean records = spark.conf().contains(RECORD);
    if (records) {
      add(
          spark,
          "bellamy writes no trace of this application",
          () -> RunListener.of(spark, new RescalerSettings(values(spark.conf(), RescalerSettings.PREFIX))));
    }
    if (!records || spark.conf().contains(MODEL)) {
      add(spark, "bellamy does not record this application in a table", () -> recorder(spark));
    }
  }

  private static RunRecorder recorder(SparkContext spark) {
    SparkConf conf = spark.conf();
    if (!conf.contains(MODEL) || !conf.contains(TABLE)) {
      throw new IllegalArgumentException("expected " + RECORD + ", or both " + MODEL + " and " + TABLE);
    }
    try (RuntimeModel model = RuntimeModel.load(RescalerSettings.pathOnDriver(MODEL, conf.get(MODEL)))) {
      Schema schema = model.schema();
      return new RunRecorder(
          schema.context(values(conf, PROPERTY)),
          new RunTable(RescalerSettings.pathOnDriver(TABLE, conf.get(TABLE)), schema),
          spark.startTime(),
          allocatesDynamically(spark));
    }
  }
}
