package org.apache.spark.sql.tidegate;

import java.util.SortedMap;
import org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreMap;
import org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider;

/** The versions of a state in memory, newest first. In Java, which may call what Scala hides. */
final class LoadedMaps {
  private LoadedMaps() {}

  static SortedMap<Object, HDFSBackedStateStoreMap> of(HDFSBackedStateStoreProvider provider) {
    return provider.getLoadedMaps();
  }
}
