# Adds up the output of `ctest -V`: the cases of doctest programs, and one for any other program. A program
# that dies (a sanitizer's report, a crash) counts as one more failure, whatever it has printed. Prints
# "PASSED FAILED".

match($0, /^ *[0-9]+: \[doctest\] test cases:/) {
  id = $1 + 0
  split($0, fields, "|")
  passed_of[id] += fields[2] + 0
  failed_of[id] += fields[3] + 0
  is_doctest[id] = 1
}

match($0, /Test +#[0-9]+: /) && /(Passed|Failed|\*\*\*)/ {
  id = substr($0, RSTART)
  sub(/^Test +#/, "", id)
  id += 0
  if (/ Passed /) {
    if (!is_doctest[id]) passed++
  } else if (!failed_of[id]) {
    failed++
  }
}

END {
  for (id in is_doctest) {
    passed += passed_of[id]
    failed += failed_of[id]
  }
  print passed + 0, failed + 0
}
