// Whose rows a job of the page reads with those of a partitioned table.
#include "web/api/page_job_tables.hpp"

#include <doctest/doctest.h>

namespace pgveil::app {
namespace {

Specs policy_over(std::string database, std::string schema, std::string table) {
  auto spec = std::make_shared<policy::PolicySpec>();
  spec->name = "people_k2";
  spec->database = std::move(database);
  spec->schema = std::move(schema);
  spec->table = std::move(table);
  return {spec};
}

std::string refusal_of(const Specs& specs, const std::vector<db::Partition>& partitions) {
  const auto fits = check_partitions(specs, "demo", partitions);
  return fits ? std::string() : fits.error().public_message;
}

TEST_CASE("plain and partitioned tables of users are read with their parent") {
  CHECK(refusal_of({}, {}).empty());
  CHECK(refusal_of({}, {{"public", "young", true}, {"parts", "old", true}}).empty());
}

TEST_CASE("one partition that can't be judged refuses the whole table, by its name") {
  const std::vector<db::Partition> partitions{{"public", "young", true}, {"public", "Far Away", false}};
  CHECK(refusal_of({}, partitions) == "public.\"Far Away\", a partition of the input, is a foreign table");
  for (const char* schema : {"pgveil", "pg_catalog", "information_schema"}) {
    CAPTURE(schema);
    CHECK_FALSE(refusal_of({}, {{schema, "young", true}}).empty());
  }
}

TEST_CASE("a partition with a policy of its own is read by nobody's job") {
  const std::vector<db::Partition> partitions{{"public", "young", true}, {"public", "old", true}};
  CHECK(refusal_of(policy_over("demo", "public", "old"), partitions) ==
        "public.old, a partition of the input, is the table of policy people_k2");
  CHECK(refusal_of(policy_over("other", "public", "old"), partitions).empty());
  CHECK(refusal_of(policy_over("demo", "hr", "old"), partitions).empty());
  CHECK(refusal_of(policy_over("demo", "public", "older"), partitions).empty());
}

}  // namespace
}  // namespace pgveil::app
