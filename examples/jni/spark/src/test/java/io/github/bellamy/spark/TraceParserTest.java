package io.github.bellamy.spark;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.bellamy.ApplicationTrace;
import io.github.bellamy.StageTrace;
import io.github.bellamy.TraceOutcome;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class TraceParserTest {
  private static final String RUN =
      "{\"format\":1,\"system\":\"spark\",\"application\":\"a\",\"run\":\"r\",\"unit\":\"core\",\"runtime_s\":5,\"outcome\":\"succeeded\","
          + "\"properties\":{\"data_size_MB\":7,\"note\":\"x\",\"unknown\":null},\"scale_out\":[[0,2],[1.5,4]],"
          + "\"jobs\":[{\"id\":3,\"submitted_s\":1,\"completed_s\":4,\"later\":{\"field\":[1]},\"stages\":[{\"id\":9,\"attempt\":1,"
          + "\"parents\":[],\"outcome\":\"failed\",\"submitted_s\":1,\"completed_s\":3.5,\"scale_out\":[2,4],\"task_s\":[1,2,3,4,5]}]}]}";

  @Test
  void readsWhatALineHoldsAndSkipsFieldsThatItDoesNotKnow() throws IOException {
    ApplicationTrace run = TraceParser.parse(RUN);
    assertEquals("a", run.application());
    assertEquals(3, run.properties().size());
    assertEquals(1, run.jobs().size());
    StageTrace stage = run.jobs().get(0).stages().get(0);
    assertEquals(9, stage.id());
    assertEquals(3.5, stage.completedSeconds());
    assertEquals(TraceOutcome.FAILED, stage.outcome());
    assertArrayEquals(new double[] {1, 2, 3, 4, 5}, stage.taskSeconds());
  }

  @Test
  void aFieldThatIsNullIsAsIfItWereAbsent() throws IOException {
    ApplicationTrace run = TraceParser.parse(RUN.replace("\"completed_s\":3.5", "\"completed_s\":null"));
    assertTrue(Double.isNaN(run.jobs().get(0).stages().get(0).completedSeconds()));
    String noOutcome = RUN.replace("\"runtime_s\":5,\"outcome\":\"succeeded\"", "\"runtime_s\":5,\"outcome\":null");
    assertEquals(TraceOutcome.SUCCEEDED, TraceParser.parse(noOutcome).outcome());
    assertTrue(TraceParser.canBeLearnedFrom(noOutcome, "a", NameRule.of("clean"), ""));
  }

  private static void refused(String from, String to, String word) {
    assertTrue(RUN.contains(from));
    IOException told = assertThrows(IOException.class, () -> TraceParser.parse(RUN.replace(from, to)));
    assertTrue(told.getMessage().contains(word), told.getMessage());
  }

  @Test
  void refusesWhatIsNoRunOfItsFormat() {
    refused("\"format\":1", "\"format\":2", "expected format 1, found 2");
    refused("\"jobs\":[", "\"jobs\":7,\"rest\":[", "jobs");
    refused("\"completed_s\":4", "\"completed_s\":\"4\"", "numeric");
    refused("[1.5,4]", "[1.5]", "expected two numbers in scale_out, found 1");
    refused("\"failed\"", "\"lost\"", "LOST");
    refused("]}]}", "", "end-of-input");
  }
}
