package io.github.bellamy.spark;

import io.github.bellamy.Context;
import io.github.bellamy.Run;
import io.github.bellamy.RunTable;
import io.github.bellamy.RuntimeModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/** Many algorithms' models, or many jobs' runtimes, at once: a Spark job whose executors call the library. */
public final class SparkPretrain {
  private SparkPretrain() {}

  /** One model per algorithm, by name, from its runs; the same bytes as one after the other. */
  public static Map<String, byte[]> pretrain(JavaSparkContext spark, Map<String, List<Run>> histories, long seed) {
    List<Tuple2<String, List<Run>>> tasks = new ArrayList<>();
    histories.forEach((algorithm, runs) -> tasks.add(new Tuple2<>(algorithm, new ArrayList<>(runs))));
    return new TreeMap<>(
        spark
            .parallelizePairs(tasks, Math.max(1, tasks.size()))
            .mapToPair(task -> new Tuple2<>(task._1(), pretrain(task._1(), task._2(), seed)))
            .collectAsMap());
  }

  /** What an executor does. */
  public static byte[] pretrain(String algorithm, List<Run> history, long seed) {
    try (RuntimeModel model = RuntimeModel.pretrain(history, algorithm, seed)) {
      return model.toBytes();
    }
  }

  /** One quantile each, in seconds, of a fleet of jobs: the i-th context at the i-th scale-out, in as many parts as asked for. */
  public static double[] quantilesSeconds(
      JavaSparkContext spark, byte[] model, List<Context> contexts, int[] scaleOuts, double p, int parts) {
    List<Tuple2<Context, Integer>> questions =
        IntStream.range(0, contexts.size())
            .mapToObj(i -> new Tuple2<>(contexts.get(i), scaleOuts[i]))
            .collect(Collectors.toList());
    return spark
        .parallelize(questions, parts)
        .glom()
        .map(
            part -> {
              double[] found = new double[part.size()];
              try (RuntimeModel here = RuntimeModel.fromBytes(model)) {
                here.quantilesSeconds(
                    part.stream().map(Tuple2::_1).collect(Collectors.toList()),
                    part.stream().mapToInt(Tuple2::_2).toArray(),
                    p,
                    found);
              }
              return found;
            })
        .collect()
        .stream()
        .flatMapToDouble(Arrays::stream)
        .toArray();
  }

  /**
   * {@code SparkPretrain MODELS TABLES OUT}: for every NAME.bellamy in the first folder, whose schema tells what the columns mean, learns
   * from NAME.tsv in the second and writes NAME.bellamy to the third.
   */
  public static void main(String[] arguments) throws IOException {
    if (arguments.length != 3) {
      System.err.println("SparkPretrain MODELS TABLES OUT");
      System.exit(2);
    }
    Path out = Files.createDirectories(Paths.get(arguments[2]));
    Map<String, List<Run>> histories = histories(Paths.get(arguments[0]), Paths.get(arguments[1]));
    try (JavaSparkContext spark = new JavaSparkContext()) {
      for (Map.Entry<String, byte[]> each : pretrain(spark, histories, 0).entrySet()) {
        try (RuntimeModel made = RuntimeModel.fromBytes(each.getValue())) {
          made.save(out.resolve(each.getKey() + ".bellamy"));
        }
      }
    }
  }

  private static Map<String, List<Run>> histories(Path models, Path tables) throws IOException {
    Map<String, List<Run>> histories = new TreeMap<>();
    try (Stream<Path> files = Files.list(models)) {
      for (Path file : files.filter(each -> each.toString().endsWith(".bellamy")).collect(Collectors.toList())) {
        String name = file.getFileName().toString().replaceAll("\\.bellamy$", "");
        try (RuntimeModel model = RuntimeModel.load(file)) {
          histories.put(name, new RunTable(tables.resolve(name + ".tsv"), model.schema()).read());
        }
      }
    }
    return histories;
  }
}
