#include "console/format_dot.hpp"

#include <fmt/format.h>

#include <iterator>

#include "console/format_cohorts.hpp"
#include "console/quote.hpp"
#include "policy/tree/chains.hpp"

namespace pgveil::console {
namespace {

// Inside double quotes, DOT reads \" as a quote and other backslashes as escapes of its own.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

void add_splits(const policy::DisclosureTree& tree, std::string& out) {
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const policy::Node& node = tree.nodes[i];
    if (!node.split) continue;
    const std::string condition = fmt::format(
        "{} = {} ?", shown_name(tree.attributes[node.split->attribute].name), shown_value(node.split->value));
    fmt::format_to(std::back_inserter(out), "  n{} [label={}];\n", i, quoted(condition));
    fmt::format_to(std::back_inserter(out),
                   "  n{0} -> n{1} [label=\"yes\"];\n  n{0} -> n{2} [label=\"no\"];\n", i, node.yes, node.no);
  }
}

void add_cohorts(const policy::DisclosureTree& tree, std::string& out) {
  policy::for_each_cohort(tree, [&](const policy::Cohort& cohort) {
    const std::string label = fmt::format("{}: {} rows, {} units; shows {}", cohort.label, cohort.rows,
                                          cohort.units, shown_attributes(tree, cohort.disclosed));
    fmt::format_to(std::back_inserter(out), "  n{} [shape=box, label={}];\n", cohort.leaf, quoted(label));
  });
}

void add_falls(const policy::DisclosureTree& tree, std::string& out) {
  const policy::Chains chains = policy::chains_of(tree);
  for (policy::NodeIndex i = 0; i < tree.nodes.size(); ++i) {
    if (!tree.nodes[i].falls_back) continue;
    fmt::format_to(
        std::back_inserter(out),
        "  n{0} [shape=point, xlabel=\"{1} rows\"];\n  n{0} -> n{2} [style=dashed, constraint=false];\n", i,
        tree.nodes[i].rows, chains.cohort_at_end(tree, chains.chain_of[i]));
  }
}

}  // namespace

std::string tree_dot(const policy::DisclosureTree& tree) {
  std::string out = "digraph disclosure_tree {\n  node [shape=ellipse];\n";
  add_splits(tree, out);
  add_cohorts(tree, out);
  add_falls(tree, out);
  return out + "}\n";
}

}  // namespace pgveil::console
