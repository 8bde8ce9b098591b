package io.github.bellamy;

import java.util.List;

/** The model that is valid now, for all threads: those who ask take a snapshot and do not wait for those who learn. */
public final class SharedModel extends NativeHandle {
  /** Starts from a model, which may be closed afterwards. Error: CLOSED. */
  public SharedModel(RuntimeModel first) {
    super(Check.present(first, "a model").use(Native::sharedCreate), Native::sharedFree);
  }

  /** The model that is valid now, for the caller to close; it stays as it is while others learn. Error: CLOSED. */
  public RuntimeModel snapshot() {
    return use(address -> new RuntimeModel(Native.sharedSnapshot(address)));
  }

  /** Learns from runs, one thread after the other, so that nothing is lost. Errors: as {@link RuntimeModel#condition}. */
  public void condition(List<Run> observed) {
    byte[] bytes = Wire.ofRuns(Check.list(observed, "runs"));
    long address = acquire();
    try {
      Native.sharedCondition(address, bytes);
    } finally {
      release();
    }
  }
}
