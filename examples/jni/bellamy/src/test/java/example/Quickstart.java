package example;

import io.github.bellamy.*;
import java.nio.file.Path;
import java.util.*;

/** How many nodes does the job at hand take to end within 50 seconds, nine times out of ten? */
public final class Quickstart {
  public static void main(String[] arguments) {
    try (RuntimeModel general = RuntimeModel.load(Path.of(arguments[0]))) {
      Context job =
          general.schema().context(Map.of("machine", "m5.large", "size_gb", "35", "skew", "0.5", "memory_gb", "8"));
      List<Run> observed = List.of(new Run(job, 4, 58), new Run(job, 8, 39));

      try (RuntimeModel model = general.condition(observed);
          Curve runtimes = model.bind(job)) {
        List<Candidate> candidates = new ArrayList<>();
        for (int nodes = 2; nodes <= 12; nodes += 2) {
          candidates.add(new Candidate(runtimes, nodes, Price.perUnitAndHour(0.1)));
        }
        Decision answer = Decision.withinDeadline(Goal.CHEAPEST_WITHIN_DEADLINE, candidates, 50, 0.9);
        System.out.println(answer); // the choice, and every candidate with its quantiles and why it was not taken
      }
    }
  }
}
