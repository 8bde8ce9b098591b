package io.github.bellamy;

/** What kind of value a property has. */
public enum PropertyKind {
  TEXT,
  NATURAL,
  QUANTITY,
  /** Not known when the question is asked; stands in for any kind. */
  UNKNOWN
}
