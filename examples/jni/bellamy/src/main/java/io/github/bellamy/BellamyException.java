package io.github.bellamy;

/** What bellamy throws: a code, and a sentence that says what was expected and what was found. */
public final class BellamyException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final ErrorCode code;

  public BellamyException(ErrorCode code, String message) {
    this(code, message, null);
  }

  public BellamyException(ErrorCode code, String message, Throwable cause) {
    super(code.name().toLowerCase(java.util.Locale.ROOT) + ": " + message, cause);
    this.code = code;
  }

  /** The same once more, with where it was asked for. */
  BellamyException(BellamyException before) {
    super(before.getMessage(), before);
    code = before.code;
  }

  public ErrorCode code() {
    return code;
  }

  /** The number of the code. */
  public int number() {
    return code.number();
  }
}
