#include "review/open_by_pattern.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/unit/review/surroundings_world.hpp"

namespace pgveil::review {
namespace {

using rewriter::RelationKind;
using rewriter::RelationOid;
using test::PeopleWorld;

struct PatternWorld : PeopleWorld {
  std::vector<rewriter::OpenPattern> patterns = {{"public.*", {}}};

  RelationOid table(const std::string& name, const std::vector<std::string>& columns,
                    RelationKind kind = RelationKind::table) {
    const auto oid = add(name, columns, kind);
    around.readable.insert(oid);
    return oid;
  }
  [[nodiscard]] OpenedByPattern open() const {
    std::vector<const policy::PolicySpec*> specs;
    for (const auto& spec : policies) specs.push_back(&spec);
    return open_by_pattern(patterns, open_tables, catalog, specs, around);
  }
  // Why it stays closed; empty: it does not.
  [[nodiscard]] std::string why(const std::string& name) const {
    const auto opened = open();
    const auto at = std::ranges::find(opened.closed, name, &Finding::object);
    const bool is_open = std::ranges::find(opened.tables, name) != opened.tables.end();
    CHECK(is_open == (at == opened.closed.end()));
    return at == opened.closed.end() ? "" : at->what;
  }
};

TEST_CASE("a pattern opens the ordinary tables and views of its schema, and no others") {
  PatternWorld world;
  world.table("public.towns", {"id:int4", "name", "size:int4"});
  world.table("public.days", {"day:date"});
  world.add("public.v_towns", {"town"}, RelationKind::view);  // needs no right: its query takes its place
  world.table("hr.grades", {"grade"});
  world.table("pgveil.version", {"document"});
  world.add("public.towns_id_seq", {}, RelationKind::sequence);
  CHECK(world.open().tables == std::vector<std::string>{"public.days", "public.towns", "public.v_towns"});
  CHECK(world.open().closed.empty());
  world.patterns = {{"public.to*", {}}};
  CHECK(world.open().tables == std::vector<std::string>{"public.towns"});
  world.patterns = {{"publi*", {}}};  // no pattern of schemas
  CHECK(world.open().tables.empty());
  world.patterns = {};
  CHECK(world.open().tables.empty());
}

TEST_CASE("names under except: stay closed without a word, and what is named needs no pattern") {
  PatternWorld world;
  for (const char* name : {"public.towns", "public.log_a", "public.log_b", "public.secrets"})
    world.table(name, {"x"});
  world.patterns[0].except = {"log_*", "secrets"};
  CHECK(world.open().tables == std::vector<std::string>{"public.towns"});
  CHECK(world.open().closed.empty());
  world.open_tables = {"public.towns"};
  CHECK(world.open().tables.empty());
}

TEST_CASE("the readers of a pattern are those of each of its tables") {
  PatternWorld world;
  world.table("public.towns", {"x"});
  world.patterns[0].access = rewriter::Access{{"analyst"}, false};
  CHECK(world.open().access.at("public.towns").readers == std::vector<std::string>{"analyst"});
}

TEST_CASE("what could show protected rows stays closed under a pattern, with the reason") {
  struct Case {
    const char* name;
    RelationKind kind;
    std::vector<std::string> columns;
    void (*surround)(PatternWorld&, RelationOid);
    const char* reason;
  };
  const auto nothing = [](PatternWorld&, RelationOid) {};
  const Case cases[] = {
      {"materialized view", RelationKind::materialized_view, {"x"}, nothing, "materialized view"},
      {"foreign table", RelationKind::foreign_table, {"x"}, nothing, "foreign table"},
      {"row-level security",
       RelationKind::table,
       {"x"},
       [](PatternWorld& world, RelationOid it) { world.relation(it).has_row_security = true; },
       "row-level security"},
      {"child",
       RelationKind::table,
       {"x"},
       [](PatternWorld& world, RelationOid it) { world.relation(it).has_parent = true; },
       "inheritance"},
      {"parent",
       RelationKind::table,
       {"x"},
       [](PatternWorld& world, RelationOid it) { world.relation(it).has_children = true; },
       "inheritance"},
      {"decisions",
       RelationKind::table,
       {"x"},
       [](PatternWorld& world, RelationOid it) {
         world.relation(it).stored.push_back({9, "pgveil_x", "", 1});
       },
       "decisions of a policy"},
      {"no right",
       RelationKind::table,
       {"x"},
       [](PatternWorld& world, RelationOid it) { world.around.readable.erase(it); },
       "query_role may not read it"},
      {"whole rows",
       RelationKind::table,
       {"x"},
       [](PatternWorld& world, RelationOid it) {
         world.around.row_types = {{it, 1, world.people}};
       },
       "holds whole rows of public.people"},
      {"a key to persons",
       RelationKind::table,
       {"person:int4"},
       [](PatternWorld& world, RelationOid it) {
         world.around.foreign_keys = {{"fk", it, {1}, world.people, {1}}};
       },
       "references public.people"},
      {"hidden columns",
       RelationKind::table,
       {"city"},
       nothing,
       "has columns with the names of columns that public.people hides"},
      {"persons", RelationKind::table, {"x", "email"}, nothing, "table of persons"},
      {"persons in parts", RelationKind::partitioned_table, {"x", "email"}, nothing, "table of persons"},
      {"a shown key",
       RelationKind::table,
       {"visits:int4"},
       [](PatternWorld& world, RelationOid it) {
         world.around.indexes = {{"key", it, {1}, true, false}};
       },
       "join"}};
  for (const auto& [name, kind, columns, surround, reason] : cases) {
    CAPTURE(name);
    PatternWorld world;
    const auto it = world.table("public.it", columns, kind);
    surround(world, it);
    const auto why = world.why("public.it");
    CAPTURE(why);
    CHECK(why.starts_with("public.it stays closed under public.*: "));
    CHECK(why.find(reason) != std::string::npos);
    CHECK(why.find("is open") == std::string::npos);
  }
}

TEST_CASE("a table into which a function copies protected rows stays closed") {
  struct Case {
    const char* body;
    bool is_closed;
  };
  for (const auto& [body, is_closed] :
       std::vector<Case>{{"BEGIN INSERT INTO history SELECT * FROM people; END", true},
                         {"BEGIN INSERT\ninto\tPublic.History (x) TABLE people; END", true},
                         {"insert into \"public\".\"history\" select name from people", true},
                         {"SELECT name INTO history FROM people", true},
                         {"UPDATE history SET x = (SELECT min(name) FROM people)", true},
                         {"SELECT count(*) FROM history JOIN people USING (x)", false},
                         {"INSERT INTO old_history SELECT name FROM people", false},
                         {"INSERT INTO history SELECT 1", false}}) {
    CAPTURE(body);
    PatternWorld world;
    world.table("public.history", {"x"});
    world.around.routines = {{"function public.f()", false, false, body, {}}};
    CHECK(world.why("public.history").empty() != is_closed);
  }
  // The function of a trigger gets the rows without naming their table.
  PatternWorld world;
  world.table("public.history", {"x"});
  world.around.routines = {
      {"function public.f()", false, false, "INSERT INTO history VALUES (to_json(NEW))", {}}};
  CHECK(world.why("public.history").empty());
  world.around.triggers = {{"copy", world.people, "public.f()"}};
  CHECK(world.why("public.history").find("function public.f() sees protected rows and writes into it") !=
        std::string::npos);
}

TEST_CASE("the tables of policies and partitions are not a pattern's to open or to speak of") {
  PatternWorld world;
  world.around.readable.insert(world.people);
  const auto part = world.table("public.part", {"x"});
  world.relation(part).is_partition = world.relation(part).has_parent = true;
  CHECK(world.open().tables.empty());
  CHECK(world.open().closed.empty());
}

}  // namespace
}  // namespace pgveil::review
