#include "fixture.hpp"
#include "rewriter/catalog/table_shape.hpp"
#include "rewriter/compile/make_snapshot.hpp"

#include <array>
#include <map>

namespace pgveil::rewriter::test {
namespace {

Relation relation(std::uint32_t oid, std::string schema, std::string name, std::vector<Column> columns) {
  Relation out;
  out.oid = oid;
  out.relfilenode = oid + 1'000;
  out.schema = std::move(schema);
  out.name = std::move(name);
  out.columns = std::move(columns);
  return out;
}

void add(Catalog& catalog, Relation relation) {
  catalog.relations.emplace(std::pair(relation.schema, relation.name), std::move(relation));
}

void add_view(Catalog& catalog, std::uint32_t oid, std::string name, std::vector<std::string> columns,
              std::string query, bool is_security_barrier = false) {
  Relation view = relation(oid, "public", std::move(name), {});
  view.kind = RelationKind::view;
  view.relfilenode = 0;
  for (auto& each : columns) view.columns.push_back(column(static_cast<int>(view.columns.size()) + 1, each));
  view.view = {std::move(query), is_security_barrier};
  add(catalog, std::move(view));
}

// As pg_get_viewdef() writes them.
void add_views(Catalog& catalog) {
  add_view(catalog, 120, "ohio", {"job", "city"},
           " SELECT people.occupation AS job,\n    people.city\n   FROM public.people\n"
           "  WHERE (people.state = 'OH'::text);");
  add_view(catalog, 121, "sizes", {"city", "persons"},
           " WITH people AS (\n         SELECT cities.city\n           FROM public.cities\n        )\n"
           " SELECT c.city,\n    count(p.id) AS persons\n   FROM (people c\n"
           "     LEFT JOIN public.people p ON (((p.city)::text = c.city)))\n  GROUP BY c.city;");
  add_view(catalog, 122, "nested", {"job", "relname"},
           " SELECT o.job,\n    c.relname\n   FROM public.ohio o,\n    LATERAL ( SELECT pg_class.relname\n"
           "           FROM pg_class\n          WHERE ((pg_class.relname)::text = o.job)) c;");
  add_view(catalog, 123, "barred", {"city"},
           " SELECT people.city\n   FROM public.people\n  WHERE (people.visits > 1);", true);
  add_view(catalog, 124, "barred_top", {"city"},
           " SELECT people.city\n   FROM public.people\n  ORDER BY people.city\n LIMIT 3;", true);
  add_view(catalog, 125, "open_view", {"city"}, " SELECT cities.city\n   FROM public.cities;");
  add_view(catalog, 126, "prying", {"secret"}, " SELECT secrets.secret\n   FROM public.secrets;");
  add_view(catalog, 127, "prying_deeper", {"secret"}, " SELECT prying.secret\n   FROM public.prying;");
  add_view(catalog, 128, "unlisted_view", {"city"}, " SELECT people.city\n   FROM public.people;");
  add_view(catalog, 129, "over_unlisted", {"city"},
           " SELECT unlisted_view.city\n   FROM public.unlisted_view;");
  add_view(catalog, 130, "calling", {"x"}, " SELECT public.leaky(people.city) AS x\n   FROM public.people;");
  add_view(catalog, 131, "operating", {"x"},
           " SELECT (people.city OPERATOR(public.===) 'x'::text) AS x\n   FROM public.people;");
  add_view(catalog, 132, "whole", {"p"}, " SELECT p.*::public.people AS p\n   FROM public.people p;");
  add_view(catalog, 133, "locking", {"city"}, " SELECT people.city\n   FROM public.people\n  FOR UPDATE;");
  add_view(catalog, 134, "loop_a", {"x"}, " SELECT loop_b.x\n   FROM public.loop_b;");
  add_view(catalog, 135, "loop_b", {"x"}, " SELECT loop_a.x\n   FROM public.loop_a;");
  add_view(catalog, 136, "garbage", {"x"}, "Not a view");
  add_view(catalog, 137, "two", {"x"}, "SELECT 1; SELECT 2");
  add_view(catalog, 138, "narrow", {"a", "b"}, "SELECT people.city FROM public.people;");
  add_view(catalog, 139, "stale", {"x"}, "SELECT people.gone FROM public.people;");
  add_view(catalog, 140, "writing", {"x"}, "DELETE FROM public.people");
  add_view(catalog, 141, "counting", {"n"},
           " WITH RECURSIVE t(n) AS (\n         VALUES (1)\n        UNION ALL\n         SELECT (t_1.n + 1)\n"
           "           FROM t t_1\n          WHERE (t_1.n < 5)\n        )\n SELECT t.n\n   FROM t;");
  add_view(catalog, 142, "who", {"role", "schema"},
           " SELECT CURRENT_USER AS role,\n    current_schema() AS schema;");
  add_view(catalog, 143, "by_key", {"relname", "n"},
           " SELECT pg_class.relname,\n    count(*) AS n\n   FROM pg_class\n  GROUP BY pg_class.oid;");
  // Each reads the one before; `deep_17` stands on 17 others.
  for (std::uint32_t i = 0; i < 18; ++i) {
    const std::string query =
        i == 0 ? "SELECT cities.city FROM public.cities"
               : "SELECT deep_" + std::to_string(i - 1) + ".city FROM public.deep_" + std::to_string(i - 1);
    add_view(catalog, 200 + i, "deep_" + std::to_string(i), {"city"}, query);
  }
  // Each reads the one before twice.
  for (std::uint32_t i = 0; i < 9; ++i) {
    const std::string before = i == 0 ? "public.cities" : "public.wide_" + std::to_string(i - 1);
    add_view(catalog, 300 + i, "wide_" + std::to_string(i), {"city"},
             "SELECT a.city FROM " + before + " a, " + before + " b");
  }
}

std::vector<std::string> listed_views(const Catalog& catalog) {
  std::vector<std::string> out;
  for (const auto& [key, relation] : catalog.relations) {
    if (relation.kind == RelationKind::view && relation.view && relation.name != "unlisted_view")
      out.push_back(key.first + "." + key.second);
  }
  return out;
}

}  // namespace

Column column(int number, std::string name, std::string type, std::string type_text) {
  Column out;
  out.number = number;
  out.name = std::move(name);
  out.type_oid = type == "int4" ? 23 : 25;
  out.type_schema = "pg_catalog";
  out.type_name = type;
  out.type_text = type_text.empty() ? type : std::move(type_text);
  return out;
}

policy::Counts worked_example_counts() {
  constexpr std::array<std::array<const char*, 3>, 11> kRows{{{"Lawyer", "Washington", "DC"},
                                                              {"Lawyer", "Washington", "DC"},
                                                              {"Lawyer", "Hamlet", "OH"},
                                                              {"Accountant", "Hamlet", "OH"},
                                                              {"Farmer", "Hamlet", "OH"},
                                                              {"Farmer", "Hamlet", "OH"},
                                                              {"Lawyer", "Columbus", "OH"},
                                                              {"Accountant", "Withamsville", "OH"},
                                                              {"Accountant", "Whately", "MA"},
                                                              {"Accountant", "College Park", "MD"},
                                                              {"Accountant", "Bellevue", "KY"}}};
  policy::Counts counts;
  counts.attributes = {{"occupation", 2, {}}, {"city", 3, {}}, {"state", 4, {}}};
  counts.codes.resize(3);
  for (std::size_t a = 0; a < 3; ++a) {
    std::map<std::string, policy::Code> codes;
    for (const auto& row : kRows) {
      const auto [at, is_new] = codes.emplace(row[a], static_cast<policy::Code>(codes.size() + 1));
      if (is_new) counts.attributes[a].values.emplace_back(row[a]);
      counts.codes[a].push_back(at->second);
    }
  }
  counts.rows.assign(kRows.size(), 1);
  return counts;
}

policy::PolicySpec worked_example_policy() {
  using policy::ColumnClass;
  policy::PolicySpec spec;
  spec.name = "people_k2";
  spec.database = "demo";
  spec.schema = "public";
  spec.table = "people";
  spec.k = 2;
  spec.readers = {"analyst"};
  spec.exempt_roles = {"dpo"};
  spec.columns = {{"id", ColumnClass::identifier, {}, {}},
                  {"occupation", ColumnClass::quasi_identifier, {}, {}},
                  {"city", ColumnClass::quasi_identifier, {}, {}},
                  {"state", ColumnClass::quasi_identifier, {}, {}},
                  {"visits", ColumnClass::insensitive, {}, {}}};
  spec.hash = "hash";
  return spec;
}

Candidate candidate_of(std::string schema, std::string object, std::string arguments) {
  Candidate out;
  out.runs = {.schema = schema, .name = "f"};
  out.schema = std::move(schema);
  out.object = std::move(object);
  out.arguments = std::move(arguments);
  return out;
}

std::shared_ptr<Catalog> demo_catalog() {
  auto catalog = std::make_shared<Catalog>();
  catalog->database = "demo";
  catalog->server_version = 150'000;
  catalog->search_path = {"pg_catalog", "public", "lab"};
  Column city = column(3, "city", "varchar", "character varying(20)");
  city.typmod = 24;
  Column state = column(4, "state");
  state.collation_schema = "pg_catalog";
  state.collation_name = "C";
  add(*catalog, relation(100, "public", "people",
                         {column(1, "id", "int4", "integer"), column(2, "occupation"), city, state,
                          column(5, "visits", "int4", "integer"), column(6, "note")}));
  add(*catalog, relation(101, "public", "cities", {column(1, "city"), column(2, "population", "int4")}));
  add(*catalog, relation(102, "public", "secrets", {column(1, "id", "int4"), column(2, "secret")}));
  add(*catalog, relation(103, "hr", "people", {column(1, "id", "int4"), column(2, "name")}));
  add(*catalog, relation(104, "public", "People", {column(1, "id", "int4")}));
  add(*catalog, relation(105, "lab", "cities", {column(1, "city"), column(2, "height", "int4")}));
  add(*catalog, relation(1259, "pg_catalog", "pg_class",
                         {column(1, "oid", "oid"), column(2, "relname", "name"),
                          column(3, "reltuples", "float4"), column(4, "relpartbound", "pg_node_tree")}));
  add(*catalog, relation(1249, "pg_catalog", "pg_attribute",
                         {column(1, "attrelid", "oid"), column(2, "attname", "name"),
                          column(3, "attnum", "int2"), column(4, "attnotnull", "bool")}));
  add(*catalog, relation(2610, "pg_catalog", "pg_index",
                         {column(1, "indexrelid", "oid"), column(2, "indrelid", "oid"),
                          column(3, "indexprs", "pg_node_tree"), column(4, "indpred", "pg_node_tree")}));
  add(*catalog, relation(11'005, "information_schema", "columns",
                         {column(1, "table_schema", "name"), column(2, "table_name", "name"),
                          column(3, "column_name", "name"), column(4, "ordinal_position", "int4"),
                          column(5, "column_default"), column(6, "is_nullable", "varchar")}));
  add(*catalog, relation(2606, "pg_catalog", "pg_constraint",
                         {column(1, "oid", "oid"), column(2, "conbin", "pg_node_tree")}));
  add(*catalog,
      relation(11'001, "pg_catalog", "pg_settings",
               {column(1, "name"), column(2, "setting"), column(3, "unit"), column(4, "short_desc")}));
  add(*catalog,
      relation(1262, "pg_catalog", "pg_database", {column(1, "oid", "oid"), column(2, "datname", "name")}));
  add(*catalog, relation(11'000, "pg_catalog", "pg_stats", {column(1, "most_common_vals")}));
  add(*catalog, relation(11'002, "pg_catalog", "pg_stat_all_tables",
                         {column(1, "relid", "oid"), column(2, "schemaname", "name"),
                          column(3, "relname", "name"), column(4, "seq_scan", "int8")}));
  add(*catalog,
      relation(11'003, "pg_catalog", "pg_locks", {column(1, "pid", "int4"), column(2, "locktype")}));
  add(*catalog, relation(11'004, "pg_catalog", "pg_stat_activity",
                         {column(1, "datid", "oid"), column(2, "pid", "int4"), column(3, "usename", "name"),
                          column(4, "query"), column(5, "state")}));
  add_views(*catalog);
  catalog->pg_catalog_types = {"bool",    "bpchar",  "char",     "date",     "float4",    "float8",
                               "inet",    "regrole", "xid",      "xid8",     "_oid",      "_name",
                               "int2",    "int4",    "int8",     "interval", "jsonb",     "name",
                               "numeric", "oid",     "regclass", "text",     "timestamp", "timestamptz",
                               "varchar", "_text",   "_int4",    "xml",      "json",      "pg_snapshot"};
  catalog->types_elsewhere[{"public", "mood"}] = {.oid = 20'000, .is_castable = true};
  catalog->relations.find(std::pair<std::string, std::string>("pg_catalog", "pg_class"))
      ->second.primary_key = {1};
  catalog->pg_catalog_collations = {"C", "default", "POSIX"};
  catalog->function_names = {"lower", "upper", "query_to_xml", "fullname", "count", "leaky", "name", "note"};
  catalog->operators_elsewhere["==="] = {candidate_of("public", "operator public.===(text,text)", "SS")};
  catalog->operators_elsewhere["@@@"] = {candidate_of("hr", "operator hr.@@@(text,text)", "SS")};
  Candidate similarity = candidate_of("public", "function public.similarity(text,text)", "SS");
  Candidate word = candidate_of("public", "operator public.<%(text,text)", "SS");
  for (Candidate* of_pg_trgm : {&similarity, &word}) {
    of_pg_trgm->is_safe = true;
    of_pg_trgm->runs.extension = "pg_trgm";
  }
  catalog->functions_elsewhere["similarity"] = {similarity};
  catalog->operators_elsewhere["<%"] = {word};
  catalog->types_elsewhere[{"public", "citext"}] = {
      .oid = 20'001, .extension = "citext", .is_castable = true};
  catalog->functions_elsewhere["leaky"] = {candidate_of("public", "function public.leaky(anyelement)", "P")};
  catalog->functions_elsewhere["leaky"].front().runs.name = "leaky";
  catalog->operator_names_only_elsewhere = {"<%", "==="};
  return catalog;
}

policy::PolicyVersion version_of(const policy::PolicySpec& spec, const policy::Counts& counts,
                                 const Relation& relation) {
  policy::PolicyVersion version;
  version.policy = spec.name;
  version.number = 7;
  version.spec_hash = spec.hash;
  version.shape = shape_of(relation);
  version.tree = policy::build_tree(counts, spec.k, {.strategy = policy::Strategy::greedy}).value();
  version.disclosure = policy::measure(version.tree, counts);
  version.built_at = "2026-11-24T19:07:31Z";
  return version;
}

namespace {

std::shared_ptr<const Snapshot> demo_snapshot_of(MaskSource source, VersionGuard guard,
                                                 std::vector<int> indexed = {},
                                                 LookUps look_ups = LookUps::yes) {
  const auto catalog = demo_catalog();
  catalog->relations.find(std::pair<std::string, std::string>("public", "people"))->second.indexed =
      std::move(indexed);
  auto spec = std::make_shared<policy::PolicySpec>(worked_example_policy());
  auto version = std::make_shared<policy::PolicyVersion>(
      version_of(*spec, worked_example_counts(), *catalog->find("public", "people")));
  std::vector<std::string> open_tables = listed_views(*catalog);
  open_tables.insert(open_tables.end(), {"public.cities", "public.People", "lab.cities"});
  return make_snapshot({.catalog = catalog,
                        .policies = {{spec, version, {}}},
                        .open_tables = std::move(open_tables),
                        .generation = 1,
                        .version_guard = guard,
                        .mask_source = source,
                        .look_ups = look_ups})
      .value();
}

}  // namespace

std::shared_ptr<const Snapshot> demo_snapshot(VersionGuard guard) {
  return demo_snapshot_of(MaskSource::text, guard);
}

std::shared_ptr<const Snapshot> demo_snapshot_with_indexes(LookUps look_ups) {
  return demo_snapshot_of(MaskSource::text, VersionGuard::absent, {2, 3, 4, 5}, look_ups);
}

std::shared_ptr<const Snapshot> demo_snapshot_with_views(VersionGuard guard) {
  return demo_snapshot_of(MaskSource::view, guard);
}

std::shared_ptr<const Snapshot> snapshot_without_version() {
  return make_snapshot(
             {.catalog = demo_catalog(),
              .policies = {{std::make_shared<policy::PolicySpec>(worked_example_policy()), nullptr, {}}},
              .open_tables = {},
              .generation = 2})
      .value();
}

}  // namespace pgveil::rewriter::test
