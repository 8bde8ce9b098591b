package io.github.bellamy.spark;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.github.luben.zstd.ZstdInputStream;
import io.github.bellamy.ApplicationTrace;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Trace files: JSON Lines, one run of an application a line, plain or compressed by zstd. */
final class TraceFile {
  /** Writes tokens: the classes that turn trees into JSON take a tenth of a second to load. */
  private static final JsonFactory TOKENS = JsonFactory.builder().enable(StreamWriteFeature.USE_FAST_DOUBLE_WRITER).build();

  /** The file of a folder to which runs are appended. */
  static final String APPENDED = "runs.jsonl";

  /** Spark's listeners wait while a line is appended. */
  private static final long LONGEST_WAIT_NANOS = 1_000_000_000;

  private static final long RETRY_NANOS = 10_000_000;

  private TraceFile() {}

  /** Fields of the object that a line is. */
  interface Fields {
    void writeTo(JsonGenerator into) throws IOException;
  }

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
          ApplicationTrace run = TraceParser.parse(line);
          if (run.application().equals(application)) {
            all.add(run);
          }
        });
    return all;
  }

  /** By name, but the one to which runs are appended is the last: what a folder held before stays the beginning of what it holds. */
  static List<Path> files(Path fileOrFolder) throws IOException {
    if (!Files.isDirectory(fileOrFolder)) {
      return Files.exists(fileOrFolder) ? List.of(fileOrFolder) : List.of();
    }
    try (Stream<Path> inside = Files.list(fileOrFolder)) {
      return inside
          .filter(each -> each.toString().endsWith(".jsonl") || each.toString().endsWith(".jsonl.zst"))
          .sorted(Comparator.comparing(TraceFile::isAppended).thenComparing(Comparator.naturalOrder()))
          .collect(Collectors.toList());
    }
  }

  private static boolean isAppended(Path file) {
    return file.getFileName().toString().equals(APPENDED);
  }

  /**
   * Appends a line under a lock that keeps other writers away; where durable, it is on the disk when this returns. Error:
   * IOException, after which the file is as it was; also where the last line was torn by a crash, which is not lengthened, or where
   * another writer keeps the lock.
   */
  static void append(Path file, Fields line, boolean durable) throws IOException {
    Path folder = file.toAbsolutePath().getParent();
    Files.createDirectories(folder);
    ByteBuffer bytes = bytesOf(line);
    try (FileChannel channel =
            FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        FileLock lock = lock(channel, file)) {
      long size = channel.size();
      ByteBuffer last = ByteBuffer.allocate(1);
      if (size > 0 && (channel.read(last, size - 1) != 1 || last.get(0) != '\n')) {
        throw new IOException("expected whole lines in " + file + ", found a last one without an end");
      }
      try {
        write(channel, size, bytes, durable);
      } catch (IOException torn) {
        channel.truncate(size);
        throw torn;
      }
    }
  }

  private static void write(FileChannel channel, long from, ByteBuffer bytes, boolean durable) throws IOException {
    channel.position(from);
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
    if (durable) {
      channel.force(true);
    }
  }

  private static FileLock lock(FileChannel channel, Path file) throws IOException {
    long begin = System.nanoTime();
    FileLock lock = tryLock(channel);
    while (lock == null) {
      if (System.nanoTime() - begin > LONGEST_WAIT_NANOS) {
        throw new IOException("expected a lock of " + file + " within 1 s, found another writer that keeps it");
      }
      LockSupport.parkNanos(RETRY_NANOS);
      lock = tryLock(channel);
    }
    return lock;
  }

  /** Null while another writer has it, of this process or another one. */
  private static FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException ofThisProcess) {
      return null;
    }
  }

  private static ByteBuffer bytesOf(Fields line) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonGenerator json = TOKENS.createGenerator(bytes)) {
      json.writeStartObject();
      line.writeTo(json);
      json.writeEndObject();
    }
    bytes.write('\n');
    return ByteBuffer.wrap(bytes.toByteArray());
  }
}
