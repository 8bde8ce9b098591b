package io.github.bellamy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What Java code can get wrong before the library sees it. */
final class Check {
  private Check() {}

  static <T> T present(T value, String what) {
    if (value == null) {
      throw new BellamyException(ErrorCode.INVALID_ARGUMENT, "expected " + what + ", found null");
    }
    return value;
  }

  static <T> List<T> list(List<? extends T> values, String what) {
    List<T> copy = new ArrayList<>(present(values, what));
    for (int i = 0; i < copy.size(); i++) {
      if (copy.get(i) == null) {
        throw new BellamyException(ErrorCode.INVALID_ARGUMENT, "expected " + what + ", found null at " + i);
      }
    }
    return Collections.unmodifiableList(copy);
  }

  static void sizes(int expected, String of, int found, String in) {
    if (expected != found) {
      throw new BellamyException(
          ErrorCode.INVALID_ARGUMENT, "expected room for " + expected + " " + of + " in " + in + ", found " + found);
    }
  }

  static void position(int found, int count, String of) {
    if (found < 0 || found >= count) {
      throw new BellamyException(
          ErrorCode.INVALID_ARGUMENT, "expected a " + of + " from 0 to " + (count - 1) + ", found " + found);
    }
  }
}
