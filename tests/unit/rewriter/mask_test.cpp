#include <doctest/doctest.h>

#include <functional>
#include <vector>

#include "fixture.hpp"
#include "pg/build.hpp"
#include "pg/print.hpp"
#include "rewriter/catalog/table_shape.hpp"
#include "rewriter/compile/make_snapshot.hpp"
#include "rewriter/compile/policy_check.hpp"
#include "rewriter/mask/comparable_type.hpp"
#include "rewriter/mask/export_select.hpp"
#include "rewriter/mask/mask_text.hpp"
#include "rewriter/mask/masks.hpp"
#include "rewriter/pipeline/pipeline.hpp"
#include "rewriter/verify/verify_mask.hpp"

using namespace pgveil;
using namespace pgveil::rewriter;
using rewriter::test::column;

namespace {

struct Compiled {
  std::shared_ptr<Catalog> catalog = rewriter::test::demo_catalog();
  policy::PolicySpec spec = rewriter::test::worked_example_policy();
  const Relation& people = *catalog->find("public", "people");
  policy::PolicyVersion version =
      rewriter::test::version_of(spec, rewriter::test::worked_example_counts(), people);
};

}  // namespace

TEST_CASE("the mask of the worked example is the paper's rules as positive nested CASE") {
  Compiled c;
  CHECK(export_select_sql(c.spec, c.version.tree, c.people).value() ==
        "SELECT NULL::pg_catalog.int4 AS id, "
        "CASE WHEN t.state OPERATOR(pg_catalog.=) 'OH'::pg_catalog.text THEN "
        "CASE WHEN t.city OPERATOR(pg_catalog.=) 'Hamlet'::pg_catalog.text THEN "
        "CASE WHEN t.occupation OPERATOR(pg_catalog.=) 'Farmer'::pg_catalog.text THEN t.occupation "
        "ELSE NULL::pg_catalog.text END ELSE NULL::pg_catalog.text END "
        "WHEN t.occupation OPERATOR(pg_catalog.=) 'Accountant'::pg_catalog.text THEN t.occupation "
        "ELSE NULL::pg_catalog.text END AS occupation, "
        "CASE WHEN t.state OPERATOR(pg_catalog.=) 'OH'::pg_catalog.text THEN "
        "CASE WHEN t.city OPERATOR(pg_catalog.=) 'Hamlet'::pg_catalog.text THEN t.city "
        "ELSE NULL::pg_catalog.\"varchar\"(20) END ELSE NULL::pg_catalog.\"varchar\"(20) END AS city, "
        "CASE WHEN t.state OPERATOR(pg_catalog.=) 'OH'::pg_catalog.text THEN t.state "
        "ELSE NULL::pg_catalog.text COLLATE pg_catalog.\"C\" END AS state, "
        "t.visits AS visits, NULL::pg_catalog.text AS note FROM public.people AS t");
}

TEST_CASE("a hidden column of a domain is NULL of the type behind the domain") {
  Compiled c;
  Relation people = c.people;
  Column& note = people.columns[5];
  note = column(6, "note", "word", "public.word");
  note.type_schema = "public";
  note.type_kind = 'd';
  note.base = BaseType{"pg_catalog", "varchar", "character varying(7)", 11};
  const auto text = export_select_sql(c.spec, c.version.tree, people).value();
  CHECK(text.find("NULL::pg_catalog.\"varchar\"(7) AS note FROM") != std::string::npos);
  note.base = BaseType{"lab", "size", "lab.size", -1};
  CHECK(export_select_sql(c.spec, c.version.tree, people).value().find("NULL::lab.size AS note FROM") !=
        std::string::npos);
}

TEST_CASE("the guard holds the labels of an enum against the values they belonged to") {
  const Compiled c;
  Relation people = c.people;
  Column& city = people.columns[2];
  city = column(city.number, "city", "Mood of", "public.\"Mood of\"");
  city.type_schema = "public";
  city.type_kind = 'e';
  city.labels = {{16400, "Hamlet"}, {16402, R"(it's "so", \so)"}};
  policy::PolicyVersion version = c.version;
  version.shape = shape_of(people);
  const std::string expected =
      R"(pg_catalog.hash_array_extended(E'{"Hamlet","it''s \\"so\\", \\\\so"}'::public."Mood of"[], 0) OPERATOR(pg_catalog.=) )"
      R"(pg_catalog.hash_array_extended('{"16400","16402"}'::pg_catalog.oid[], 0))";
  for (const auto guard : {VersionGuard::absent, VersionGuard::present}) {
    const auto mask = compile_mask(c.spec, version, people, guard).value();
    CHECK_MESSAGE(mask->text.find(expected) != std::string::npos, mask->text);
    const auto verified = verify_mask(*mask, c.spec, version, people, guard);
    CHECK_MESSAGE(verified.has_value(), (verified ? "" : verified.error().public_message));
  }
  Relation swapped = people;
  std::swap(swapped.columns[2].labels[0].label, swapped.columns[2].labels[1].label);
  CHECK(is_of(version, people));
  CHECK_FALSE(is_of(version, swapped));
  for (const auto guard : {VersionGuard::absent, VersionGuard::present}) {
    const auto mask = compile_mask(c.spec, version, swapped, guard).value();
    CHECK(verify_mask(*mask, c.spec, version, people, guard).has_error());
  }
}

// The text of a mask that a test changed, as a compiler with that fault would have printed it.
void print_again(CompiledMask& mask) {
  mask.parts = print_mask(*mask.select, mask.left_out);
  mask.text = whole_text(mask.parts);
}

TEST_CASE("a mask whose text says something else than its tree is not used") {
  Compiled c;
  auto tampered = compile_mask(c.spec, c.version, c.people, VersionGuard::present).value();
  CHECK(verify_text(*tampered, "people").has_value());
  CompiledMask& mask = *tampered;
  const auto is_used_with = [&](auto change) {
    const MaskText before = mask.parts;
    change(mask.parts);
    mask.text = whole_text(mask.parts);
    const bool is_used = verify_text(mask, "people").has_value();
    mask.parts = before;
    return is_used;
  };
  CHECK(is_used_with([](MaskText&) {}));
  CHECK_FALSE(is_used_with([](MaskText& parts) { parts.columns[3].shown = "t.state AS state"; }));
  CHECK_FALSE(is_used_with([](MaskText& parts) { parts.columns[3].left_out = "t.state AS state"; }));
  CHECK_FALSE(
      is_used_with([](MaskText& parts) { parts.columns[3].left_out = "NULL::pg_catalog.text AS state"; }));
  CHECK_FALSE(is_used_with([](MaskText& parts) { parts.columns[3].left_out = parts.columns[2].left_out; }));
  CHECK_FALSE(is_used_with([](MaskText& parts) { parts.columns[3].left_out += ", t.note AS note"; }));
  CHECK_FALSE(is_used_with([](MaskText& parts) { parts.rest += "; SELECT 1"; }));
  CHECK_FALSE(is_used_with([](MaskText& parts) { parts.rest = " FROM public.people AS t"; }));
  mask.text += " ";
  CHECK_FALSE(verify_text(mask, "people").has_value());
}

TEST_CASE("verify_mask accepts the compiled mask and rejects one that shows more") {
  Compiled c;
  const auto mask = compile_mask(c.spec, c.version, c.people, VersionGuard::present).value();
  CHECK(verify_mask(*mask, c.spec, c.version, c.people, VersionGuard::present).has_value());

  SUBCASE("a tree that releases less") {
    auto other = c.version;
    other.tree.nodes[0].split->value = "DC";
    CHECK_FALSE(verify_mask(*mask, c.spec, other, c.people, VersionGuard::present).has_value());
  }
  SUBCASE("a policy that hides a column the mask shows") {
    auto stricter = c.spec;
    stricter.columns.back().column_class = policy::ColumnClass::identifier;
    CHECK_FALSE(verify_mask(*mask, stricter, c.version, c.people, VersionGuard::present).has_value());
  }
  SUBCASE("each target replaced by the raw column") {
    for (std::size_t i = 0; i < mask->select->n_target_list; ++i) {
      auto tampered = compile_mask(c.spec, c.version, c.people, VersionGuard::present).value();
      pg::Builder build(*tampered->arena);
      PgQuery__ResTarget& target = *tampered->select->target_list[i]->res_target;
      if (std::string_view(target.name) == "visits") continue;
      target.val = build.column({"t", target.name});
      print_again(*tampered);
      CHECK_FALSE(verify_mask(*tampered, c.spec, c.version, c.people, VersionGuard::present).has_value());
    }
  }
  SUBCASE("a guard of another version") {
    auto other = c.version;
    other.number += 1;
    CHECK_FALSE(verify_mask(*mask, c.spec, other, c.people, VersionGuard::present).has_value());
  }
  SUBCASE("a guard of another shape") {
    for (const auto& change : std::vector<std::function<void(Relation&)>>{
             [](Relation& it) { it.oid += 1; }, [](Relation& it) { it.relfilenode += 1; },
             [](Relation& it) { it.schema = "hr"; }, [](Relation& it) { it.columns[2].number = 9; }}) {
      auto other = c.people;
      change(other);
      CHECK_FALSE(verify_mask(*mask, c.spec, c.version, other, VersionGuard::present).has_value());
      const auto asking = compile_mask(c.spec, c.version, c.people, VersionGuard::absent).value();
      CHECK(verify_mask(*asking, c.spec, c.version, c.people, VersionGuard::absent).has_value());
      CHECK_FALSE(verify_mask(*asking, c.spec, c.version, other, VersionGuard::absent).has_value());
    }
  }
  SUBCASE("names with quotes and backslashes in the guard") {
    auto spec = c.spec;
    spec.name = "people's \\ \"k2\"";
    auto people = c.people;
    people.name = "p'e\\o\"ple";
    auto version = c.version;
    version.policy = spec.name;
    for (const auto guard : {VersionGuard::absent, VersionGuard::present}) {
      const auto quoted = compile_mask(spec, version, people, guard).value();
      CHECK(verify_mask(*quoted, spec, version, people, guard).has_value());
    }
  }
  SUBCASE("no version guard where the database has one") {
    const auto unguarded = compile_mask(c.spec, c.version, c.people, VersionGuard::absent).value();
    CHECK(verify_mask(*unguarded, c.spec, c.version, c.people, VersionGuard::absent).has_value());
    CHECK_FALSE(verify_mask(*unguarded, c.spec, c.version, c.people, VersionGuard::present).has_value());
  }
  SUBCASE("no guard") {
    auto tampered = compile_mask(c.spec, c.version, c.people, VersionGuard::present).value();
    tampered->select->where_clause = nullptr;
    print_again(*tampered);
    CHECK_FALSE(verify_mask(*tampered, c.spec, c.version, c.people, VersionGuard::present).has_value());
  }
}

TEST_CASE("a mask asks for its version in the statement's own snapshot") {
  Compiled c;
  const auto mask = compile_mask(c.spec, c.version, c.people, VersionGuard::present).value();
  CHECK(mask->text.ends_with(
      " AND CASE WHEN (SELECT c.number FROM pgveil.current_version AS c WHERE c.policy "
      "OPERATOR(pg_catalog.=) "
      "'people_k2'::pg_catalog.text) OPERATOR(pg_catalog.=) '7'::pg_catalog.int8 THEN true ELSE "
      "pgveil.guard('people_k2'::pg_catalog.text, '7'::pg_catalog.int8) END"));
}

TEST_CASE("a policy without a current version closes its table") {
  const auto verdict =
      rewrite("SELECT city FROM people", {"analyst"}, *rewriter::test::snapshot_without_version());
  REQUIRE(std::holds_alternative<Refusal>(verdict));
  CHECK(std::get<Refusal>(verdict).reason == Reason::policy_not_built);
}

TEST_CASE("any change of the table's shape closes the version") {
  Compiled c;
  const auto spec = std::make_shared<policy::PolicySpec>(c.spec);
  const auto version = std::make_shared<policy::PolicyVersion>(c.version);
  const auto is_closed = [&](auto change) {
    auto catalog = rewriter::test::demo_catalog();
    change(catalog->relations.at({"public", "people"}));
    const auto snapshot =
        make_snapshot(
            {.catalog = catalog, .policies = {{spec, version, {}}}, .open_tables = {}, .generation = 3})
            .value();
    return snapshot->protected_tables().front().mask == nullptr;
  };
  CHECK_FALSE(is_closed([](Relation&) {}));
  CHECK(is_closed([](Relation& r) { r.oid = 999; }));
  CHECK(is_closed([](Relation& r) { r.relfilenode = 999; }));
  CHECK(is_closed([](Relation& r) { std::swap(r.columns[1].name, r.columns[2].name); }));
  CHECK(is_closed([](Relation& r) { r.columns[1].type_oid = 1043; }));
  CHECK(is_closed([](Relation& r) { r.columns.pop_back(); }));
  CHECK(is_closed([](Relation& r) { r.has_row_security = true; }));
  CHECK(is_closed([](Relation& r) { r.is_distributed = true; }));
  CHECK(is_closed([](Relation& r) { r.kind = RelationKind::view; }));
}

TEST_CASE("an edited policy is closed until it is built again") {
  Compiled c;
  auto spec = std::make_shared<policy::PolicySpec>(c.spec);
  spec->hash = "edited";
  const auto snapshot =
      make_snapshot({.catalog = c.catalog,
                     .policies = {{spec, std::make_shared<policy::PolicyVersion>(c.version), {}}},
                     .open_tables = {},
                     .generation = 3})
          .value();
  CHECK(snapshot->protected_tables().front().mask == nullptr);
  CHECK(snapshot->protected_tables().front().state.closed_because.find("build needed") != std::string::npos);
}

TEST_CASE("open_tables refuses what would show protected rows") {
  Compiled c;
  const auto fails = [&](const std::string& entry, auto change) {
    auto catalog = rewriter::test::demo_catalog();
    change(catalog->relations.at({"public", "cities"}));
    return !make_snapshot({.catalog = catalog,
                           .policies = {{std::make_shared<policy::PolicySpec>(c.spec), nullptr, {}}},
                           .open_tables = {entry},
                           .generation = 1});
  };
  const auto same = [](Relation&) {};
  CHECK_FALSE(fails("public.cities", same));
  CHECK(fails("public.people", same));
  CHECK(fails("public.nowhere", same));
  CHECK(fails("cities", same));
  CHECK(fails("pg_catalog.pg_class", same));
  CHECK(fails("public.cities", [](Relation& r) { r.schema = "pgveil"; }));
  CHECK_FALSE(fails("public.cities", [](Relation& r) { r.kind = RelationKind::view; }));
  CHECK(fails("public.cities", [](Relation& r) { r.kind = RelationKind::materialized_view; }));
  CHECK(fails("public.cities", [](Relation& r) { r.has_children = true; }));
  CHECK(fails("public.cities", [](Relation& r) { r.has_parent = true; }));
}

TEST_CASE("an open table with row-level security is shut, and nothing else is") {
  Compiled c;
  auto catalog = rewriter::test::demo_catalog();
  Relation& cities = catalog->relations.at({"public", "cities"});
  cities.has_row_security = true;
  const auto snapshot = make_snapshot({.catalog = catalog, .policies = {}, .open_tables = {"public.cities"}});
  REQUIRE(snapshot.has_value());
  CHECK_FALSE((*snapshot)->is_open(cities, "analyst"));
  REQUIRE((*snapshot)->shut_because(cities) != nullptr);
  CHECK((*snapshot)->shut_because(cities)->find("row-level security") != std::string::npos);
  // A policy over such a table is closed, too, and says so.
  cities.has_row_security = false;
  catalog->relations.at({"public", "people"}).has_row_security = true;
  const auto closed = make_snapshot({.catalog = catalog,
                                     .policies = {{std::make_shared<policy::PolicySpec>(c.spec),
                                                   std::make_shared<policy::PolicyVersion>(c.version),
                                                   {}}},
                                     .open_tables = {"public.cities"}});
  REQUIRE(closed.has_value());
  CHECK((*closed)->is_open(cities, "analyst"));
  CHECK((*closed)->protected_tables().front().mask == nullptr);
  CHECK((*closed)->protected_tables().front().state.closed_because.find("row-level security") !=
        std::string::npos);
}

TEST_CASE("what only a pattern opens is shut where a named table would be an error") {
  Compiled c;
  auto catalog = rewriter::test::demo_catalog();
  Relation& cities = catalog->relations.at({"public", "cities"});
  const auto made = [&](std::set<std::string> by_pattern, std::vector<BuiltTable> built) {
    return make_snapshot({.catalog = catalog,
                          .policies = {},
                          .open_tables = {"public.cities"},
                          .by_pattern = std::move(by_pattern),
                          .built_tables = std::move(built)});
  };
  REQUIRE(made({"public.cities"}, {}).has_value());
  CHECK((*made({"public.cities"}, {}))->is_open(cities, "analyst"));
  // Its policy was removed. Whoever names the table means it; a pattern does not.
  const std::vector<BuiltTable> built = {{cities.oid, "public", "cities", "cities_k5"}};
  REQUIRE(made({}, built).has_value());
  CHECK((*made({}, built))->is_open(cities, "analyst"));
  const auto shut = made({"public.cities"}, built);
  REQUIRE(shut.has_value());
  CHECK_FALSE((*shut)->is_open(cities, "analyst"));
  CHECK((*shut)->shut_because(cities)->find("was the table of policy cities_k5") != std::string::npos);
  // Dropped, or of another kind by now.
  cities.kind = RelationKind::materialized_view;
  CHECK_FALSE(made({}, {}).has_value());
  REQUIRE(made({"public.cities"}, {}).has_value());
  CHECK_FALSE((*made({"public.cities"}, {}))->is_open(cities, "analyst"));
  catalog->relations.erase({"public", "cities"});
  CHECK(made({"public.cities"}, {}).has_value());
}

TEST_CASE("check_policy names what does not fit the catalog") {
  Compiled c;
  const auto errors = [&](auto change) {
    auto spec = c.spec;
    auto catalog = rewriter::test::demo_catalog();
    change(spec, catalog->relations.at({"public", "people"}));
    return check_policy(spec, *catalog).errors.size();
  };
  CHECK(errors([](auto&, auto&) {}) == 0);
  CHECK(errors([](auto& s, auto&) { s.table = "nowhere"; }) == 1);
  CHECK(errors([](auto& s, auto&) { s.database = "other"; }) == 1);
  CHECK(errors([](auto& s, auto&) { s.columns[1].name = "nope"; }) == 1);
  CHECK(errors([](auto& s, auto&) { s.unit = "nope"; }) == 1);
  CHECK(errors([](auto&, auto& r) { r.is_partition = true; }) == 1);
  CHECK(errors([](auto&, auto& r) { r.has_parent = true; }) ==
        0);  // the parent is closed: see policy_check.cpp
  CHECK(errors([](auto&, auto& r) { r.columns[1].collation_is_deterministic = false; }) == 1);
  CHECK(errors([](auto&, auto& r) { r.columns[1].type_name = "jsonb"; }) == 1);
  CHECK(errors([](auto&, auto& r) { r.has_row_security = true; }) == 0);  // closed, and nobody's mistake
  CHECK(check_policy(c.spec, *c.catalog).warnings.size() == 1);
}

TEST_CASE("only types with one rendering per equality class are quasi-identifiers as they are") {
  const auto canonical = [](Column c) {
    const auto type = comparable_type(c);
    return type ? static_cast<int>(type->canonical) : -1;
  };
  const auto with_typmod = [](Column c, int typmod) {
    c.typmod = typmod;
    return c;
  };
  for (const char* type :
       {"bool", "int2", "int4", "int8", "text", "varchar", "date", "timestamptz", "uuid", "time"}) {
    CHECK(canonical(column(1, "c", type)) == static_cast<int>(Canonical::as_is));
  }
  CHECK(canonical(column(1, "c", "numeric")) == static_cast<int>(Canonical::trim_scale));
  CHECK(canonical(with_typmod(column(1, "c", "numeric"), 655366)) == static_cast<int>(Canonical::modifier));
  CHECK(canonical(column(1, "c", "float8")) == static_cast<int>(Canonical::plus_zero));
  CHECK(canonical(column(1, "c", "bpchar")) == static_cast<int>(Canonical::rtrim));
  for (const char* type :
       {"inet", "timetz", "bytea", "bit", "varbit", "pg_lsn", "int4range", "tstzmultirange"}) {
    const auto known = comparable_type(column(1, "c", type));
    REQUIRE(known.has_value());
    CHECK(known->literal_type == type);
    CHECK(known->canonical == Canonical::as_is);
  }
  CHECK(comparable_type(column(1, "c", "cidr"))->literal_type == "inet");
  CHECK(comparable_type(column(1, "c", "varchar"))->literal_type == "text");
  for (const char* type : {"interval", "json", "jsonb", "xml", "money", "_text", "numrange", "nummultirange",
                           "char", "box", "point", "tsvector", "xid", "regclass", "int2vector"}) {
    CHECK(canonical(column(1, "c", type)) == -1);
  }
  CHECK(comparable_type(column(1, "c", "interval")).error().public_message.find("24 hours") !=
        std::string::npos);
  Column array = column(1, "c", "_date");
  array.type_category = 'A';
  CHECK(comparable_type(array).error().public_message.find("an array") != std::string::npos);
  Column domain = column(1, "c", "text");
  domain.type_kind = 'd';
  CHECK(canonical(domain) == -1);  // over nobody knows what
  domain.type_schema = "public";
  domain.type_name = "place";
  domain.base = BaseType{"pg_catalog", "varchar", "character varying(40)", 44};
  CHECK(canonical(domain) == static_cast<int>(Canonical::as_is));
  CHECK(comparable_type(domain)->literal_type == "text");
  CHECK_FALSE(has_meaningful_order(domain));
  domain.base = BaseType{"pg_catalog", "numeric", "numeric(10,2)", 655366};
  CHECK(canonical(domain) == static_cast<int>(Canonical::modifier));
  CHECK(has_meaningful_order(domain));
  domain.base = BaseType{"pg_catalog", "numeric", "numeric", -1};
  CHECK(canonical(domain) == static_cast<int>(Canonical::trim_scale));
  domain.base = BaseType{"pg_catalog", "jsonb", "jsonb", -1};
  CHECK(comparable_type(domain).error().public_message.find("look different") != std::string::npos);
  domain.base = BaseType{"public", "mood", "public.mood", -1};
  CHECK(comparable_type(domain).error().public_message.find("a domain over a type") != std::string::npos);
  domain.base = BaseType{"pg_catalog", "_int4", "integer[]", -1};
  domain.type_category = 'A';
  CHECK(comparable_type(domain).error().public_message.find("an array") != std::string::npos);
  domain.base = BaseType{"pg_catalog", "text", "text", -1};
  domain.type_category = 'S';
  domain.collation_is_deterministic = false;
  CHECK(canonical(domain) == -1);
  Column own_range = column(1, "c", "int4range");
  own_range.type_schema = "public";
  own_range.type_kind = 'r';
  CHECK(canonical(own_range) == -1);
  Column citext = column(1, "c", "citext");
  citext.type_schema = "public";
  CHECK(canonical(citext) == -1);
  Column mood = column(1, "c", "mood");
  mood.type_schema = "public";
  mood.type_kind = 'e';
  CHECK(canonical(mood) == static_cast<int>(Canonical::as_is));
}
