package io.github.bellamy.spark;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * How names of applications lose what differs from run to run, by the rule of {@code bellamy import --name}: both are tested on one
 * table of names. Immutable.
 */
final class NameRule {
  private static final int LONGEST_BYTES = 512;
  private static final char REMOVED = '\u0001';
  private static final String SEPARATORS = " _-.:#,;|/@";
  private static final String OF_KUBERNETES = "bcdfghjklmnpqrstvwxz2456789";
  private static final String OF_AIRFLOW = "abcdefghijklmnopqrstuvwxyz0123456789";
  private static final Pattern LIVY_NUMBER =
      Pattern.compile("(^|[^A-Za-z0-9])(livy-(?:batch|session))-[0-9]+(?:-[0-9A-Za-z]{8})?(?![A-Za-z0-9])");

  /** One in a hundred steps and clusters of EMR has no digit in its number: capitals tell it from a word then. */
  private static final Pattern CAPITALS_OF_EMR = Pattern.compile("(^|[^A-Za-z0-9])[sj]-[A-Z]{13}(?![A-Za-z0-9])");

  private static final String DATE = "(?:19|20)[0-9]{2}([-_./])(?:0?[1-9]|1[0-2])\\2(?:3[01]|[12][0-9]|0?[1-9])";
  private static final String TIME =
      "(?:[T _-]+[0-2]?[0-9][-:_.h]?[0-5][0-9](?:[-:_.m]?[0-5][0-9](?:[.,][0-9]+)?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?";

  // Each one between characters that are neither letters nor digits.
  private static final List<Pattern> PATTERNS = new ArrayList<>();

  static {
    for (String pattern :
        List.of(
            "[0-9]{7}-[0-9]{15}-oozie-[a-z]{1,4}-[WCB]", // workflows, coordinators and bundles of Oozie
            "[sj]-(?=[A-Z]*[0-9])[0-9A-Z]{11,14}", // steps and clusters of EMR
            "jr_[0-9a-f]{64}", // runs of Glue jobs
            "(?:application|job|attempt|appattempt|task)_[0-9]{10,}(?:_[0-9]+)+",
            "(?:app-[0-9]{14}-[0-9]{4,}|local-[0-9]{10,}|spark-[0-9a-f]{32})",
            "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
            DATE + TIME,
            "(?:19|20)[0-9]{2}([-_/])(?:0[1-9]|1[0-2])", // a month
            "(?:3[01]|[12][0-9]|0?[1-9])([-_./])(?:0?[1-9]|1[0-2])\\2(?:19|20)[0-9]{2}" + TIME, // the day first
            "(?:19|20)[0-9]{6}" + TIME,
            "[0-2]?[0-9]:[0-5][0-9](?::[0-5][0-9](?:[.,][0-9]+)?)?",
            "(?:attempt|retry|try|run|rerun)[ _#:-]*[0-9]+",
            "(?:[0-9]{8,}|(?=[0-9a-f]*[0-9])[0-9a-f]{8,})")) {
      PATTERNS.add(Pattern.compile("(^|[^A-Za-z0-9])(?:" + pattern + ")(?![A-Za-z0-9])", Pattern.CASE_INSENSITIVE));
    }
  }

  private final UnaryOperator<String> rule;

  private NameRule(UnaryOperator<String> rule) {
    this.rule = rule;
  }

  /** {@code clean}, {@code exact} or {@code s/REGEX/TEXT/}, with any separator in the place of "/". Error: IllegalArgumentException. */
  static NameRule of(String spelled) {
    if (spelled.equals("clean")) {
      return new NameRule(NameRule::clean);
    }
    if (spelled.equals("exact")) {
      return new NameRule(UnaryOperator.identity());
    }
    int middle = spelled.length() < 4 || spelled.charAt(0) != 's' ? -1 : spelled.indexOf(spelled.charAt(1), 2);
    if (middle < 0 || spelled.indexOf(spelled.charAt(1), middle + 1) != spelled.length() - 1) {
      throw new IllegalArgumentException("expected clean, exact or s/REGEX/TEXT/, found " + spelled);
    }
    try {
      Pattern what = Pattern.compile(spelled.substring(2, middle));
      String by = spelled.substring(middle + 1, spelled.length() - 1);
      return new NameRule(name -> what.matcher(name).replaceAll(by));
    } catch (PatternSyntaxException wrong) {
      throw new IllegalArgumentException("expected clean, exact or s/REGEX/TEXT/, found " + spelled + ": " + wrong.getMessage(), wrong);
    }
  }

  /** The name that becomes empty stays as it is. */
  String apply(String name) {
    String whole = cut(name);
    String renamed = rule.apply(whole);
    return renamed.isEmpty() ? whole : renamed;
  }

  static String clean(String name) {
    String whole = cut(name);
    String words = LIVY_NUMBER.matcher(whole.replace(String.valueOf(REMOVED), "")).replaceAll("$1$2");
    words = CAPITALS_OF_EMR.matcher(withoutRandomEnd(words)).replaceAll("$1" + REMOVED);
    for (Pattern pattern : PATTERNS) {
      words = pattern.matcher(words).replaceAll("$1" + REMOVED);
    }
    words = withoutRandomEnd(closeGaps(words)); // of a workflow of Argo, whose pods end in a number behind it
    return words.chars().allMatch(c -> " _-.:".indexOf(c) >= 0) ? whole : words;
  }

  /** To so many bytes of UTF-8, between two characters. */
  private static String cut(String name) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    int size = Math.min(bytes.length, LONGEST_BYTES);
    while (size > 0 && size < bytes.length && (bytes[size] & 0xC0) == 0x80) {
      size--;
    }
    return size == bytes.length ? name : new String(Arrays.copyOf(bytes, size), StandardCharsets.UTF_8);
  }

  /** What Airflow ('-' and 8 letters and digits) or Kubernetes (5 of those that spell no words) appends. */
  private static String withoutRandomEnd(String name) {
    String shorter = withoutEnd(name, 8, 8, OF_AIRFLOW);
    if (!shorter.equals(name)) {
      return shorter;
    }
    shorter = withoutEnd(name, 5, 5, OF_KUBERNETES);
    return shorter.equals(name) ? name : withoutEnd(shorter, 8, 10, OF_KUBERNETES); // of a pod, and of its replica set
  }

  private static String withoutEnd(String name, int least, int most, String alphabet) {
    int dash = name.lastIndexOf('-');
    String end = name.substring(dash + 1);
    boolean fits = dash > 0 && end.length() >= least && end.length() <= most && end.chars().allMatch(c -> alphabet.indexOf(c) >= 0);
    return fits && isRandom(end) ? name.substring(0, dash) : name;
  }

  /** Random letters and digits, as against a word, a number or a size: "x9k2m4qz", not "version2", "100users" or "sf1000gb". */
  private static boolean isRandom(String word) {
    int changes = 0;
    for (int i = 1; i < word.length(); i++) {
      changes += isDigit(word.charAt(i)) == isDigit(word.charAt(i - 1)) ? 0 : 1;
    }
    if (changes < 2) {
      return false;
    }
    int first = 0;
    while (first < word.length() && !isDigit(word.charAt(first))) {
      first++;
    }
    int behind = first;
    while (behind < word.length() && isDigit(word.charAt(behind))) {
      behind++;
    }
    return !(changes == 2 && first >= 1 && first <= 3 && word.length() - behind <= 2);
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  /** One separator stays where something was taken from between two words. */
  private static String closeGaps(String words) {
    StringBuilder closed = new StringBuilder();
    for (int i = 0; i < words.length(); i++) {
      if (words.charAt(i) != REMOVED) {
        closed.append(words.charAt(i));
        continue;
      }
      char before = takeSeparators(closed);
      char behind = REMOVED;
      for (; i + 1 < words.length() && (words.charAt(i + 1) == REMOVED || isSeparator(words.charAt(i + 1))); i++) {
        behind = behind == REMOVED ? words.charAt(i + 1) : behind;
      }
      boolean isInside = closed.length() > 0 && i + 1 < words.length();
      if (isInside && "([{".indexOf(closed.charAt(closed.length() - 1)) >= 0 && ")]}".indexOf(words.charAt(i + 1)) >= 0) {
        closed.setLength(closed.length() - 1); // empty brackets
        i++;
        if (i + 1 == words.length()) {
          takeSeparators(closed);
        }
      } else if (isInside && (before != REMOVED || behind != REMOVED)) {
        closed.append(before != REMOVED ? before : behind);
      }
    }
    return closed.toString();
  }

  /** Takes them from the end, and returns the last one; {@link #REMOVED} where there is none. */
  private static char takeSeparators(StringBuilder from) {
    char last = REMOVED;
    while (from.length() > 0 && isSeparator(from.charAt(from.length() - 1))) {
      last = last == REMOVED ? from.charAt(from.length() - 1) : last;
      from.setLength(from.length() - 1);
    }
    return last;
  }

  private static boolean isSeparator(char c) {
    return SEPARATORS.indexOf(c) >= 0;
  }
}
