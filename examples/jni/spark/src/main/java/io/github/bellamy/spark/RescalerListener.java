package io.github.bellamy.spark;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Records runs, and asks the rescaler when a job of one has ended. */
final class RescalerListener extends RunListener {
  private static final Logger LOG = LoggerFactory.getLogger(RescalerListener.class);

  private final Rescaler rescaler;
  private RescalerSettings ofRun;
  private boolean predicts; // this run has a history
  private boolean saidConcurrent;
  private boolean saidNotBatch;

  RescalerListener(
      String system, String application, long startMillis, int taskCpus, RescalerSettings settings, Rescaler rescaler) {
    super(system, application, startMillis, taskCpus, settings);
    this.rescaler = rescaler;
    runBegan(settings);
  }

  @Override
  void runBegan(RescalerSettings ofTheRun) {
    ofRun = ofTheRun;
    saidConcurrent = false;
    predicts = ofTheRun.history != null;
    if (predicts) {
      rescaler.begin(ofTheRun);
    }
  }

  @Override
  void jobBegan(RunTrace run) {
    if (run.concurrent() && !saidConcurrent) {
      saidConcurrent = true;
      LOG.warn("bellamy gives no advice in this run: its jobs run concurrently, or beside those of others");
      if (predicts) {
        rescaler.fallSilent(run.name(), ofRun, executors());
      }
    }
  }

  @Override
  boolean asks() {
    return predicts && rescaler.ready();
  }

  @Override
  void jobEnded(RunTrace run, RescalerSettings ofTheRun, long time) {
    if (run.concurrent()) {
      return;
    }
    if (notBatch().isEmpty()) {
      rescaler.ask(new Question(ofTheRun, run.soFar(time), executors(), cores()));
    } else if (!saidNotBatch) {
      saidNotBatch = true;
      LOG.info("bellamy gives no advice: the application is no batch job ({})", notBatch());
      rescaler.fallSilent(run.name(), ofTheRun, executors());
    }
  }

  @Override
  void applicationEnds() {
    rescaler.close();
  }

  @Override
  public void onApplicationEnd(SparkListenerApplicationEnd end) {
    super.onApplicationEnd(end);
    Times times = rescaler.times();
    times.callbackCpuNanos = cpuNanos();
    Object system = ManagementFactory.getOperatingSystemMXBean();
    long driver = system instanceof OperatingSystemMXBean ? ((OperatingSystemMXBean) system).getProcessCpuTime() : 0;
    LOG.info("bellamy: {}", times.words(driver));
  }
}
