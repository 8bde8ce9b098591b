package io.github.bellamy.spark;

import io.github.bellamy.ApplicationTrace;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.zip.CRC32;

/**
 * The runs of a trace file or folder that a model of one application is learned from, in their order, with a checksum of each
 * beginning of them. Reading it looks at no more of a line than tells whose run it is; the newest are parsed where they are needed.
 */
final class History {
  /** The newest that count: learning takes time in proportion. */
  private static final int MOST_RUNS = 200;

  private final Deque<String> newest = new ArrayDeque<>();
  private final List<Long> checksums = new ArrayList<>();
  private final String application;
  private final CRC32 checksum = new CRC32();

  private History(String application) {
    this.application = application;
  }

  /** Those whose names become that of the application by the rule, without the run that is going on, which may be there already. Error: IOException. */
  static History read(Path fileOrFolder, String application, NameRule names, String butForRun) throws IOException {
    History history = new History(application);
    TraceFile.forEachLine(
        fileOrFolder,
        line -> {
          if (TraceParser.canBeLearnedFrom(line, application, names, butForRun)) {
            history.add(line);
          }
        });
    return history;
  }

  private void add(String line) {
    checksum.update(line.getBytes(StandardCharsets.UTF_8));
    checksums.add(checksum.getValue());
    newest.add(line);
    if (newest.size() > MOST_RUNS) {
      newest.remove();
    }
  }

  int runs() {
    return checksums.size();
  }

  /** Of the first so many runs, at least one. */
  long checksum(int runs) {
    return checksums.get(runs - 1);
  }

  /** Error: IOException. */
  List<ApplicationTrace> newest() throws IOException {
    List<ApplicationTrace> all = new ArrayList<>();
    for (String each : newest) {
      all.add(TraceParser.parse(each, application));
    }
    return all;
  }
}
