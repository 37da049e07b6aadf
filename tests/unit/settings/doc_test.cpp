#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "settings/config.hpp"
#include "settings/options.hpp"

namespace pgveil::app {
namespace {

const std::string kDocument = PGVEIL_SOURCE_DIR "/docs/config.md";

TEST_CASE("docs/config.md is what the option table says") {
  if (std::getenv("UPDATE_GOLDEN") != nullptr) std::ofstream(kDocument) << config_markdown();
  std::ifstream file(kDocument);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  CHECK_MESSAGE(text == config_markdown(),
                "run with UPDATE_GOLDEN=1, or: pgveil config-doc > docs/config.md");
}

TEST_CASE("config/pgveil.yaml names every key and is read without an error") {
  ::setenv("PGVEIL_QUERY_PASSWORD", "q", 1);
  ::setenv("PGVEIL_ADMIN_PASSWORD", "a", 1);
  const std::string path = PGVEIL_SOURCE_DIR "/config/pgveil.yaml";
  const auto config = read_config(path);
  REQUIRE_MESSAGE(config.has_value(), one_line(config.error()));
  CHECK(config->backend.query_role.password == "q");
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  for (const auto& option : config_options()) {
    if (option.key == "password_file") continue;  // the other of two ways
    CAPTURE(option.key);
    CHECK(text.find(std::string(option.key) + ":") != std::string::npos);
  }
}

TEST_CASE("every option belongs to a section that is described") {
  for (const auto& option : config_options()) {
    bool is_known = option.section.empty();
    for (const auto& section : config_sections()) is_known = is_known || section.path == option.section;
    CHECK_MESSAGE(is_known, option.section);
    CHECK(!option.meaning.empty());
  }
}

}  // namespace
}  // namespace pgveil::app
