package io.github.bellamy;

/** Every reason for which bellamy refuses to answer: those of the library by its own numbers, those of the JVM side from 1001. */
public enum ErrorCode {
  EMPTY_HISTORY(1),
  SINGLE_CONTEXT(2),
  INVALID_RUNTIME(3),
  INVALID_SCALE_OUT(4),
  INVALID_WEIGHT(5),
  INVALID_TEXT(6),
  INVALID_QUANTITY(7),
  NUMBER_TOO_LARGE(8),
  DUPLICATE_PROPERTY(9),
  TOO_MANY_PROPERTIES(10),
  TOO_MANY_SCALE_OUTS(11),
  UNKNOWN_VALUE(12),
  ESSENTIAL_COUNT_MISMATCH(20),
  PROPERTY_MISMATCH(21),
  UNKNOWN_PROPERTY(22),
  UNIT_MISMATCH(23),
  NOT_CONDITIONABLE(24),
  INVALID_DEADLINE(30),
  EMPTY_CANDIDATES(31),
  BUFFER_TOO_SMALL(32),
  INVALID_OPTION(33),
  INVALID_BUDGET(34),
  INVALID_PROBABILITY(35),
  INVALID_PRICE(36),
  MISSING_CURVE(37),
  TRAINING_DIVERGED(40),
  WORKER_LOST(41),
  CANNOT_READ(50),
  CANNOT_WRITE(51),
  NOT_A_MODEL(52),
  UNSUPPORTED_VERSION(53),
  TRUNCATED(54),
  CORRUPTED(55),
  INVALID_MODEL(56),
  SELF_TEST_FAILED(57),
  MODEL_NOT_FOUND(58),
  INVALID_TRACE(60),
  INVALID_DATA_CENTRE(70),
  INVALID_LINK(71),
  INVALID_JOB_GRAPH(72),
  TOO_MANY_STRATEGIES(73),
  SEARCH_TOO_LARGE(74),

  /** The object was closed before. */
  CLOSED(1001),
  /** The object cannot be closed while another thread uses it. */
  IN_USE(1002),
  /** The native library is not there, or cannot be loaded. */
  NATIVE_LIBRARY(1003),
  /** A defect of bellamy itself. */
  INTERNAL(1004),
  /** Null, or arrays whose sizes do not fit each other. */
  INVALID_ARGUMENT(1005),
  /** A run table whose columns or cells are not what the model's properties ask for. */
  INVALID_TABLE(1006);

  private final int number;

  ErrorCode(int number) {
    this.number = number;
  }

  /** The number, which never changes its meaning. */
  public int number() {
    return number;
  }

  static ErrorCode of(int number) {
    for (ErrorCode each : values()) {
      if (each.number == number) {
        return each;
      }
    }
    return INTERNAL;
  }
}
