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
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx128m");
    command.addAll(List.of(options));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    Process child = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new ChildJvm(child.waitFor(), output);
  }
}
