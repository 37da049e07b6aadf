#include "engine/check/class_counter.hpp"

#include <algorithm>
#include <limits>

namespace pgveil::engine {

ClassCounter::ClassCounter(const PreparedTable& table, const Anonymity& anonymity, bool counts_sizes)
    : table_(table),
      anonymity_(anonymity),
      test_(anonymity, table.sensitive),
      risks_(anonymity),
      counts_sizes_(counts_sizes || risks_.is_needed()),
      values_(table.sensitive.size()),
      views_(table.sensitive.size()) {
  for (std::size_t i = 0; i < values_.size(); ++i)
    values_[i].place_of.assign(table.sensitive[i].in_table.size(), 0);
}

Summary ClassCounter::count(const Classes& fine, const CodeTables& tables, SourceGrouper& grouper,
                            const Transformation& at) {
  const std::size_t classes = grouper.number_by_quasi_identifiers(tables, fine, class_of_);
  order_by_class(classes);
  suppressed_.rows.clear();
  suppressed_.counts.clear();
  kept_.clear();
  sizes_.clear();
  kept_sizes_.clear();
  Summary sums;
  sums.smallest_class = std::numeric_limits<std::uint64_t>::max();
  bool is_hopeless = false;
  std::uint32_t begin = 0;
  for (std::size_t c = 0; c < classes; ++c) {
    const auto members = std::span(members_).subspan(begin, ends_[c] - begin);
    begin = ends_[c];
    const ClassView view = view_of(fine, members);
    const ClassVerdict verdict = test_.test(view);
    if (verdict.stays_suppressed == ClassVerdict::kHopeless) is_hopeless = true;
    const std::uint64_t records = view.records;
    if (records == 0) continue;
    ++sums.classes;
    sums.squares += records * records;
    sums.smallest_class = std::min(sums.smallest_class, records);
    const std::uint32_t row = fine.rows[members.front()];
    if (counts_sizes_) ++sizes_[records];
    if (verdict.is_kept) {
      if (risks_.is_needed()) kept_.push_back({records, row});
      continue;
    }
    sums.stays_suppressed += verdict.stays_suppressed;
    suppress(row, records, sums);
  }
  if (risks_.is_needed()) suppress_for_all(at, sums);
  if (is_hopeless) sums.stays_suppressed = ClassVerdict::kHopeless;
  sums.is_anonymous = !is_hopeless && sums.suppressed_rows <= anonymity_.suppression_limit;
  return sums;
}

void ClassCounter::suppress(std::uint32_t row, std::uint64_t records, Summary& sums) {
  ++sums.suppressed_classes;
  sums.suppressed_rows += records;
  sums.suppressed_squares += records * records;
  suppressed_.rows.push_back(row);
  suppressed_.counts.push_back(static_cast<std::uint32_t>(records));
}

// If a class keeps what its parts keep, the classes suppressed by themselves are suppressed in every
// specialization, and the fewest of the others come on top. Otherwise only what all classes together require
// is certain.
void ClassCounter::suppress_for_all(const Transformation& at, Summary& sums) {
  for (const auto& it : kept_) ++kept_sizes_[it.records];
  if (keeps_what_parts_keep(anonymity_)) {
    sums.stays_suppressed =
        sums.suppressed_rows +
        records_of_smallest(kept_sizes_, risks_.classes_that_stay_suppressed(kept_sizes_));
  } else {
    sums.stays_suppressed = std::max(
        sums.stays_suppressed, records_of_smallest(sizes_, risks_.classes_that_stay_suppressed(sizes_)));
  }
  if (sums.suppressed_rows > anonymity_.suppression_limit) return;  // estimates are expensive
  std::uint64_t left = risks_.classes_to_suppress(kept_sizes_);
  for (const auto& [size, classes] : kept_sizes_) {
    if (left == 0) return;
    std::vector<std::uint32_t> rows;
    for (const auto& it : kept_) {
      if (it.records == size) rows.push_back(it.row);
    }
    keep_first(at, static_cast<std::size_t>(std::min(left, classes)), rows);
    for (const auto row : rows) suppress(row, size, sums);
    left -= rows.size();
  }
}

void ClassCounter::keep_first(const Transformation& at, std::size_t count,
                              std::vector<std::uint32_t>& rows) const {
  if (count == rows.size()) return;
  std::ranges::nth_element(rows, rows.begin() + static_cast<std::ptrdiff_t>(count),
                           [&](std::uint32_t a, std::uint32_t b) {
                             for (std::size_t j = 0; j < table_.attributes.size(); ++j) {
                               if (at.level(j) > table_.attributes[j].height()) continue;  // dropped
                               const auto order = text_of(at, j, a) <=> text_of(at, j, b);
                               if (order != 0) return order < 0;
                             }
                             return false;
                           });
  rows.resize(count);
}

const std::string& ClassCounter::text_of(const Transformation& at, std::size_t attribute,
                                         std::uint32_t row) const {
  const auto [block, index] = table_.distinct.places[attribute];
  const Code raw = std::visit(
      [&, block = block, index = index](const auto& codes) {
        return table_.distinct.blocks[block].raw[index][codes[block][row]];
      },
      table_.distinct.codes);
  const auto& tables = table_.attributes[attribute];
  return tables.values[at.level(attribute)][tables.code_at[at.level(attribute)][raw]];
}

// A counting sort: at first ends_ holds the beginnings.
void ClassCounter::order_by_class(std::size_t classes) {
  ends_.assign(classes + 1, 0);
  for (const auto number : class_of_) ++ends_[number + 1];
  for (std::size_t c = 0; c < classes; ++c) ends_[c + 1] += ends_[c];
  members_.resize(class_of_.size());
  for (std::uint32_t i = 0; i < class_of_.size(); ++i) members_[ends_[class_of_[i]]++] = i;
}

Code ClassCounter::other_code(std::size_t other, std::uint32_t row) const {
  const auto [block, index] = table_.distinct.places[table_.attributes.size() + other];
  return std::visit(
      [&, block = block, index = index](const auto& codes) {
        return table_.distinct.blocks[block].raw[index][codes[block][row]];
      },
      table_.distinct.codes);
}

ClassView ClassCounter::view_of(const Classes& fine, std::span<const std::uint32_t> members) {
  ClassView view;
  const std::size_t membership = table_.sensitive.size();
  for (const auto member : members) {
    view.population += fine.counts[member];
    if (!table_.has_subset() || other_code(membership, fine.rows[member]) != 0)
      view.records += fine.counts[member];
  }
  if (view.records == 0 || test_.is_too_small(view)) return view;  // values do not matter
  for (std::size_t column = 0; column < values_.size(); ++column) take_values(fine, members, column);
  view.columns = views_;
  return view;
}

void ClassCounter::take_values(const Classes& fine, std::span<const std::uint32_t> members,
                               std::size_t column) {
  Values& values = values_[column];
  values.codes.clear();
  values.counts.clear();
  const std::size_t membership = table_.sensitive.size();
  const auto [block, index] = table_.distinct.places[table_.attributes.size() + column];
  const Code* raw = table_.distinct.blocks[block].raw[index].data();
  const bool is_distinct = table_.others.size() == 1;  // then each member has a different value
  std::visit(
      [&, block = block](const auto& codes) {
        const auto* combination = codes[block].data();
        for (const auto member : members) {
          const std::uint32_t row = fine.rows[member];
          if (table_.has_subset() && other_code(membership, row) == 0) continue;
          const Code code = raw[combination[row]];
          std::uint32_t& place = values.place_of[code];
          if (is_distinct || place == 0) {
            values.codes.push_back(code);
            values.counts.push_back(0);
            if (!is_distinct) place = static_cast<std::uint32_t>(values.codes.size());
          }
          values.counts[is_distinct ? values.codes.size() - 1 : place - 1] += fine.counts[member];
        }
      },
      table_.distinct.codes);
  for (const auto code : values.codes) values.place_of[code] = 0;
  views_[column] = {values.codes, values.counts};
}

std::size_t ClassCounter::bytes() const {
  return (class_of_.capacity() + ends_.capacity() + members_.capacity()) * sizeof(std::uint32_t) +
         suppressed_.bytes();
}

}  // namespace pgveil::engine
