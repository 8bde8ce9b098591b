package io.github.bellamy;

/** What one unit of scale-out is. */
public enum ScaleOutUnit {
  NODE,
  EXECUTOR,
  SLOT,
  CORE
}
