package io.github.bellamy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** The properties that a model was trained with, essential ones in order, and what its scale-out counts; immutable. */
public final class Schema {
  /** A property without its value. */
  public static final class Definition {
    private final String name;
    private final PropertyKind kind;
    private final PropertyRole role;
    private final boolean scalesWithScaleOut;

    Definition(String name, PropertyKind kind, PropertyRole role, boolean scalesWithScaleOut) {
      this.name = name;
      this.kind = kind;
      this.role = role;
      this.scalesWithScaleOut = scalesWithScaleOut;
    }

    public String name() {
      return name;
    }

    public PropertyKind kind() {
      return kind;
    }

    public PropertyRole role() {
      return role;
    }

    public boolean scalesWithScaleOut() {
      return scalesWithScaleOut;
    }

    /** The property whose value a text spells. Error: INVALID_QUANTITY where it spells no number and should. */
    public Property parse(String value) {
      Property made;
      try {
        made =
            kind == PropertyKind.TEXT
                ? Property.text(name, value)
                : kind == PropertyKind.NATURAL
                    ? Property.natural(name, Long.parseLong(value))
                    : Property.quantity(name, Double.parseDouble(value));
      } catch (NumberFormatException none) {
        throw new BellamyException(
            ErrorCode.INVALID_QUANTITY, "expected a number for property " + name + ", found \"" + value + "\"", none);
      }
      made = made.withRole(role);
      return scalesWithScaleOut ? made.perScaleOutUnit() : made;
    }
  }

  private final List<Definition> essential;
  private final List<Definition> optional;
  private final ScaleOutUnit unit;

  Schema(ByteBuffer from) {
    essential = definitions(from);
    optional = definitions(from);
    unit = ScaleOutUnit.values()[from.get()];
  }

  public List<Definition> essential() {
    return essential;
  }

  public List<Definition> optional() {
    return optional;
  }

  public ScaleOutUnit unit() {
    return unit;
  }

  /**
   * The context whose properties have the values that texts spell, by name. Optional ones may be left out, what scales is given per
   * unit of scale-out. Errors: ESSENTIAL_COUNT_MISMATCH, UNKNOWN_PROPERTY, INVALID_QUANTITY.
   */
  public Context context(Map<String, String> values) {
    List<Property> first = new ArrayList<>();
    for (Definition each : essential) {
      if (!values.containsKey(each.name())) {
        throw new BellamyException(
            ErrorCode.ESSENTIAL_COUNT_MISMATCH, "expected a value of property " + each.name() + ", found " + values.keySet());
      }
      first.add(each.parse(values.get(each.name())));
    }
    List<Property> second = new ArrayList<>();
    for (Definition each : optional) {
      if (values.containsKey(each.name())) {
        second.add(each.parse(values.get(each.name())));
      }
    }
    if (first.size() + second.size() != values.size()) {
      throw new BellamyException(
          ErrorCode.UNKNOWN_PROPERTY, "expected properties among " + names() + ", found " + values.keySet());
    }
    return new Context(first, second, unit);
  }

  /** Names of the essential, then of the optional properties. */
  public List<String> names() {
    List<String> all = new ArrayList<>();
    essential.forEach(each -> all.add(each.name()));
    optional.forEach(each -> all.add(each.name()));
    return all;
  }

  private static List<Definition> definitions(ByteBuffer from) {
    List<Definition> read = new ArrayList<>();
    for (int left = from.getInt(); left > 0; left--) {
      String name = Wire.text(from);
      read.add(
          new Definition(
              name, PropertyKind.values()[from.get()], PropertyRole.values()[from.get()], from.get() != 0));
    }
    return Collections.unmodifiableList(read);
  }
}
