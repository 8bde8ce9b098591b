package io.github.bellamy.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Times as the configuration and the launcher's command line take them. */
class RescalerSettingsTest {
  @Test
  void timesAreSecondsUnlessTheyNameAUnit() {
    for (String tenMinutes : List.of("600", "600s", "10m", "10 min", "600000ms")) {
      assertEquals(600, RescalerSettings.toSeconds(tenMinutes), tenMinutes);
    }
    assertEquals(5400, RescalerSettings.toSeconds("1.5h"));
    for (String wrong : List.of("", "soon", "-1", "10 weeks", "m")) {
      assertThrows(NumberFormatException.class, () -> RescalerSettings.toSeconds(wrong), wrong);
    }
  }
}
