package io.github.bellamy.spark;

import java.util.List;
import org.apache.spark.ExecutorAllocationClient;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.ExecutorDecommissionInfo;
import scala.Option;
import scala.Tuple2;
import scala.collection.immutable.List$;
import scala.collection.immutable.Map$;

/** Executors by Spark's own means; they are decommissioned where that is on. Compiles for Scala 2.12 and 2.13. */
final class SparkCluster implements Cluster {
  private final SparkContext spark;
  private final boolean decommission;
  private final boolean keepsShuffles;
  private final boolean dynamic;

  SparkCluster(SparkContext spark) {
    this.spark = spark;
    dynamic = ListenerPlugin.allocatesDynamically(spark);
    decommission = isSet("spark.decommission.enabled");
    boolean migrates = isSet("spark.storage.decommission.enabled") && isSet("spark.storage.decommission.shuffleBlocks.enabled");
    keepsShuffles = isSet("spark.shuffle.service.enabled") || (decommission && migrates);
  }

  private boolean isSet(String key) {
    return spark.conf().getBoolean(key, false);
  }

  @Override
  public boolean allocatesDynamically() {
    return dynamic;
  }

  @Override
  public int leastExecutors() {
    return dynamic ? Math.max(1, spark.conf().getInt("spark.dynamicAllocation.minExecutors", 0)) : 1;
  }

  @Override
  public int mostExecutors() {
    return dynamic ? spark.conf().getInt("spark.dynamicAllocation.maxExecutors", Integer.MAX_VALUE) : Integer.MAX_VALUE;
  }

  @Override
  public boolean keepsShuffles() {
    return keepsShuffles;
  }

  @Override
  public boolean request(int executors) {
    return spark.requestTotalExecutors(executors, 0, Map$.MODULE$.empty());
  }

  @Override
  public boolean release(List<String> executors, int ofAll) {
    // To ask for what is left, and not to let Spark count down from what is there: it does not count those that are already going,
    // and would bring others in their place.
    if (!(spark.schedulerBackend() instanceof ExecutorAllocationClient) || !request(ofAll - executors.size())) {
      return false;
    }
    ExecutorAllocationClient client = (ExecutorAllocationClient) spark.schedulerBackend();
    if (decommission) {
      @SuppressWarnings({"unchecked", "rawtypes"})
      Tuple2<String, ExecutorDecommissionInfo>[] all = new Tuple2[executors.size()];
      for (int i = 0; i < all.length; i++) {
        all[i] =
            new Tuple2<>(executors.get(i), new ExecutorDecommissionInfo("given back by bellamy", Option.empty()));
      }
      client.decommissionExecutors(all, false, false);
      return true;
    }
    scala.collection.immutable.List<String> ids = List$.MODULE$.empty();
    for (String each : executors) {
      ids = ids.$colon$colon(each);
    }
    client.killExecutors(ids, false, false, true);
    return true;
  }
}
