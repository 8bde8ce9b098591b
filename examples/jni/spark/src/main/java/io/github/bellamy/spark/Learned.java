package io.github.bellamy.spark;

import io.github.bellamy.ApplicationModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is learned of an application from its history: kept beside that for the next driver, and learned anew once the history has
 * grown by more than a quarter. One thread uses it.
 */
final class Learned implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Learned.class);

  private final String application;
  private final NameRule names;
  private Path from;
  private ApplicationModel model;
  private int runs;
  private long bytesSeen = -1;

  /** Runs of a history whose names become this one by the rule are runs of the application, too. */
  Learned(String application, NameRule names) {
    this.application = application;
    this.names = names;
  }

  /** Null where there is nothing to learn from. */
  ApplicationModel model() {
    return model;
  }

  /**
   * Learns what has been added to the history, but for the run itself, which may be there already. Errors: IOException, and those of {@link
   * ApplicationModel}; there is no model then, and the next call looks anew.
   */
  void refresh(Path history, String butForRun) throws IOException {
    try {
      look(history, butForRun);
    } catch (IOException | RuntimeException | LinkageError failed) {
      close();
      from = null;
      throw failed;
    }
  }

  private void look(Path history, String butForRun) throws IOException {
    if (history == null) {
      return;
    }
    if (!history.equals(from)) {
      close();
      from = history;
      runs = 0;
      bytesSeen = -1;
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
      loadGiven(history);
      return;
    }
    History past = History.read(history, application, names, butForRun);
    if (!hasGrown(past, runs)) {
      return;
    }
    KeptModel kept = new KeptModel(history, application);
    if (!takeKept(kept, past)) {
      learn(kept, past);
    }
  }

  private static boolean hasGrown(History past, int since) {
    return past.runs() > since + since / 4;
  }

  private void loadGiven(Path file) throws IOException {
    ApplicationModel given = ApplicationModel.load(file);
    String of = given.application();
    if (!of.equals(application)) {
      given.close();
      throw new IOException("expected a model of " + application + " in " + file + ", found one of " + of);
    }
    replace(given, 0);
    LOG.info("bellamy forecasts {} by {}", application, file);
  }

  private boolean takeKept(KeptModel kept, History past) throws IOException {
    int known = kept.runs(past);
    if (known == 0 || hasGrown(past, known)) {
      return false;
    }
    ApplicationModel found = kept.load(past, known);
    if (found == null) {
      return false;
    }
    replace(found, known);
    LOG.info("bellamy forecasts {} by the kept model of {} runs; the history has {}", application, known, past.runs());
    return true;
  }

  private void learn(KeptModel kept, History past) throws IOException {
    long begin = System.nanoTime();
    replace(ApplicationModel.pretrain(past.newest(), 0, 1), past.runs());
    LOG.info(
        "bellamy learned {} from {} runs at {} to {} cores in {} ms",
        application,
        runs,
        model.smallestSeenScaleOut(),
        model.largestSeenScaleOut(),
        (System.nanoTime() - begin) / 1_000_000);
    kept.save(model, past);
  }

  private void replace(ApplicationModel by, int learnedFrom) {
    close();
    model = by;
    runs = learnedFrom;
  }

  @Override
  public void close() {
    if (model != null) {
      model.close();
      model = null;
    }
  }
}
