# Prints `rows` drawn people with six quasi-identifiers and an income, the same at every run. Small numbers of
# a column are more frequent than large ones. The generator is linear congruential with the factor 69069.
function drawn(n) {
  state = (state * 69069 + 1) % 4294967296
  share = state / 4294967296
  return int(n * share * share)
}
BEGIN {
  state = 1
  print "age,sex,race,marital_status,education,zip,income"
  for (i = 0; i < rows; ++i)
    printf "%d,s%d,r%d,m%d,e%d,%04d,%d\n", 17 + drawn(72), drawn(2), drawn(5), drawn(7), drawn(16),
           drawn(2000), drawn(10)
}
