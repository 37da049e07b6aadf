#include "rewriter/mask/shown_shares.hpp"

#include <algorithm>
#include <cstdint>

#include "policy/tree/released_together.hpp"

namespace pgveil::rewriter {
namespace {

using RowsByValue = std::map<std::string, std::uint64_t, std::less<>>;

// Per attribute: the rows that show each value. Rows that fall back are few, and count where they came from.
std::vector<RowsByValue> rows_by_value(const policy::DisclosureTree& tree) {
  std::vector<RowsByValue> out(tree.attributes.size());
  const auto together = policy::released_together(tree.attributes);
  const auto before = policy::released_on_path(tree);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const policy::Node& node = tree.nodes[i];
    if (!node.split || tree.nodes[node.yes].falls_back) continue;
    const std::uint64_t released = together[node.split->attribute] & ~before[i];
    for (std::uint32_t a = 0; a < out.size(); ++a) {
      if ((released >> a & 1) == 0) continue;
      if (const auto value = policy::released_value(tree, *node.split, a))
        out[a][*value] += tree.nodes[node.yes].rows;
    }
  }
  return out;
}

ShownShare shown_share_of(const RowsByValue& counts, double rows) {
  ShownShare out;
  double squares = 0;
  for (const auto& [value, count] : counts) {
    const double share = static_cast<double>(count) / rows;
    out.shown += share;
    squares += share * share;
    if (share > kShareOfOneValue) out.frequent.emplace(value, share);
  }
  out.shown = std::min(out.shown, 1.0);
  out.typical = out.shown == 0 ? 0 : squares / out.shown;
  return out;
}

}  // namespace

ShownShares shown_shares(const policy::DisclosureTree& tree, const Relation& relation) {
  ShownShares out;
  const auto counts = rows_by_value(tree);
  out.columns.resize(relation.columns.size());
  out.rows = static_cast<double>(tree.nodes.front().rows);
  for (std::size_t i = 0; i < out.columns.size(); ++i) {
    const Column& column = relation.columns[i];
    const auto at = std::ranges::find(tree.attributes, column.number, &policy::TreeAttribute::number);
    if (at == tree.attributes.end() || column.type_name == "bool") continue;
    const auto attribute = static_cast<std::size_t>(at - tree.attributes.begin());
    out.columns[i] = shown_share_of(counts[attribute], std::max(out.rows, 1.0));
  }
  return out;
}

}  // namespace pgveil::rewriter
