package io.github.bellamy.spark;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.luben.zstd.ZstdInputStream;
import io.github.bellamy.ApplicationTrace;
import io.github.bellamy.JobTrace;
import io.github.bellamy.Property;
import io.github.bellamy.ScaleOutStep;
import io.github.bellamy.ScaleOutUnit;
import io.github.bellamy.StageTrace;
import io.github.bellamy.TraceOutcome;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Trace files: JSON Lines, one run of an application a line, plain or compressed by zstd. */
final class TraceFile {
  private static final JsonFactory TOKENS = new JsonFactory();

  /** Made where it is needed: its classes take a tenth of a second to load, and a driver that starts has no trace to parse or to write. */
  private static final class Json {
    static final ObjectMapper MAPPER = new ObjectMapper();
  }

  /** What a run's fields mean where they are absent. */
  private static final Map<String, String> ABSENT =
      Map.of("format", "", "application", "", "run", "", "unit", "node", "outcome", "succeeded");

  private TraceFile() {}

  /** What is done with a line. */
  interface LineUse {
    void of(String line) throws IOException;
  }

  /** The lines of a file, or of the files of a folder; none where there is no such file. Error: IOException, which tells file and line. */
  static void forEachLine(Path fileOrFolder, LineUse use) throws IOException {
    for (Path file : files(fileOrFolder)) {
      try (InputStream bytes = Files.newInputStream(file);
          InputStream plain = file.toString().endsWith(".zst") ? new ZstdInputStream(bytes) : bytes;
          BufferedReader lines = new BufferedReader(new InputStreamReader(plain, StandardCharsets.UTF_8))) {
        int number = 0;
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          number++;
          try {
            if (!line.isBlank()) {
              use.of(line);
            }
          } catch (IOException | IllegalArgumentException wrong) {
            throw new IOException(file + ", line " + number + ": " + wrong.getMessage(), wrong);
          }
        }
      }
    }
  }

  /** The runs of an application in a file or in the files of a folder; none where there is no such file. Error: IOException. */
  static List<ApplicationTrace> read(Path fileOrFolder, String application) throws IOException {
    List<ApplicationTrace> all = new ArrayList<>();
    forEachLine(
        fileOrFolder,
        line -> {
          JsonNode run = toTree(line);
          if (run.path("application").asText().equals(application)) {
            all.add(toTrace(run));
          }
        });
    return all;
  }

  static List<Path> files(Path fileOrFolder) throws IOException {
    if (!Files.isDirectory(fileOrFolder)) {
      return Files.exists(fileOrFolder) ? List.of(fileOrFolder) : List.of();
    }
    try (Stream<Path> inside = Files.list(fileOrFolder)) {
      return inside
          .filter(each -> each.toString().endsWith(".jsonl") || each.toString().endsWith(".jsonl.zst"))
          .sorted()
          .collect(Collectors.toList());
    }
  }

  private static JsonNode toTree(String line) throws IOException {
    JsonNode run = Json.MAPPER.readTree(line);
    requireFormat(run.path("format").asText());
    return run;
  }

  private static void requireFormat(String found) throws IOException {
    if (!found.equals("1")) {
      throw new IOException("expected format 1, found " + (found.isEmpty() ? "none" : found));
    }
  }

  /** The run that a line holds. Error: IOException. */
  static ApplicationTrace toTrace(String line) throws IOException {
    try {
      return toTrace(toTree(line));
    } catch (IllegalArgumentException wrong) {
      throw new IOException(wrong.getMessage(), wrong);
    }
  }

  /**
   * Whether a line holds a run of the application, but not this one, that succeeded and whose scale-out counts cores. Looks no further than to
   * the fields that tell it, which stand before the jobs. Error: IOException.
   */
  static boolean canBeLearnedFrom(String line, String application, String butForRun) throws IOException {
    Map<String, String> wanted = new HashMap<>(ABSENT);
    int left = wanted.size();
    try (JsonParser parser = TOKENS.createParser(line)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw new IOException("expected an object, found " + parser.currentToken());
      }
      while (left > 0 && parser.nextToken() == JsonToken.FIELD_NAME) {
        String field = parser.currentName();
        if (parser.nextToken().isScalarValue() && wanted.containsKey(field)) {
          wanted.put(field, parser.getText());
          left--;
        } else {
          parser.skipChildren();
        }
      }
    }
    requireFormat(wanted.get("format"));
    return wanted.get("application").equals(application)
        && wanted.get("outcome").equals("succeeded")
        && wanted.get("unit").equals("core")
        && (butForRun.isEmpty() || !wanted.get("run").equals(butForRun));
  }

  private static ApplicationTrace toTrace(JsonNode run) {
    List<Property> properties = new ArrayList<>();
    run.path("properties").fields().forEachRemaining(each -> properties.add(toProperty(each.getKey(), each.getValue())));
    List<ScaleOutStep> steps = new ArrayList<>();
    run.path("scale_out").forEach(each -> steps.add(new ScaleOutStep(each.path(0).asDouble(), each.path(1).asInt())));
    List<JobTrace> jobs = new ArrayList<>();
    for (JsonNode job : run.path("jobs")) {
      List<StageTrace> stages = new ArrayList<>();
      job.path("stages").forEach(each -> stages.add(toStage(each)));
      jobs.add(new JobTrace(job.path("id").asLong(), time(job, "submitted_s"), time(job, "completed_s"), outcome(job), stages));
    }
    return new ApplicationTrace(
        run.path("application").asText(),
        run.path("run").asText(),
        ScaleOutUnit.valueOf(run.path("unit").asText("node").toUpperCase(Locale.ROOT)),
        properties,
        steps,
        jobs,
        run.path("runtime_s").asDouble(),
        outcome(run));
  }

  private static Property toProperty(String name, JsonNode value) {
    if (value.isNull()) {
      return Property.unknown(name);
    }
    return value.isNumber()
        ? RescalerSettings.property(name, value.asDouble())
        : RescalerSettings.withRole(Property.text(name, value.asText()));
  }

  private static StageTrace toStage(JsonNode stage) {
    StageTrace.Builder made =
        StageTrace.builder(stage.path("id").asLong(), time(stage, "submitted_s"), time(stage, "completed_s"))
            .attempt(stage.path("attempt").asLong())
            .name(stage.path("name").asText())
            .parents(numbers(stage.path("parents")).mapToLong(JsonNode::asLong).toArray())
            .tasks(stage.path("tasks").asLong(-1))
            .outcome(outcome(stage))
            .taskSeconds(numbers(stage.path("task_s")).mapToDouble(JsonNode::asDouble).toArray())
            .firstWave(stage.path("first_wave").asLong(-1));
    if (stage.has("scale_out")) {
      made.scaleOut(stage.path("scale_out").path(0).asInt(), stage.path("scale_out").path(1).asInt());
    }
    return made.build();
  }

  private static Stream<JsonNode> numbers(JsonNode array) {
    List<JsonNode> all = new ArrayList<>();
    array.forEach(all::add);
    return all.stream();
  }

  private static double time(JsonNode of, String name) {
    return of.path(name).asDouble(Double.NaN);
  }

  private static TraceOutcome outcome(JsonNode of) {
    return TraceOutcome.valueOf(of.path("outcome").asText("succeeded").toUpperCase(Locale.ROOT));
  }

  /**
   * Appends a line under a lock that keeps other writers away; where durable, it is on the disk when this returns. Error: IOException, also where the
   * last line was torn by a crash, which is not lengthened.
   */
  static void append(Path file, JsonNode line, boolean durable) throws IOException {
    Path folder = file.toAbsolutePath().getParent();
    Files.createDirectories(folder);
    byte[] bytes = (Json.MAPPER.writeValueAsString(line) + "\n").getBytes(StandardCharsets.UTF_8);
    try (FileChannel channel =
            FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        FileLock lock = channel.lock()) {
      long size = channel.size();
      ByteBuffer last = ByteBuffer.allocate(1);
      if (size > 0 && (channel.read(last, size - 1) != 1 || last.get(0) != '\n')) {
        throw new IOException("expected whole lines in " + file + ", found a last one without an end");
      }
      channel.position(size);
      for (ByteBuffer rest = ByteBuffer.wrap(bytes); rest.hasRemaining(); ) {
        channel.write(rest);
      }
      if (durable) {
        channel.force(true);
      }
    }
  }
}
