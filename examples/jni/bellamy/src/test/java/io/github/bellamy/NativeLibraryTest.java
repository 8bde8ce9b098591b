package io.github.bellamy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.commons.ClassRemapper;
import org.objectweb.asm.commons.Remapper;

class NativeLibraryTest {
  /** Loads a model twice, to see that the second refusal says the same as the first, and tells what it got. */
  static final class LoadTwice {
    private LoadTwice() {}

    public static void main(String[] arguments) {
      for (int i = 0; i < 2; i++) {
        try {
          RuntimeModel.fromBytes(new byte[0]);
        } catch (BellamyException refused) {
          System.out.println(refused.number() + " " + refused.getMessage());
        }
      }
    }
  }

  private static void assertRefusedTwice(ChildJvm child, String words) {
    assertEquals(0, child.status, child.output);
    List<String> lines = child.output.lines().filter(line -> line.startsWith("1003")).collect(Collectors.toList());
    assertEquals(2, lines.size(), child.output);
    for (String each : lines) {
      assertTrue(each.startsWith("1003 native_library: expected "), child.output);
      assertTrue(each.contains(words), child.output);
    }
  }

  private static List<Path> filesIn(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.collect(Collectors.toList());
    }
  }

  @Test
  void whatIsNoLibraryIsRefusedWithItsPlaceAndTheProperty(@TempDir Path folder) throws Exception {
    Path absent = folder.resolve("absent.so");
    ChildJvm child = ChildJvm.run(LoadTwice.class, "-Dbellamy.native.library=" + absent);
    assertRefusedTwice(child, absent + ", found: ");
    assertRefusedTwice(child, "-Dbellamy.native.library");
    Path text = Files.writeString(folder.resolve("text.so"), "no library");
    assertRefusedTwice(ChildJvm.run(LoadTwice.class, "-Dbellamy.native.library=" + text), text.toString());
  }

  @Test
  void aPlatformWithoutALibraryIsNamedAndThoseWithOne() throws Exception {
    ChildJvm child = ChildJvm.run(LoadTwice.class, "-Dos.arch=pdp11");
    assertRefusedTwice(child, "expected a native library for linux-pdp11 in the jar, found linux-");
    String processor = System.getProperty("os.arch").equals("amd64") ? "x86_64" : System.getProperty("os.arch");
    assertRefusedTwice(child, "linux-" + processor);
    assertRefusedTwice(child, "; build it there, or name one with -Dbellamy.native.library=FILE");
  }

  @Test
  void aDirectoryThatCannotBeWrittenToIsNamed(@TempDir Path folder) throws Exception {
    Path absent = folder.resolve("absent");
    ChildJvm child = ChildJvm.run(LoadTwice.class, "-Dbellamy.native.directory=" + absent);
    assertRefusedTwice(child, "expected to copy the native library to " + absent);
    assertRefusedTwice(child, "-Dbellamy.native.directory");
  }

  @Test
  void aDirectoryThatForbidsToExecuteIsSuspected(@TempDir Path folder) throws Exception {
    String mount = "mount -t tmpfs -o noexec tmpfs " + folder + " || exit 99; \"$@\"; ls -A " + folder;
    List<String> inNoexec = List.of("unshare", "--mount", "--map-root-user", "sh", "-c", mount, "sh");
    Process tried = new ProcessBuilder(inNoexec).redirectErrorStream(true).start();
    String found = new String(tried.getInputStream().readAllBytes());
    assumeTrue(tried.waitFor() == 0, "skipped: no directory can be mounted noexec here: " + found);
    ChildJvm child = ChildJvm.run(inNoexec, LoadTwice.class, "-Dbellamy.native.directory=" + folder);
    assertRefusedTwice(child, "mounted noexec?");
    assertEquals(2, child.output.lines().filter(line -> !line.isEmpty()).count(), "left behind: " + child.output);
  }

  @Test
  void theCopyOfTheLibraryIsGoneOnceLoaded(@TempDir Path folder) throws Exception {
    ChildJvm child = ChildJvm.run(Exercise.class, "-Dbellamy.native.directory=" + folder);
    assertEquals("exercised", child.output.trim());
    assertEquals(List.of(), filesIn(folder));
  }

  @Test
  void theCheckingJvmFindsNothing() throws Exception {
    ChildJvm child = ChildJvm.run(Exercise.class, "-Xcheck:jni");
    assertEquals(0, child.status, child.output);
    assertEquals("exercised", child.output.trim());
  }

  /** Our classes under another name, as a shaded jar has them, or under their own. */
  private static final class Renaming extends ClassLoader {
    private final String packageName;

    Renaming(String packageName) {
      super(ClassLoader.getPlatformClassLoader());
      this.packageName = packageName;
    }

    private String original(String name) {
      return name.replace(packageName, "io/github/bellamy");
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      String file = original(name.replace('.', '/')) + ".class";
      try (InputStream in = NativeLibraryTest.class.getClassLoader().getResourceAsStream(file)) {
        if (in == null) {
          throw new ClassNotFoundException(name);
        }
        ClassWriter writer = new ClassWriter(0);
        Remapper remapper =
            new Remapper() {
              @Override
              public String map(String internalName) {
                return internalName.replace("io/github/bellamy", packageName);
              }
            };
        new ClassReader(in.readAllBytes()).accept(new ClassRemapper(writer, remapper), 0);
        byte[] bytes = writer.toByteArray();
        return defineClass(name, bytes, 0, bytes.length);
      } catch (IOException failed) {
        throw new ClassNotFoundException(name, failed);
      }
    }

    @Override
    protected URL findResource(String name) {
      return NativeLibraryTest.class.getClassLoader().getResource(original(name));
    }
  }

  private static byte[] copyThrough(ClassLoader loader, String packageName, byte[] bytes) throws Exception {
    Class<?> type = loader.loadClass(packageName + ".RuntimeModel");
    assertEquals(loader, type.getClassLoader());
    try (AutoCloseable model = (AutoCloseable) type.getMethod("fromBytes", byte[].class).invoke(null, (Object) bytes)) {
      return (byte[]) type.getMethod("toBytes").invoke(model);
    }
  }

  @Test
  void aShadedJarMayRenameThePackage() throws Exception {
    try (RuntimeModel model = MadeUpJob.model()) {
      Renaming shaded = new Renaming("org/example/shaded");
      assertArrayEquals(model.toBytes(), copyThrough(shaded, "org.example.shaded", model.toBytes()));
      Class<?> type = shaded.loadClass("org.example.shaded.RuntimeModel");
      Exception refused =
          org.junit.jupiter.api.Assertions.assertThrows(
              Exception.class, () -> type.getMethod("fromBytes", byte[].class).invoke(null, (Object) new byte[0]));
      assertEquals("org.example.shaded.BellamyException", refused.getCause().getClass().getName());
    }
  }

  @Test
  void classLoadersHaveTheirOwnLibraryAndLetItGo() throws Exception {
    try (RuntimeModel model = MadeUpJob.model()) {
      URL classes = RuntimeModel.class.getProtectionDomain().getCodeSource().getLocation();
      byte[] bytes = model.toBytes();
      URLClassLoader one = new URLClassLoader(new URL[] {classes}, ClassLoader.getPlatformClassLoader());
      URLClassLoader other = new URLClassLoader(new URL[] {classes}, ClassLoader.getPlatformClassLoader());
      assertArrayEquals(bytes, copyThrough(one, "io.github.bellamy", bytes));
      assertArrayEquals(bytes, copyThrough(other, "io.github.bellamy", bytes));
      one.close();
      WeakReference<ClassLoader> gone = new WeakReference<>(one);
      one = null;
      // The cleaner's thread ends once its loader is let go, so that takes a moment.
      for (int i = 0; i < 100 && gone.get() != null; i++) {
        System.gc();
        Thread.sleep(50);
      }
      assertFalse(gone.get() != null, "the class loader is still alive");
      assertArrayEquals(bytes, copyThrough(other, "io.github.bellamy", bytes));
      other.close();
    }
  }
}
