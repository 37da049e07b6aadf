// Tables that are read as they are: each statement asks whether it is the table that was meant, and a table
// that was ever protected is not opened under another name.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "fixture.hpp"
#include "pg/parse.hpp"
#include "rewriter/compile/make_snapshot.hpp"
#include "rewriter/mask/make_table_guard.hpp"
#include "rewriter/pipeline/pipeline.hpp"
#include "rewriter/verify/verify.hpp"
#include "rewriter/verify/verify_guards.hpp"

namespace pgveil::rewriter::table_guard_test {

namespace {

const std::string kCities =
    "CASE WHEN pgveil.is_open('101'::pg_catalog.oid, '{\"public\",\"cities\"}'::pg_catalog.text[], "
    "'0'::pg_catalog.int8) THEN true ELSE pg_catalog.concat('pgveil:open')::pg_catalog.int4 IS NULL END";

struct World {
  std::shared_ptr<Catalog> catalog = test::demo_catalog();
  SnapshotInput input;

  World() {
    auto spec = std::make_shared<policy::PolicySpec>(test::worked_example_policy());
    auto version = std::make_shared<policy::PolicyVersion>(
        test::version_of(*spec, test::worked_example_counts(), *catalog->find("public", "people")));
    input.policies = {{spec, version, {}}};
    input.open_tables = {"public.cities", "lab.cities"};
    input.generation = 1;
    input.version_guard = VersionGuard::present;
  }

  Relation& relation(const std::string& schema, const std::string& name) {
    return catalog->relations.find(std::pair(schema, name))->second;
  }
  Result<std::shared_ptr<const Snapshot>> made() {
    input.catalog = catalog;
    return make_snapshot(input);
  }
  std::string error() {
    const auto snapshot = made();
    return snapshot ? std::string() : snapshot.error().public_message;
  }
  // The catalog as it is now is the one before.
  void look() {
    input.before = made().value();
    catalog = std::make_shared<Catalog>(*catalog);
  }
  void rename(const std::string& from, const std::string& to) {
    auto node = catalog->relations.extract(std::pair<std::string, std::string>("public", from));
    node.key().second = node.mapped().name = to;
    catalog->relations.insert(std::move(node));
  }
};

std::string sent(const std::string& sql, const Snapshot& snapshot, const std::string& role = "analyst") {
  auto verdict = rewrite(sql, {.role = role, .path = {}}, snapshot);
  const auto* text = std::get_if<Rewritten>(&verdict);
  return text == nullptr ? std::string("refused") : text->statements.front().sql;
}

bool passes(const std::string& text, const Snapshot& snapshot) {
  const auto tree = pg::parse_own(text, 100'000);
  REQUIRE(tree.has_value());
  return verify(text, tree->result->stmts[0]->stmt->base, "analyst", snapshot, 100'000).has_value();
}

}  // namespace

TEST_CASE("a select that reads an open table begins its condition with the table's guard") {
  World world;
  const auto snapshot = world.made().value();
  CHECK(sent("SELECT city FROM cities", *snapshot) == "SELECT city FROM ONLY public.cities WHERE " + kCities);
  CHECK(sent("SELECT ctid FROM cities WHERE population > 1 OR false", *snapshot) ==
        "SELECT ctid FROM ONLY public.cities WHERE " + kCities + " AND ((population > 1) OR false)");
  const auto twice = sent("SELECT 1 FROM cities a JOIN cities b USING (city)", *snapshot);
  CHECK(twice.find(kCities) != std::string::npos);
  CHECK(twice.find(kCities) == twice.rfind(kCities));
  for (const std::string sql :
       {"SELECT * FROM (SELECT city FROM cities) c", "SELECT (SELECT count(*) FROM cities)",
        "WITH c AS (TABLE cities) SELECT * FROM c", "SELECT 1 UNION SELECT population FROM cities",
        "COPY cities TO STDOUT", "SELECT count(*) FROM cities TABLESAMPLE SYSTEM (10)",
        "SELECT 1 FROM people p LEFT JOIN cities c ON p.city = c.city", "EXPLAIN SELECT * FROM cities",
        "PREPARE p AS SELECT * FROM cities", "DECLARE c CURSOR FOR SELECT * FROM cities"}) {
    const auto text = sent(sql, *snapshot);
    CHECK_MESSAGE(text.find(kCities) != std::string::npos, sql << ": " << text);
  }
}

TEST_CASE("the verifier lets no table through without its guard and ONLY") {
  World world;
  const auto snapshot = world.made().value();
  const std::string other = "CASE WHEN pgveil.is_open('105'::pg_catalog.oid" +
                            kCities.substr(kCities.find("::pg_catalog.oid") + 16);
  CHECK(passes("SELECT city FROM ONLY public.cities WHERE " + kCities, *snapshot));
  CHECK(passes("SELECT city FROM ONLY public.cities WHERE " + kCities + " AND city > 'a'", *snapshot));
  CHECK(passes("SELECT a.city FROM ONLY public.cities AS a TABLESAMPLE bernoulli (10) WHERE " + kCities,
               *snapshot));
  CHECK_FALSE(passes("SELECT city FROM ONLY public.cities", *snapshot));
  CHECK_FALSE(passes("SELECT city FROM public.cities WHERE " + kCities, *snapshot));
  CHECK_FALSE(passes("SELECT city FROM ONLY public.cities WHERE " + other, *snapshot));
  CHECK_FALSE(passes("SELECT city FROM ONLY public.cities WHERE " + kCities + " OR true", *snapshot));
  CHECK_FALSE(passes("SELECT city FROM ONLY public.cities WHERE NOT (" + kCities + ")", *snapshot));
  CHECK_FALSE(
      passes("SELECT city FROM ONLY public.cities WHERE true AND (false OR " + kCities + ")", *snapshot));
  CHECK_FALSE(passes("SELECT " + kCities + " FROM ONLY public.cities", *snapshot));
  CHECK_FALSE(
      passes("SELECT (SELECT city FROM ONLY public.cities LIMIT 1) FROM ONLY lab.cities WHERE " + kCities,
             *snapshot));
  CHECK_FALSE(passes("SELECT 1 WHERE " + kCities, *snapshot));  // nor the guard where it guards nothing
}

TEST_CASE("the guard is written twice and compared") {
  World world;
  Relation log = world.relation("public", "cities");
  log.kind = RelationKind::partitioned_table;
  log.partitions = {101, 102};
  log.partitions_hash = -42;
  for (const VersionGuard has : {VersionGuard::absent, VersionGuard::present}) {
    for (const Relation& relation :
         {log, world.relation("public", "cities"), world.relation("public", "People")}) {
      const auto guard = make_table_guard(relation, has);
      CHECK(verify_table_guard(*guard, relation, has).has_value());
      Relation other = relation;
      ++other.oid;
      CHECK_FALSE(verify_table_guard(*guard, other, has).has_value());
      other = relation;
      other.name += "x";
      CHECK_FALSE(verify_table_guard(*guard, other, has).has_value());
      other = relation;
      ++other.partitions_hash;
      const bool asks = has == VersionGuard::present || relation.kind == RelationKind::partitioned_table;
      CHECK(verify_table_guard(*guard, other, has).has_value() == !asks);
    }
  }
}

TEST_CASE("exempt roles read their table under its guard, masked ones need none") {
  World world;
  const auto snapshot = world.made().value();
  CHECK(sent("SELECT note FROM people", *snapshot, "dpo")
            .find("FROM ONLY public.people WHERE CASE WHEN pgveil.is_open('100'") != std::string::npos);
  CHECK(sent("SELECT city FROM people", *snapshot).find("is_open") == std::string::npos);
}

TEST_CASE("where nothing is protected nothing is asked, but ONLY") {
  World world;
  world.input.policies.clear();
  CHECK(sent("SELECT city FROM cities", *world.made().value()) == "SELECT city FROM ONLY public.cities");
  world.input.built_tables = {{4711, "public", "gone", "old"}};
  CHECK(sent("SELECT city FROM cities", *world.made().value()).find("is_open") != std::string::npos);
}

TEST_CASE("a table that was built of is open under that name alone") {
  World world;
  world.input.policies.clear();
  world.input.open_tables = {"public.cities"};
  world.input.built_tables = {{101, "public", "cities", "cities_k2"}};
  CHECK(world.error().empty());  // the policy is gone, and whoever lists the table means it
  world.input.built_tables = {{101, "public", "patients", "patients_k2"}};
  CHECK(world.error() ==
        "open_tables: \"public.cities\" is the table that policy patients_k2 was built of as "
        "\"public.patients\"");
  world.input.built_tables = {{101, "public", "patients", "patients_k2"},
                              {101, "public", "cities", "cities_k2"}};
  CHECK(world.error().empty());
}

TEST_CASE("what had a policy is not opened under the name of an open table, while this process runs") {
  World world;
  world.look();
  world.rename("cities", "cities_old");
  world.rename("people", "cities");
  CHECK(world.error().find("is the table that policy people_k2 was built of") != std::string::npos);
  // While it serves, the entry alone is shut.
  world.input.occasion = Occasion::catalog_changed;
  const auto shut = world.made().value();
  CHECK(sent("SELECT city FROM cities", *shut) == "refused");
  CHECK(shut->missing_tables().size() == 1);
  CHECK(shut->shut_tables().empty());  // its reason names a policy, and clients are told reasons of these
  CHECK(sent("SELECT city FROM lab.cities", *shut) != "refused");
  world.input.occasion = Occasion::owner_asked;
  // Without open tables the process goes on, and does not forget.
  world.input.open_tables.clear();
  world.input.policies.clear();
  world.look();
  world.input.open_tables = {"public.cities"};
  CHECK(world.error().find("is the table that policy people_k2 was built of") != std::string::npos);
}

TEST_CASE("an open table that is gone closes nothing else while the process serves") {
  World world;
  world.look();
  world.rename("cities", "towns");
  CHECK(world.error() == "open_tables: there is no table \"public.cities\" in database \"demo\"");
  world.input.occasion = Occasion::catalog_changed;
  const auto without = world.made().value();
  CHECK(without->missing_tables().size() == 1);
  CHECK(sent("SELECT city FROM public.cities", *without) == "refused");
  CHECK(sent("SELECT city FROM towns", *without) == "refused");
  CHECK(sent("SELECT city FROM lab.cities", *without) != "refused");
  world.rename("towns", "cities");
  CHECK(sent("SELECT city FROM cities", *world.made().value()) != "refused");
}

TEST_CASE("an exempt role does not read another policy's table under the name of its own") {
  World world;
  world.input.built_tables = {{102, "public", "secrets", "secrets_k2"}};
  world.rename("people", "people_old");
  world.rename("secrets", "people");
  const auto snapshot = world.made().value();
  CHECK(sent("SELECT * FROM people", *snapshot, "dpo") == "refused");
  CHECK(sent("SELECT * FROM people", *snapshot) == "refused");
}

TEST_CASE("partitions of a policy close their open parent, strangers shut it") {
  World world;
  Relation& cities = world.relation("public", "cities");
  cities.kind = RelationKind::partitioned_table;
  cities.has_children = true;
  cities.partitions = {101};
  CHECK(sent("SELECT city FROM cities", *world.made().value()).find("FROM public.cities WHERE") !=
        std::string::npos);
  world.look();
  const auto attach = [&](const std::string& name) {
    Relation& partition = world.relation("public", name);
    partition.has_parent = partition.is_partition = true;
    Relation& parent = world.relation("public", "cities");
    parent.partitions.push_back(partition.oid);
    std::ranges::sort(parent.partitions);
  };
  SUBCASE("the table of a policy") {
    attach("people");
    CHECK(
        world.error() ==
        "open_tables: \"public.cities\" has the partition \"public.people\", which is the table of a policy");
    world.input.occasion = Occasion::catalog_changed;
    const auto snapshot = world.made().value();
    CHECK(sent("SELECT city FROM cities", *snapshot) == "refused");
    CHECK(sent("SELECT city FROM lab.cities", *snapshot) != "refused");
    CHECK(snapshot->missing_tables().size() == 1);
  }
  SUBCASE("a table of its own") {
    attach("secrets");
    world.input.occasion = Occasion::catalog_changed;
    auto snapshot = world.made().value();
    CHECK(sent("SELECT city FROM cities", *snapshot) == "refused");
    CHECK(sent("SELECT city FROM lab.cities", *snapshot) != "refused");
    CHECK(snapshot->shut_tables().size() == 1);
    world.look();  // it stays shut
    CHECK(sent("SELECT city FROM cities", *world.made().value()) == "refused");
    world.input.occasion = Occasion::owner_asked;  // RELOAD
    CHECK(sent("SELECT city FROM cities", *world.made().value()) != "refused");
  }
  SUBCASE("a table that was not there before") {
    Relation fresh = world.relation("public", "secrets");
    fresh.oid = 990;
    fresh.name = "fresh";
    world.catalog->relations.emplace(std::pair<std::string, std::string>("public", "fresh"), fresh);
    attach("fresh");
    world.input.occasion = Occasion::catalog_changed;
    CHECK(sent("SELECT city FROM cities", *world.made().value()) != "refused");
  }
}

}  // namespace pgveil::rewriter::table_guard_test
