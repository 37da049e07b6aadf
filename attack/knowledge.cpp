#include "attack/knowledge.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "common/assert.hpp"
#include "policy/counts/counts_view.hpp"
#include "policy/tree/chains.hpp"
#include "policy/tree/released_together.hpp"

namespace pgveil::attack {

namespace {

using Atom = std::vector<std::optional<std::string>>;

Atom atom_of(const policy::CountsView& view, const Column& column, std::uint32_t entry) {
  Atom atom;
  for (const std::uint32_t a : column.attributes) {
    const policy::Code code = view.codes(a)[entry];
    atom.push_back(code == policy::kNullCode ? std::nullopt : std::optional(view.text(a, code)));
  }
  return atom;
}

std::map<Atom, std::uint64_t> totals_of(const policy::CountsView& view, const Column& column) {
  std::map<std::vector<policy::Code>, std::pair<std::uint32_t, std::uint64_t>> by_codes;
  std::vector<policy::Code> codes(column.attributes.size());
  for (const std::uint32_t entry : view.entries()) {
    for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = view.codes(column.attributes[i])[entry];
    by_codes.try_emplace(codes, entry, 0).first->second.second += view.rows(entry);
  }
  std::map<Atom, std::uint64_t> totals;
  for (const auto& [key, found] : by_codes) totals.emplace(atom_of(view, column, found.first), found.second);
  return totals;
}

std::vector<Column> columns_of(const policy::DisclosureTree& tree, const policy::CountsView& view) {
  std::vector<Column> columns;
  std::map<int, std::size_t> by_source;
  for (std::uint32_t a = 0; a < tree.attributes.size(); ++a) {
    const policy::TreeAttribute& attribute = tree.attributes[a];
    const auto [at, is_new] = by_source.try_emplace(policy::source_of(attribute), columns.size());
    if (is_new) columns.push_back({attribute.level ? attribute.level->source : attribute.name, {}, {}});
    columns[at->second].attributes.push_back(a);
  }
  for (Column& column : columns) {
    for (const auto& [atom, rows] : totals_of(view, column)) column.atoms.push_back(atom);
  }
  return columns;
}

}  // namespace

std::vector<AttributeValue> values_of(const Column& column) {
  std::vector<AttributeValue> values;
  for (std::size_t i = 0; i < column.attributes.size(); ++i) {
    std::map<std::string, std::vector<std::size_t>> by_text;
    for (std::size_t v = 0; v < column.atoms.size(); ++v) {
      if (const auto& text = column.atoms[v][i]) by_text[*text].push_back(v);
    }
    for (auto& [text, atoms] : by_text) values.push_back({column.attributes[i], text, std::move(atoms)});
  }
  return values;
}

std::map<policy::NodeIndex, std::vector<policy::NodeIndex>> ends_of_classes(
    const policy::DisclosureTree& tree) {
  const policy::Chains chains = policy::chains_of(tree);
  std::map<policy::NodeIndex, std::vector<policy::NodeIndex>> ends;
  for (policy::ChainIndex c = 0; c < chains.chains.size(); ++c)
    ends[chains.cohort_at_end(tree, c)].push_back(chains.chains[c].nodes.back());
  return ends;
}

Knowledge knowledge_of(const policy::DisclosureTree& tree, const policy::Counts& counts,
                       const policy::Growth& growth, Made made) {
  const policy::CountsView view(counts);
  PGVEIL_ASSERT(view.attribute_count() == tree.attributes.size());
  Knowledge known{tree.k, growth, made, tree, {}, columns_of(tree, view)};
  if (counts.has_units() || !growth.workload.empty() || !tree.turns.empty()) known.made = Made::unknown;
  if (growth.max_cohorts && known.made == Made::to_the_end) known.made = Made::by_choice;
  for (policy::Node& node : known.tree.nodes) node.rows = node.units = 0;
  for (const policy::NodeCount& count : policy::recount_cohorts(tree, counts))
    known.class_rows.push_back(count.rows);
  return known;
}

Knowledge with_totals(Knowledge knowledge, const policy::DisclosureTree& tree, const policy::Counts& counts) {
  const policy::CountsView view(counts);
  PGVEIL_ASSERT(view.attribute_count() == tree.attributes.size());
  for (Column& column : knowledge.columns) {
    column.totals.clear();
    for (const auto& [atom, rows] : totals_of(view, column)) column.totals.push_back(rows);
  }
  return knowledge;
}

}  // namespace pgveil::attack
