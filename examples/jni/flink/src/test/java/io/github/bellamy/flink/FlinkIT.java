package io.github.bellamy.flink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.bellamy.Context;
import io.github.bellamy.Curve;
import io.github.bellamy.Decision;
import io.github.bellamy.JobAdvisor;
import io.github.bellamy.Prediction;
import io.github.bellamy.Property;
import io.github.bellamy.PropertyRole;
import io.github.bellamy.Run;
import io.github.bellamy.RunTable;
import io.github.bellamy.RuntimeModel;
import io.github.bellamy.ScaleOutUnit;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.RemoteStreamEnvironment;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real bounded jobs on a MiniCluster of two task managers with a slot each. */
class FlinkIT {
  private static final long NUMBERS = 1_000_000;
  private static MiniCluster cluster;

  @TempDir Path folder;
  private Path model;
  private Path table;
  private Context context;

  @BeforeAll
  static void startCluster() throws Exception {
    Configuration conf = new Configuration();
    conf.set(TaskManagerOptions.NETWORK_MEMORY_MIN, MemorySize.ofMebiBytes(16));
    conf.set(TaskManagerOptions.NETWORK_MEMORY_MAX, MemorySize.ofMebiBytes(16));
    conf.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(48));
    cluster =
        new MiniCluster(
            new MiniClusterConfiguration.Builder()
                .setConfiguration(conf)
                .setNumTaskManagers(2)
                .setNumSlotsPerTaskManager(1)
                .withRandomPorts()
                .build());
    cluster.start();
    // The first job on a cluster pays for what it loads and compiles, at whatever parallelism.
    execute(environment(), 1);
  }

  @AfterAll
  static void stopCluster() throws Exception {
    cluster.close();
  }

  @BeforeEach
  void startCold() {
    model = folder.resolve("model.bellamy");
    table = folder.resolve("runs.tsv");
    context =
        new Context(
            List.of(Property.text("job", "sums"), Property.natural("numbers", NUMBERS).withRole(PropertyRole.DATA_SIZE)),
            List.of(),
            ScaleOutUnit.SLOT);
    try (RuntimeModel cold = RuntimeModel.coldStart(context, "sums")) {
      cold.save(model);
    }
  }

  private static StreamExecutionEnvironment environment() throws Exception {
    java.net.URI address = cluster.getRestAddress().get();
    return new RemoteStreamEnvironment(address.getHost(), address.getPort());
  }

  // Sums by key; a divisor of 0 makes every task fail.
  private static void execute(StreamExecutionEnvironment environment, long divisor) throws Exception {
    environment
        .fromSequence(1, NUMBERS)
        .keyBy(number -> Math.floorMod(number, 100L / divisor))
        .reduce(Long::sum)
        .sinkTo(new DiscardingSink<>());
    environment.execute("sums");
  }

  private static void assertCovers(Prediction stated, double measuredSeconds) {
    // A promise of 998 in 1000, so that a test that runs at every change seldom fails by luck.
    assertTrue(stated.quantileSeconds(0.001) <= measuredSeconds, () -> measuredSeconds + " is below " + stated);
    assertTrue(stated.quantileSeconds(0.999) >= measuredSeconds, () -> measuredSeconds + " is above " + stated);
  }

  private List<Run> recorded() {
    try (RuntimeModel general = RuntimeModel.load(model)) {
      return new RunTable(table, general.schema()).read();
    }
  }

  @Test
  void aJobGetsItsParallelismAndItsRuntimeIsLearnedFrom() throws Exception {
    try (JobAdvisor advisor = new JobAdvisor(model, table)) {
      for (int x = 1; x <= 2; x++) {
        double before;
        try (Curve curve = advisor.runtimes(context)) {
          before = curve.quantileSeconds(2, 0.9);
        }
        StreamExecutionEnvironment environment = environment();
        Decision decision = BellamyFlinkSubmit.prepare(environment, advisor, context, List.of(x), 600, 0.9);
        assertEquals(x, environment.getParallelism());
        execute(environment, 1);
        assertEquals(x, recorded().size());
        Run measured = recorded().get(x - 1);
        Prediction stated = decision.best().orElseThrow().predicted();
        System.out.printf("%d slots: stated %s, measured %.2f s%n", x, stated, measured.runtimeSeconds());
        assertEquals(x, measured.scaleOut());
        assertEquals(context, measured.context());
        assertCovers(stated, measured.runtimeSeconds());
        try (Curve curve = advisor.runtimes(context)) {
          assertEquals(x, curve.at(2).observedRuns());
          assertNotEquals(before, curve.quantileSeconds(2, 0.9));
          assertCovers(curve.at(x), measured.runtimeSeconds());
        }
      }
    }
  }

  @Test
  void aJobThatFailsIsNotLearnedFrom() throws Exception {
    try (JobAdvisor advisor = new JobAdvisor(model, table)) {
      StreamExecutionEnvironment environment = environment();
      BellamyFlinkSubmit.prepare(environment, advisor, context, List.of(1), 600, 0.9);
      assertThrows(Exception.class, () -> execute(environment, 0));
      assertEquals(List.of(), recorded());
    }
  }
}
