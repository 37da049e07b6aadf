#include "engine/check/distinct_rows.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace pgveil::engine {
namespace {

using Columns = std::span<const CodeColumn* const>;
using Attributes = std::span<const LevelTables* const>;

// First fit, columns with many values first. A block may only have so many combinations that its table pays
// off, because the table is rebuilt when one of its levels changes.
std::vector<std::vector<std::size_t>> choose_blocks(Attributes attributes, std::size_t begin, std::size_t end,
                                                    std::size_t rows) {
  const std::uint64_t at_most = std::clamp<std::uint64_t>(rows / 8, 256, 1 << 14);
  std::vector<std::size_t> order(end - begin);
  std::iota(order.begin(), order.end(), begin);
  std::ranges::stable_sort(order, std::greater<>(),
                           [&](std::size_t j) { return attributes[j]->distinct(0); });
  std::vector<std::vector<std::size_t>> blocks;
  std::vector<std::uint64_t> sizes;
  for (const auto j : order) {
    std::size_t block = 0;
    while (block < blocks.size() && sizes[block] * attributes[j]->distinct(0) > at_most) ++block;
    if (block == blocks.size()) {
      blocks.emplace_back();
      sizes.push_back(1);
    }
    blocks[block].push_back(j);
    sizes[block] *= attributes[j]->distinct(0);
  }
  return blocks;
}

// Orders raw codes by their values on the highest level, then on the one below, and so on. So equal values of
// any level are next to each other.
std::vector<Code> hierarchical_order(const LevelTables& lead) {
  std::vector<Code> order(lead.distinct(0));
  std::iota(order.begin(), order.end(), Code{0});
  for (unsigned level = 0; level <= lead.height(); ++level)
    std::ranges::stable_sort(order, {}, [&](Code raw) { return lead.code_at[level][raw]; });
  return order;
}

std::vector<std::vector<Code>> ascending_codes(const LevelTables& lead, const std::vector<Code>& order) {
  std::vector<std::vector<Code>> made;
  for (const auto& code_at : lead.code_at) {
    auto& ascending = made.emplace_back(order.size());
    Code next = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i > 0 && code_at[order[i]] != code_at[order[i - 1]]) ++next;
      ascending[order[i]] = next;
    }
  }
  return made;
}

// Appends a digit to each key.
void append(std::span<std::uint64_t> keys, const CodeColumn& digits, std::uint64_t radix) {
  digits.visit([&](auto codes) {
    for (std::size_t row = 0; row < keys.size(); ++row) keys[row] = keys[row] * radix + codes[row];
  });
}

// Also leaves the combination of each row in `keys`.
Block make_block(std::vector<std::size_t> attributes, Columns columns, Attributes tables, Grouper& grouper,
                 std::span<std::uint64_t> keys) {
  std::ranges::fill(keys, 0);
  for (const auto j : attributes) append(keys, *columns[j], tables[j]->distinct(0));
  const std::uint64_t combinations = grouper.number(keys);
  Block made{std::move(attributes), {}};
  for (const auto j : made.attributes) {
    auto& raw = made.raw.emplace_back(combinations);
    columns[j]->visit([&](auto codes) {
      for (std::size_t row = 0; row < keys.size(); ++row) raw[keys[row]] = codes[row];
    });
  }
  return made;
}

template <class To>
BlockCodes<To> picked(const BlockCodes<std::uint32_t>& codes, std::span<const std::uint32_t> rows) {
  BlockCodes<To> made;
  for (const auto& block : codes) {
    auto& to = made.emplace_back();
    to.reserve(rows.size());
    for (const auto row : rows) to.push_back(static_cast<To>(block[row]));
  }
  return made;
}

}  // namespace

DistinctRows make_distinct_rows(Columns columns, Attributes attributes, std::size_t quasi_identifiers) {
  const std::size_t rows = columns.front()->size();
  DistinctRows made;
  made.places.resize(columns.size());
  Grouper grouper(rows);
  BlockCodes<std::uint32_t> codes;
  std::vector<std::uint64_t> keys(rows), all(rows, 0);
  std::uint64_t classes = 1;
  auto blocks = choose_blocks(attributes, 0, quasi_identifiers, rows);
  made.quasi_blocks = blocks.size();
  std::ranges::move(choose_blocks(attributes, quasi_identifiers, attributes.size(), rows),
                    std::back_inserter(blocks));
  for (auto& block : blocks) {
    for (std::size_t i = 0; i < block.size(); ++i) made.places[block[i]] = {made.blocks.size(), i};
    made.blocks.push_back(make_block(std::move(block), columns, attributes, grouper, keys));
    codes.emplace_back(keys.begin(), keys.end());
    // Two numbers below 2³² always fit in one key.
    for (std::size_t row = 0; row < rows; ++row) all[row] = all[row] << 32 | keys[row];
    classes = grouper.number(all);
  }
  std::vector<std::uint32_t> first(classes), counts(classes, 0);
  for (std::size_t row = rows; row-- > 0;) {
    first[all[row]] = static_cast<std::uint32_t>(row);
    ++counts[all[row]];
  }
  const auto& lead = made.blocks.front();
  const auto& lead_attribute = *attributes[lead.attributes.front()];
  made.lead_codes = ascending_codes(lead_attribute, hierarchical_order(lead_attribute));
  std::vector<std::uint32_t> order(classes);
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) {
    return made.lead_codes.front()[lead.raw.front()[codes.front()[first[i]]]];
  });
  for (const auto i : order) made.classes.counts.push_back(counts[i]);
  for (auto& i : order) i = first[i];
  const bool is_narrow =
      std::ranges::all_of(made.blocks, [](const Block& block) { return block.combinations() <= 1 << 16; });
  if (is_narrow) {
    made.codes = picked<std::uint16_t>(codes, order);
  } else {
    made.codes = picked<std::uint32_t>(codes, order);
  }
  made.classes.rows.resize(classes);
  std::iota(made.classes.rows.begin(), made.classes.rows.end(), 0U);
  return made;
}

}  // namespace pgveil::engine
