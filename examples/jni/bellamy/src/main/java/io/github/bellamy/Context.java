package io.github.bellamy;

import java.io.Serializable;
import java.util.List;
import java.util.Objects;

/** Where and on what a job runs: essential properties in a fixed order, any optional ones, and what scale-out counts; immutable. */
public final class Context implements Serializable {
  private static final long serialVersionUID = 1;

  private final List<Property> essential;
  private final List<Property> optional;
  private final ScaleOutUnit unit;

  public Context(List<Property> essential, List<Property> optional, ScaleOutUnit unit) {
    this.essential = Check.list(essential, "essential properties");
    this.optional = Check.list(optional, "optional properties");
    this.unit = Check.present(unit, "a unit of scale-out");
  }

  public List<Property> essential() {
    return essential;
  }

  public List<Property> optional() {
    return optional;
  }

  public ScaleOutUnit unit() {
    return unit;
  }

  @Override
  public boolean equals(Object other) {
    if (!(other instanceof Context)) {
      return false;
    }
    Context that = (Context) other;
    return essential.equals(that.essential) && optional.equals(that.optional) && unit == that.unit;
  }

  @Override
  public int hashCode() {
    return Objects.hash(essential, optional, unit);
  }

  @Override
  public String toString() {
    return essential + " " + optional + " per " + unit;
  }
}
