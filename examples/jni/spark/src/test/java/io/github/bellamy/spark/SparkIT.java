package io.github.bellamy.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.bellamy.ApplicationTrace;
import io.github.bellamy.Assessment;
import io.github.bellamy.BellamyException;
import io.github.bellamy.Context;
import io.github.bellamy.Curve;
import io.github.bellamy.ErrorCode;
import io.github.bellamy.Prediction;
import io.github.bellamy.Property;
import io.github.bellamy.PropertyRole;
import io.github.bellamy.Run;
import io.github.bellamy.RunTable;
import io.github.bellamy.RuntimeModel;
import io.github.bellamy.ScaleOutUnit;
import io.github.bellamy.Schema;
import io.github.bellamy.TraceOutcome;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.launcher.SparkLauncher;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real applications, submitted to the Spark distribution in SPARK_HOME. */
class SparkIT {
  private static final int LINES = 400_000;
  private static final Map<String, String> VALUES = Map.of("job", "word count", "lines", Integer.toString(LINES));

  @TempDir Path folder;
  private Path model;
  private Path table;
  private Path log;
  private Context context;
  private Schema schema;

  @BeforeEach
  void startCold() {
    String home = System.getenv("SPARK_HOME");
    assumeTrue(home != null && new File(home, "bin/spark-submit").exists(), "skipped: SPARK_HOME names no Spark");
    model = folder.resolve("model.bellamy");
    table = folder.resolve("runs.tsv");
    log = folder.resolve("spark.log");
    context =
        new Context(
            List.of(Property.text("job", "word count"), Property.natural("lines", LINES).withRole(PropertyRole.DATA_SIZE)),
            List.of(),
            ScaleOutUnit.CORE);
    try (RuntimeModel cold = RuntimeModel.coldStart(context, "word count")) {
      cold.save(model);
      schema = cold.schema();
    }
  }

  private SparkLauncher application(Class<?> main) {
    return new SparkLauncher()
        .setAppResource(System.getProperty("applications"))
        .setMainClass(main.getName())
        .setConf("spark.driver.memory", "512m")
        .setConf("spark.ui.enabled", "false")
        .redirectError()
        .redirectOutput(log.toFile());
  }

  private String output() throws IOException {
    return Files.readString(log);
  }

  private List<Run> recorded() {
    return new RunTable(table, schema).read();
  }

  private static void assertCovers(Prediction stated, double measuredSeconds) {
    // A promise of 998 in 1000, so that a test that runs at every change seldom fails by luck.
    assertTrue(stated.quantileSeconds(0.001) <= measuredSeconds, () -> measuredSeconds + " is below " + stated);
    assertTrue(stated.quantileSeconds(0.999) >= measuredSeconds, () -> measuredSeconds + " is above " + stated);
  }

  @Test
  void whatWasSubmittedIsMeasuredWrittenDownAndLearnedFrom() throws Exception {
    try (BellamySparkSubmit submit = new BellamySparkSubmit(model, table, null)) {
      for (int x = 1; x <= 2; x++) {
        double before;
        try (Curve curve = submit.advisor().runtimes(context)) {
          before = curve.quantileSeconds(2, 0.9);
        }
        SparkLauncher application = application(WordCount.class).addAppArgs(Integer.toString(LINES));
        BellamySparkSubmit.Submission done = submit.submit(application, VALUES, List.of(x), 600, 0.9);
        assertEquals(0, done.status(), output());
        Run measured = done.measured().orElseThrow(() -> new AssertionError("not measured"));
        Assessment chosen = done.decision().best().orElseThrow();
        System.out.printf("%d cores: stated %s, measured %.1f s%n", x, chosen.predicted(), measured.runtimeSeconds());
        assertEquals(x, measured.scaleOut());
        assertEquals(context, measured.context());
        assertEquals(x, recorded().size());
        assertEquals(measured.runtimeSeconds(), recorded().get(x - 1).runtimeSeconds());
        assertEquals(x - 1, chosen.predicted().observedRuns());
        assertCovers(chosen.predicted(), measured.runtimeSeconds());
        try (Curve curve = submit.advisor().runtimes(context)) {
          assertEquals(x, curve.at(2).observedRuns());
          assertNotEquals(before, curve.quantileSeconds(2, 0.9));
          assertCovers(curve.at(x), measured.runtimeSeconds());
        }
      }
    }
    // A launcher that starts anew knows what the last one learned.
    try (BellamySparkSubmit again = new BellamySparkSubmit(model, table, null);
        Curve curve = again.advisor().runtimes(context)) {
      assertEquals(2, curve.at(1).observedRuns());
    }
  }

  @Test
  void aMasterThatWouldNotTakeTheChosenNumberIsRefused() {
    BellamyException fixed = assertThrows(BellamyException.class, () -> new BellamySparkSubmit(model, table, "local[4]").close());
    assertEquals(ErrorCode.INVALID_OPTION, fixed.code());
    new BellamySparkSubmit(model, table, "spark://master:7077").close();
    for (String master : List.of("yarn", "k8s://https://cluster:6443")) {
      BellamyException refused =
          assertThrows(BellamyException.class, () -> new BellamySparkSubmit(model, table, master).close());
      assertEquals(ErrorCode.UNIT_MISMATCH, refused.code());
    }
  }

  @Test
  void anApplicationThatFailsIsNotLearnedFrom() throws Exception {
    try (BellamySparkSubmit submit = new BellamySparkSubmit(model, table, null)) {
      SparkLauncher failing = application(WordCount.class).addAppArgs("-16");
      BellamySparkSubmit.Submission done = submit.submit(failing, VALUES, List.of(1), 600, 0.9);
      assertNotEquals(0, done.status());
      assertTrue(done.measured().isEmpty());
      assertEquals(List.of(), recorded());
    }
    assertNotEquals(0, recordedByPlugin(model, -16).launch().waitFor());
    // Whether the recorder still says so depends on how soon the driver's process ends after the failure.
    assertEquals(List.of(), recorded());
  }

  private int command(String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), BellamySparkSubmit.class.getName()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start().waitFor();
  }

  @Test
  void theCommandLineSubmitsAndTellsWhatItDecidedAndMeasured() throws Exception {
    String application = System.getProperty("applications");
    String lines = Integer.toString(LINES / 10);
    int status =
        command(
            "--model", model.toString(), "--table", table.toString(), "--property", "job=word count", "--property",
            "lines=" + lines, "--scale-outs", "1,2", "--deadline", "10m", "--conf", "spark.driver.memory=512m", "--class",
            WordCount.class.getName(), application, lines);
    assertEquals(0, status, output());
    assertEquals(1, recorded().size());
    // A model that knows nothing is sure of nothing.
    assertTrue(output().contains("infeasible\n  1: "), output());
    assertTrue(output().contains("measured: [job=word count, lines=" + lines), output());
    assertEquals(2, command("--model", model.toString(), "--colour", "red", application));
    assertTrue(output().startsWith("BellamySparkSubmit --model FILE"), output());
    for (String setting : List.of("spark.plugins=a.B", "spark.submit.deployMode=cluster")) {
      assertEquals(2, command("--model", model.toString(), "--conf", setting, application));
      assertTrue(output().startsWith("--conf: expected "), output());
    }
  }

  private SparkLauncher recordedByPlugin(Path modelFile, int lines) {
    SparkLauncher application =
        application(WordCount.class)
            .addAppArgs(Integer.toString(lines))
            .setMaster("local[2]")
            .setConf("spark.plugins", RunRecorderPlugin.class.getName())
            .setConf(RunRecorderPlugin.MODEL, modelFile.toString())
            .setConf(RunRecorderPlugin.TABLE, table.toString());
    for (Class<?> type : List.of(RunRecorderPlugin.class, Run.class)) {
      application.addJar(type.getProtectionDomain().getCodeSource().getLocation().getPath());
    }
    VALUES.forEach((name, value) -> application.setConf(RunRecorderPlugin.PROPERTY + name, value));
    return application;
  }

  @Test
  void aPluginRecordsApplicationsThatKnowNothingOfIt() throws Exception {
    assertEquals(0, recordedByPlugin(model, LINES / 10).launch().waitFor(), output());
    assertEquals(1, recorded().size(), output());
    assertEquals(2, recorded().get(0).scaleOut());
    assertEquals(context, recorded().get(0).context());
  }

  @Test
  void aPluginWithoutAModelWritesTracesAndDoesNotDisturbTheApplication() throws Exception {
    Path traces = folder.resolve("traces.jsonl");
    SparkLauncher application = recordedByPlugin(folder.resolve("absent"), LINES / 10).setAppName("traced");
    assertEquals(0, application.setConf(RunRecorderPlugin.RECORD, traces.toString()).launch().waitFor(), output());
    assertTrue(output().contains("bellamy does not record this application in a table"), output());
    assertEquals(List.of(), recorded());
    ApplicationTrace run = TraceFile.read(traces, "traced").get(0);
    assertEquals(TraceOutcome.SUCCEEDED, run.outcome());
    assertEquals(1, run.jobs().size());
    assertEquals(2, run.jobs().get(0).stages().size());
    assertEquals(2, run.scaleOut().get(run.scaleOut().size() - 1).scaleOut());
  }

  @Test
  void executorsLearnAndPredictTheSameAsOneProcess() throws Exception {
    SparkLauncher fleet = application(FleetCheck.class).setMaster("local-cluster[2,1,1024]");
    fleet.setConf("spark.executor.memory", "512m");
    for (Class<?> type : List.of(SparkPretrain.class, Run.class)) {
      fleet.addJar(type.getProtectionDomain().getCodeSource().getLocation().getPath());
    }
    assertEquals(0, fleet.launch().waitFor(), output());
    assertTrue(output().contains("the same in 2 processes"), output());
  }
}
