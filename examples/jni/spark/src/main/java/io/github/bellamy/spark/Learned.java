package io.github.bellamy.spark;

import io.github.bellamy.ApplicationModel;
import io.github.bellamy.ApplicationTrace;
import io.github.bellamy.ScaleOutUnit;
import io.github.bellamy.TraceOutcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is learned of an application from its history; learned anew once that has grown by a quarter. One thread uses it. */
final class Learned implements AutoCloseable {
  /** The newest that count: learning takes time in proportion. */
  private static final int MOST_RUNS = 200;

  private static final Logger LOG = LoggerFactory.getLogger(Learned.class);

  private final String application;
  private ApplicationModel model;
  private int runs;
  private long bytesSeen = -1;

  Learned(String application) {
    this.application = application;
  }

  /** Null where there is nothing to learn from. */
  ApplicationModel model() {
    return model;
  }

  /** Learns what has been added to the history, but for the run itself, which may be there already. Errors: IOException, and those of {@link ApplicationModel}. */
  void refresh(Path history, String butForRun) throws IOException {
    if (history == null) {
      return;
    }
    long bytes = 0;
    for (Path each : TraceFile.files(history)) {
      bytes += Files.size(each);
    }
    if (bytes == bytesSeen) {
      return;
    }
    bytesSeen = bytes;
    if (history.toString().endsWith(".bellamy")) {
      replace(ApplicationModel.load(history));
      if (!model.application().equals(application)) {
        throw new IOException("expected a model of " + application + " in " + history + ", found one of " + model.application());
      }
      LOG.info("bellamy forecasts {} by {}", application, history);
      return;
    }
    List<ApplicationTrace> past =
        TraceFile.read(history, application).stream()
            .filter(each -> each.outcome() == TraceOutcome.SUCCEEDED && each.unit() == ScaleOutUnit.CORE)
            .filter(each -> butForRun.isEmpty() || !each.run().equals(butForRun))
            .collect(Collectors.toList());
    if (past.size() <= runs + runs / 4) {
      return;
    }
    long begin = System.nanoTime();
    replace(ApplicationModel.pretrain(past.subList(Math.max(0, past.size() - MOST_RUNS), past.size()), 0, 1));
    runs = past.size();
    LOG.info(
        "bellamy learned {} from {} runs at {} to {} cores in {} ms",
        application,
        runs,
        model.smallestSeenScaleOut(),
        model.largestSeenScaleOut(),
        (System.nanoTime() - begin) / 1_000_000);
  }

  private void replace(ApplicationModel by) {
    close();
    model = by;
  }

  @Override
  public void close() {
    if (model != null) {
      model.close();
      model = null;
    }
  }
}
