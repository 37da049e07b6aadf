#include "jobs/check/group_facts.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "jobs/check/shown_values.hpp"

namespace pgveil::app {
namespace {

using Values = std::vector<ShownValues::Equal>;

std::uint64_t count_of(const CellCodes& records, const ShownValues::Equal& value) {
  return static_cast<std::uint64_t>(std::ranges::count_if(
      records, [&](engine::Code it) { return std::ranges::find(value, it) != value.end(); }));
}

std::uint64_t most_alike(const CellCodes& records, const Values& covered) {
  std::uint64_t most = 0;
  for (const auto& value : covered) most = std::max(most, count_of(records, value));
  return most;
}

// records: the raw codes of the class, by the input.
void add_class(const Values& covered, const Values& occurring, const CellCodes& records,
               std::uint64_t median_k, GroupColumn& out) {
  const std::uint64_t size = records.size();
  out.generalized += size;
  out.prior_right += static_cast<double>(size) / static_cast<double>(covered.size());
  out.occurring += occurring.size();
  for (const auto& value : occurring) {
    const auto found = count_of(records, value);
    if (found > 0) ++out.occurring_true;
    if (found == 1) ++out.last_of_class;
  }
  if (occurring.size() == size) out.settled += size;
  out.guessed_right += count_of(records, occurring.empty() ? covered.front() : occurring.front());
  if (median_k == 0 || size < 2 * median_k) return;
  const auto alike = size - 2 * (median_k - 1);
  out.alike += alike;
  out.alike_true += std::min(alike, most_alike(records, covered));
}

// median_k: k, if classes of 2·k records are uncut groups of strict cuts; 0: they tell nothing.
GroupColumn facts_of_column(const ShownValues& shown, const engine::Column& published,
                            const engine::Column& raw, std::size_t place, const PublishedClasses& classes,
                            const RepeatedClasses& class_of, std::uint64_t median_k) {
  std::vector<CellCodes> records(classes.size());
  for (std::size_t row = 0; row < class_of.size(); ++row) {
    if (class_of[row]) records[*class_of[row]].push_back(raw.codes.at(row));
  }
  GroupColumn made;
  made.name = published.name;
  std::map<engine::Code, std::pair<Values, Values>> known;  // by the cell's code
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const auto cell = classes.shown[c][place];
    const auto [found, is_new] = known.try_emplace(cell);
    auto& [covered, occurring] = found->second;
    if (is_new) {
      covered = shown.values_below(published.values[cell]);
      occurring = shown.occurring(published.values[cell]);
    }
    if (covered.size() > 1) add_class(covered, occurring, records[c], median_k, made);
  }
  return made;
}

const JobAttribute& attribute_of(const Job& job, const engine::Column& column) {
  return *std::ranges::find(job.attributes, column.name, &JobAttribute::name);
}

}  // namespace

Result<std::optional<GroupFacts>> facts_of_groups(const Job& job, const engine::Table& input,
                                                  const engine::Table& published,
                                                  const PublishedClasses& classes,
                                                  const RepeatedClasses& class_of) {
  const auto ranges = job.mondrian->ranges;
  if (ranges != engine::Ranges::tight && ranges != engine::Ranges::sets) return std::optional<GroupFacts>();
  const auto columns = columns_of(job, published, Asked::quasi_identifiers);
  const bool are_numbers = std::ranges::all_of(
      columns, [&](const engine::Column* column) { return attribute_of(job, *column).is_numeric; });
  const auto median_k = are_numbers && is_decided_by_values(job) ? job.k : 0;
  GroupFacts made;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto& raw = *input.find(columns[i]->name);
    const auto shown = ShownValues::make(attribute_of(job, *columns[i]), raw, job);
    if (!shown) return shown.error();
    made.columns.push_back(facts_of_column(*shown, *columns[i], raw, i, classes, class_of, median_k));
  }
  return std::optional(std::move(made));
}

}  // namespace pgveil::app
