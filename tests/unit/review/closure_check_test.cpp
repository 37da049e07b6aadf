#include "review/closure_check.hpp"

#include <doctest/doctest.h>

#include "tests/unit/review/surroundings_world.hpp"

namespace pgveil::review {
namespace {

using rewriter::ReadKind;
using rewriter::RelationKind;
using rewriter::RelationOid;

using test::find;
using test::PeopleWorld;

std::vector<Finding> closure(const PeopleWorld& world) {
  return check_closure(world.standings(), world.around);
}

TEST_CASE("a protected table with nothing around it has no findings") {
  PeopleWorld world;
  world.add("public.towns", {"town", "size:int4"});
  world.open_tables = {"public.towns"};
  CHECK(closure(world).empty());
}

TEST_CASE("without policies nothing is looked at") {
  PeopleWorld world;
  world.policies.clear();
  const auto view = world.add("public.v", {"name"}, RelationKind::view);
  world.around.reads = {{view, world.people}};
  world.around.routines = {{"function public.f()", true, true, "SELECT name FROM people", {}}};
  CHECK(closure(world).empty());
}

TEST_CASE("views are followed through views, materialized views and rules") {
  PeopleWorld world;
  const auto view = world.add("public.v", {"x"}, RelationKind::view);
  const auto over = world.add("public.mv", {"x"}, RelationKind::materialized_view);
  const auto last = world.add("public.w", {"x"}, RelationKind::view);
  const auto log = world.add("public.log", {"x"});
  const auto other = world.add("public.other", {"x"}, RelationKind::view);
  const auto towns = world.add("public.towns", {"x"});
  world.around.reads = {
      {view, world.people}, {over, view}, {last, over}, {log, world.people, ReadKind::rule}, {other, towns}};
  const auto findings = closure(world);
  CHECK(findings.size() == 4);
  REQUIRE(find(findings, FindingKind::view, "public.v") != nullptr);
  CHECK(find(findings, FindingKind::view, "public.v")->severity == Severity::warning);
  CHECK(find(findings, FindingKind::materialized_view, "public.mv") != nullptr);
  const auto* through = find(findings, FindingKind::view, "public.w");
  REQUIRE(through != nullptr);
  CHECK(through->what == "public.w reads public.mv, and so shows public.people");
  REQUIRE(find(findings, FindingKind::rule, "public.log") != nullptr);
  CHECK(find(findings, FindingKind::rule, "public.log")->severity == Severity::note);
}

TEST_CASE("an open relation that holds protected rows is an error, until it is acknowledged") {
  struct Case {
    const char* what;
    FindingKind kind;
    void (*surround)(PeopleWorld&, RelationOid);
  };
  const Case cases[] = {{"materialized view", FindingKind::materialized_view,
                         [](PeopleWorld& world, RelationOid it) {
                           world.around.reads = {{it, world.people}};
                         }},
                        {"parent", FindingKind::inheritance,
                         [](PeopleWorld& world, RelationOid it) {
                           world.around.inheritance = {{world.people, it}};
                         }},
                        {"child", FindingKind::inheritance,
                         [](PeopleWorld& world, RelationOid it) {
                           world.around.inheritance = {{it, world.people}};
                         }},
                        {"whole rows", FindingKind::row_type, [](PeopleWorld& world, RelationOid it) {
                           world.around.row_types = {{it, 1, world.people}};
                         }}};
  for (const auto& [what, kind, surround] : cases) {
    CAPTURE(what);
    PeopleWorld world;
    const bool is_view = kind == FindingKind::materialized_view;
    const auto it =
        world.add("public.it", {"x"}, is_view ? RelationKind::materialized_view : RelationKind::table);
    surround(world, it);
    auto findings = closure(world);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].kind == kind);
    CHECK(findings[0].severity == Severity::warning);
    world.open_tables = {"public.it"};
    findings = closure(world);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].severity == Severity::error);
    CHECK_FALSE(has_errors(settle(findings, {{"public.it", "a copy that was published"}})));
    CHECK(has_errors(settle(findings, {{"public.that", "another"}})));
  }
}

TEST_CASE("a plain view that is open is masked inside") {
  PeopleWorld world;
  const auto view = world.add("public.v", {"x"}, RelationKind::view);
  world.around.reads = {{view, world.people}};
  const auto unlisted = closure(world);
  REQUIRE(unlisted.size() == 1);
  CHECK(unlisted[0].mend.find("list it in open_tables") != std::string::npos);
  world.open_tables = {"public.v"};
  CHECK(closure(world).empty());
  // Nor is it a table that people could be joined to.
  const auto keyed = world.add("public.keyed", {"person"}, RelationKind::view);
  world.around.reads.push_back({keyed, view});
  world.open_tables.push_back("public.keyed");
  CHECK(closure(world).empty());
}

TEST_CASE("siblings by inheritance share no rows; ancestors and what reads them do") {
  PeopleWorld world;
  const auto party = world.add("public.party", {"x"});
  const auto firms = world.add("public.firms", {"x"});
  const auto beings = world.add("public.beings", {"x"});
  const auto view = world.add("public.v_party", {"x"}, RelationKind::view);
  world.around.inheritance = {{world.people, party}, {firms, party}, {party, beings}};
  world.around.reads = {{view, party}};
  const auto findings = closure(world);
  CHECK(findings.size() == 3);
  CHECK(find(findings, FindingKind::inheritance, "public.party") != nullptr);
  CHECK(find(findings, FindingKind::inheritance, "public.beings") != nullptr);
  CHECK(find(findings, FindingKind::view, "public.v_party") != nullptr);
}

TEST_CASE("partitions are decided by the policy of their parent, what reads one is not") {
  PeopleWorld world;
  const auto part = world.add("public.people_1", {"id:int4", "name", "city", "visits:int4"});
  world.relation(part).is_partition = true;
  const auto view = world.add("public.v_part", {"x"}, RelationKind::view);
  world.around.inheritance = {{part, world.people}};
  world.around.reads = {{view, part}};
  auto findings = closure(world);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].object == "public.v_part");
  world.open_tables = {"public.people_1"};
  findings = closure(world);
  CHECK(find(findings, FindingKind::inheritance, "public.people_1")->severity == Severity::error);
}

TEST_CASE("foreign keys are followed both ways") {
  PeopleWorld world;
  const auto visits = world.add("public.visits", {"vid:int4", "person:text"});
  const auto places = world.add("public.places", {"place", "people:int4"});
  world.around.foreign_keys = {{"fk1", visits, {2}, world.people, {2}},
                               {"fk2", world.people, {3}, places, {1}}};
  auto findings = closure(world);
  REQUIRE(findings.size() == 2);
  CHECK(find(findings, FindingKind::foreign_key, "public.visits")->severity == Severity::warning);
  CHECK(find(findings, FindingKind::foreign_key, "public.places")->severity == Severity::note);
  world.open_tables = {"public.visits", "public.places"};
  findings = closure(world);
  const auto* visit = find(findings, FindingKind::foreign_key, "public.visits");
  CHECK(visit->severity == Severity::warning);
  CHECK(visit->what ==
        "public.visits (person) references public.people (name), and is open, so it shows values that the "
        "policy hides");
  CHECK(find(findings, FindingKind::foreign_key, "public.places")->severity == Severity::note);
  // The key is an identifier here: the open table lists all of them.
  world.around.foreign_keys[1].columns = {1};
  findings = closure(world);
  CHECK(find(findings, FindingKind::foreign_key, "public.places")->severity == Severity::warning);
}

TEST_CASE("foreign tables of that name or those columns seem to show it") {
  PeopleWorld world;
  const auto named = world.add("public.ft", {"x"}, RelationKind::foreign_table);
  const auto alike = world.add("public.ft2", {"city"}, RelationKind::foreign_table);
  const auto else_where = world.add("public.ft3", {"x"}, RelationKind::foreign_table);
  world.around.foreign_tables = {
      {named, "public", "people"}, {alike, "", ""}, {else_where, "other", "people"}};
  auto findings = closure(world);
  CHECK(findings.size() == 2);
  CHECK(find(findings, FindingKind::foreign_table, "public.ft")->severity == Severity::warning);
  CHECK(find(findings, FindingKind::foreign_table, "public.ft2")->severity == Severity::warning);
  world.open_tables = {"public.ft"};
  CHECK(has_errors(closure(world)));
}

TEST_CASE("columns of the same name and kind repeat what is hidden") {
  PeopleWorld world;
  world.add("public.copy", {"name", "city"});
  world.add("public.numbered", {"id:int4", "name"});
  world.add("public.other_kind", {"name:int4"});
  world.add("public.shown", {"visits:int4"});
  auto findings = closure(world);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].object == "public.copy");
  CHECK(findings[0].severity == Severity::note);
  CHECK(findings[0].what ==
        "public.copy has columns with the names of columns that public.people hides: name, city");
  world.open_tables = {"public.copy", "public.numbered", "public.other_kind", "public.shown"};
  findings = closure(world);
  CHECK(find(findings, FindingKind::same_columns, "public.copy")->severity == Severity::warning);
  CHECK(findings.size() == 1);  // id and name say nothing of public.numbered
  world.add("public.customers", {"id:int4", "name"});
  world.open_tables.push_back("public.customers");
  CHECK(find(closure(world), FindingKind::same_columns, "public.customers") != nullptr);
}

TEST_CASE("a table with a policy of its own may show what another hides") {
  PeopleWorld world;
  world.add("public.staff", {"name", "city", "grade:int4"});
  world.protect("public.staff", {"name:v", "city:q", "grade:v"}).readers = {"clerk"};
  const auto findings = closure(world);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].object == "public.staff");
  CHECK(findings[0].what ==
        "public.staff shows columns with the names of columns that public.people hides: name");
}

TEST_CASE("sequences are noted") {
  PeopleWorld world;
  const auto sequence = world.add("public.people_id_seq", {}, RelationKind::sequence);
  world.around.sequences = {{sequence, world.people, 1}};
  const auto findings = closure(world);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].kind == FindingKind::owned_sequence);
  CHECK(findings[0].what == "sequence public.people_id_seq numbers public.people.id");
}

TEST_CASE("join keys need to be visible on both sides, unique on one, and readable by one role") {
  PeopleWorld world;
  const auto pay = world.add("public.pay", {"visits:int4", "amount:int4"});
  world.protect("public.pay", {"visits:v", "amount:q"});
  CHECK(find(closure(world), FindingKind::join_key, "join public.pay.visits = public.people.visits") ==
        nullptr);
  world.around.indexes = {{"pay_key", pay, {1}, true, false}};
  CHECK(find(closure(world), FindingKind::join_key, "join public.pay.visits = public.people.visits") !=
        nullptr);
  world.policies[1].readers = {"clerk"};
  CHECK(find(closure(world), FindingKind::join_key, "join public.pay.visits = public.people.visits") ==
        nullptr);
  world.policies[1].readers = {"analyst"};
  world.policies[1].columns[0].column_class = policy::ColumnClass::identifier;
  CHECK(find(closure(world), FindingKind::join_key, "join public.pay.visits = public.people.visits") ==
        nullptr);
}

TEST_CASE("a foreign key that joins two tables which are both cut into cohorts is an error") {
  PeopleWorld world;
  const auto pay = world.add("public.pay", {"person:int4", "amount:int4"});
  const auto tax = world.add("public.tax", {"who:int4", "class"});
  world.policies[0].columns[0].column_class = policy::ColumnClass::insensitive;  // people.id
  world.protect("public.pay", {"person:v", "amount:q"});
  world.protect("public.tax", {"who:v", "class:q"});
  world.around.foreign_keys = {{"fk", pay, {1}, world.people, {1}}};
  const auto severity = [&](const char* object) -> std::optional<Severity> {
    const auto findings = closure(world);
    const auto* found = find(findings, FindingKind::join_key, object);
    return found == nullptr ? std::nullopt : std::optional(found->severity);
  };
  const char* kJoin = "join public.pay.person = public.people.id";
  CHECK(severity(kJoin) == Severity::error);
  SUBCASE("not when nothing of one of them is shown by cohorts") {
    world.policies[1].columns[1].column_class = policy::ColumnClass::insensitive;
    CHECK(severity(kJoin) == Severity::warning);
  }
  SUBCASE("not for roles that read one of them only") {
    world.policies[1].readers = {"clerk"};
    CHECK(severity(kJoin) == std::nullopt);
  }
  SUBCASE("two that reference one column join too") {
    CHECK(severity("join public.pay.person = public.tax.who") == std::nullopt);
    world.around.foreign_keys.push_back({"fk", tax, {1}, world.people, {1}});
    CHECK(severity("join public.pay.person = public.tax.who") == Severity::error);
    const auto towns = world.add("public.towns", {"id:int4", "size:int4"});
    world.around.foreign_keys = {{"fk", pay, {1}, towns, {1}}, {"fk", tax, {1}, towns, {1}}};
    CHECK(severity("join public.pay.person = public.tax.who") == std::nullopt);
  }
}

TEST_CASE("a foreign key from or to a column that is always hidden joins nothing") {
  PeopleWorld world;
  const auto calls = world.add("public.calls", {"person:int4", "at"});
  world.around.foreign_keys = {{"fk", calls, {1}, world.people, {1}}};
  const auto found = [&] {
    return find(closure(world), FindingKind::join_hidden, "join public.calls.person = public.people.id") !=
           nullptr;
  };
  CHECK_FALSE(found());  // nobody reads public.calls
  world.open_tables = {"public.calls"};
  CHECK(found());
  for (const auto shown : {policy::ColumnClass::insensitive, policy::ColumnClass::quasi_identifier}) {
    world.policies[0].columns[0].column_class = shown;
    CHECK_FALSE(found());
  }
}

TEST_CASE("a foreign key is a join key, and an open table may be the other side") {
  PeopleWorld world;
  const auto calls = world.add("public.calls", {"person:int4", "at"});
  world.policies[0].columns[0].column_class = policy::ColumnClass::insensitive;
  world.around.foreign_keys = {{"fk", calls, {1}, world.people, {1}}};
  CHECK(find(closure(world), FindingKind::join_key, "join public.calls.person = public.people.id") ==
        nullptr);
  world.open_tables = {"public.calls"};
  const auto* join =
      find(closure(world), FindingKind::join_key, "join public.calls.person = public.people.id");
  CHECK(join != nullptr);
}

TEST_CASE(
    "functions: definers that query_role may execute are warnings, others that name the table are notes") {
  PeopleWorld world;
  world.around.routines = {
      {"function public.a()", true, true, "SELECT 1", {}},
      {"function public.b()", true, false, "SELECT 1", {}},
      {"function public.c()", false, true, "select * from PEOPLE;", {}},
      {"function public.d()", false, true, "select * from people_old, speople, \"peoples\"", {}},
      {"function public.e()", false, true, "", {world.people}},
      {"function public.f()", true, false, "SELECT people.name FROM x people", {}}};
  const auto findings = closure(world);
  CHECK(findings.size() == 4);
  REQUIRE(find(findings, FindingKind::definer_function, "function public.a()") != nullptr);
  CHECK(find(findings, FindingKind::definer_function, "function public.a()")->severity == Severity::warning);
  for (const char* object : {"function public.c()", "function public.e()", "function public.f()"}) {
    CAPTURE(object);
    REQUIRE(find(findings, FindingKind::function_body, object) != nullptr);
    CHECK(find(findings, FindingKind::function_body, object)->severity == Severity::note);
  }
}

TEST_CASE("triggers on a protected table are noted, on others not") {
  PeopleWorld world;
  const auto other = world.add("public.other", {"x"});
  world.around.triggers = {{"copy", world.people, "public.copy_row()"}, {"copy", other, "public.copy_row()"}};
  const auto findings = closure(world);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].object == "trigger copy on public.people");
}

TEST_CASE("what is temporary or gone is passed over") {
  PeopleWorld world;
  world.around.reads = {{999, world.people}};
  world.around.inheritance = {{999, world.people}, {world.people, 998}};
  world.around.foreign_keys = {{"fk", 999, {1}, world.people, {1}}};
  world.around.row_types = {{999, 1, world.people}};
  world.around.foreign_tables = {{999, "public", "people"}};
  world.around.sequences = {{999, world.people, 1}};
  CHECK(closure(world).empty());
}

}  // namespace
}  // namespace pgveil::review
