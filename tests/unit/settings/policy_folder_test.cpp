#include "settings/policy_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>

#include "tests/unit/temporary_folder.hpp"

namespace pgveil::app {
namespace {

Config config_in(const TemporaryFolder& folder, const std::vector<std::string>& patterns) {
  Config config;
  config.file = folder.path("pgveil.yaml");
  for (const auto& pattern : patterns) config.policies.push_back({folder.path(pattern), {}});
  return config;
}

TEST_CASE("new files go into the folder of the first pattern that takes any name") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path("policies"));
  folder.write("one.yaml", "");
  const auto config = config_in(folder, {"one.yaml", "policies/p*.yaml", "policies/*.yaml"});
  const auto found = policy_folder(config);
  REQUIRE(found.has_value());
  CHECK(found->name == "policies");
  CHECK(found->path == folder.path("policies"));
  CHECK_FALSE(policy_folder(config_in(folder, {"one.yaml", "policies/p*.yaml", "*/*.yaml"})).has_value());
  CHECK(policy_folder(config_in(folder, {"*.yaml"}))->name.empty());
}

TEST_CASE("a name is a file of the configuration, or a plain new one in the folder") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path("policies"));
  folder.write("policies/Old one.yaml", "");
  const auto config = config_in(folder, {"policies/*.yaml"});
  CHECK(policy_file_named(config, "policies/Old one.yaml").value() == folder.path("policies/Old one.yaml"));
  CHECK(policy_file_named(config, "policies/new-1_a.yaml").value() == folder.path("policies/new-1_a.yaml"));
  for (const char* name : {"", "policies/", "policies/.yaml", "policies/../x.yaml", "../x.yaml",
                           "/etc/x.yaml", "policies/a/b.yaml", "policies/A.yaml", "policies/a.yml",
                           "policies/.a.yaml", "policies/-a.yaml", "policies/a b.yaml", "x.yaml",
                           "pgveil.yaml", "policies/ä.yaml", "policies//a.yaml", "policies/a.yaml.yaml"}) {
    CAPTURE(name);
    CHECK_FALSE(policy_file_named(config, name).has_value());
  }
  CHECK_FALSE(policy_file_named(config, "policies/" + std::string(64, 'a') + ".yaml").has_value());
  CHECK(policy_file_named(config, "policies/" + std::string(63, 'a') + ".yaml").has_value());
}

TEST_CASE("a free name is none that a file has") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path("policies"));
  folder.write("policies/people.yaml", "");
  const auto config = config_in(folder, {"policies/*.yaml"});
  CHECK(free_policy_file(config, "staff") == "policies/staff.yaml");
  CHECK(free_policy_file(config, "people") == "policies/people_2.yaml");
  CHECK(free_policy_file(config_in(folder, {}), "staff").empty());
}

}  // namespace
}  // namespace pgveil::app
