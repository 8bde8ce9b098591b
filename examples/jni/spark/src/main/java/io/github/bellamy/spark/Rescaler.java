package io.github.bellamy.spark;

import io.github.bellamy.ApplicationModel;
import io.github.bellamy.ApplicationTrace;
import io.github.bellamy.BellamyException;
import io.github.bellamy.Forecast;
import io.github.bellamy.JobTrace;
import io.github.bellamy.Price;
import io.github.bellamy.Property;
import io.github.bellamy.RescaleRequest;
import io.github.bellamy.Rescaling;
import io.github.bellamy.ScaleOutUnit;
import io.github.bellamy.StageTrace;
import io.github.bellamy.TraceOutcome;
import io.github.bellamy.spark.RescalerStatus.State;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers on a thread of its own what the rest of a run takes, and by its settings asks for executors or gives some back. Of the
 * questions that wait the newest is answered, the others are dropped. Whatever fails is logged once for a run, and goes no further.
 */
final class Rescaler implements AutoCloseable {
  /** Up to so many sizes are all candidates; of more, each is about an eighth more than the one before. */
  private static final int MOST_SINGLE_STEPS = 33;

  /** The library's own limit, in cores. */
  private static final int LARGEST_SCALE_OUT = 1_000_000;

  private static final int LONGEST_WAIT_SECONDS = 1;
  private static final int WARM_UPS = 5;

  /** So many times the CPU time of a question must pass for the next, beyond what a run may ask at once: of small jobs not all are asked about. */
  private static final long PAUSE_FACTOR = 4_000;

  /** CPU time of the questions that a run may ask without a pause. */
  private static final long UNPAUSED_NANOS = 3_000_000;

  /** After one question, however long it took: the first ones of a JVM are slow. */
  private static final long LONGEST_PAUSE_NANOS = 5_000_000_000L;

  private static final String KEEPS_SHUFFLES =
      "It stays with spark.shuffle.service.enabled, or with spark.decommission.enabled, spark.storage.decommission.enabled and"
          + " spark.storage.decommission.shuffleBlocks.enabled; spark.bellamy.giveBack=always gives back all the same";

  private static final Logger LOG = LoggerFactory.getLogger(Rescaler.class);

  private final Cluster cluster;
  private final LongSupplier clockMillis;
  private final long pauseFactor;
  private final long unpausedNanos;
  private final Learned learned;
  private final ThreadPoolExecutor thread;
  private final RescalerStatus status = new RescalerStatus();
  private volatile boolean knowsNothing;
  private volatile int beginnings; // counted by the listener's thread
  private volatile long restedNanos = System.nanoTime(); // when all questions so far will have had their pauses

  // Of the thread alone.
  private final Set<String> said = new HashSet<>();
  private Forecast whole;
  private ApplicationModel boundOf;
  private List<Property> boundTo;
  private String run;
  private long lastChangeMillis;
  private boolean changed;
  private int requested; // in all, by the last change
  private int known; // executors with which it last knew what was to come
  private boolean restored; // since it fell silent
  private final Set<String> going = new HashSet<>(); // executors given back that are still there
  private final Times times = new Times();

  Rescaler(String application, NameRule names, Cluster cluster) {
    this(application, names, cluster, System::currentTimeMillis, PAUSE_FACTOR, UNPAUSED_NANOS);
  }

  /** For tests. */
  Rescaler(
      String application,
      NameRule names,
      Cluster cluster,
      LongSupplier clockMillis,
      long pauseFactor,
      long unpausedNanos) {
    this.cluster = cluster;
    this.clockMillis = clockMillis;
    this.pauseFactor = pauseFactor;
    this.unpausedNanos = unpausedNanos;
    learned = new Learned(application, names);
    thread =
        new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(1),
            task -> {
              Thread made = new Thread(task, "bellamy-rescaler");
              made.setDaemon(true);
              return made;
            },
            new ThreadPoolExecutor.DiscardOldestPolicy());
  }

  /** A run begins: learns what its first question will need, and asks one in vain, since the first of a JVM takes long. */
  void begin(RescalerSettings settings) {
    int beginning = ++beginnings;
    knowsNothing = false; // until it has looked
    restedNanos = System.nanoTime();
    status.enter(State.LEARNING);
    thread.execute(
        () ->
            guarded(
                failed -> giveNoAdvice("", failed),
                () -> {
                  try {
                    prepare(settings, settings.properties, "");
                  } finally {
                    knowsNothing = whole == null && beginning == beginnings;
                  }
                  if (whole == null) {
                    sayOnce("", "bellamy only records: there is no run to learn from", null);
                  } else if (times.questions() == 0) {
                    warmUp(settings);
                  }
                }));
  }

  /** What is done once for a run: to learn what was added to the history, and to bind the forecast to the run's properties. */
  private void prepare(RescalerSettings settings, List<Property> properties, String butForRun) throws IOException {
    long begin = cpuNanos();
    try {
      learned.refresh(settings.history, butForRun);
    } catch (IOException | RuntimeException | LinkageError failed) {
      forget(); // it may be of another history
      boundOf = null;
      throw failed;
    }
    if (learned.model() != boundOf || !properties.equals(boundTo)) {
      forget();
      boundOf = learned.model();
      boundTo = properties;
      whole = boundOf == null ? null : boundOf.bind(boundTo);
    }
    times.preparingCpuNanos += cpuNanos() - begin;
  }

  private void warmUp(RescalerSettings settings) {
    JobTrace job = new JobTrace(0, 0, 1, TraceOutcome.SUCCEEDED, List.of(StageTrace.of(0, 0, 1)));
    ApplicationTrace begun =
        new ApplicationTrace(
            learned.model().application(), "", ScaleOutUnit.CORE, settings.properties, List.of(), List.of(job), 1, TraceOutcome.UNFINISHED);
    Question of = new Question(settings, begun, List.of("0"), 1);
    for (int i = 0; i < WARM_UPS; i++) {
      try (Forecast rest = whole.observe(begun)) {
        new Answer(of, rest, decide(of, rest)).words("");
      }
    }
  }

  /** Whether a question may be answered now: there is a history, and the last ones had their pauses. Making one costs. */
  boolean ready() {
    return !knowsNothing && rested();
  }

  private boolean rested() {
    return restedNanos - System.nanoTime() <= pauseFactor * unpausedNanos;
  }

  void ask(Question question) {
    thread.execute(
        () -> {
          if (!rested()) {
            return; // it was asked while another was being answered
          }
          long begin = cpuNanos() - times.preparingCpuNanos;
          guarded(failed -> giveNoAdvice(question, failed), () -> answer(question));
          long now = System.nanoTime();
          restedNanos = now + Math.max(0, restedNanos - now) + Math.min(LONGEST_PAUSE_NANOS, pauseFactor * (cpuNanos() - times.preparingCpuNanos - begin));
        });
  }

  /**
   * What is to come in a run is not known, as its listener has said. Where this run gave executors back, it asks for as many as it had
   * when that was known last.
   */
  void fallSilent(String ofRun, RescalerSettings settings, List<String> executors) {
    thread.execute(() -> restore(ofRun, settings, executors));
  }

  RescalerStatus status() {
    return status;
  }

  /** Of the thread that asks. */
  private static long cpuNanos() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  /** CPU time of its thread so far in nanoseconds, and how long the questions took. For when no question is under way. */
  Times times() {
    return times;
  }

  /** Waits for the question under way, but not for long: an application that ends must not wait for what is being learned. */
  @Override
  public void close() {
    thread.execute(
        () -> {
          times.threadCpuNanos = cpuNanos() - times.preparingCpuNanos;
          forget();
          learned.close();
        });
    thread.shutdown();
    try {
      thread.awaitTermination(LONGEST_WAIT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
  }

  private interface Step {
    void run() throws IOException;
  }

  // LinkageError: the native library is not there. Exception: Scala's methods declare none of those that they throw.
  private static void guarded(Consumer<Throwable> otherwise, Step step) {
    try {
      step.run();
    } catch (Exception | LinkageError failed) {
      otherwise.accept(failed);
    }
  }

  private void giveNoAdvice(String ofRun, Throwable failed) {
    status.enter(State.SILENT);
    sayOnce(ofRun, "bellamy gives no advice: " + failed.getMessage(), failed instanceof BellamyException ? null : failed);
  }

  private void giveNoAdvice(Question of, Throwable failed) {
    giveNoAdvice(of.soFar.run(), failed);
    restore(of.soFar.run(), of.settings, of.executors);
  }

  /** Nothing is given back unseen: what was asked for stays. Dynamic allocation brings executors back by itself. */
  private void restore(String ofRun, RescalerSettings settings, List<String> executors) {
    status.enter(State.SILENT);
    going.retainAll(executors);
    int present = executors.size() - going.size();
    int wanted = Math.max(known, requested);
    boolean mayNeed = settings.acts && changed && !restored && ofRun.equals(run);
    if (!mayNeed || cluster.allocatesDynamically() || wanted <= present) {
      return;
    }
    String change = Answer.counted(wanted - present, "more executor");
    LOG.warn("bellamy asks for {}: with {} it last knew what was to come", change, wanted);
    guarded(
        failed -> sayOnce("", "Spark refused bellamy's request for " + change, failed),
        () -> restored = cluster.request(wanted));
  }

  private void sayOnce(String ofRun, String sentence, Throwable why) {
    if (said.add(ofRun + '\n' + sentence)) {
      LOG.warn(sentence, why);
    }
  }

  private void forget() {
    if (whole != null) {
      whole.close();
      whole = null;
    }
  }

  private void answer(Question asked) throws IOException {
    going.retainAll(asked.executors);
    Question of = asked.without(going);
    if (!of.soFar.run().equals(run)) {
      run = of.soFar.run();
      known = 0;
      requested = 0;
      prepare(of.settings, of.soFar.properties(), run);
    }
    if (whole == null) {
      return;
    }
    long begin = System.nanoTime();
    try (Forecast rest = whole.observe(of.soFar)) {
      if (!ofAKnownShape(rest, of.soFar.jobs())) {
        sayOnce(run, "bellamy gives no advice: the jobs of this run are not those of any run it learned from", null);
        restore(run, of.settings, of.executors);
        return;
      }
      known = going.isEmpty() ? of.executors.size() : known;
      restored = false;
      Rescaling decision = decide(of, rest);
      Answer answer = new Answer(of, rest, decision);
      long took = System.nanoTime() - begin;
      times.question(took);
      Done done = decision == null ? new Done(State.ADVISING, "") : act(of, decision);
      status.answered(done.state, answer.remainingSeconds(), answer.probability(), answer.executors());
      tell(of, answer, done, took);
    }
  }

  private static boolean ofAKnownShape(Forecast rest, List<JobTrace> jobs) {
    for (int i = 0; i < jobs.size(); i++) {
      long stages = jobs.get(i).stages().stream().map(each -> each.id()).distinct().count();
      if (i >= rest.jobs() || stages != rest.stages(i)) {
        return false;
      }
    }
    return true;
  }

  private Rescaling decide(Question of, Forecast rest) {
    if (Double.isNaN(of.settings.deadlineSeconds) || of.executors.isEmpty()) {
      return null;
    }
    RescalerSettings settings = of.settings;
    RescaleRequest wanted =
        new RescaleRequest(settings.deadlineSeconds, of.elapsedSeconds(), settings.probability, of.cores)
            .withCostOfMissing(settings.costOfMissing);
    return rest.rescale(candidates(of), Price.perUnitAndHour(settings.price).withStartUp(settings.delaySeconds), wanted);
  }

  private int[] candidates(Question of) {
    int each = of.coresOfAnExecutor();
    int seen = (learned.model().largestSeenScaleOut() + each - 1) / each;
    int most = of.settings.maxExecutors > 0 ? of.settings.maxExecutors : Math.max(seen, of.executors.size());
    most = Math.min(Math.min(most, cluster.mostExecutors()), LARGEST_SCALE_OUT / each);
    int least = Math.max(of.settings.minExecutors, cluster.leastExecutors());
    boolean few = most - least < MOST_SINGLE_STEPS;
    Set<Integer> all = new TreeSet<>(Set.of(of.cores));
    for (int executors = least; executors < most; executors += few ? 1 : 1 + executors / 8) {
      all.add(executors * each);
    }
    if (least <= most) {
      all.add(most * each);
    }
    return all.stream().mapToInt(Integer::intValue).toArray();
  }

  /** What was done or left, and in which state that puts it. */
  private static final class Done {
    final State state;
    final String words;

    Done(State state, String words) {
      this.state = state;
      this.words = words;
    }
  }

  private Done act(Question of, Rescaling decision) {
    int present = of.executors.size();
    int wanted = of.executorsFor(decision);
    State usual = of.settings.acts ? State.ACTING : State.ADVISING;
    if (!decision.changes() || wanted == present) {
      return new Done(usual, "stays");
    }
    String change = wanted > present ? Answer.counted(wanted - present, "more executor") : Answer.counted(present - wanted, "executor") + " less";
    if (!of.settings.acts) {
      return new Done(usual, "advises " + change);
    }
    String held = wanted < present ? whyItKeeps(of.settings, Answer.counted(present - wanted, "executor")) : "";
    if (!held.isEmpty()) {
      return new Done(State.HELD, held);
    }
    if (changed && clockMillis.getAsLong() - lastChangeMillis < of.settings.delaySeconds * 1e3) {
      return new Done(usual, "waits for the last change");
    }
    changed = true;
    lastChangeMillis = clockMillis.getAsLong();
    return takes(of, wanted, change) ? new Done(usual, "asks for " + change) : new Done(State.HELD, "was refused " + change);
  }

  /** Empty where executors may be given back. */
  private String whyItKeeps(RescalerSettings settings, String executors) {
    if (cluster.allocatesDynamically()) {
      sayOnce(run, "bellamy gives no executor back: Spark's dynamic allocation does so once they idle", null);
      return "keeps " + executors + ", which dynamic allocation gives back";
    }
    if (!settings.losesShuffles && !cluster.keepsShuffles()) {
      sayOnce(run, "bellamy gives no executor back: what it has shuffled would go with it. " + KEEPS_SHUFFLES, null);
      return "keeps " + executors + ", with which shuffled data would go";
    }
    return "";
  }

  /** Whether Spark took the request. */
  private boolean takes(Question of, int wanted, String change) {
    int present = of.executors.size();
    List<String> less = of.executors.subList(Math.min(wanted, present), present);
    boolean taken = false;
    Exception why = null;
    try {
      taken = less.isEmpty() ? cluster.request(wanted) : cluster.release(less, present);
    } catch (Exception failed) { // also checked ones, which Scala's methods do not declare
      why = failed;
    }
    if (taken) {
      going.addAll(less);
      requested = wanted;
    } else {
      sayOnce(run, "Spark refused bellamy's request for " + change + "; the application goes on as it is", why);
    }
    return taken;
  }

  private void tell(Question of, Answer answer, Done done, long took) {
    LOG.info("bellamy: {}", answer.words(done.words));
    if (of.settings.decisions != null) {
      guarded(
          failed -> sayOnce(run, "bellamy could not write its decisions in " + of.settings.decisions, failed),
          () -> TraceFile.append(of.settings.decisions, into -> answer.writeTo(into, done.state, done.words, took), false));
    }
  }
}
