#include "engine/check/code_tables.hpp"

#include <algorithm>

namespace pgveil::engine {

CodeTables::CodeTables(const DistinctRows& rows, std::span<const LevelTables> attributes,
                       std::span<const LevelTables> others)
    : rows_(rows), attributes_(attributes), others_(others) {
  for (const auto& block : rows.blocks)
    tables_.push_back({std::vector<std::uint32_t>(block.combinations()), 1, 1});
  for (std::size_t b = rows.quasi_blocks; b < tables_.size(); ++b) fill(tables_[b], rows.blocks[b], {});
}

void CodeTables::set_levels(const Transformation& levels, const std::bitset<kMaxAttributes>& columns) {
  for (std::size_t b = 0; b < rows_.quasi_blocks; ++b) {
    const auto& block = rows_.blocks[b];
    if (std::ranges::any_of(block.attributes, [&](std::size_t j) { return columns[j]; }))
      fill(tables_[b], block, levels);
  }
}

void CodeTables::fill(CodeTable& table, const Block& block, const Transformation& levels) const {
  std::ranges::fill(table.codes, 0U);
  table.radix = 1;
  table.first_radix = 1;
  for (std::size_t i = 0; i < block.attributes.size(); ++i) {
    const auto& tables = attribute(block.attributes[i]);
    const unsigned level = levels.level(block.attributes[i]);
    const std::uint32_t radix = level > tables.height() ? 1 : tables.distinct(level);
    if (radix == 1) continue;
    const bool is_lead = &block == &rows_.blocks.front() && i == 0;
    const Code* generalized = (is_lead ? rows_.lead_codes : tables.code_at)[level].data();
    const Code* raw = block.raw[i].data();
    for (std::size_t c = 0; c < table.codes.size(); ++c)
      table.codes[c] = table.codes[c] * radix + generalized[raw[c]];
    table.radix *= radix;
    if (i == 0) table.first_radix = radix;
  }
}

std::size_t CodeTables::bytes() const {
  std::size_t sum = 0;
  for (const auto& table : tables_) sum += table.codes.capacity() * sizeof(std::uint32_t);
  return sum;
}

}  // namespace pgveil::engine
