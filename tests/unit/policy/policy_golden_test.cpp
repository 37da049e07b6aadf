// tests/golden/policies/<case>.yaml → <case>.expected: the canonical text of its policies, or the error. Run
// with UPDATE_GOLDEN=1 to rewrite the expectations, and review the difference.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "policy/spec/spec_reader.hpp"

namespace pgveil::policy::testing {

namespace {

std::string read_all(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<std::filesystem::path> cases() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(PGVEIL_SOURCE_DIR) + "/tests/golden/policies")) {
    if (entry.path().extension() == ".yaml") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// "file.yaml:line:column: what; fix", on one line, line and column from 1.
bool has_error_form(const std::string& message) {
  char file[64];
  int line = 0;
  int column = 0;
  int end = 0;
  if (std::sscanf(message.c_str(), "%63[a-z0-9_].yaml:%d:%d: %n", file, &line, &column, &end) != 3)
    return false;
  const auto fix = message.find("; ", static_cast<std::size_t>(end));
  return line >= 1 && column >= 1 && end > 0 && fix != std::string::npos && fix + 2 < message.size() &&
         message.find('\n') == std::string::npos;
}

}  // namespace

TEST_CASE("policies read to their canonical text, or to an error with file, line, column, what and fix") {
  const bool is_update = std::getenv("UPDATE_GOLDEN") != nullptr;
  std::size_t error_count = 0;
  for (const auto& path : cases()) {
    CAPTURE(path.filename().string());
    const auto policies = read_policy_text(read_all(path), path.filename().string());
    std::string actual;
    if (policies) {
      for (const PolicySpec& policy : *policies) actual += canonical_text(policy);
    } else {
      ++error_count;
      CHECK(policies.error().kind == ErrorKind::configuration);
      CHECK(has_error_form(policies.error().public_message));
      actual = policies.error().public_message + "\n";
    }
    const auto expected_path = std::filesystem::path(path).replace_extension(".expected");
    if (is_update) {
      std::ofstream(expected_path, std::ios::binary) << actual;
    } else {
      CHECK(actual == read_all(expected_path));
    }
  }
  CHECK(error_count >= 40);
}

}  // namespace pgveil::policy::testing
