package io.github.bellamy.spark;

import io.github.bellamy.Context;
import io.github.bellamy.Property;
import io.github.bellamy.Run;
import io.github.bellamy.RuntimeModel;
import io.github.bellamy.ScaleOutUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.api.java.JavaSparkContext;

/** An application that compares what executors learn and predict with what this process does one after the other. */
public final class FleetCheck {
  private FleetCheck() {}

  static Context context(long sizeGb) {
    return new Context(List.of(Property.natural("size_gb", sizeGb)), List.of(), ScaleOutUnit.NODE);
  }

  static Map<String, List<Run>> histories() {
    Map<String, List<Run>> histories = new TreeMap<>();
    for (int algorithm = 1; algorithm <= 6; algorithm++) {
      List<Run> runs = new ArrayList<>();
      for (int size = 10; size <= 60; size += 10) {
        for (int x = 2; x <= 12; x += 2) {
          runs.add(new Run(context(size), x, 10 * algorithm + 4.0 * size / x));
        }
      }
      histories.put("algorithm-" + algorithm, runs);
    }
    return histories;
  }

  public static void main(String[] arguments) {
    Map<String, List<Run>> histories = histories();
    List<Context> contexts = new ArrayList<>();
    int[] scaleOuts = new int[100];
    for (int i = 0; i < scaleOuts.length; i++) {
      contexts.add(context(10 + i % 50));
      scaleOuts[i] = 2 + i % 11;
    }
    Map<String, byte[]> learned;
    double[] predicted;
    long processes;
    try (JavaSparkContext spark = new JavaSparkContext()) {
      learned = SparkPretrain.pretrain(spark, histories, 7);
      predicted = SparkPretrain.quantilesSeconds(spark, learned.get("algorithm-1"), contexts, scaleOuts, 0.9, 4);
      processes =
          spark
              .parallelize(new ArrayList<>(Arrays.asList(1, 2, 3, 4, 5, 6, 7, 8)), 8)
              .map(
                  i -> {
                    Thread.sleep(200); // so that one process cannot take all
                    return ProcessHandle.current().pid();
                  })
              .distinct()
              .count();
    }
    require(learned.keySet().equals(histories.keySet()), "every algorithm");
    histories.forEach(
        (name, runs) ->
            require(Arrays.equals(SparkPretrain.pretrain(name, runs, 7), learned.get(name)), "the same bytes of " + name));
    double[] here = new double[scaleOuts.length];
    try (RuntimeModel model = RuntimeModel.fromBytes(learned.get("algorithm-1"))) {
      model.quantilesSeconds(contexts, scaleOuts, 0.9, here);
    }
    require(Arrays.equals(here, predicted), "the same predictions");
    require(processes >= 2, "at least 2 worker processes, found " + processes);
    System.out.println("the same in " + processes + " processes");
  }

  private static void require(boolean kept, String what) {
    if (!kept) {
      throw new IllegalStateException("expected " + what);
    }
  }
}
