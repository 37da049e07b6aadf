#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "console/command_list.hpp"

namespace pgveil::console {
namespace {

TEST_CASE("docs/console.md describes every command and its columns") {
  std::ifstream file(PGVEIL_SOURCE_DIR "/docs/console.md");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  REQUIRE(!text.empty());
  for (const auto& info : command_list()) {
    CAPTURE(info.syntax);
    CHECK(text.find("`" + std::string(info.syntax) + "`") != std::string::npos);
    for (const auto& column : info.columns) {
      CAPTURE(column);
      CHECK(text.find("`" + column + "`") != std::string::npos);
    }
  }
}

}  // namespace
}  // namespace pgveil::console
