// The policies in config/ are documentation that is read by a test.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "policy/spec/spec_reader.hpp"

namespace pgveil::policy::testing {

namespace {

std::vector<PolicySpec> read_file(const std::string& path) {
  const auto document = yaml::parse_file(path);
  if (!document) FAIL(document.error().public_message);
  const auto policies = read_policies(*document);
  if (!policies) FAIL(policies.error().public_message);
  return *policies;
}

}  // namespace

TEST_CASE("every policy in config/policies reads, and all of them together") {
  std::vector<PolicySpec> all;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(PGVEIL_SOURCE_DIR) + "/config/policies")) {
    CAPTURE(entry.path().string());
    const auto policies = read_file(entry.path());
    all.insert(all.end(), policies.begin(), policies.end());
  }
  CHECK(all.size() >= 2);
  CHECK(check_together(all).has_value());
}

TEST_CASE("people_k2 is the policy of the worked example") {
  const auto policies = read_file(std::string(PGVEIL_SOURCE_DIR) + "/config/policies/people_k2.yaml");
  REQUIRE(policies.size() == 1);
  const PolicySpec& policy = policies.front();
  CHECK(policy.name == "people_k2");
  CHECK(policy.database == "demo");
  CHECK(policy.schema == "public");
  CHECK(policy.table == "people");
  CHECK(policy.k == 2);
  CHECK(policy.readers == std::vector<std::string>{"analyst", "bi"});
  const auto is_quasi = [](const ColumnRule& rule) {
    return rule.column_class == ColumnClass::quasi_identifier;
  };
  CHECK(std::count_if(policy.columns.begin(), policy.columns.end(), is_quasi) == 3);
  CHECK(policy.columns.front().name == "id");
  CHECK(policy.columns.front().column_class == ColumnClass::identifier);
}

}  // namespace pgveil::policy::testing
