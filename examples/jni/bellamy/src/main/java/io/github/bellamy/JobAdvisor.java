package io.github.bellamy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What a launcher asks before it submits a job and tells after the job ended: a model, and the table of the runs since. */
public final class JobAdvisor implements AutoCloseable {
  private final RuntimeModel general;
  private final SharedModel current;
  private final RunTable table;

  /** Conditions the model in a file on the runs that the table has. Errors: those of both, and of runs that do not fit the model. */
  public JobAdvisor(Path modelFile, Path tableFile) {
    general = RuntimeModel.load(modelFile);
    table = new RunTable(tableFile, general.schema());
    current = new SharedModel(general);
    current.condition(table.read());
  }

  public Schema schema() {
    return general.schema();
  }

  /** Runtimes of a context, by what is known now; for the caller to close. */
  public Curve runtimes(Context context) {
    try (RuntimeModel now = current.snapshot()) {
      return now.bind(context);
    }
  }

  /** The smallest of the scale-outs that meets a deadline with a probability. Errors: as {@link Decision#choose}. */
  public Decision decide(Context context, List<Integer> scaleOuts, double deadlineSeconds, double probability) {
    try (Curve runtimes = runtimes(context)) {
      List<Candidate> candidates = new ArrayList<>();
      scaleOuts.forEach(each -> candidates.add(new Candidate(runtimes, each, Price.FREE)));
      return Decision.withinDeadline(Goal.SMALLEST_WITHIN_DEADLINE, candidates, deadlineSeconds, probability);
    }
  }

  /** Writes a finished run down, then learns from it. Errors: those of {@link RunTable#append} and of {@link SharedModel#condition}. */
  public void record(Run run) {
    table.append(run);
    current.condition(List.of(run));
  }

  @Override
  public void close() {
    current.close();
    general.close();
  }
}
