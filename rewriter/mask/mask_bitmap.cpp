#include "rewriter/mask/mask_bitmap.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "common/array_text.hpp"
#include "rewriter/mask/mask_level.hpp"

namespace pgveil::rewriter {
namespace {

using pg::Node;

constexpr auto kTypes =
    std::to_array<std::string_view>({"bool", "bpchar", "date", "float4", "float8", "int2", "int4", "int8",
                                     "numeric", "text", "timestamp", "timestamptz", "uuid"});

// A hexadecimal bit string. Bits after the last region are 0.
std::string bitmap_text(const std::vector<bool>& regions) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out = "x";
  for (std::size_t first = 0; first < regions.size(); first += 4) {
    std::size_t digit = 0;
    for (std::size_t i = first; i < first + 4; ++i) digit = 2 * digit + (i < regions.size() && regions[i]);
    out += kDigits[digit];
  }
  return out;
}

Node* typed(std::string_view text, std::string_view type, pg::Builder& build) {
  return build.cast(build.string_constant(text), build.type_name("pg_catalog", type));
}

Node* typed_array(const std::vector<std::string>& texts, std::string_view type, pg::Builder& build) {
  return build.cast(build.string_constant(array_text(texts)), build.type_name("pg_catalog", type, true));
}

Node* bitmap_of(const policy::AttributeBitmaps& bitmaps, const TreeColumns& tree_columns,
                pg::Builder& build) {
  std::vector<std::string> texts;
  for (const auto& bitmap : bitmaps.bitmaps) texts.push_back(bitmap_text(bitmap));
  Node* const arguments[] = {
      typed_array(bitmaps.values, tree_columns.types[bitmaps.attribute].literal_type, build),
      raw_column(tree_columns.alias, tree_columns.columns[bitmaps.attribute]->name, build)};
  Node* found = build.element(typed_array(texts, "varbit", build), build.call("array_position", arguments));
  return build.coalesce(found, typed(bitmap_text(bitmaps.otherwise), "varbit", build));
}

}  // namespace

bool can_have_bitmaps(const TreeColumns& tree_columns) {
  for (std::size_t a = 0; a < tree_columns.columns.size(); ++a) {
    const Column& column = *tree_columns.columns[a];
    const ComparableType& type = tree_columns.types[a];
    if (tree_columns.levels[a] != nullptr || column.base || type.literal_schema != "pg_catalog" ||
        std::ranges::find(kTypes, type.literal_type) == kTypes.end())
      return false;
  }
  return true;
}

Node* released_by_bitmaps(const policy::RegionBitmaps& bitmaps, const TreeColumns& tree_columns,
                          pg::Builder& build) {
  Node* left = nullptr;
  for (const policy::AttributeBitmaps& attribute : bitmaps.attributes) {
    Node* bitmap = bitmap_of(attribute, tree_columns, build);
    left = left == nullptr ? bitmap : build.operation("&", left, bitmap);
  }
  std::vector<std::string> released;
  for (const std::uint64_t bits : bitmaps.released) released.push_back(std::to_string(bits));
  Node* const arguments[] = {left, typed("1", "varbit", build)};
  return build.element(typed_array(released, "int4", build), build.call("position", arguments));
}

}  // namespace pgveil::rewriter
