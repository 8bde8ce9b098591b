package io.github.bellamy.spark;

import io.github.bellamy.Assessment;
import io.github.bellamy.BellamyException;
import io.github.bellamy.Context;
import io.github.bellamy.Decision;
import io.github.bellamy.ErrorCode;
import io.github.bellamy.JobAdvisor;
import io.github.bellamy.Run;
import io.github.bellamy.RunTable;
import io.github.bellamy.ScaleOutUnit;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import org.apache.spark.launcher.SparkLauncher;

/**
 * spark-submit with a deadline: the model chooses how many units of scale-out the application gets, the application runs, and its
 * runtime is written down and learned from. A model that counts cores runs it as {@code local[n]} unless a master is given.
 */
public final class BellamySparkSubmit implements AutoCloseable {
  /** What was decided, and what came of it. */
  public static final class Submission {
    private final Decision decision;
    private final int status;
    private final Run measured;

    private Submission(Decision decision, int status, Run measured) {
      this.decision = decision;
      this.status = status;
      this.measured = measured;
    }

    public Decision decision() {
      return decision;
    }

    /** Of the process; 0 is success. */
    public int status() {
      return status;
    }

    /** Empty where the application failed, or could not be measured. */
    public Optional<Run> measured() {
      return Optional.ofNullable(measured);
    }
  }

  private final Path modelFile;
  private final JobAdvisor advisor;
  private final String master;

  /**
   * {@code master} may be null: {@code local[n]}. Errors: those of {@link JobAdvisor}; unit_mismatch for a model that counts cores
   * on YARN or Kubernetes, which are told executors, and for any other model elsewhere; invalid_option for a local master that is
   * given, since its number of cores would stay.
   */
  public BellamySparkSubmit(Path modelFile, Path tableFile, String master) {
    this.modelFile = modelFile.toAbsolutePath();
    this.advisor = new JobAdvisor(modelFile, tableFile);
    this.master = master;
    try {
      requireSuitableMaster();
    } catch (BellamyException unsuitable) {
      advisor.close();
      throw unsuitable;
    }
  }

  private void requireSuitableMaster() {
    if (master != null && master.matches("local(\\[.*)?")) {
      throw new BellamyException(
          ErrorCode.INVALID_OPTION, "expected the master of a cluster, or none: the application runs as local[n]; found " + master);
    }
    boolean takesExecutors = master != null && (master.startsWith("yarn") || master.startsWith("k8s:"));
    if (takesExecutors == countsCores()) {
      throw new BellamyException(
          ErrorCode.UNIT_MISMATCH,
          "expected a model that counts "
              + (takesExecutors ? "executors for " : "cores for ")
              + (master == null ? "a local master" : master)
              + ", found one that counts "
              + advisor.schema().unit());
    }
  }

  private boolean countsCores() {
    ScaleOutUnit unit = advisor.schema().unit();
    return unit == ScaleOutUnit.CORE || unit == ScaleOutUnit.SLOT;
  }

  public JobAdvisor advisor() {
    return advisor;
  }

  /**
   * Runs an application, which the launcher describes but for its resources, on the smallest of the scale-outs that meets the deadline
   * with the probability, or else on the one most likely to. Waits for its end; its output goes where the launcher redirects it.
   */
  public Submission submit(
      SparkLauncher application, Map<String, String> values, List<Integer> scaleOuts, double deadlineSeconds, double probability)
      throws IOException, InterruptedException {
    Context context = advisor.schema().context(values);
    Decision decision = advisor.decide(context, scaleOuts, deadlineSeconds, probability);
    Assessment chosen =
        decision
            .best()
            .orElseThrow(
                () -> new BellamyException(ErrorCode.EMPTY_CANDIDATES, "expected a usable prediction, found " + decision));

    // The driver cannot tell whether the process will succeed, so what it measures is taken into the table only after that.
    Path folder = Files.createTempDirectory("bellamy");
    Path measured = folder.resolve("run.tsv");
    try {
      scale(application, chosen.scaleOut());
      application.setConf("spark.plugins", RunRecorderPlugin.class.getName());
      application.addJar(jarOf(RunRecorderPlugin.class)).addJar(jarOf(JobAdvisor.class));
      application.setConf(RunRecorderPlugin.MODEL, modelFile.toString());
      application.setConf(RunRecorderPlugin.TABLE, measured.toString());
      values.forEach((name, value) -> application.setConf(RunRecorderPlugin.PROPERTY + name, value));
      int status = application.launch().waitFor();
      List<Run> runs = status == 0 ? new RunTable(measured, advisor.schema()).read() : List.of();
      if (runs.isEmpty()) {
        return new Submission(decision, status, null);
      }
      advisor.record(runs.get(0));
      return new Submission(decision, status, runs.get(0));
    } finally {
      Files.deleteIfExists(measured);
      Files.delete(folder);
    }
  }

  private void scale(SparkLauncher application, int scaleOut) {
    if (master != null) {
      application.setMaster(master).setDeployMode("client"); // the driver writes what it measured on this machine
      application.setConf("spark.dynamicAllocation.enabled", "false");
      application.setConf(countsCores() ? "spark.cores.max" : "spark.executor.instances", Integer.toString(scaleOut));
    } else {
      application.setMaster("local[" + scaleOut + "]");
    }
  }

  private static String jarOf(Class<?> type) {
    try {
      return Paths.get(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
    } catch (URISyntaxException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  @Override
  public void close() {
    advisor.close();
  }

  private static final String USAGE =
      "BellamySparkSubmit --model FILE --table FILE --property NAME=VALUE ... --scale-outs 1,2,4 --deadline TIME"
          + " [--probability P] [--master URL] [--conf NAME=VALUE ...] --class MAIN JAR [ARGUMENT ...]";

  private static final List<String> REQUIRED = List.of("--model", "--table", "--scale-outs", "--deadline", "--class");
  private static final List<String> OPTIONS =
      List.of("--model", "--table", "--scale-outs", "--deadline", "--class", "--probability", "--master");

  private static final List<String> SET_HERE =
      List.of(
          "spark.master",
          "spark.plugins",
          "spark.dynamicAllocation.enabled",
          "spark.cores.max",
          "spark.executor.instances");

  /** The command line; its status is that of the application. */
  public static void main(String[] arguments) throws Exception {
    Map<String, String> options = new HashMap<>();
    Map<String, String> properties = new HashMap<>();
    SparkLauncher application = new SparkLauncher();
    int at = 0;
    for (; at + 1 < arguments.length && arguments[at].startsWith("--"); at += 2) {
      String[] pair = arguments[at + 1].split("=", 2);
      if (arguments[at].equals("--property") && pair.length == 2) {
        properties.put(pair[0], pair[1]);
      } else if (arguments[at].equals("--conf") && pair.length == 2) {
        String refused = refusalOf(pair[0], pair[1]);
        if (refused != null) {
          System.err.println(refused);
          System.exit(2);
        } else if (pair[0].equals("spark.jars")) { // beside the launcher's own
          Arrays.stream(pair[1].split(",")).forEach(application::addJar);
        } else {
          application.setConf(pair[0], pair[1]);
        }
      } else if (OPTIONS.contains(arguments[at])) {
        options.put(arguments[at], arguments[at + 1]);
      } else {
        break;
      }
    }
    if (!options.keySet().containsAll(REQUIRED) || at == arguments.length || arguments[at].startsWith("--")) {
      System.err.println(USAGE);
      System.exit(2);
    }
    List<Integer> scaleOuts = new ArrayList<>();
    for (String each : options.get("--scale-outs").split(",")) {
      scaleOuts.add((int) number("--scale-outs", each, Integer::parseInt));
    }
    application.setMainClass(options.get("--class")).setAppResource(arguments[at]);
    application.addAppArgs(Arrays.copyOfRange(arguments, at + 1, arguments.length));
    application.redirectOutput(Redirect.INHERIT).redirectError(Redirect.INHERIT);
    int status;
    try (BellamySparkSubmit submit =
        new BellamySparkSubmit(
            Paths.get(options.get("--model")), Paths.get(options.get("--table")), options.get("--master"))) {
      Submission done =
          submit.submit(
              application,
              properties,
              scaleOuts,
              number("--deadline", options.get("--deadline"), RescalerSettings::toSeconds),
              number("--probability", options.getOrDefault("--probability", "0.9"), Double::parseDouble));
      System.out.println(done.decision());
      System.out.println("measured: " + done.measured().map(Run::toString).orElse("nothing"));
      status = done.status();
    }
    System.exit(status);
  }

  /** Why a setting cannot be the user's; null where it can. */
  static String refusalOf(String name, String value) {
    if (SET_HERE.contains(name)) {
      return "--conf: expected a setting that the launcher does not make itself, found " + name;
    }
    if (name.equals("spark.submit.deployMode") && !value.equals("client")) {
      return "--conf: expected deploy mode client, whose driver writes what it measured on this machine, found " + value;
    }
    return null;
  }

  private static double number(String option, String text, ToDoubleFunction<String> parse) {
    try {
      return parse.applyAsDouble(text);
    } catch (NumberFormatException e) {
      String expected = option.equals("--deadline") ? RescalerSettings.TIME_EXPECTED : "a number";
      System.err.println(option + ": expected " + expected + ", found \"" + text + "\"\n" + USAGE);
      System.exit(2);
      throw e;
    }
  }
}
