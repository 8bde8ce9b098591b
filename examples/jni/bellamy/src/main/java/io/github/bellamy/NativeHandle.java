package io.github.bellamy;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;

/**
 * Owner of something native: freed by {@link #close}, or else once nothing refers to it any more. Any number of threads may use
 * one; it cannot be closed under their feet.
 */
abstract class NativeHandle implements AutoCloseable {
  private static final int CLOSED = -1;
  private static final Cleaner CLEANER = Cleaner.create();

  // Apart from the owner, which what the cleaner holds must not keep alive.
  private static final class Resource implements Runnable {
    final AtomicInteger users = new AtomicInteger();
    final long address;
    final LongConsumer free;

    Resource(long address, LongConsumer free) {
      this.address = address;
      this.free = free;
    }

    @Override
    public void run() {
      users.set(CLOSED);
      free.accept(address);
    }
  }

  private final Resource resource;
  private final Cleaner.Cleanable cleanable;

  NativeHandle(long address, LongConsumer free) {
    resource = new Resource(address, free);
    cleanable = CLEANER.register(this, resource);
  }

  /** For use until {@link #release}; error: CLOSED. */
  final long acquire() {
    AtomicInteger users = resource.users;
    for (int now = users.get(); now != CLOSED; now = users.get()) {
      if (users.compareAndSet(now, now + 1)) {
        return resource.address;
      }
    }
    throw new BellamyException(
        ErrorCode.CLOSED, "expected an open " + getClass().getSimpleName() + ", found one that was closed");
  }

  final void release() {
    resource.users.decrementAndGet();
    Reference.reachabilityFence(this);
  }

  final <T> T use(LongFunction<T> body) {
    long address = acquire();
    try {
      return body.apply(address);
    } finally {
      release();
    }
  }

  /** Frees the native memory; a second call has no effect. Error: IN_USE while another thread is inside, which changes nothing. */
  @Override
  public final void close() {
    if (resource.users.compareAndSet(0, CLOSED)) {
      cleanable.clean();
    } else if (resource.users.get() != CLOSED) {
      throw new BellamyException(
          ErrorCode.IN_USE,
          "expected a " + getClass().getSimpleName() + " that no thread uses, found " + resource.users.get() + " users");
    }
  }
}
