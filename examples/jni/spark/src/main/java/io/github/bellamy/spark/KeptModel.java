package io.github.bellamy.spark;

import io.github.bellamy.ApplicationModel;
import io.github.bellamy.BellamyException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file beside a history in which the model learned from it is kept, so that the next driver need not learn it again. Its name
 * states what it was learned from, {@code HISTORY.NAME-RUNS-CHECKSUM.bellamy}, and NAME is a checksum of the application's
 * name: a model of other runs is not taken for it.
 */
final class KeptModel {
  private static final Logger LOG = LoggerFactory.getLogger(KeptModel.class);

  private final Path folder;
  private final String prefix;
  private final Pattern name;
  private final String application;

  KeptModel(Path history, String application) {
    boolean inFolder = Files.isDirectory(history);
    CRC32 hash = new CRC32();
    hash.update(application.getBytes(StandardCharsets.UTF_8));
    folder = inFolder ? history : history.toAbsolutePath().getParent();
    prefix = (inFolder ? "learned" : history.getFileName()) + "." + hex(hash.getValue());
    name = Pattern.compile(Pattern.quote(prefix) + "-([0-9]{1,9})-([0-9a-f]{8})\\.bellamy");
    this.application = application;
  }

  private static String hex(long checksum) {
    return String.format(Locale.ROOT, "%08x", checksum);
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.filter(each -> name.matcher(each.getFileName().toString()).matches()).collect(Collectors.toList());
    }
  }

  /** The most runs that a kept model was learned from, all of which the history begins with; 0 where there is none. */
  int runs(History history) throws IOException {
    int most = 0;
    for (Path each : files()) {
      Matcher parts = name.matcher(each.getFileName().toString());
      int runs = parts.matches() ? Integer.parseInt(parts.group(1)) : 0;
      if (runs == 0 || runs > history.runs() || !parts.group(2).equals(hex(history.checksum(runs)))) {
        LOG.warn("bellamy does not use {}: it was learned from other runs than those that the history begins with", each);
      } else {
        most = Math.max(most, runs);
      }
    }
    return most;
  }

  private Path file(History history, int runs) {
    return folder.resolve(prefix + "-" + runs + "-" + hex(history.checksum(runs)) + ".bellamy");
  }

  /** Null, and a sentence in the log, where it cannot be used. */
  ApplicationModel load(History history, int runs) {
    Path file = file(history, runs);
    try {
      ApplicationModel found = ApplicationModel.load(file);
      if (found.application().equals(application)) {
        return found;
      }
      LOG.warn("bellamy does not use {}: expected a model of {}, found one of {}", file, application, found.application());
      found.close();
    } catch (BellamyException broken) {
      LOG.warn("bellamy does not use {}: {}", file, broken.getMessage());
    }
    return null;
  }

  /** In place of what was kept before; where that cannot be written, a sentence in the log. */
  void save(ApplicationModel model, History history) {
    Path file = file(history, history.runs());
    try {
      model.save(file);
      for (Path each : files()) {
        if (!each.getFileName().equals(file.getFileName())) {
          Files.deleteIfExists(each);
        }
      }
    } catch (IOException | BellamyException failed) {
      LOG.warn("bellamy could not keep what it learned; the next driver learns it again: {}", failed.getMessage());
    }
  }
}
