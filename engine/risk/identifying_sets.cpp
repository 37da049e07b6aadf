#include "engine/risk/identifying_sets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "engine/risk/columns_of.hpp"

namespace pgveil::engine {
namespace {

using Columns = std::vector<const Column*>;

// Merges equal rows, so that only distinct rows are examined for each set.
struct Distinct {
  std::vector<std::vector<Code>> codes;  // [column][distinct row]
  std::vector<std::uint64_t> records;    // [distinct row]
};

Distinct merge_rows(const Columns& columns, std::size_t rows) {
  const auto groups = group_rows(columns, rows);
  Distinct made{std::vector<std::vector<Code>>(columns.size(), std::vector<Code>(groups.sizes.size())),
                groups.sizes};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    columns[i]->codes.visit([&](auto codes) {
      for (std::size_t row = 0; row < rows; ++row) made.codes[i][groups.group_of[row]] = codes[row];
    });
  }
  return made;
}

struct Groups {
  std::vector<std::uint32_t> group_of;  // [distinct row]
  std::size_t count = 1;
};

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// Numbers the pairs in a table if all of them have a place in it, and by hashing otherwise.
Groups refined(const Groups& groups, const std::vector<Code>& codes, std::size_t values) {
  Groups made{std::vector<std::uint32_t>(codes.size()), 0};
  const std::size_t places = groups.count * values;
  if (places <= 8 * codes.size() + 4096) {
    std::vector<std::uint32_t> number(places, kNone);
    for (std::size_t row = 0; row < codes.size(); ++row) {
      auto& place = number[std::size_t{groups.group_of[row]} * values + codes[row]];
      if (place == kNone) place = static_cast<std::uint32_t>(made.count++);
      made.group_of[row] = place;
    }
    return made;
  }
  std::unordered_map<std::uint64_t, std::uint32_t> number;
  number.reserve(codes.size());
  for (std::size_t row = 0; row < codes.size(); ++row) {
    const std::uint64_t key = std::uint64_t{groups.group_of[row]} << 32 | codes[row];
    made.group_of[row] = number.emplace(key, static_cast<std::uint32_t>(number.size())).first->second;
  }
  made.count = number.size();
  return made;
}

// The sum of n choose 1 to `most`, or kMostSets + 1 if it is larger.
std::size_t sets_of(std::size_t columns, std::size_t most) {
  std::size_t sum = 0, sets = 1;
  for (std::size_t size = 1; size <= std::min(most, columns); ++size) {
    sets = sets * (columns - size + 1) / size;
    sum += sets;
    if (sum > kMostSets) return kMostSets + 1;
  }
  return sum;
}

Error too_many_sets() {
  return not_measurable(fmt::format("more than {} sets of columns", kMostSets),
                        "name fewer columns, or measure smaller sets");
}

class Measurement {
 public:
  Measurement(const Columns& columns, std::size_t rows, std::size_t most)
      : columns_(columns), distinct_(merge_rows(columns, rows)), most_(most) {}

  std::vector<Identifying> run() {
    extend({std::vector<std::uint32_t>(distinct_.records.size(), 0), 1});
    return std::move(made_);
  }

 private:
  // Depth first, so that a set starts with the groups of all its columns except the last.
  void extend(const Groups& groups) {
    for (std::size_t i = set_.empty() ? 0 : set_.back() + 1; i < columns_.size(); ++i) {
      const auto next = refined(groups, distinct_.codes[i], columns_[i]->values.size());
      set_.push_back(i);
      made_.push_back(measured(next));
      if (set_.size() < most_) extend(next);
      set_.pop_back();
    }
  }

  [[nodiscard]] Identifying measured(const Groups& groups) const {
    std::vector<std::uint64_t> sizes(groups.count, 0);
    for (std::size_t row = 0; row < groups.group_of.size(); ++row)
      sizes[groups.group_of[row]] += distinct_.records[row];
    SizeHistogram histogram;
    for (const auto size : sizes) ++histogram[size];
    std::vector<std::string> names;
    for (const auto i : set_) names.push_back(columns_[i]->name);
    return identifying_of(std::move(names), histogram);
  }

  const Columns& columns_;
  Distinct distinct_;
  std::size_t most_;
  std::vector<std::size_t> set_;
  std::vector<Identifying> made_;
};

bool is_key(const Identifying& it) {
  return it.unique_share == 1;
}

bool is_part_of(const Identifying& part, const Identifying& whole) {
  return std::ranges::all_of(part.columns, [&](const std::string& name) {
    return std::ranges::find(whole.columns, name) != whole.columns.end();
  });
}

// REQUIRES: keys of fewer columns come before those of more.
void mark_minimal_keys(std::vector<Identifying>& sets) {
  std::vector<const Identifying*> minimal;
  for (auto& set : sets) {
    if (!is_key(set)) continue;
    set.is_minimal_key =
        std::ranges::none_of(minimal, [&](const Identifying* key) { return is_part_of(*key, set); });
    if (set.is_minimal_key) minimal.push_back(&set);
  }
}

}  // namespace

Result<std::vector<std::vector<std::size_t>>> column_sets(std::size_t columns, std::size_t most) {
  if (sets_of(columns, most) > kMostSets) return too_many_sets();
  std::vector<std::vector<std::size_t>> made;
  std::vector<std::size_t> set;
  const auto extend = [&](const auto& self) -> void {
    for (std::size_t i = set.empty() ? 0 : set.back() + 1; i < columns && most > 0; ++i) {
      set.push_back(i);
      made.push_back(set);
      if (set.size() < most) self(self);
      set.pop_back();
    }
  };
  extend(extend);
  return made;
}

Identifying identifying_of(std::vector<std::string> columns, const SizeHistogram& sizes) {
  double rows = 0, classes = 0, alike = 0, unique = 0;  // alike: ordered pairs
  for (const auto& [size, count] : sizes) {
    const auto records = static_cast<double>(size);
    const auto found = static_cast<double>(count);
    rows += records * found;
    classes += found;
    alike += records * (records - 1) * found;
    if (size == 1) unique = found;
  }
  Identifying made{std::move(columns)};
  made.distinction = classes / rows;
  made.separation = rows < 2 ? 0 : 1 - alike / (rows * (rows - 1));
  made.unique_share = unique / rows;
  return made;
}

std::vector<Identifying> ranked(std::vector<Identifying> sets) {
  std::ranges::stable_sort(sets, {}, [](const Identifying& it) { return it.columns.size(); });
  std::ranges::stable_sort(sets, std::ranges::greater(), &Identifying::separation);
  mark_minimal_keys(sets);
  return sets;
}

Result<std::vector<Identifying>> identifying_sets(const Table& table, const std::vector<std::string>& columns,
                                                  std::size_t most) {
  const auto own = columns_of(table, columns, "table");
  if (!own) return own.error();
  if (most == 0) return std::vector<Identifying>();
  if (sets_of(own->size(), most) > kMostSets) return too_many_sets();
  return ranked(Measurement(*own, table.rows(), most).run());
}

}  // namespace pgveil::engine
