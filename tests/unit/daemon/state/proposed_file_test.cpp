#include "daemon/state/proposed_file.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "policy/spec/spec_reader.hpp"

namespace pgveil::app {
namespace {

std::vector<policy::PolicySpec> policies(const std::string& k, const std::string& more,
                                         const std::string& columns) {
  const auto read = policy::read_policy_text(
      fmt::format("version: 1\npolicies:\n  - name: p\n    database: d\n    table: public.t\n    k: {}\n{}"
                  "    columns: {{id: {{class: identifier}}, sex: {{class: quasi_identifier}}{}}}\n",
                  k, more, columns),
      "p.yaml");
  REQUIRE_MESSAGE(read.has_value(), one_line(read.error()));
  return *read;
}

TEST_CASE("what a text shows in addition is told, and nothing else") {
  const auto before = policies("5", "    readers: [a]\n",
                               ", age: {class: quasi_identifier, generalize: {width: 10}}, "
                               "ill: {class: sensitive, l_diversity: {distinct: 2}}");
  CHECK(shown_in_addition(before, before).empty());
  CHECK(shown_in_addition({}, before).empty());
  CHECK(shown_in_addition(before, policies("7", "", "")).empty());
  const auto after = policies("2", "    readers: [a, b]\n    exempt_roles: [c]\n",
                              ", age: {class: quasi_identifier}, ill: {class: sensitive}, "
                              "city: {class: insensitive}");
  const auto told = shown_in_addition(before, after);
  const std::vector<std::string> expected{"policy p: k: 5 → 2",
                                          "policy p: column age: exact values, not levels",
                                          "policy p: column ill: 0 of 1 constraints",
                                          "policy p: column city: identifier → insensitive",
                                          "policy p: role b may read it",
                                          "policy p: role c reads it without masks"};
  CHECK(told == expected);
}

}  // namespace
}  // namespace pgveil::app
