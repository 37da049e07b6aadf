#include "engine/publish/local_recoding.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "common/assert.hpp"
#include "engine/publish/judged_rows.hpp"

namespace pgveil::engine {
namespace {

// What the rows show in the quasi-identifiers, in the given order.
class Shown {
 public:
  Shown(std::size_t rows, std::size_t columns)
      : texts_(columns, std::vector<const std::string*>(rows, &star_)) {}

  void set(std::size_t row, std::size_t column, const std::string& text, double span) {
    texts_[column][row] = &*known_.insert(text).first;
    spans_ += span;
    ++cells_;
  }
  // A cell that was not set is suppressed, so it covers everything.
  [[nodiscard]] double certainty_penalty() const {
    const auto all = static_cast<double>(texts_.size() * texts_.front().size());
    return (spans_ + (all - static_cast<double>(cells_))) / all;
  }
  // The sizes of the groups of rows that show the same. Suppressed rows are in none.
  [[nodiscard]] std::vector<std::uint64_t> class_sizes() const {
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < texts_.front().size(); ++row) {
      if (texts_.front()[row] != &star_) rows.push_back(row);
    }
    std::ranges::sort(rows, [this](std::size_t a, std::size_t b) { return compare(a, b) < 0; });
    std::vector<std::uint64_t> sizes;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i == 0 || compare(rows[i - 1], rows[i]) != 0) sizes.push_back(0);
      ++sizes.back();
    }
    return sizes;
  }
  [[nodiscard]] Column column(const std::string& name, std::size_t index) const {
    ColumnEncoder encoder(name);
    for (const auto* text : texts_[index]) encoder.add(*text);
    return std::move(encoder).finish();
  }

 private:
  // Equal texts are one text of known_. The order says nothing else.
  [[nodiscard]] int compare(std::size_t a, std::size_t b) const {
    for (const auto& column : texts_) {
      if (column[a] != column[b]) return std::less<>()(column[a], column[b]) ? -1 : 1;
    }
    return 0;
  }

  const std::string star_ = std::string(kSuppressed);
  std::set<std::string> known_;
  std::vector<std::vector<const std::string*>> texts_;
  double spans_ = 0;
  std::size_t cells_ = 0;
};

double span_of(const LevelColumn& column, std::size_t row) {
  const auto span = column.tables->spans[column.level][column.code(row)];
  return span <= 1 ? 0 : static_cast<double>(span) / static_cast<double>(column.tables->range);
}

// Shows the kept rows of a part of the table at its levels, and returns the rows that are left. rows: the
// places of the part's rows in the whole table.
Result<std::vector<std::size_t>> show_part(const Table& part, const PreparedTable& prepared,
                                           std::span<const std::size_t> rows, const Anonymity& anonymity,
                                           RecodingStep& step, Shown& shown) {
  const auto columns = level_columns(part, prepared, step.levels);
  if (!columns) return columns.error();
  RowCounter counter(part, prepared, anonymity);
  const auto judged = judge_rows(*columns, prepared, rows.size(), counter, RiskTest(anonymity));
  std::vector<std::size_t> left;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (!judged.is_kept(row)) {
      left.push_back(rows[row]);
      continue;
    }
    for (std::size_t i = 0; i < columns->size(); ++i)
      shown.set(rows[row], i, (*columns)[i].value(row), span_of((*columns)[i], row));
  }
  step.records = rows.size() - left.size();
  step.suppressed = left.size();
  for (const auto& it : judged.classes) {
    if (!it.is_kept) continue;
    step.smallest_class = step.classes == 0 ? it.records : std::min(step.smallest_class, it.records);
    ++step.classes;
  }
  return left;
}

struct FoundStep {
  // nullopt: nothing of the rest can be shown, or showing it does not pay off, as far as is_proven.
  std::optional<RecodingStep> step;
  bool is_proven = true;
};

Result<FoundStep> find_step(const PreparedTable& prepared, const SearchOptions& options) {
  const auto found = search(prepared, options);
  if (!found) return found.error();
  if (!found->optimum || found->optimum->summary.suppressed_rows == prepared.rows)
    return FoundStep{std::nullopt, found->is_proven};
  RecodingStep step;
  step.levels = found->optimum->levels;
  step.checks = found->counts.checks;
  step.is_proven = found->is_proven;
  return FoundStep{std::move(step), found->is_proven};
}

Table shown_table(const Table& table, std::span<const QuasiIdentifier> quasi_identifiers,
                  const Shown& shown) {
  Table made;
  for (const auto& column : table.columns) {
    const auto found = std::ranges::find(quasi_identifiers, column.name, &QuasiIdentifier::column);
    const auto index = static_cast<std::size_t>(found - quasi_identifiers.begin());
    made.columns.push_back(found == quasi_identifiers.end() ? column : shown.column(column.name, index));
  }
  return made;
}

}  // namespace

Result<Recoding> recode_locally(const Table& table, const PreparedTable& prepared,
                                std::span<const QuasiIdentifier> quasi_identifiers,
                                const PrivacyColumns& privacy, std::span<const unsigned> levels,
                                const SearchOptions& options, const RecodingLimits& limits) {
  PGVEIL_ASSERT(privacy.subset.empty());
  Recoding made;
  Shown shown(table.rows(), quasi_identifiers.size());
  std::vector<std::size_t> rows(table.rows());
  for (std::size_t row = 0; row < rows.size(); ++row) rows[row] = row;
  RecodingStep step;
  step.levels.assign(levels.begin(), levels.end());
  auto left = show_part(table, prepared, rows, options.anonymity, step, shown);
  if (!left) return left.error();
  made.steps.push_back(std::move(step));
  const bool is_anonymous = left->size() <= options.anonymity.suppression_limit;
  const auto least = std::max(limits.least_records, smallest_class(options.anonymity));
  for (std::size_t part_no = 0; is_anonymous && part_no < limits.parts && left->size() >= least; ++part_no) {
    const Table rest = rows_of(table, *left);
    auto part = prepare(rest, quasi_identifiers, privacy);
    if (!part) return part.error();
    part->sensitive = prepared.sensitive;  // shares are compared with those of the whole table
    auto of_rest = options;
    of_rest.anonymity.suppression_limit = left->size() - limits.least_records;
    auto next = find_step(*part, of_rest);
    if (!next) return next.error();
    if (!next->step) {
      made.is_end_proven = next->is_proven;
      break;
    }
    auto remaining = show_part(rest, *part, *left, of_rest.anonymity, *next->step, shown);
    if (!remaining) return remaining.error();
    made.steps.push_back(std::move(*next->step));
    left = std::move(remaining);
  }
  made.table = shown_table(table, quasi_identifiers, shown);
  made.suppressed_rows = std::move(*left);
  made.certainty_penalty = shown.certainty_penalty();
  const auto sizes = shown.class_sizes();
  made.classes = sizes.size();
  if (!sizes.empty()) made.smallest_class = std::ranges::min(sizes);
  return made;
}

}  // namespace pgveil::engine
