import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.file.src.FileSource;
import org.apache.flink.connector.file.src.reader.TextLineInputFormat;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamSource;
import org.apache.flink.streaming.api.environment.RemoteStreamEnvironment;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/**
 * Runs jobs on a MiniCluster of two TaskManagers, which archives them as a job manager does. Operators sleep, so that parallelism
 * shows on any machine.
 *
 * <p>{@code FlinkJobs ARCHIVES INPUT JOB PARALLELISM [JOB PARALLELISM]...}: INPUT is a folder of text files. What the REST
 * interface answers of the job "is asked" while it runs is saved beside the folder of archives.
 */
public final class FlinkJobs {
  private static final int SLOTS_PER_TASK_MANAGER = 4;
  private static final int RECORDS = 240;

  private FlinkJobs() {}

  /** A record takes so long. The first record fails where the flag is set, which clears it. */
  private static final class Waiting<T> implements MapFunction<T, T> {
    private static final long serialVersionUID = 1;
    static final AtomicBoolean FAILS_ONCE = new AtomicBoolean();
    private final long milliseconds;
    private final boolean failsAlways;

    Waiting(long milliseconds, boolean failsAlways) {
      this.milliseconds = milliseconds;
      this.failsAlways = failsAlways;
    }

    @Override
    public T map(T record) throws Exception {
      Thread.sleep(milliseconds);
      if (failsAlways || FAILS_ONCE.compareAndSet(true, false)) {
        throw new IllegalStateException("a record that nobody can read");
      }
      return record;
    }
  }

  public static void main(String[] arguments) throws Exception {
    Path archives = Path.of(arguments[0]).toAbsolutePath();
    Configuration conf = new Configuration();
    conf.setString("jobmanager.archive.fs.dir", archives.toUri().toString());
    conf.setString("taskmanager.memory.network.min", "16m");
    conf.setString("taskmanager.memory.network.max", "16m");
    conf.setString("taskmanager.memory.managed.size", "32m");
    try (MiniCluster cluster =
        new MiniCluster(
            new MiniClusterConfiguration.Builder()
                .setConfiguration(conf)
                .setNumTaskManagers(2)
                .setNumSlotsPerTaskManager(SLOTS_PER_TASK_MANAGER)
                .withRandomPorts()
                .build())) {
      cluster.start();
      for (int i = 2; i + 1 < arguments.length; i += 2) {
        URI address = cluster.getRestAddress().get();
        StreamExecutionEnvironment environment = new RemoteStreamEnvironment(address.getHost(), address.getPort());
        run(environment, address, arguments[i], Integer.parseInt(arguments[i + 1]), Path.of(arguments[1]), archives);
      }
    }
  }

  private static void run(
      StreamExecutionEnvironment environment, URI address, String job, int parallelism, Path input, Path archives)
      throws Exception {
    Configuration conf = new Configuration();
    conf.setString("restart-strategy.type", "fixed-delay");
    conf.setString("restart-strategy.fixed-delay.attempts", job.equals("fails") ? "0" : "3");
    conf.setString("restart-strategy.fixed-delay.delay", "100 ms");
    // Else Flink chooses less than what was asked for, as these data are small.
    conf.setString(
        "execution.batch.adaptive.auto-parallelism.enabled", job.equals("adapts") ? "true" : "false");
    environment.configure(conf);
    environment.setParallelism(parallelism);
    environment.setRuntimeMode(job.equals("streams") ? RuntimeExecutionMode.STREAMING : RuntimeExecutionMode.BATCH);
    Configuration parameters = new Configuration();
    parameters.setString("records", String.valueOf(RECORDS));
    environment.getConfig().setGlobalJobParameters(parameters);
    Waiting.FAILS_ONCE.set(job.equals("fails over"));
    define(environment, job, input);
    JobClient client = environment.executeAsync(job);
    if (job.equals("is cancelled")) {
      Thread.sleep(2000);
      client.cancel().get();
    } else if (job.equals("is asked")) {
      Thread.sleep(2000);
      HttpRequest question = HttpRequest.newBuilder(address.resolve("/jobs/" + client.getJobID())).build();
      Path answer = archives.resolveSibling("answer.json");
      HttpClient.newHttpClient().send(question, HttpResponse.BodyHandlers.ofFile(answer));
    }
    try {
      client.getJobExecutionResult().get();
    } catch (ExecutionException expected) {
      System.out.println(job + " did not succeed");
    }
    String id = client.getJobID().toString();
    while (!isArchived(archives, id)) {
      Thread.sleep(50);
    }
  }

  private static void define(StreamExecutionEnvironment environment, String job, Path input) {
    switch (job) {
      case "reads and keeps":  // source, operators and sink are one vertex
        lines(environment, input).map(new Waiting<String>(5, false)).sinkTo(new DiscardingSink<>());
        return;
      case "reads and counts":
      case "streams":
      case "adapts":
        count(lines(environment, input).map(new Waiting<String>(5, false)));
        return;
      case "uses two groups":  // of slots: those of both are taken at a time
        count(lines(environment, input).slotSharingGroup("readers").map(new Waiting<String>(5, false)).slotSharingGroup("readers"));
        return;
      case "is cancelled":
        waitFor(environment, 1000, false);
        return;
      case "is asked":
        waitFor(environment, 100, false);
        return;
      default:
        waitFor(environment, 20, job.equals("fails"));
    }
  }

  private static DataStreamSource<String> lines(StreamExecutionEnvironment environment, Path input) {
    FileSource<String> source =
        FileSource.forRecordStreamFormat(
                new TextLineInputFormat(), new org.apache.flink.core.fs.Path(input.toAbsolutePath().toUri()))
            .build();
    return environment.fromSource(source, WatermarkStrategy.noWatermarks(), "lines");
  }

  private static void count(DataStream<String> lines) {
    lines
        .keyBy(line -> line.charAt(0))
        .reduce((first, second) -> first)
        .slotSharingGroup("default")
        .sinkTo(new DiscardingSink<>());
  }

  private static void waitFor(StreamExecutionEnvironment environment, long milliseconds, boolean fails) {
    environment
        .fromSequence(1, RECORDS)
        .rebalance()
        .map(new Waiting<Long>(milliseconds, fails))
        .keyBy(number -> number % 10)
        .reduce(Long::sum)
        .sinkTo(new DiscardingSink<>());
  }

  // At whatever depth: versions differ in it.
  private static boolean isArchived(Path archives, String id) throws Exception {
    if (!Files.isDirectory(archives)) {
      return false;
    }
    try (Stream<Path> all = Files.walk(archives)) {
      return all.anyMatch(path -> path.getFileName().toString().equals(id));
    }
  }
}
