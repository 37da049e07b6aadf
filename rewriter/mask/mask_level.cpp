#include "rewriter/mask/mask_level.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "common/assert.hpp"
#include "policy/level/preimage.hpp"
#include "rewriter/mask/mask_column.hpp"

namespace pgveil::rewriter {
namespace {

using pg::Node;

Node* column(const RawValue& raw, pg::Builder& build) {
  return raw_column(raw.alias, raw.column, build);
}

// A bound, in the type in which it is compared.
Node* bound(const std::string& text, const ComparableType& type, pg::Builder& build) {
  const std::string& name = type.literal_type;
  const bool is_whole = name == "int2" || name == "int4" || name == "int8";
  const std::string midnight = name == "timestamptz" ? " 00:00:00+00"
                               : name == "timestamp" ? " 00:00:00"
                                                     : "";
  return build.cast(build.string_constant(text + midnight),
                    build.type_name("pg_catalog", is_whole ? "int8" : name));
}

Node* within(const policy::RangeOf& range, const RawValue& raw, pg::Builder& build) {
  std::vector<Node*> ends;
  if (range.lower)
    ends.push_back(build.operation(">=", column(raw, build), bound(*range.lower, raw.type, build)));
  if (range.upper)
    ends.push_back(build.operation("<", column(raw, build), bound(*range.upper, raw.type, build)));
  return build.all_of(ends);
}

// All values of one level have pre-images of one kind.
struct Preimages {
  std::vector<policy::RangeOf> ranges;
  std::vector<std::string> values;  // equal to the value, or beginning with it at this length
  std::optional<std::uint32_t> length;

  void operator()(policy::RangeOf range) { ranges.push_back(std::move(range)); }
  void operator()(policy::StartsWith start) {
    length = start.length;
    values.push_back(std::move(start.start));
  }
  void operator()(policy::OneOf one) { values.insert(values.end(), one.values.begin(), one.values.end()); }
};

}  // namespace

Node* has_level_value(const policy::Level& level, std::span<const std::string> values, const RawValue& raw,
                      pg::Builder& build) {
  Preimages found;
  for (const std::string& value : values) {
    auto preimage = policy::preimage_of(level, value);
    PGVEIL_ASSERT(preimage.has_value());
    std::visit(found, std::move(*preimage));
  }
  if (found.length) {
    Node* const arguments[] = {column(raw, build), build.integer_constant(static_cast<int>(*found.length))};
    return is_equal_to_one(build.call("left", arguments), found.values, {"pg_catalog", "text"}, build);
  }
  if (!found.values.empty()) return is_equal_to_one(column(raw, build), found.values, raw.type, build);
  std::vector<Node*> ranges;
  for (const policy::RangeOf& range : found.ranges) ranges.push_back(within(range, raw, build));
  return build.any_of(ranges);
}

}  // namespace pgveil::rewriter
