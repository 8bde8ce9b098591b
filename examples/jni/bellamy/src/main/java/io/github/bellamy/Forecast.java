package io.github.bellamy;

import java.nio.ByteBuffer;

/**
 * What is predicted of one run of an application, made by {@link ApplicationModel#bind}: an immutable value that any number of threads
 * may share. Scale-outs count what the model's runs counted; 0 is one that is not known. Where a prediction's median is NaN, there is
 * none.
 */
public final class Forecast extends NativeHandle {
  private enum Part {
    RUN,
    REMAINING,
    JOB,
    STAGE
  }

  private final int finishedJobs;
  private final double[] runFactor = new double[3];
  private final int[] stageCounts;

  Forecast(long address) {
    super(address, Native::forecastFree);
    ByteBuffer about = ByteBuffer.wrap(Native.forecastDescribe(address));
    finishedJobs = about.getInt();
    for (int i = 0; i < runFactor.length; i++) {
      runFactor[i] = about.getDouble();
    }
    stageCounts = new int[about.getInt()];
    for (int job = 0; job < stageCounts.length; job++) {
      stageCounts[job] = about.getInt();
    }
  }

  /** Jobs that are expected of the run, finished ones too. */
  public int jobs() {
    return stageCounts.length;
  }

  /** Jobs that the forecast has seen end. */
  public int finishedJobs() {
    return finishedJobs;
  }

  /**
   * Time of the rest of this run over what was predicted of it before the run began, as the deviations of its finished jobs tell; 1.3 is
   * 30 % longer. The median; NaN where no job has ended or none is to come.
   */
  public double runFactor() {
    return runFactor[1];
  }

  /** That which the run factor falls below with a probability of 5 %; NaN as above. */
  public double runFactorP05() {
    return runFactor[0];
  }

  /** That which the run factor exceeds with a probability of 5 %; NaN as above. */
  public double runFactorP95() {
    return runFactor[2];
  }

  /** How many stages a job is expected to have. Error: INVALID_ARGUMENT. */
  public int stages(int job) {
    Check.position(job, stageCounts.length, "job");
    return stageCounts[job];
  }

  /**
   * The forecast for the rest of a run whose first jobs have ended: all jobs of {@code soFar} that have an end. Takes microseconds, and
   * a bind where the jobs are of another shape. Errors: CLOSED, INVALID_TRACE, also where a job without an end precedes one with an
   * end, and those of bad properties.
   */
  public Forecast observe(ApplicationTrace soFar) {
    byte[] bytes = Wire.of(Check.present(soFar, "a trace"));
    return use(address -> new Forecast(Native.forecastObserve(address, bytes)));
  }

  /** Of the whole run before it starts. Errors: CLOSED, INVALID_SCALE_OUT. */
  public Prediction run(int scaleOut) {
    return part(Part.RUN, 0, 0, scaleOut);
  }

  /** From the end of the last finished job to the end of the run. Errors: CLOSED, INVALID_SCALE_OUT. */
  public Prediction remaining(int scaleOut) {
    return part(Part.REMAINING, 0, 0, scaleOut);
  }

  /** Of a job by its position, from 0. Errors: CLOSED, INVALID_SCALE_OUT, INVALID_ARGUMENT. */
  public Prediction job(int job, int scaleOut) {
    stages(job);
    return part(Part.JOB, job, 0, scaleOut);
  }

  /** Of a stage by the positions of its job and of itself, by id. Errors: CLOSED, INVALID_SCALE_OUT, INVALID_ARGUMENT. */
  public Prediction stage(int job, int stage, int scaleOut) {
    Check.position(stage, stages(job), "stage");
    return part(Part.STAGE, job, stage, scaleOut);
  }

  /**
   * Whether the run should stay, or go to one of these scale-outs; the present one among them stands for staying. The price is of one
   * unit, and its start-up is the delay of a change. Nothing is executed. Errors: CLOSED, INVALID_DEADLINE, INVALID_RUNTIME,
   * INVALID_PROBABILITY, INVALID_PRICE, INVALID_SCALE_OUT, EMPTY_CANDIDATES.
   */
  public Rescaling rescale(int[] scaleOuts, Price price, RescaleRequest wanted) {
    Check.present(scaleOuts, "scale-outs");
    Check.present(price, "a price");
    Check.present(wanted, "a request");
    double[] answer = new double[Rescaling.HEAD_NUMBERS + scaleOuts.length * Rescaling.ROW_NUMBERS];
    double[] prices = new double[Price.NUMBERS];
    price.write(prices, 0);
    double[] request = {
      wanted.deadlineSeconds, wanted.elapsedSeconds, wanted.probability, wanted.costOfChange, wanted.costOfMissing
    };
    long address = acquire();
    try {
      Native.forecastRescale(address, scaleOuts, prices, request, wanted.scaleOut, answer);
    } finally {
      release();
    }
    return new Rescaling(answer, scaleOuts.length);
  }

  private Prediction part(Part which, int job, int stage, int scaleOut) {
    double[] numbers = new double[Native.PREDICTION_NUMBERS];
    long address = acquire();
    try {
      Native.forecastAt(address, which.ordinal(), job, stage, scaleOut, numbers);
    } finally {
      release();
    }
    return new Prediction(numbers);
  }
}
