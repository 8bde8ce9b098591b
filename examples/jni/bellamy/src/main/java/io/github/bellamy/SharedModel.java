package io.github.bellamy;

import java.util.List;

/** The model that is valid now, for all threads: those who ask take a snapshot and do not wait for those who learn. */
public final class SharedModel implements AutoCloseable {
  private final Object learning = new Object();
  // Null once closed; guarded by this.
  private RuntimeModel current;

  /** Starts from a model, which may be closed afterwards. Error: CLOSED. */
  public SharedModel(RuntimeModel first) {
    current = Check.present(first, "a model").share();
  }

  /** The model that is valid now, for the caller to close; it stays as it is while others learn. Error: CLOSED. */
  public synchronized RuntimeModel snapshot() {
    requireOpen();
    return current.share();
  }

  /** Learns from runs, one thread after the other, so that nothing is lost. Errors: as {@link RuntimeModel#condition}. */
  public void condition(List<Run> observed) {
    synchronized (learning) {
      try (RuntimeModel before = snapshot()) {
        publish(before.condition(observed));
      }
    }
  }

  /** Snapshots live on; a second call has no effect. */
  @Override
  public synchronized void close() {
    if (current != null) {
      current.close();
      current = null;
    }
  }

  private synchronized void publish(RuntimeModel next) {
    try {
      requireOpen();
    } catch (BellamyException closedMeanwhile) {
      next.close();
      throw closedMeanwhile;
    }
    current.close();
    current = next;
  }

  private void requireOpen() {
    if (current == null) {
      throw new BellamyException(ErrorCode.CLOSED, "expected an open SharedModel, found one that was closed");
    }
  }
}
