package io.github.bellamy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** What is wrong is refused with its code and a sentence, and the JVM lives on. */
class BadInputTest {
  private static RuntimeModel model;
  private static Curve curve;

  @BeforeAll
  static void open() {
    model = MadeUpJob.model();
    curve = model.bind(MadeUpJob.context(35));
  }

  @AfterAll
  static void close() {
    curve.close();
    model.close();
  }

  private static void assertRefused(ErrorCode code, String words, Executable call) {
    BellamyException refused = assertThrows(BellamyException.class, call);
    assertEquals(code, refused.code(), refused.getMessage());
    assertEquals(code.number(), refused.number());
    assertTrue(refused.getMessage().contains(words), refused.getMessage());
  }

  @Test
  void nullIsRefused() {
    ErrorCode code = ErrorCode.INVALID_ARGUMENT;
    assertRefused(code, "found null", () -> RuntimeModel.load(null));
    assertRefused(code, "found null", () -> RuntimeModel.fromBytes(null));
    assertRefused(code, "found null", () -> RuntimeModel.pretrain(null, "", 0));
    assertRefused(code, "found null at 1", () -> RuntimeModel.pretrain(Arrays.asList(MadeUpJob.run(1, 1), null), "", 0));
    assertRefused(code, "found null", () -> RuntimeModel.pretrain(MadeUpJob.history(), null, 0));
    assertRefused(code, "found null", () -> RuntimeModel.coldStart(null, ""));
    assertRefused(code, "found null", () -> model.save(null));
    assertRefused(code, "found null", () -> model.bind(null));
    assertRefused(code, "found null", () -> model.condition(null));
    assertRefused(code, "found null", () -> curve.quantilesSeconds(null, 0.5, new double[1]));
    assertRefused(code, "found null", () -> curve.quantilesSeconds(new int[1], 0.5, null));
    assertRefused(code, "found null", () -> curve.mediansSeconds(1, null));
    assertRefused(code, "found null", () -> new SharedModel(null));
    assertRefused(code, "found null", () -> new Candidate(null, 1, Price.FREE));
    assertRefused(code, "found null", () -> Decision.choose(null, List.of(), 1, 1, 0.5));
    assertRefused(code, "found null", () -> Property.text(null, "x"));
    assertRefused(code, "found null", () -> new Context(null, List.of(), ScaleOutUnit.NODE));
  }

  @Test
  void arraysOfTheWrongLengthAndBuffersOfTheWrongKindAreRefused() {
    ErrorCode code = ErrorCode.INVALID_ARGUMENT;
    assertRefused(code, "room for 2 runtimes", () -> curve.quantilesSeconds(new int[2], 0.5, new double[3]));
    List<Context> two = List.of(MadeUpJob.context(1), MadeUpJob.context(2));
    assertRefused(code, "found 1", () -> model.quantilesSeconds(two, new int[1], 0.5, new double[2]));
    assertRefused(code, "found 3", () -> model.quantilesSeconds(two, new int[2], 0.5, new double[3]));
    assertRefused(code, "direct", () -> curve.mediansSeconds(1, FloatBuffer.allocate(4)));
    ByteOrder other = ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
    ByteBuffer bytes = ByteBuffer.allocateDirect(16);
    assertRefused(code, "native order", () -> curve.mediansSeconds(1, bytes.order(other).asFloatBuffer()));
    FloatBuffer readOnly = bytes.order(ByteOrder.nativeOrder()).asFloatBuffer().asReadOnlyBuffer();
    assertRefused(code, "writable", () -> curve.mediansSeconds(1, readOnly));
    curve.quantilesSeconds(new int[0], 0.5, new double[0]);
    curve.mediansSeconds(1, ByteBuffer.allocateDirect(0).order(ByteOrder.nativeOrder()).asFloatBuffer());
  }

  @Test
  void questionsWithoutAnAnswerGetNaN() {
    assertTrue(Double.isNaN(curve.medianSeconds(0)));
    assertTrue(Double.isNaN(curve.medianSeconds(-1)));
    assertTrue(Double.isNaN(curve.medianSeconds(Integer.MAX_VALUE)));
    assertTrue(Double.isNaN(curve.quantileSeconds(4, Double.NaN)));
    assertTrue(Double.isNaN(curve.quantileSeconds(4, 1)));
    FloatBuffer medians = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder()).asFloatBuffer();
    curve.mediansSeconds(Integer.MAX_VALUE, medians);
    assertTrue(Float.isNaN(medians.get(3)));
  }

  @Test
  void wrongRunsAreRefusedByTheirNumber() {
    Context context = MadeUpJob.context(35);
    assertRefused(
        ErrorCode.INVALID_RUNTIME, "run 1", () -> model.condition(List.of(new Run(context, 4, 9), new Run(context, 4, Double.NaN))));
    assertRefused(ErrorCode.INVALID_SCALE_OUT, "run 0", () -> model.condition(List.of(new Run(context, 0, 9))));
    assertRefused(
        ErrorCode.INVALID_WEIGHT, "run 0", () -> model.condition(List.of(new Run(context, 4, 9, false, Double.NaN))));
    assertRefused(ErrorCode.EMPTY_HISTORY, "run", () -> RuntimeModel.pretrain(List.of(), "", 0));
    assertRefused(
        ErrorCode.SINGLE_CONTEXT, "2 contexts", () -> RuntimeModel.pretrain(List.of(new Run(context, 4, 9)), "", 0));
  }

  @Test
  void contextsOfAnotherSchemaAreRefused() {
    Context good = MadeUpJob.context(35);
    List<Property> none = List.of();
    assertRefused(
        ErrorCode.ESSENTIAL_COUNT_MISMATCH, "found 0", () -> model.bind(new Context(none, none, ScaleOutUnit.NODE)));
    assertRefused(
        ErrorCode.UNIT_MISMATCH, "core", () -> model.bind(new Context(good.essential(), none, ScaleOutUnit.CORE)));
    assertRefused(
        ErrorCode.UNKNOWN_PROPERTY,
        "colour",
        () -> model.bind(new Context(good.essential(), List.of(Property.text("colour", "red")), ScaleOutUnit.NODE)));
    Context swapped =
        new Context(
            List.of(good.essential().get(1), good.essential().get(0), good.essential().get(2)), none, ScaleOutUnit.NODE);
    assertRefused(ErrorCode.PROPERTY_MISMATCH, "machine", () -> model.bind(swapped));
    assertRefused(
        ErrorCode.PROPERTY_MISMATCH,
        "question 1",
        () -> model.quantilesSeconds(List.of(good, swapped), new int[] {1, 1}, 0.5, new double[2]));
    assertRefused(ErrorCode.INVALID_TEXT, "zero", () -> model.bind(MadeUpJob.context(35, "a\0b")));
    assertRefused(ErrorCode.INVALID_TEXT, "surrogate", () -> model.bind(MadeUpJob.context(35, "\ud800")));
    assertRefused(ErrorCode.INVALID_QUANTITY, "-1", () -> Property.natural("size_gb", -1));
    assertRefused(ErrorCode.NUMBER_TOO_LARGE, "size_gb", () -> model.bind(MadeUpJob.context(Long.MAX_VALUE)));
    assertRefused(
        ErrorCode.INVALID_QUANTITY,
        "size_gb",
        () -> model.schema().context(Map.of("machine", "m", "size_gb", "many", "skew", "1")));
    assertRefused(ErrorCode.ESSENTIAL_COUNT_MISMATCH, "machine", () -> model.schema().context(Map.of("size_gb", "1")));
    assertRefused(
        ErrorCode.UNKNOWN_PROPERTY,
        "colour",
        () -> model.schema().context(Map.of("machine", "m", "size_gb", "1", "skew", "1", "colour", "red")));
  }

  @Test
  void wrongRequestsAreRefused() {
    List<Candidate> one = List.of(new Candidate(curve, 4, Price.FREE));
    Goal goal = Goal.CHEAPEST_WITHIN_DEADLINE;
    assertRefused(ErrorCode.EMPTY_CANDIDATES, "", () -> Decision.withinDeadline(goal, List.of(), 60, 0.9));
    assertRefused(ErrorCode.INVALID_DEADLINE, "nan", () -> Decision.withinDeadline(goal, one, Double.NaN, 0.9));
    assertRefused(ErrorCode.INVALID_PROBABILITY, "2", () -> Decision.withinDeadline(goal, one, 60, 2));
    assertRefused(ErrorCode.INVALID_BUDGET, "-1", () -> Decision.withinBudget(one, -1, 0.9));
    List<Candidate> nowhere = List.of(new Candidate(curve, 0, Price.FREE));
    assertRefused(ErrorCode.INVALID_SCALE_OUT, "0", () -> Decision.withinDeadline(goal, nowhere, 60, 0.9));
    List<Candidate> priceless = List.of(new Candidate(curve, 4, Price.perUnitAndHour(Double.NaN)));
    assertRefused(ErrorCode.INVALID_PRICE, "found none", () -> Decision.withinDeadline(goal, priceless, 60, 0.9));
  }

  @Test
  void bytesThatAreNoModelAreRefusedWhereverTheyAreWrong(@TempDir Path folder) {
    assertRefused(ErrorCode.CANNOT_READ, "absent", () -> RuntimeModel.load(folder.resolve("absent")));
    assertRefused(ErrorCode.CANNOT_WRITE, "absent", () -> model.save(folder.resolve("absent/model")));
    assertThrows(BellamyException.class, () -> RuntimeModel.fromBytes(new byte[0]));
    byte[] good = model.toBytes();
    for (int i = 0; i < good.length; i += 7) {
      byte[] cut = Arrays.copyOf(good, i);
      assertThrows(BellamyException.class, () -> RuntimeModel.fromBytes(cut), "cut at " + i);
      byte[] changed = good.clone();
      changed[i] ^= 0x20;
      assertThrows(BellamyException.class, () -> RuntimeModel.fromBytes(changed), "changed at " + i);
    }
  }

  @Test
  void whatWasClosedIsRefusedAndMayBeClosedAgain() {
    RuntimeModel closed = MadeUpJob.model();
    Curve gone = closed.bind(MadeUpJob.context(35));
    SharedModel shared = new SharedModel(closed);
    for (AutoCloseable each : List.of(closed, gone, shared, closed, gone, shared)) {
      try {
        each.close();
      } catch (Exception failed) {
        throw new AssertionError(failed);
      }
    }
    assertRefused(ErrorCode.CLOSED, "RuntimeModel", closed::toBytes);
    assertRefused(ErrorCode.CLOSED, "RuntimeModel", () -> closed.bind(MadeUpJob.context(35)));
    assertRefused(ErrorCode.CLOSED, "RuntimeModel", () -> new SharedModel(closed));
    assertRefused(ErrorCode.CLOSED, "Curve", () -> gone.at(4));
    assertRefused(ErrorCode.CLOSED, "Curve", () -> gone.medianSeconds(4));
    assertRefused(ErrorCode.CLOSED, "SharedModel", shared::snapshot);
    // The curve beside it is let go.
    List<Candidate> both = List.of(new Candidate(curve, 4, Price.FREE), new Candidate(gone, 4, Price.FREE));
    assertRefused(ErrorCode.CLOSED, "Curve", () -> Decision.withinDeadline(Goal.SMALLEST_WITHIN_DEADLINE, both, 60, 0.9));
  }

  @Test
  void closingWhatAnotherThreadUsesIsRefused() throws InterruptedException {
    RuntimeModel used = MadeUpJob.model();
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch mayLeave = new CountDownLatch(1);
    Thread user =
        new Thread(
            () ->
                used.use(
                    address -> {
                      inside.countDown();
                      try {
                        mayLeave.await();
                      } catch (InterruptedException stopped) {
                        Thread.currentThread().interrupt();
                      }
                      return null;
                    }));
    user.start();
    inside.await();
    assertRefused(ErrorCode.IN_USE, "1 users", used::close);
    assertTrue(used.toBytes().length > 0);
    mayLeave.countDown();
    user.join();
    used.close();
    assertRefused(ErrorCode.CLOSED, "closed", used::toBytes);
  }
}
