package io.github.bellamy.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Names as the importer of event logs cleans them. */
class NameRuleTest {
  @Test
  void namesOfPublicCircumstancesBecomeThoseThatTheImporterGives() throws Exception {
    List<String> lines = Files.readAllLines(Path.of(System.getProperty("golden"), "application_names.tsv"));
    for (String line : lines.subList(1, lines.size())) {
      String[] cells = line.split("\t");
      assertEquals(cells[1], NameRule.clean(cells[0]), cells[0]);
    }
    assertTrue(lines.size() > 40, () -> lines.size() + " names");
  }

  @Test
  void aRuleIsCleanExactOrAReplacement() {
    assertEquals("sales-report", NameRule.of("clean").apply("sales-report-2026-11-01"));
    assertEquals("sales-report-2026-11-01", NameRule.of("exact").apply("sales-report-2026-11-01"));
    assertEquals("orders", NameRule.of("s/-[a-z]*$//").apply("orders-alpha"));
    assertEquals("beta of orders", NameRule.of("s|(.*)-(.*)|$2 of $1|").apply("orders-beta"));
    assertEquals("orders", NameRule.of("s/.*//").apply("orders"));
    for (String wrong : List.of("", "dirty", "s/a", "s/a/b", "s/a/b/c/", "s/(/b/")) {
      assertThrows(IllegalArgumentException.class, () -> NameRule.of(wrong), wrong);
    }
  }

  @Test
  void argumentsAreWhatStandsBehindTheProgramOfTheLaunchersCommand() {
    String submit = "org.apache.spark.deploy.SparkSubmit --conf spark.driver.memory=1g --class a.Main ";
    assertEquals("in out 7", DriverCommand.arguments(submit + "job.jar in out 7"));
    assertEquals("", DriverCommand.arguments(submit + "job.jar"));
    assertEquals("x y", DriverCommand.arguments("org.apache.spark.deploy.yarn.ApplicationMaster --class a --arg x --arg y"));
    assertEquals("", DriverCommand.arguments("com.vendor.Driver a.jar x"));
    assertEquals("", DriverCommand.arguments(""));
  }
}
