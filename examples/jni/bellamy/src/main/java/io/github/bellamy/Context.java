package io.github.bellamy;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

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

  /**
   * Whether the library takes both for the same: of one unit, with the same names and values. Roles do not count, nor does the order
   * of optional properties.
   */
  @Override
  public boolean equals(Object other) {
    return other instanceof Context && identity().equals(((Context) other).identity());
  }

  @Override
  public int hashCode() {
    return identity().hashCode();
  }

  @Override
  public String toString() {
    return essential + " " + optional + " per " + unit;
  }

  private List<Object> identity() {
    return List.of(facts(essential), new HashSet<>(facts(optional)), optional.size(), unit);
  }

  private static List<Object> facts(List<Property> properties) {
    List<Object> all = new ArrayList<>();
    properties.forEach(each -> all.add(List.of(each.name(), each.kind(), each.value())));
    return all;
  }
}
