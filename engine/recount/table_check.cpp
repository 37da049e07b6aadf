#include "engine/recount/table_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "common/sqlstate.hpp"

namespace pgveil::engine {
namespace {

constexpr double kWorst = std::numeric_limits<double>::infinity();

// Writes each cell with its length, so that different tuples have different keys.
std::string key_of(Cells cells) {
  std::string key;
  for (const auto& cell : cells) key += cell ? fmt::format("{};{}", cell->size(), *cell) : std::string("-;");
  return key;
}

ValueText text_of(const std::optional<std::string_view>& cell) {
  return cell ? ValueText(std::string(*cell)) : std::nullopt;
}

ColumnFinding begin(const std::string& column, const ValueTable& table) {
  ColumnFinding made;
  made.column = column;
  made.distinct_l = std::numeric_limits<std::uint64_t>::max();
  made.entropy_l = kWorst;
  if (table.has_order()) made.t_ordered = 0;
  if (table.has_hierarchy()) made.t_hierarchical = 0;
  return made;
}

void tighten(const ValueTable& table, const ValueCounts& values, ColumnFinding& found) {
  const auto raise = [](double& most, double value) { most = std::max(most, value); };
  found.distinct_l = std::min<std::uint64_t>(found.distinct_l, values.size());
  found.entropy_l = std::min(found.entropy_l, ValueTable::entropy_l(values));
  raise(found.recursive_c2, ValueTable::recursive_c(values, 2));
  raise(found.recursive_c3, ValueTable::recursive_c(values, 3));
  raise(found.t_equal, table.distance(values, Distance::equal));
  if (found.t_ordered) raise(*found.t_ordered, table.distance(values, Distance::ordered));
  if (found.t_hierarchical) raise(*found.t_hierarchical, table.distance(values, Distance::hierarchical));
  raise(found.beta_basic, table.beta(values, Likeness::basic));
  raise(found.beta_enhanced, table.beta(values, Likeness::enhanced));
  raise(found.delta, table.delta(values));
}

PopulationFinding begin_population(const std::unordered_map<std::string, std::uint64_t>& population) {
  PopulationFinding made;
  for (const auto& [key, count] : population) made.records += count;
  made.smallest = made.records;
  return made;
}

// If there are fewer people than records that show them, they are no population of these records.
void tighten(std::uint64_t records, std::uint64_t people, PopulationFinding& found) {
  const double share = people < records ? kWorst : static_cast<double>(records) / static_cast<double>(people);
  found.smallest = std::min(found.smallest, people);
  found.least_share = std::min(found.least_share, share);
  found.most_share = std::max(found.most_share, share);
}

// Tests records ≥ least · people, which needs no division.
bool keeps_presence(const DeltaPresence& it, std::uint64_t records, std::uint64_t people) {
  constexpr double kTolerance = 1e-9;
  const auto shown = static_cast<double>(records), all = static_cast<double>(people);
  return records <= people && shown >= (it.least - kTolerance) * all && shown <= (it.most + kTolerance) * all;
}

Result<void> check_needs(const CheckedColumn& column, const ValueTable& table) {
  for (const auto& model : column.demanded) {
    const auto* closeness = std::get_if<TCloseness>(&model);
    if (closeness == nullptr || closeness->distance == Distance::equal) continue;
    const bool is_ordered = closeness->distance == Distance::ordered;
    if (is_ordered ? table.has_order() : table.has_hierarchy()) continue;
    return Error{ErrorKind::configuration, std::string(sqlstate::kInvalidParameterValue),
                 fmt::format("the {} distance of {} needs {}", is_ordered ? "ordered" : "hierarchical",
                             column.name, is_ordered ? "an order" : "a hierarchy"),
                 "give it, or take the equal distance"};
  }
  return {};
}

}  // namespace

void TableCheck::add(Cells quasi_identifiers, Cells sensitive, bool shows_more, std::uint64_t count) {
  const auto [place, is_new] = place_of_.emplace(key_of(quasi_identifiers), classes_.size());
  if (is_new) {
    auto& made = classes_.emplace_back();
    made.text = place->first;
    for (const auto& cell : quasi_identifiers) made.key.push_back(text_of(cell));
    made.is_starred =
        std::ranges::all_of(quasi_identifiers, [](const auto& cell) { return cell == kSuppressed; });
    made.values.resize(columns_.size());
  }
  auto& found = classes_[place->second];
  found.records += count;
  found.shows_more = found.shows_more || shows_more;
  for (std::size_t i = 0; i < sensitive.size(); ++i) {
    found.values[i][text_of(sensitive[i])] += count;
    found.shows_more = found.shows_more || sensitive[i];
  }
}

Result<std::vector<ValueTable>> TableCheck::value_tables() const {
  std::vector<ValueTable> tables;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const auto& column = columns_[i];
    ValueCounts counted;
    for (const auto& it : classes_) {
      if (column.expected || (it.is_starred && !it.shows_more)) continue;
      for (const auto& [value, count] : it.values[i]) counted[value] += count;
    }
    auto table =
        ValueTable::make(column.expected.value_or(counted), column.order, column.hierarchy, column.null_text);
    if (!table) {
      Error error = table.error();
      error.public_message = fmt::format("{}: {}", column.name, error.public_message);
      return error;
    }
    if (auto needs = check_needs(column, *table); !needs) return needs.error();
    tables.push_back(std::move(*table));
  }
  return tables;
}

void TableCheck::add_population(Cells quasi_identifiers, std::uint64_t count) {
  population_[key_of(quasi_identifiers)] += count;
}

std::uint64_t TableCheck::unseen_people() const {
  std::uint64_t people = 0;
  for (const auto& [key, count] : population_) {
    const auto found = place_of_.find(key);
    if (found == place_of_.end() || classes_[found->second].is_starred) people += count;
  }
  return people;
}

std::uint64_t TableCheck::people_like(const Class& it) const {
  if (it.is_starred) return unseen_people();
  const auto found = population_.find(it.text);
  return found == population_.end() ? 0 : found->second;
}

// In the order in which judge_class() and judge_all() use them.
CheckFindings TableCheck::begin_findings(const CheckDemand& demand,
                                         const std::vector<ValueTable>& tables) const {
  CheckFindings made;
  const auto add = [&](const std::string& column, std::string model) {
    made.demands.push_back({column, std::move(model)});
  };
  if (demand.k) add("", fmt::format("k {}", *demand.k));
  for (const auto& risk : demand.risks) add("", describe(risk));
  if (demand.presence)
    add("", fmt::format("presence {} to {}", demand.presence->least, demand.presence->most));
  if (demand.k_map) add("", fmt::format("k_map {}", *demand.k_map));
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    made.columns.push_back(begin(columns_[i].name, tables[i]));
    for (const auto& model : columns_[i].demanded) add(columns_[i].name, describe(model));
  }
  if (!population_.empty()) made.population = begin_population(population_);
  return made;
}

// Returns one answer per demand.
std::vector<bool> TableCheck::judge_class(const Class& it, const CheckDemand& demand,
                                          const std::vector<ValueTable>& tables, CheckFindings& made) const {
  std::vector<bool> kept;
  if (demand.k) kept.push_back(it.records >= *demand.k);
  for (const auto& risk : demand.risks)
    kept.push_back(!std::holds_alternative<HighestRisk>(risk) || keeps_risk({{it.records, 1}}, risk));
  const auto people = population_.empty() ? 0 : people_like(it);
  if (made.population) tighten(it.records, people, *made.population);
  if (demand.presence) kept.push_back(keeps_presence(*demand.presence, it.records, people));
  if (demand.k_map) kept.push_back(people >= *demand.k_map && people >= it.records);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    tighten(tables[i], it.values[i], made.columns[i]);
    for (const auto& model : columns_[i].demanded) kept.push_back(tables[i].keeps(it.values[i], model));
  }
  return kept;
}

// Judges the models that no single class breaks.
void TableCheck::judge_all(const CountedSizes& sizes, bool has_stars, const CheckDemand& demand,
                           CheckFindings& made) const {
  made.risks = table_risks(sizes);
  std::size_t next = demand.k ? 1 : 0;
  for (const auto& risk : demand.risks) {
    if (!std::holds_alternative<HighestRisk>(risk))
      made.demands[next].is_broken_by_all = !keeps_risk(sizes, risk);
    ++next;
  }
  if (!made.population) return;
  made.population->unseen = has_stars ? 0 : unseen_people();
  if (demand.presence && demand.presence->least > 0 && !demand.has_left_out)
    made.demands[next].is_broken_by_all = made.population->unseen > 0;
}

Result<CheckFindings> TableCheck::finish(const CheckDemand& demand) const {
  const auto tables = value_tables();
  if (!tables) return tables.error();
  CheckFindings made = begin_findings(demand, *tables);
  CountedSizes sizes;
  bool has_stars = false;
  for (const auto& it : classes_) {
    made.records += it.records;
    if (it.is_starred) (it.shows_more ? made.starred_records : made.hidden_records) += it.records;
    has_stars = has_stars || it.is_starred;
    if (it.is_starred && (!it.shows_more || demand.suppressed_records == SuppressedRecords::keep)) continue;
    ++made.classes;
    ++sizes[it.records];
    made.k = made.classes == 1 ? it.records : std::min(made.k, it.records);
    const auto kept = judge_class(it, demand, *tables, made);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      made.demands[i].classes += kept[i] ? 0 : 1;
      made.demands[i].records += kept[i] ? 0 : it.records;
    }
    if (std::ranges::find(kept, false) == kept.end()) continue;
    ++made.offending_classes;
    made.offending_records += it.records;
    if (demand.most_keys > 0) made.offending.push_back({it.key, it.records});
  }
  judge_all(sizes, has_stars, demand, made);
  std::ranges::sort(made.offending, [](const OffendingClass& a, const OffendingClass& b) {
    return a.records != b.records ? a.records < b.records : a.key < b.key;
  });
  if (made.offending.size() > demand.most_keys) made.offending.resize(demand.most_keys);
  return made;
}

}  // namespace pgveil::engine
