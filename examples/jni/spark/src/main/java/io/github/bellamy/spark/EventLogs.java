package io.github.bellamy.spark;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SparkConf;
import org.apache.spark.deploy.history.EventLogFileReader;
import org.apache.spark.io.CompressionCodec;
import scala.Option;
import scala.collection.Iterator;

/** Event logs on any file system that Hadoop knows, found and opened by Spark's own readers and codecs. */
final class EventLogs {
  /** A file, or the parts of a rolling log in the order in which Spark wrote them. */
  static final class Log implements Serializable {
    private static final long serialVersionUID = 1;

    /** Relative to the folder that was asked for. */
    final String name;
    final ArrayList<String> parts = new ArrayList<>();
    long bytes;
    /** Its user takes it for a log. */
    final boolean wasNamed;
    final boolean rolls;

    Log(String name, boolean wasNamed, boolean rolls) {
      this.name = name;
      this.wasNamed = wasNamed;
      this.rolls = rolls;
    }
  }

  private static final String GZIP = "gzip";

  // A log's name may lie: compacted parts are compressed or not whatever it ends in. By the first bytes, as Spark's names.
  private static final Map<String, byte[]> FIRST_BYTES = new LinkedHashMap<>();

  static {
    FIRST_BYTES.put("lz4", "LZ4Block".getBytes(StandardCharsets.ISO_8859_1));
    FIRST_BYTES.put("snappy", "\u0082SNAPPY\0".getBytes(StandardCharsets.ISO_8859_1));
    FIRST_BYTES.put("zstd", new byte[] {0x28, (byte) 0xB5, 0x2F, (byte) 0xFD});
    FIRST_BYTES.put("lzf", "ZV".getBytes(StandardCharsets.ISO_8859_1));
    FIRST_BYTES.put(GZIP, new byte[] {0x1F, (byte) 0x8B});
  }

  private EventLogs() {}

  /** The logs of files and folders, with all below them, in the order of their names. Error: IOException, also where there is no such path. */
  static List<Log> find(List<String> paths, Configuration hadoop) throws IOException {
    List<Log> found = new ArrayList<>();
    for (String each : paths) {
      Path path = new Path(each);
      FileSystem files = path.getFileSystem(hadoop);
      FileStatus status = files.getFileStatus(path);
      boolean isFolder = status.isDirectory() && !isRolling(path);
      search(files, status, isFolder ? "" : path.getName(), true, found);
    }
    return found;
  }

  private static boolean isRolling(Path path) {
    return path.getName().startsWith("eventlog_v2_");
  }

  private static void search(FileSystem files, FileStatus status, String name, boolean wasNamed, List<Log> found)
      throws IOException {
    if (status.isDirectory() && !isRolling(status.getPath())) {
      FileStatus[] inside = files.listStatus(status.getPath());
      Arrays.sort(inside, Comparator.comparing(each -> each.getPath().getName()));
      for (FileStatus each : inside) {
        String file = each.getPath().getName();
        if (!file.startsWith("_SUCCESS") && !file.startsWith("appstatus_") && !file.endsWith(".crc")) {
          search(files, each, name.isEmpty() ? file : name + "/" + file, false, found);
        }
      }
      return;
    }
    Option<EventLogFileReader> reader = EventLogFileReader.apply(files, status);
    if (reader.isDefined()) {
      Log log = new Log(name, wasNamed, status.isDirectory());
      for (Iterator<FileStatus> parts = reader.get().listEventLogFiles().iterator(); parts.hasNext(); ) {
        FileStatus part = parts.next();
        log.parts.add(part.getPath().toString());
        log.bytes += part.getLen();
      }
      found.add(log);
    }
  }

  /** Where the text goes; it may want no more, because the log is none. */
  static final class Sink {
    private final OutputStream to;
    private boolean full;
    private byte last = '\n';

    Sink(OutputStream to) {
      this.to = to;
    }

    void put(byte[] bytes, int count) {
      try {
        to.write(bytes, 0, count);
        last = bytes[count - 1];
      } catch (IOException enough) {
        full = true;
      }
    }
  }

  /** The text of all parts. Of compressed data that are cut or damaged, what decodes. Error: IOException for a part that cannot be read. */
  static void read(Log log, Configuration hadoop, SparkConf conf, Sink into) throws IOException {
    for (String part : log.parts) {
      if (into.full) {
        return;
      }
      if (into.last != '\n') {
        into.put(new byte[] {'\n'}, 1);
      }
      Path path = new Path(part);
      try (InputStream bytes = path.getFileSystem(hadoop).open(path)) {
        copy(bytes, conf, into);
      }
    }
  }

  private static void copy(InputStream bytes, SparkConf conf, Sink into) throws IOException {
    BufferedInputStream buffered = new BufferedInputStream(bytes, 1 << 16);
    String codec = codec(buffered);
    if (codec.isEmpty()) {
      copy(buffered, into);
      return;
    }
    try (InputStream plain = decoded(buffered, codec, conf)) {
      copy(plain, into);
    } catch (IOException cutOrDamaged) {
      return;
    }
  }

  private static void copy(InputStream plain, Sink into) throws IOException {
    byte[] block = new byte[1 << 16];
    for (int count = plain.read(block); count >= 0 && !into.full; count = plain.read(block)) {
      if (count > 0) {
        into.put(block, count);
      }
    }
  }

  /** Empty for plain text. */
  private static String codec(BufferedInputStream buffered) throws IOException {
    buffered.mark(Long.BYTES);
    byte[] first = buffered.readNBytes(Long.BYTES);
    buffered.reset();
    for (Map.Entry<String, byte[]> each : FIRST_BYTES.entrySet()) {
      byte[] magic = each.getValue();
      if (first.length >= magic.length && Arrays.equals(magic, Arrays.copyOf(first, magic.length))) {
        return each.getKey();
      }
    }
    return "";
  }

  private static InputStream decoded(InputStream bytes, String codec, SparkConf conf) throws IOException {
    return codec.equals(GZIP)
        ? new GZIPInputStream(bytes)
        : CompressionCodec.createCodec(conf, codec).compressedContinuousInputStream(bytes);
  }
}
