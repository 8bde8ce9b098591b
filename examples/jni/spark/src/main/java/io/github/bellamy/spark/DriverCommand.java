package io.github.bellamy.spark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What the command of a driver, {@code sun.java.command}, tells of the application. */
final class DriverCommand {
  private static final List<String> PROGRAM_ENDS =
      List.of(".jar", ".py", ".R", ".r", ".egg", "spark-shell", "sparkr-shell", "spark-internal");

  private DriverCommand() {}

  /** The command of Spark's launcher without options: what stands behind the program's file, or the {@code --arg}s of a YARN driver. */
  static String arguments(String command) {
    List<String> words = new ArrayList<>(Arrays.asList(command.split(" +")));
    words.remove("");
    if (words.isEmpty()) {
      return "";
    }
    if (words.get(0).contains("ApplicationMaster")) {
      List<String> arguments = new ArrayList<>();
      for (int i = 0; i + 1 < words.size(); i++) {
        if (words.get(i).equals("--arg")) {
          arguments.add(words.get(++i));
        }
      }
      return String.join(" ", arguments);
    }
    return words.get(0).endsWith("SparkSubmit") ? String.join(" ", behindProgram(words)) : "";
  }

  /**
   * What the command runs: the class behind {@code --class}, else the program's file; without a launcher its first word. Words in
   * the arguments of the program are none of it.
   */
  static String mainClass(String command) {
    List<String> words = new ArrayList<>(Arrays.asList(command.split(" +")));
    words.remove("");
    if (words.isEmpty()) {
      return "";
    }
    String launcher = words.get(0);
    if (launcher.endsWith("DriverWrapper")) {
      return words.size() > 3 ? words.get(3) : "";
    }
    if (!launcher.endsWith("SparkSubmit") && !launcher.contains("ApplicationMaster")) {
      return launcher;
    }
    for (int i = 1; i < words.size(); i++) {
      boolean isLast = i + 1 == words.size();
      if (words.get(i).equals("--class") && !isLast) {
        return words.get(i + 1);
      }
      if (isProgram(words.get(i))) {
        return words.get(i);
      }
      boolean isFlag = words.get(i).equals("--verbose") || words.get(i).equals("--supervise");
      if (!isFlag && words.get(i).startsWith("--") && !isLast && !words.get(i + 1).startsWith("--")) {
        i++;
      }
    }
    return "";
  }

  private static boolean isProgram(String word) {
    return !word.contains("=") && PROGRAM_ENDS.stream().anyMatch(word::endsWith);
  }

  // The command has lost its quotes, so that values of options may be several words: the program is known by its file.
  private static List<String> behindProgram(List<String> words) {
    for (int i = 1; i < words.size(); i++) {
      String word = words.get(i);
      if (word.startsWith("--")) {
        i++;
      } else if (isProgram(word)) {
        return words.subList(i + 1, words.size());
      }
    }
    return List.of();
  }

  /** With statements in its arguments an SQL shell ends by itself. */
  static boolean hasStatements(String command) {
    int driver = command.indexOf("SparkSQLCLIDriver");
    String arguments = driver < 0 ? "" : command.substring(driver);
    return arguments.contains(" -f ") || arguments.contains(" -e ");
  }
}
