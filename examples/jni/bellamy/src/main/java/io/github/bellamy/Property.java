package io.github.bellamy;

import java.io.Serializable;
import java.util.Objects;

/** One named fact about a job's context, for example its data size; immutable. */
public final class Property implements Serializable {
  private static final long serialVersionUID = 1;

  private final String name;
  private final PropertyKind kind;
  private final Serializable value;
  private final PropertyRole role;
  private final boolean scalesWithScaleOut;

  private Property(String name, PropertyKind kind, Serializable value, PropertyRole role, boolean scalesWithScaleOut) {
    this.name = Check.present(name, "a property's name");
    this.kind = kind;
    this.value = value;
    this.role = Check.present(role, "a role");
    this.scalesWithScaleOut = scalesWithScaleOut;
  }

  public static Property text(String name, String value) {
    return new Property(name, PropertyKind.TEXT, Check.present(value, "a text"), PropertyRole.NONE, false);
  }

  /** A natural number of at most 39 bits. */
  public static Property natural(String name, long value) {
    if (value < 0) {
      throw new BellamyException(
          ErrorCode.INVALID_QUANTITY, "expected a natural number for property " + name + ", found " + value);
    }
    return new Property(name, PropertyKind.NATURAL, value, PropertyRole.NONE, false);
  }

  public static Property quantity(String name, double value) {
    return new Property(name, PropertyKind.QUANTITY, value, PropertyRole.NONE, false);
  }

  /** A property whose value is not known when the question is asked; a history to learn from must know its values. */
  public static Property unknown(String name) {
    return new Property(name, PropertyKind.UNKNOWN, "", PropertyRole.NONE, false);
  }

  public Property withRole(PropertyRole meaning) {
    return new Property(name, kind, value, meaning, scalesWithScaleOut);
  }

  /** The value is that of one unit of scale-out, and the job sees value times scale-out (a cluster's total memory). */
  public Property perScaleOutUnit() {
    return new Property(name, kind, value, role, true);
  }

  public String name() {
    return name;
  }

  public PropertyKind kind() {
    return kind;
  }

  /** A String, a Long or a Double as the kind says; an empty String where unknown. */
  public Object value() {
    return value;
  }

  public PropertyRole role() {
    return role;
  }

  public boolean scalesWithScaleOut() {
    return scalesWithScaleOut;
  }

  @Override
  public boolean equals(Object other) {
    if (!(other instanceof Property)) {
      return false;
    }
    Property that = (Property) other;
    return name.equals(that.name)
        && kind == that.kind
        && value.equals(that.value)
        && role == that.role
        && scalesWithScaleOut == that.scalesWithScaleOut;
  }

  @Override
  public int hashCode() {
    return Objects.hash(name, kind, value, role, scalesWithScaleOut);
  }

  @Override
  public String toString() {
    return name + "=" + (kind == PropertyKind.UNKNOWN ? "?" : value);
  }
}
