#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <set>
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

TEST_CASE("the list has every command of the console once") {
  constexpr std::size_t kListed = std::variant_size_v<Command> - 1;
  static_assert(std::is_same_v<std::variant_alternative_t<kListed, Command>, Benign>);
  std::set<std::size_t> listed;
  for (const auto& info : command_list()) CHECK(listed.insert(info.alternative).second);
  CHECK(listed.size() == kListed);
  CHECK(!listed.contains(kListed));
}

}  // namespace
}  // namespace pgveil::console
