#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "settings/policy_files.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace pgveil::app {
namespace {

std::string policy_text(const std::string& name, const std::string& table,
                        const std::string& database = "demo") {
  return "version: 1\npolicies:\n  - name: " + name + "\n    database: " + database + "\n    table: public." +
         table + "\n    k: 2\n    readers: [analyst]\n    columns: {city: {class: quasi_identifier}}\n";
}

Config config_with(const TemporaryFolder& folder, const std::vector<std::string>& patterns) {
  Config config;
  config.file = "pgveil.yaml";
  config.backend.databases = {"demo"};
  for (const auto& pattern : patterns)
    config.policies.push_back({folder.path(pattern), {"pgveil.yaml", 3, 5}});
  return config;
}

TEST_CASE("patterns name files once, in the order of their names") {
  const TemporaryFolder folder;
  folder.write("b.yaml", policy_text("second", "t2"));
  folder.write("a.yaml", policy_text("first", "t1"));
  folder.write("c.txt", "not a policy");
  const auto specs = read_policy_files(config_with(folder, {"*.yaml", "a.yaml"}));
  REQUIRE_MESSAGE(specs.has_value(), one_line(specs.error()));
  REQUIRE(specs->size() == 2);
  CHECK((*specs)[0]->name == "first");
  CHECK(find_policy(*specs, "second").value()->table == "t2");
  const auto missing = find_policy(*specs, "third");
  REQUIRE(missing.has_error());
  CHECK(missing.error().sqlstate == "42704");
  CHECK(missing.error().hint == "there are first, second");
}

TEST_CASE("mistakes over several files are found, with a place") {
  const TemporaryFolder folder;
  folder.write("a.yaml", policy_text("same", "t1"));
  folder.write("b.yaml", policy_text("same", "t2"));
  folder.write("c.yaml", policy_text("other", "t1"));
  folder.write("d.yaml", policy_text("elsewhere", "t4", "nope"));
  folder.write("e.yaml", "version: 1\npolicies: 7\n");
  struct Case {
    std::vector<std::string> patterns;
    std::string words;
  };
  const std::vector<Case> cases{{{"none.yaml"}, "pgveil.yaml:3:5"},
                                {{"none/*.yaml"}, "pgveil.yaml:3:5"},
                                {{"a.yaml", "b.yaml"}, "b.yaml:"},
                                {{"a.yaml", "c.yaml"}, "c.yaml:"},
                                {{"d.yaml"}, "\"nope\" is not in backend.databases"},
                                {{"e.yaml"}, "e.yaml:2:"}};
  for (const auto& [patterns, words] : cases) {
    CAPTURE(words);
    const auto specs = read_policy_files(config_with(folder, patterns));
    REQUIRE(specs.has_error());
    CHECK_MESSAGE(one_line(specs.error()).find(words) != std::string::npos, one_line(specs.error()));
  }
}

TEST_CASE("a folder for policies may be empty, unless a pattern could then open their tables") {
  const TemporaryFolder folder;
  for (const char* name : {"empty", "of_text", "[odd]"}) std::filesystem::create_directory(folder.path(name));
  folder.write("of_text/readme.txt", "not a policy");
  for (const char* pattern : {"empty/*.yaml", "empty/*", "of_text/*.yaml"}) {
    CAPTURE(pattern);
    auto config = config_with(folder, {pattern});
    config.open_tables = {{"", "public.cities"}};
    const auto specs = read_policy_files(config);
    REQUIRE_MESSAGE(specs.has_value(), one_line(specs.error()));
    CHECK(specs->empty());
    config.open_tables.push_back({"", "public.dim_*"});
    const auto lost = read_policy_files(config);
    REQUIRE(lost.has_error());
    CHECK(one_line(lost.error()).find("could open the tables of policies that were lost") !=
          std::string::npos);
  }
  for (const char* pattern : {"none/*.yaml", "empty/p*.yaml", "empty/one.yaml", "empty/?.yaml", "e*/*.yaml",
                              "[odd]/*.yaml", "of_text/readme.txt/*.yaml"}) {
    CAPTURE(pattern);
    CHECK(read_policy_files(config_with(folder, {pattern})).has_error());
  }
}

}  // namespace
}  // namespace pgveil::app
