package io.github.bellamy.spark;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/** {@code WordCount LINES}: counts the words of that many made-up lines; its tasks fail where that is negative. */
public final class WordCount {
  private static final int PARTS = 16;
  private static final int WORDS = 8;

  private WordCount() {}

  public static void main(String[] arguments) {
    int lines = Integer.parseInt(arguments[0]);
    try (JavaSparkContext spark = new JavaSparkContext()) {
      List<Integer> parts = IntStream.range(0, PARTS).boxed().collect(Collectors.toList());
      long counted =
          spark
              .parallelize(parts, PARTS)
              .flatMap(part -> lines(part, lines / PARTS).iterator())
              .flatMap(line -> Arrays.asList(line.split(" ")).iterator())
              .mapToPair(word -> new Tuple2<>(word, 1L))
              .reduceByKey(Long::sum)
              .map(Tuple2::_2)
              .reduce(Long::sum);
      if (counted != (long) lines / PARTS * PARTS * WORDS) {
        throw new IllegalStateException("miscounted: " + counted);
      }
    }
  }

  private static Stream<String> lines(int part, int count) {
    if (count < 0) {
      throw new IllegalArgumentException("failed as asked for");
    }
    return IntStream.range(0, count).mapToObj(i -> line(part + i));
  }

  private static String line(int number) {
    return IntStream.range(0, WORDS).mapToObj(i -> "word" + (number * 31 + i * i) % 997).collect(Collectors.joining(" "));
  }
}
