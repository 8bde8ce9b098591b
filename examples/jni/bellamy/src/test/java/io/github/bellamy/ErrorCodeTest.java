package io.github.bellamy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Locale;
import org.junit.jupiter.api.Test;

class ErrorCodeTest {
  private static String nativeName(int enumeration, int value) {
    return Native.text(Native.nameOf(enumeration, value));
  }

  @Test
  void theCodesOfJavaAreThoseOfTheLibrary() {
    Native.require();
    int found = 0;
    for (int number = 1; number < 200; number++) { // from there on they are the C interface's own
      String name = nativeName(0, number);
      if (!name.equals("unknown")) {
        found++;
        assertEquals(number, ErrorCode.valueOf(name.toUpperCase(Locale.ROOT)).number());
      }
    }
    long mirrored = java.util.Arrays.stream(ErrorCode.values()).filter(each -> each.number() < 1000).count();
    assertEquals(mirrored, found);
  }

  @Test
  void theOtherEnumerationsOfJavaAreThoseOfTheLibrary() {
    Native.require();
    assertNames(1, new String[] {"text", "natural number", "quantity", "unknown"}, PropertyKind.values().length);
    String[] roles = {"none", "data_size", "memory_per_node", "cores_per_node", "machine_type"};
    assertNames(2, roles, PropertyRole.values().length);
    for (PropertyRole each : PropertyRole.values()) {
      assertEquals(each.name().toLowerCase(Locale.ROOT), nativeName(2, each.ordinal()));
    }
    for (ScaleOutUnit each : ScaleOutUnit.values()) {
      assertEquals(each.name().toLowerCase(Locale.ROOT), nativeName(3, each.ordinal()));
    }
    for (Verdict each : Verdict.values()) {
      assertEquals(each.toString(), nativeName(4, each.ordinal()));
    }
    for (Outcome each : Outcome.values()) {
      assertEquals(each.toString(), nativeName(5, each.ordinal()));
    }
    for (RescaleVerdict each : RescaleVerdict.values()) {
      assertEquals(each.toString(), nativeName(7, each.ordinal()));
    }
    for (RescaleOutcome each : RescaleOutcome.values()) {
      assertEquals(each.toString(), nativeName(8, each.ordinal()));
    }
    for (ExplorationVerdict each : ExplorationVerdict.values()) {
      assertEquals(each.toString(), nativeName(9, each.ordinal()));
    }
    assertEquals("unknown", nativeName(9, ExplorationVerdict.values().length));
    assertEquals("unknown", nativeName(7, RescaleVerdict.values().length));
    assertEquals("unknown", nativeName(8, RescaleOutcome.values().length));
  }

  private static void assertNames(int enumeration, String[] names, int count) {
    assertEquals(count, names.length);
    for (int i = 0; i < names.length; i++) {
      assertEquals(names[i], nativeName(enumeration, i));
    }
  }
}
