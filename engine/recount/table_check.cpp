#include "engine/recount/table_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "common/sqlstate.hpp"

namespace pgveil::engine {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Each cell with its length, so that no two tuples have one key.
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
  made.entropy_l = kInfinity;
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

Result<CheckFindings> TableCheck::finish(const CheckDemand& demand) const {
  const auto tables = value_tables();
  if (!tables) return tables.error();
  CheckFindings made;
  if (demand.k) made.demands.push_back({"", fmt::format("k {}", *demand.k)});
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    made.columns.push_back(begin(columns_[i].name, (*tables)[i]));
    for (const auto& model : columns_[i].demanded)
      made.demands.push_back({columns_[i].name, describe(model)});
  }
  for (const auto& it : classes_) {
    made.records += it.records;
    if (it.is_starred) (it.shows_more ? made.starred_records : made.hidden_records) += it.records;
    if (it.is_starred && (!it.shows_more || demand.outliers == Outliers::as_reference)) continue;
    ++made.classes;
    made.k = made.classes == 1 ? it.records : std::min(made.k, it.records);
    bool breaks_any = false;
    auto next = made.demands.begin();
    const auto judge = [&](bool is_kept) {
      auto& finding = *next++;
      if (is_kept) return;
      breaks_any = true;
      ++finding.classes;
      finding.records += it.records;
    };
    if (demand.k) judge(it.records >= *demand.k);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      tighten((*tables)[i], it.values[i], made.columns[i]);
      for (const auto& model : columns_[i].demanded) judge((*tables)[i].keeps(it.values[i], model));
    }
    if (!breaks_any) continue;
    ++made.offending_classes;
    made.offending_records += it.records;
    if (demand.most_keys > 0) made.offending.push_back({it.key, it.records});
  }
  std::ranges::sort(made.offending, [](const OffendingClass& a, const OffendingClass& b) {
    return a.records != b.records ? a.records < b.records : a.key < b.key;
  });
  if (made.offending.size() > demand.most_keys) made.offending.resize(demand.most_keys);
  return made;
}

}  // namespace pgveil::engine
