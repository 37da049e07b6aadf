#include "bench/utility/masked.hpp"

#include <algorithm>
#include <ctime>
#include <map>
#include <numeric>
#include <utility>

#include "bench/utility/must.hpp"
#include "engine/mondrian/generalized.hpp"
#include "engine/mondrian/mondrian.hpp"
#include "engine/search/search.hpp"
#include "policy/tree/tree.hpp"
#include "policy/utility/answer_error.hpp"

namespace pgveil::bench::utility {

namespace {

using Codes = std::vector<std::uint32_t>;

double cpu_ms() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

Codes all_codes(const Dimension& dimension) {
  Codes codes(dimension.values.size());
  std::iota(codes.begin(), codes.end(), 0U);
  return codes;
}

// Exact cells are numbered as their codes, and the hidden one comes after them.
MaskedColumn exact_or_hidden(const Dimension& dimension) {
  MaskedColumn column;
  for (const std::uint32_t code : all_codes(dimension)) column.covers.push_back({code});
  column.covers.push_back(all_codes(dimension));
  column.cells = dimension.codes;
  return column;
}

// Equal rows are one entry, as BUILD counts them.
struct Counted {
  policy::Counts counts;
  std::vector<std::uint32_t> entry_of;  // by row
};

Counted count(const Set& set) {
  Counted out;
  std::map<Codes, std::uint32_t> entries;
  for (const Dimension& dimension : set.dimensions) {
    out.counts.attributes.push_back(
        {dimension.name, static_cast<int>(out.counts.attributes.size() + 1), dimension.values});
    out.counts.codes.emplace_back();
  }
  for (std::size_t row = 0; row < set.rows(); ++row) {
    Codes key;
    for (const Dimension& dimension : set.dimensions) {
      const std::uint32_t code = dimension.codes[row];
      key.push_back(dimension.null_code == code ? policy::kNullCode : code + 1);
    }
    const auto [at, is_new] = entries.emplace(key, static_cast<std::uint32_t>(entries.size()));
    if (is_new) {
      for (std::size_t a = 0; a < key.size(); ++a) out.counts.codes[a].push_back(key[a]);
      out.counts.rows.push_back(0);
    }
    ++out.counts.rows[at->second];
    out.entry_of.push_back(at->second);
  }
  return out;
}

engine::PreparedTable prepared(const Set& set) {
  std::vector<engine::QuasiIdentifier> columns;
  for (const Dimension& dimension : set.dimensions) columns.push_back({dimension.name, dimension.hierarchy});
  return must(engine::prepare(set.table, columns));
}

MaskedColumn at_level(const Dimension& dimension, const engine::LevelTables& levels, unsigned level) {
  MaskedColumn column;
  column.covers.resize(levels.distinct(level));
  for (std::uint32_t code = 0; code < dimension.values.size(); ++code)
    column.covers[levels.code_at[level][code]].push_back(code);
  for (const std::uint32_t code : dimension.codes) column.cells.push_back(levels.code_at[level][code]);
  return column;
}

// Classes below k show nothing; if they are fewer than k together, they are left out.
void suppress_small(const Set& set, std::uint64_t k, Masked& masked) {
  std::map<Codes, std::vector<std::uint32_t>> rows_of;
  for (std::uint32_t row = 0; row < set.rows(); ++row) {
    Codes key;
    for (const MaskedColumn& column : masked.columns) key.push_back(column.cells[row]);
    rows_of[key].push_back(row);
  }
  Codes suppressed;
  for (const auto& [cells, rows] : rows_of) {
    if (rows.size() < k) suppressed.insert(suppressed.end(), rows.begin(), rows.end());
  }
  for (std::size_t a = 0; a < masked.columns.size(); ++a) {
    MaskedColumn& column = masked.columns[a];
    column.covers.push_back(all_codes(set.dimensions[a]));
    for (const std::uint32_t row : suppressed)
      column.cells[row] = static_cast<std::uint32_t>(column.covers.size() - 1);
  }
  for (const std::uint32_t row : suppressed) masked.is_dropped[row] = suppressed.size() < k ? 1 : 0;
}

engine::Dimension cut_dimension(const Set& set, const Dimension& dimension) {
  const engine::Column& column = *set.table.find(dimension.name);
  if (dimension.is_numeric) return must(engine::numeric_dimension(column, ""));
  return must(engine::categorical_dimension(column, dimension.hierarchy));
}

// The ranks that a published range stands for: numbers from end to end, of categories all below the closest
// common ancestor.
engine::RankRange published_range(const engine::Dimension& dimension, engine::RankRange range) {
  if (dimension.is_numeric() || range.low == range.high) return range;
  for (const auto& code_at : dimension.levels->code_at) {
    if (code_at[range.low] != code_at[range.high]) continue;
    while (range.low > 0 && code_at[range.low - 1] == code_at[range.low]) --range.low;
    while (range.high + 1 < dimension.ranks() && code_at[range.high + 1] == code_at[range.high]) ++range.high;
    return range;
  }
  return {0, dimension.ranks() - 1};
}

MaskedColumn cut_column(const engine::Groups& groups, const std::vector<engine::Dimension>& dimensions,
                        std::size_t d, std::size_t rows) {
  const engine::Dimension& dimension = dimensions[d];
  std::vector<Codes> codes_at(dimension.ranks());
  for (std::uint32_t code = 0; code < dimension.rank_of.size(); ++code)
    codes_at[dimension.rank_of[code]].push_back(code);
  MaskedColumn column;
  column.cells.resize(rows);
  std::map<std::pair<engine::Rank, engine::Rank>, std::uint32_t> cell_of;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    const auto range = published_range(dimension, groups.tight[group * dimensions.size() + d]);
    const auto [at, is_new] =
        cell_of.emplace(std::pair{range.low, range.high}, static_cast<std::uint32_t>(column.covers.size()));
    if (is_new) {
      auto& covers = column.covers.emplace_back();
      for (engine::Rank rank = range.low; rank <= range.high; ++rank)
        covers.insert(covers.end(), codes_at[rank].begin(), codes_at[rank].end());
    }
    for (std::uint64_t i = groups.begin_of(group); i < groups.ends[group]; ++i)
      column.cells[groups.records[i]] = at->second;
  }
  return column;
}

}  // namespace

Masked not_masked(const Set& set) {
  Masked masked{{}, std::vector<char>(set.rows(), 0), 0};
  for (const Dimension& dimension : set.dimensions) masked.columns.push_back(exact_or_hidden(dimension));
  return masked;
}

Masked mask_by_tree(const Set& set, std::uint64_t k, const policy::Growth& growth) {
  const Counted counted = count(set);
  const double start = cpu_ms();
  const auto tree = must(policy::build_tree(counted.counts, k, growth));
  const double ms = cpu_ms() - start;
  Masked masked = not_masked(set);
  masked.ms = ms;
  const auto shown = policy::shown_by_entry(tree, policy::CountsView(counted.counts));
  for (std::size_t a = 0; a < set.dimensions.size(); ++a) {
    MaskedColumn& column = masked.columns[a];
    const auto hidden = static_cast<std::uint32_t>(column.covers.size() - 1);
    for (std::size_t row = 0; row < set.rows(); ++row) {
      const bool is_shown = (shown[counted.entry_of[row]] >> a & 1) != 0;
      if (!is_shown || set.dimensions[a].null_code == column.cells[row]) column.cells[row] = hidden;
    }
  }
  return masked;
}

Masked mask_by_full_domain(const Set& set, std::uint64_t k, double suppression, const Names& favoured) {
  const double start = cpu_ms();
  const engine::PreparedTable table = prepared(set);
  engine::SearchOptions options;
  options.algorithm = engine::Algorithm::best_first;
  options.anonymity = {k, engine::suppression_limit(suppression, table.rows)};
  options.quality.metric = engine::Metric::loss;
  for (const Dimension& dimension : set.dimensions) {
    const bool is_favoured = std::ranges::find(favoured, dimension.name) != favoured.end();
    options.quality.weights.push_back(is_favoured ? 10 : 1);
  }
  const auto result = must(engine::search(table, options));
  Masked masked{{}, std::vector<char>(set.rows(), 0), cpu_ms() - start};
  const auto& levels = result.optimum->levels;
  for (std::size_t a = 0; a < set.dimensions.size(); ++a) {
    masked.columns.push_back(at_level(set.dimensions[a], table.attributes[table.given_order[a]], levels[a]));
  }
  suppress_small(set, k, masked);
  return masked;
}

Masked mask_by_mondrian(const Set& set, std::uint64_t k, bool is_relaxed) {
  const double start = cpu_ms();
  std::vector<engine::Dimension> dimensions;
  std::vector<const engine::CodeColumn*> columns;
  for (const Dimension& dimension : set.dimensions) {
    dimensions.push_back(cut_dimension(set, dimension));
    columns.push_back(&set.table.find(dimension.name)->codes);
  }
  engine::MondrianOptions options;
  options.k = k;
  options.cuts = is_relaxed ? engine::Cuts::relaxed : engine::Cuts::strict;
  const auto groups = must(engine::mondrian(dimensions, columns, {}, options));
  Masked masked{{}, std::vector<char>(set.rows(), 0), cpu_ms() - start};
  for (std::size_t d = 0; d < dimensions.size(); ++d)
    masked.columns.push_back(cut_column(groups, dimensions, d, set.rows()));
  return masked;
}

std::vector<MaskedClass> classes_of(const Set& set, const Masked& masked) {
  std::map<Codes, MaskedClass> classes;
  for (std::size_t row = 0; row < set.rows(); ++row) {
    if (masked.is_dropped[row] != 0) continue;
    Codes cells;
    for (const MaskedColumn& column : masked.columns) cells.push_back(column.cells[row]);
    MaskedClass& of_row = classes[cells];
    of_row.cells = cells;
    of_row.rows += 1;
    if (!set.amounts.empty()) of_row.amount += set.amounts[row];
  }
  std::vector<MaskedClass> out;
  for (auto& [cells, of_rows] : classes) out.push_back(std::move(of_rows));
  return out;
}

double exact_cells(const Set& set, const Masked& masked) {
  std::uint64_t exact = 0;
  for (std::size_t row = 0; row < set.rows(); ++row) {
    if (masked.is_dropped[row] != 0) continue;
    for (const MaskedColumn& column : masked.columns)
      exact += column.covers[column.cells[row]].size() == 1 ? 1 : 0;
  }
  return static_cast<double>(exact) / static_cast<double>(set.rows() * set.dimensions.size());
}

}  // namespace pgveil::bench::utility
