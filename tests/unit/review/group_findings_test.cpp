#include "review/group_findings.hpp"

#include <doctest/doctest.h>

namespace pgveil::review {
namespace {

Finding finding(FindingKind kind, Severity severity, const std::string& object) {
  return {kind, severity, object, object + " is found", "look at it"};
}

std::vector<Finding> many(FindingKind kind, Severity severity, int count) {
  std::vector<Finding> out;
  for (int i = 0; i < count; ++i) out.push_back(finding(kind, severity, "public.t" + std::to_string(i)));
  return out;
}

TEST_CASE("three of a kind are told one by one, four are one line") {
  const auto few = group_findings(many(FindingKind::view, Severity::warning, 3));
  CHECK(few.lines == many(FindingKind::view, Severity::warning, 3));
  const auto grouped = group_findings(many(FindingKind::view, Severity::warning, 20));
  REQUIRE(grouped.lines.size() == 1);
  CHECK(one_line(grouped.lines[0]) ==
        "warning: view: 20 views read a protected table: public.t0, public.t1, public.t2 and 17 more; look "
        "at it "
        "(pgveil check --all lists each)");
}

TEST_CASE("errors are never put together") {
  CHECK(group_findings(many(FindingKind::row_type, Severity::error, 9)).lines.size() == 9);
}

TEST_CASE("the most dangerous comes first, whatever it was found with") {
  std::vector<Finding> all{finding(FindingKind::kept_closed, Severity::note, "a"),
                           finding(FindingKind::unused_decision, Severity::warning, "b"),
                           finding(FindingKind::join_key, Severity::warning, "c"),
                           finding(FindingKind::materialized_view, Severity::error, "d"),
                           finding(FindingKind::materialized_view, Severity::warning, "e")};
  std::string order;
  for (const Finding& each : group_findings(all).lines) order += each.object;
  CHECK(order == "decba");
  order.clear();
  for (const Finding& each : by_danger(all)) order += each.object;
  CHECK(order == "decba");
}

TEST_CASE("notes are counted, except those that tell what is missing from answers") {
  auto all = many(FindingKind::owned_sequence, Severity::note, 5);
  all.push_back(finding(FindingKind::join_hidden, Severity::note, "join a.x = b.x"));
  const auto grouped = group_findings(all);
  REQUIRE(grouped.lines.size() == 1);
  CHECK(grouped.lines[0].kind == FindingKind::join_hidden);
  CHECK(grouped.notes_left_out == 5);
}

TEST_CASE("findings about policies are named by policy") {
  std::vector<Finding> all;
  for (const char* policy : {"a", "b", "b", "c", "d"})
    all.push_back({FindingKind::diversity_scope, Severity::warning, "",
                   std::string("policy ") + policy + ": something", "mend it"});
  const auto grouped = group_findings(all);
  REQUIRE(grouped.lines.size() == 1);
  CHECK(grouped.lines[0].what.find("policy a, policy b, policy c and 1 more") != std::string::npos);
}

}  // namespace
}  // namespace pgveil::review
