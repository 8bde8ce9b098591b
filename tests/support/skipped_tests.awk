# Of ctest's LastTest.log: why tests, or parts of them, were skipped, and below each reason the tests.
# A test says so by itself ("skipped: ..."), through doctest ("file:8: MESSAGE: skipped: ..."), through cat ("<< skipped: ...")
# or through pytest -rs ("SKIPPED [1] file:8: ...").
function add(reason) {
  if (!(reason in tests)) order[++reasons] = reason
  if (!((reason, test) in seen)) tests[reason] = tests[reason] "    " test "\n"
  seen[reason, test] = 1
}
/^[0-9]+\/[0-9]+ Testing: / {
  test = $0
  sub(/^[0-9]+\/[0-9]+ Testing: /, "", test)
}
/^SKIPPED \[[0-9]+\] / {
  reason = $0
  sub(/^SKIPPED \[[0-9]+\] [^ ]*:[0-9]+: /, "", reason)
  add("skipped: " reason)
}
match($0, /(^|MESSAGE: |<< )skipped: .*/) {
  reason = substr($0, RSTART)
  sub(/^(MESSAGE: |<< )/, "", reason)
  add(reason)
}
END { for (i = 1; i <= reasons; ++i) printf "  %s\n%s", order[i], tests[order[i]] }
