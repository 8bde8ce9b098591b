package io.github.bellamy.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunListenerTest {
  @TempDir Path folder;

  /** What the recorder plugin adds where no model is named. */
  @Test
  void aRunIsRecordedWithoutAModelAsTheRescalerRecordsIt() throws Exception {
    Path record = folder.resolve("runs.jsonl");
    RescalerSettings settings =
        new RescalerSettings(
            Map.of(
                "record", record.toString(), "property.data_size_MB", "500", "property.input", "rides", "property.share", "0.25"));
    SimulatedApplication application =
        new SimulatedApplication(new RunListener("spark 0", "sim", SimulatedApplication.START, 1, settings));
    application.start("app-1", 1);
    application.jobs(1, 1);
    application.addExecutors(1);
    application.jobs(1, 1);
    application.end();
    assertEquals(Files.readString(Path.of(System.getProperty("golden"), "recorded_run.jsonl")), Files.readString(record));
  }
}
