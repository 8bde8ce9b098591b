package io.github.bellamy;

import java.util.ArrayList;
import java.util.List;

/** A made-up job: 20 s of its own, and 4 s per gigabyte shared by the nodes. */
final class MadeUpJob {
  private MadeUpJob() {}

  static Context context(long sizeGb) {
    return context(sizeGb, "m5.large");
  }

  static Context context(long sizeGb, String machine) {
    return new Context(
        List.of(
            Property.text("machine", machine).withRole(PropertyRole.MACHINE_TYPE),
            Property.natural("size_gb", sizeGb).withRole(PropertyRole.DATA_SIZE),
            Property.quantity("skew", 0.5)),
        List.of(Property.natural("memory_gb", 8).withRole(PropertyRole.MEMORY_PER_NODE).perScaleOutUnit()),
        ScaleOutUnit.NODE);
  }

  static double runtimeSeconds(long sizeGb, int scaleOut) {
    return 20 + 4.0 * sizeGb / scaleOut;
  }

  static Run run(long sizeGb, int scaleOut) {
    return new Run(context(sizeGb), scaleOut, runtimeSeconds(sizeGb, scaleOut));
  }

  static List<Run> history() {
    List<Run> runs = new ArrayList<>();
    for (long size = 10; size <= 60; size += 10) {
      for (int x = 2; x <= 12; x += 2) {
        runs.add(run(size, x));
      }
    }
    return runs;
  }

  static RuntimeModel model() {
    return RuntimeModel.pretrain(history(), "made-up", 1);
  }
}
