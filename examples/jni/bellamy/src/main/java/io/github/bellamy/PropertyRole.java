package io.github.bellamy;

/** What a property means, where that is known; a role occurs at most once in a context. */
public enum PropertyRole {
  NONE,
  DATA_SIZE,
  MEMORY_PER_NODE,
  CORES_PER_NODE,
  MACHINE_TYPE
}
