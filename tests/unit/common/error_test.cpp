#include <doctest/doctest.h>

#include <set>
#include <string>

#include "common/assert.hpp"
#include "common/error.hpp"
#include "common/refusal.hpp"

namespace pgveil {

TEST_CASE("one_line adds the hint in brackets, if there is one") {
  Error error{.kind = ErrorKind::policy, .sqlstate = "42501", .public_message = "too few units"};
  CHECK(one_line(error) == "too few units");
  error.hint = "a smaller k";
  CHECK(one_line(error) == "too few units (a smaller k)");
}

TEST_CASE("a false assertion throws a Bug that names the condition, a true one nothing") {
  CHECK_NOTHROW(PGVEIL_ASSERT(1 < 2));
  CHECK_THROWS_AS(PGVEIL_ASSERT(2 < 1), Bug);
  try {
    PGVEIL_ASSERT(2 < 1);
  } catch (const Bug& bug) {
    CHECK(std::string(bug.what()).find("2 < 1") != std::string::npos);
  }
}

TEST_CASE("asking a failed result for its value is a bug") {
  const Result<int> result =
      Error{.kind = ErrorKind::io, .sqlstate = "58030", .public_message = "no such file"};
  CHECK_THROWS_AS(static_cast<void>(result.value()), Bug);
}

TEST_CASE("each reason of refusal has a name of its own") {
  std::set<std::string_view> names;
  int count = 0;
  for (int i = 0; i <= static_cast<int>(Reason::unverified); ++i) {
    const std::string_view name = reason_name(static_cast<Reason>(i));
    CHECK(!name.empty());
    CHECK(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string_view::npos);
    names.insert(name);
    ++count;
  }
  CHECK(names.size() == static_cast<std::size_t>(count));
}

}  // namespace pgveil
