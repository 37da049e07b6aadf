#include "review/release_check.hpp"

#include <doctest/doctest.h>

#include "tests/unit/review/surroundings_world.hpp"

namespace pgveil::review {
namespace {

using rewriter::Column;

using test::PeopleWorld;

std::vector<Finding> release(PeopleWorld& world) {
  return check_release(world.policies[0], world.relation(world.people), world.standings(), world.around);
}

TEST_CASE("a policy over a plain table has no findings") {
  PeopleWorld world;
  world.around.indexes = {{"people_pkey", world.people, {1}, true, false},
                          {"by_visits", world.people, {4}, false, true}};
  CHECK(release(world).empty());
}

TEST_CASE("a foreign key to persons wants a unit") {
  for (const auto& [table, columns, is_person] :
       {std::tuple{"public.patients", std::vector<std::string>{"id:int4"}, true},
        std::tuple{"public.t", std::vector<std::string>{"id:int4", "Last_Name"}, true},
        std::tuple{"public.places", std::vector<std::string>{"id:int4", "size:int4"}, false}}) {
    CAPTURE(table);
    PeopleWorld world;
    const auto persons = world.add(table, columns);
    world.around.foreign_keys = {{"fk", world.people, {4}, persons, {1}}};
    const auto findings = release(world);
    CHECK(findings.size() == (is_person ? 1 : 0));
    if (is_person) CHECK(findings[0].kind == FindingKind::person_key);
    world.policies[0].unit = "name";
    CHECK(release(world).empty());
    world.policies[0].unit.reset();
    world.around.indexes = {{"one_row_each", world.people, {4}, true, false}};
    CHECK(release(world).empty());
  }
}

TEST_CASE("a hidden column of a domain is noted") {
  PeopleWorld world;
  Column& name = world.relation(world.people).columns[1];
  name.type_text = "public.word";
  name.base = rewriter::BaseType{"pg_catalog", "text", "text", -1};
  const auto findings = release(world);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].kind == FindingKind::hidden_domain);
  CHECK(findings[0].severity == Severity::note);
  CHECK(findings[0].what.ends_with(
      "the type of name is the domain public.word; readers see NULL of type text instead"));
  world.policies[0].columns[1].column_class = policy::ColumnClass::insensitive;
  CHECK(release(world).empty());
}

TEST_CASE("a source that is a SELECT is noted, because tools do not list it") {
  policy::PolicySpec spec;
  spec.name = "visit_facts";
  CHECK(!unlisted_source(spec));
  spec.source = policy::Source{};  // a view
  CHECK(!unlisted_source(spec));
  spec.source->select = "SELECT 1 AS one";
  const auto finding = unlisted_source(spec);
  REQUIRE(finding);
  CHECK(finding->severity == Severity::note);
  CHECK(code_of(finding->kind) == "unlisted-source");
  CHECK(finding->what.find("pgveil.visit_facts") != std::string::npos);
  CHECK(finding->mend.find("source: schema.view") != std::string::npos);
}

TEST_CASE("a unique quasi-identifier is an identifier") {
  PeopleWorld world;
  world.policies[0].columns.push_back({"sex", policy::ColumnClass::quasi_identifier, {}, {}});
  world.around.indexes = {{"people_city", world.people, {3}, true, false}};
  const auto findings = release(world);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].kind == FindingKind::unique_quasi_identifier);
  world.around.indexes[0].is_unique = false;
  CHECK(release(world).empty());
}

TEST_CASE("indexes that can bring rows into a hidden order are named, and can be accepted") {
  struct Case {
    const char* what;
    std::vector<int> columns;
    bool is_finding;
  };
  const Case cases[] = {{"shown, hidden", {4, 2}, true},     {"hidden, shown", {2, 4}, true},
                        {"shown alone", {4}, false},         {"hidden alone", {2}, false},
                        {"shown, expression", {4, 0}, true}, {"the only quasi-identifier", {3}, true},
                        {"two hidden", {1, 2}, false}};
  for (const auto& [what, columns, is_finding] : cases) {
    CAPTURE(what);
    PeopleWorld world;
    world.around.indexes = {{"it", world.people, columns, false, false}};
    auto findings = release(world);
    REQUIRE(findings.size() == (is_finding ? 1 : 0));
    if (!is_finding) continue;
    CHECK(findings[0].kind == FindingKind::order_by_index);
    CHECK(findings[0].severity == Severity::warning);
    world.policies[0].accept_order_leak = "the order of entry is public";
    findings = release(world);
    CHECK(findings[0].severity == Severity::note);
    CHECK(findings[0].mend == "accepted: the order of entry is public");
  }
}

TEST_CASE("a table clustered by a hidden column lies in its order") {
  PeopleWorld world;
  world.around.indexes = {{"people_name", world.people, {2}, false, true}};
  const auto findings = release(world);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].kind == FindingKind::order_by_layout);
}

TEST_CASE("l-diversity beside another visible column is counted per cohort only") {
  PeopleWorld world;
  world.policies[0].columns.push_back(
      {"illness", policy::ColumnClass::sensitive, {{policy::DistinctL{2}}}, {}});
  const auto findings = release(world);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].kind == FindingKind::diversity_scope);
  world.policies[0].columns[3].column_class = policy::ColumnClass::identifier;
  CHECK(release(world).empty());
}

}  // namespace
}  // namespace pgveil::review
