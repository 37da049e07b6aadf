#include <doctest/doctest.h>

#include "common/text_table.hpp"

namespace pgveil::app {
namespace {

TEST_CASE("columns are as wide as their widest cell, counted in characters") {
  const TextTable table{{"a", "name"}, {{"1", "Zo\xc3\xab"}, {std::nullopt, "x"}, {"22222", std::nullopt}}};
  CHECK(text_of(table) ==
        "a      name\n"
        "1      Zo\xc3\xab\n"
        "       x\n"
        "22222\n");
}

}  // namespace
}  // namespace pgveil::app
