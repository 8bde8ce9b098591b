package io.github.bellamy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Another JVM with our class path, for what cannot be tried in this one. */
final class ChildJvm {
  final int status;
  final String output;

  private ChildJvm(int status, String output) {
    this.status = status;
    this.output = output;
  }

  static ChildJvm run(Class<?> main, String... options) throws IOException, InterruptedException {
    return run(List.of(), main, options);
  }

  /** The same as the last words of another command. */
  static ChildJvm run(List<String> before, Class<?> main, String... options) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(before);
    command.addAll(java());
    command.addAll(List.of(options));
    command.add(main.getName());
    return start(command);
  }

  static ChildJvm run(String main, String argument) throws IOException, InterruptedException {
    List<String> command = java();
    command.addAll(List.of(main, argument));
    return start(command);
  }

  private static List<String> java() {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx128m", "-cp", System.getProperty("java.class.path")));
    if (Runtime.version().feature() >= 24) { // which else warns of native code
      command.add("--enable-native-access=ALL-UNNAMED");
    }
    return command;
  }

  private static ChildJvm start(List<String> command) throws IOException, InterruptedException {
    Process child = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new ChildJvm(child.waitFor(), output);
  }
}
