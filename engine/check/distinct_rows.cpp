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

// Numbers keys in order of first appearance, in memory that grows with the number of different keys.
class KeyNumbers {
 public:
  std::uint32_t number(std::uint64_t key) {
    std::size_t slot = slot_of(key);
    if (slots_[slot] != 0) return slots_[slot] - 1;
    keys_.push_back(key);
    slots_[slot] = static_cast<std::uint32_t>(keys_.size());
    if (keys_.size() * 2 > slots_.size()) grow();
    return static_cast<std::uint32_t>(keys_.size() - 1);
  }

 private:
  [[nodiscard]] std::size_t slot_of(std::uint64_t key) const {
    std::size_t slot = static_cast<std::size_t>(key * 0x9E3779B97F4A7C15 >> 32) & (slots_.size() - 1);
    while (slots_[slot] != 0 && keys_[slots_[slot] - 1] != key) slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }
  void grow() {
    slots_.assign(slots_.size() * 2, 0);
    for (std::size_t i = 0; i < keys_.size(); ++i)
      slots_[slot_of(keys_[i])] = static_cast<std::uint32_t>(i + 1);
  }

  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(1 << 12, 0);  // number + 1; 0: empty
  std::vector<std::uint64_t> keys_;                                            // [number]
};

// Columns whose codes fit in one key together.
struct Word {
  std::size_t begin, end;
};

std::vector<Word> words_of(Attributes attributes) {
  std::vector<Word> words{{0, 0}};
  std::uint64_t product = 1;
  for (std::size_t j = 0; j < attributes.size(); ++j) {
    const std::uint64_t radix = attributes[j]->distinct(0);
    if (product > UINT64_MAX / radix) {
      words.push_back({j, j});
      product = 1;
    }
    product *= radix;
    words.back().end = j + 1;
  }
  return words;
}

// A row for each combination of all columns, the first one, and how many rows have it.
struct FirstRows {
  std::vector<std::uint32_t> rows, counts;
};

constexpr std::size_t kRowsPerChunk = 1 << 14;

FirstRows first_rows(Columns columns, Attributes attributes) {
  const std::size_t rows = columns.front()->size();
  const auto words = words_of(attributes);
  std::vector<KeyNumbers> of_word(words.size()), of_pair(words.size());
  FirstRows made;
  std::vector<std::uint64_t> keys(kRowsPerChunk);
  std::vector<std::uint32_t> numbers(kRowsPerChunk);
  for (std::size_t begin = 0; begin < rows; begin += kRowsPerChunk) {
    const std::size_t size = std::min(kRowsPerChunk, rows - begin);
    for (std::size_t w = 0; w < words.size(); ++w) {
      std::ranges::fill(keys, 0);
      for (std::size_t j = words[w].begin; j < words[w].end; ++j) {
        columns[j]->visit([&, radix = std::uint64_t{attributes[j]->distinct(0)}](auto codes) {
          for (std::size_t i = 0; i < size; ++i) keys[i] = keys[i] * radix + codes[begin + i];
        });
      }
      for (std::size_t i = 0; i < size; ++i) {
        const std::uint64_t number = of_word[w].number(keys[i]);
        // Two numbers below 2³² always fit in one key.
        numbers[i] = w == 0 ? static_cast<std::uint32_t>(number)
                            : of_pair[w].number(std::uint64_t{numbers[i]} << 32 | number);
      }
    }
    for (std::size_t i = 0; i < size; ++i) {
      if (numbers[i] == made.rows.size()) {
        made.rows.push_back(static_cast<std::uint32_t>(begin + i));
        made.counts.push_back(0);
      }
      ++made.counts[numbers[i]];
    }
  }
  return made;
}

// Also leaves the combination of each of these rows in `keys`.
Block make_block(std::vector<std::size_t> attributes, Columns columns, Attributes tables,
                 const std::vector<std::uint32_t>& rows, Grouper& grouper, std::span<std::uint64_t> keys) {
  std::ranges::fill(keys, 0);
  for (const auto j : attributes) {
    columns[j]->visit([&, radix = std::uint64_t{tables[j]->distinct(0)}](auto codes) {
      for (std::size_t i = 0; i < rows.size(); ++i) keys[i] = keys[i] * radix + codes[rows[i]];
    });
  }
  const std::uint64_t combinations = grouper.number(keys);
  Block made{std::move(attributes), {}};
  for (const auto j : made.attributes) {
    auto& raw = made.raw.emplace_back(combinations);
    columns[j]->visit([&](auto codes) {
      for (std::size_t i = 0; i < rows.size(); ++i) raw[keys[i]] = codes[rows[i]];
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
  const auto first = first_rows(columns, attributes);
  const std::size_t distinct = first.rows.size();
  Grouper grouper(distinct);
  BlockCodes<std::uint32_t> codes;
  std::vector<std::uint64_t> keys(distinct);
  auto blocks = choose_blocks(attributes, 0, quasi_identifiers, rows);
  made.quasi_blocks = blocks.size();
  std::ranges::move(choose_blocks(attributes, quasi_identifiers, attributes.size(), rows),
                    std::back_inserter(blocks));
  for (auto& block : blocks) {
    for (std::size_t i = 0; i < block.size(); ++i) made.places[block[i]] = {made.blocks.size(), i};
    made.blocks.push_back(make_block(std::move(block), columns, attributes, first.rows, grouper, keys));
    codes.emplace_back(keys.begin(), keys.end());
  }
  const auto& lead = made.blocks.front();
  const auto& lead_attribute = *attributes[lead.attributes.front()];
  made.lead_codes = ascending_codes(lead_attribute, hierarchical_order(lead_attribute));
  std::vector<std::uint32_t> order(distinct);
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) {
    return made.lead_codes.front()[lead.raw.front()[codes.front()[i]]];
  });
  for (const auto i : order) made.classes.counts.push_back(first.counts[i]);
  const bool is_narrow =
      std::ranges::all_of(made.blocks, [](const Block& block) { return block.combinations() <= 1 << 16; });
  if (is_narrow) {
    made.codes = picked<std::uint16_t>(codes, order);
  } else {
    made.codes = picked<std::uint32_t>(codes, order);
  }
  made.classes.rows.resize(distinct);
  std::iota(made.classes.rows.begin(), made.classes.rows.end(), 0U);
  return made;
}

}  // namespace pgveil::engine
