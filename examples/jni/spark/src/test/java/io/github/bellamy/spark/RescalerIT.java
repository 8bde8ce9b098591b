package io.github.bellamy.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.bellamy.ApplicationTrace;
import io.github.bellamy.Run;
import io.github.bellamy.TraceOutcome;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.spark.launcher.SparkLauncher;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real driver with real executors, of the Spark distribution in SPARK_HOME. */
class RescalerIT {
  private static final int SMALL_JOBS = 1000;

  @TempDir Path folder;
  private Path history;
  private Path decisions;
  private Path log;

  @BeforeEach
  void findSpark() {
    String home = System.getenv("SPARK_HOME");
    assumeTrue(home != null && new File(home, "bin/spark-submit").exists(), "skipped: SPARK_HOME names no Spark");
    history = folder.resolve("history.jsonl");
    decisions = folder.resolve("decisions.jsonl");
    log = folder.resolve("spark.log");
  }

  private int submit(String master, String... arguments) throws Exception {
    SparkLauncher application =
        new SparkLauncher()
            .setAppResource(System.getProperty("applications"))
            .setMainClass(SleepyRuns.class.getName())
            .setAppName("sleepy")
            .setMaster(master)
            .setConf("spark.driver.memory", "512m")
            .setConf("spark.executor.memory", "512m")
            .setConf("spark.ui.enabled", "false")
            .setConf("spark.plugins", RescalerPlugin.class.getName())
            .setConf("spark.bellamy.history", history.toString())
            .setConf("spark.bellamy.decisions", decisions.toString())
            .setConf("spark.bellamy.delay", "3s")
            .setConf("spark.bellamy.maxExecutors", "3")
            .addAppArgs(arguments)
            .redirectError()
            .redirectOutput(log.toFile());
    for (Class<?> type : List.of(RescalerPlugin.class, Run.class)) {
      application.addJar(type.getProtectionDomain().getCodeSource().getLocation().getPath());
    }
    return application.launch().waitFor();
  }

  private String ours() throws IOException {
    return Files.readAllLines(log).stream().filter(each -> each.contains("bellamy")).collect(Collectors.joining("\n"));
  }

  private ApplicationTrace run(String name) throws IOException {
    return TraceFile.read(history, "sleepy").stream()
        .filter(each -> each.run().endsWith(" " + name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("expected a run " + name));
  }

  private List<JsonNode> decisions(String name) throws IOException {
    List<JsonNode> all = new ArrayList<>();
    for (String each : Files.readAllLines(decisions)) {
      JsonNode decision = new ObjectMapper().readTree(each);
      if (decision.path("run").asText().endsWith(" " + name)) {
        all.add(decision);
      }
    }
    assertTrue(!all.isEmpty(), "expected decisions of " + name);
    return all;
  }

  private boolean did(String name, String words) throws IOException {
    return decisions(name).stream().anyMatch(each -> each.path("done").asText().matches(words));
  }

  private double deadline(String name) throws IOException {
    return decisions(name).get(0).path("deadline_s").asDouble();
  }

  private static int lastCores(ApplicationTrace run) {
    return run.scaleOut().get(run.scaleOut().size() - 1).scaleOut();
  }

  /** Before a release, on a machine that does nothing else: Spark takes seconds to bring executors, and brings some back. */
  @Test
  @Tag("release")
  void aDriverLearnsFromItsRunsAndChangesItsExecutorsByItsDeadline() throws Exception {
    assertEquals(0, submit("local-cluster[3,1,512]"), () -> log.toString());
    System.out.println(ours());
    RescalerReport report = new RescalerReport(decisions, history);
    report.print(System.out);
    for (String each : List.of("three", "two", "one", "acting", "slack", "loses")) {
      assertEquals(SleepyRuns.JOBS, run(each).jobs().size());
      assertEquals(TraceOutcome.SUCCEEDED, run(each).outcome());
    }
    assertTrue(did("one", "advises \\d more executors?"));
    assertEquals(1, lastCores(run("one")));
    assertTrue(run("one").runtimeSeconds() > deadline("one"));

    assertTrue(did("acting", "asks for \\d more executors?"));
    assertTrue(lastCores(run("acting")) > 1);
    assertTrue(deadline("acting") < run("one").runtimeSeconds());
    if (run("acting").scaleOut().get(1).atSeconds() < deadline("acting") / 3) { // else Spark brought them late
      assertTrue(run("acting").runtimeSeconds() < deadline("acting"));
    }

    assertTrue(did("slack", "asks for \\d executors? less"));
    assertTrue(lastCores(run("slack")) < 3);
    assertTrue(run("slack").runtimeSeconds() < deadline("slack"));

    assertTrue(run("loses").scaleOut().stream().anyMatch(each -> each.scaleOut() == 1));
    assertTrue(
        decisions("loses").stream()
            .anyMatch(each -> each.path("cores").asInt() == 1 && each.path("done").asText().matches("asks for \\d more executors?")));
    assertTrue(report.coverage() >= 0.5, () -> "the 90 % intervals held " + report.coverage());
  }

  /** Takes two minutes, and a machine that does nothing else. */
  @Test
  @Tag("bench")
  void questionsAndCallbacksOfAThousandSmallJobsCostLessThanAHundredthOfTheDriversTime() throws Exception {
    for (int i = 0; i < 3; i++) { // without a history, with one to learn from, and with what was learned of that
      assertEquals(0, submit("local-cluster[1,1,512]", "small", Integer.toString(SMALL_JOBS)), () -> log.toString());
      System.out.println(ours().lines().filter(each -> !each.contains("jobs ended after")).collect(Collectors.joining("\n")));
      Matcher share = Pattern.compile("questions ([0-9.]+) s, callbacks ([0-9.]+) s, together [0-9.]+ % of the driver's ([0-9.]+) s").matcher(ours());
      assertTrue(share.find(), this::toString);
      double seconds = Double.parseDouble(share.group(1)) + Double.parseDouble(share.group(2));
      assertTrue(seconds < 0.01 * Double.parseDouble(share.group(3)), share::group);
      assertEquals(i + 1, TraceFile.read(history, "sleepy").size());
    }
  }
}
