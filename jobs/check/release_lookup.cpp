#include "jobs/check/release_lookup.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "jobs/input/aggregates.hpp"

namespace pgveil::app {
namespace {

void set_bit(ClassBits& bits, std::size_t at) {
  bits[at / 64] |= std::uint64_t{1} << (at % 64);
}

ClassBits no_bits(std::size_t size) {
  return ClassBits((size + 63) / 64, 0);
}

void for_each_bit(const ClassBits& bits, const std::function<void(std::size_t)>& work) {
  for (std::size_t word = 0; word < bits.size(); ++word) {
    for (std::uint64_t left = bits[word]; left != 0; left &= left - 1)
      work(word * 64 + static_cast<std::size_t>(std::countr_zero(left)));
  }
}

bool has_bit(const ClassBits& bits, std::size_t at) {
  return (bits[at / 64] >> (at % 64) & 1) != 0;
}

// [raw code]: the classes whose cell in this column can stand for the value.
std::vector<ClassBits> classes_by_value(const ValuesByClass& values, const engine::Column& raw,
                                        const PublishedClasses& classes) {
  std::vector<ClassBits> made(raw.values.size(), no_bits(classes.size()));
  for (std::size_t c = 0; c < classes.size(); ++c) {
    for (const auto value : values[c]) set_bit(made[value], c);
  }
  return made;
}

void make_set(CellCodes& codes) {
  std::ranges::sort(codes);
  const auto [first, last] = std::ranges::unique(codes);
  codes.erase(first, last);
}

// Whether a class is shown if and only if it has k records.
bool has_only_k(const Job& job) {
  const bool has_model =
      std::ranges::any_of(job.attributes, [](const JobAttribute& it) { return !it.models.empty(); });
  return !has_model && job.risks.empty() && !job.subset && !job.presence && !job.k_map && !job.unit;
}

// Whether the known columns tell which class of a job that generalizes by levels a person is in, if it is
// shown. A column that is aggregated without a hierarchy takes no part in this.
bool decide_classes(const std::vector<std::string>& known, const Job& job) {
  return !job.mondrian && std::ranges::all_of(job.attributes, [&](const JobAttribute& it) {
    return it.attribute_class != AttributeClass::quasi_identifier || is_aggregated_alone(it) ||
           (!it.aggregate && std::ranges::find(known, it.name) != known.end());
  });
}

// Behind the cells of a known column. shown: gets what texts of the column stand for, unless it is
// aggregated.
Result<ValuesByClass> values_behind(const PublishedFile& release, const JobAttribute& attribute,
                                    const engine::Column& raw, std::size_t place,
                                    const PublishedClasses& classes, const AggregatesByName& aggregates,
                                    Strangers strangers, std::vector<ShownValues>& shown) {
  const auto& column = *release.published->find(attribute.name);
  if (attribute.aggregate && strangers == Strangers::allowed) {
    CellCodes all(raw.values.size());
    std::iota(all.begin(), all.end(), engine::Code{0});
    return ValuesByClass(classes.size(), all);
  }
  if (attribute.aggregate) return values_by_class(aggregates.at(attribute.name), column, place, classes);
  auto one = ShownValues::make(attribute, raw, *release.job);
  if (!one) return one.error();
  return values_by_class(shown.emplace_back(std::move(*one)), column, place, classes);
}

// Of the records of a class, or behind its aggregate.
ValuesByClass values_of(const PublishedFile& release, const engine::Column* raw,
                        const PublishedClasses& classes, const AggregatesByName& aggregates) {
  if (raw == nullptr) return ValuesByClass();
  const auto* column = release.published->find(raw->name);
  const auto& attribute = *std::ranges::find(release.job->attributes, raw->name, &JobAttribute::name);
  if (attribute.aggregate) {
    const auto columns = columns_of(*release.job, *release.published, Asked::quasi_identifiers);
    const auto place = std::ranges::find(columns, column) - columns.begin();
    return values_by_class(aggregates.at(raw->name), *column, static_cast<std::size_t>(place), classes);
  }
  const auto codes = raw_codes_of(*column, *raw, release.job->null_text);
  const auto nobody = static_cast<engine::Code>(raw->values.size());
  ValuesByClass made;
  for (const auto& rows : classes.rows) {
    CellCodes values;
    for (const auto row : rows) values.push_back(codes[column->codes.at(row)].value_or(nobody));
    make_set(values);
    made.push_back(std::move(values));
  }
  return made;
}

// [raw code]: what this level gives.
std::vector<TransformationOrder::Cell> cells_at(unsigned level, const ShownValues& shown,
                                                const engine::Column& raw, const engine::Column& published) {
  std::unordered_map<std::string_view, engine::Code> codes;
  for (std::size_t code = 0; code < published.values.size(); ++code)
    codes.emplace(published.values[code], static_cast<engine::Code>(code));
  std::map<std::string, engine::Code> numbers;
  std::vector<TransformationOrder::Cell> made;
  for (std::size_t code = 0; code < raw.values.size(); ++code) {
    const auto text = shown.text_at(level, static_cast<engine::Code>(code));
    const auto found = text ? codes.find(*text) : codes.end();
    const auto next = static_cast<engine::Code>(numbers.size());
    const auto number = numbers.emplace(text.value_or(""), next).first->second;
    made.push_back({number, found == codes.end() ? std::nullopt : std::optional(found->second)});
  }
  return made;
}

}  // namespace

std::uint64_t count_bits(const ClassBits& bits) {
  std::uint64_t sum = 0;
  for (const auto word : bits) sum += static_cast<std::uint64_t>(std::popcount(word));
  return sum;
}

bool has_aggregate(const Job& job) {
  return std::ranges::any_of(job.attributes, [](const JobAttribute& it) { return it.aggregate.has_value(); });
}

Result<ReleaseLookup> ReleaseLookup::make(const PublishedFile& release, const engine::Table& input,
                                          const std::vector<std::string>& known,
                                          const ColumnPointers& targets, const PublishedClasses& classes,
                                          const AggregatesByName& aggregates, Strangers strangers) {
  ReleaseLookup made;
  const Job& job = *release.job;
  const auto columns = columns_of(job, *release.published, Asked::quasi_identifiers);
  std::vector<ShownValues> shown;   // of the known columns that are not aggregated
  std::vector<std::size_t> places;  // of the known columns among the quasi-identifiers
  for (const auto& name : known) {
    const auto attribute = std::ranges::find(job.attributes, name, &JobAttribute::name);
    const auto& raw = *input.find(name);
    const auto* column = release.published->find(name);
    places.push_back(static_cast<std::size_t>(std::ranges::find(columns, column) - columns.begin()));
    const auto values =
        values_behind(release, *attribute, raw, places.back(), classes, aggregates, strangers, shown);
    if (!values) return values.error();
    if (strangers == Strangers::refused) {
      if (auto checked = check_values(*values, *column, places.back(), classes); !checked)
        return checked.error();
    }
    made.possible_.push_back(classes_by_value(*values, raw, classes));
  }
  made.find_starred(columns, classes);
  made.knows_classes_ = decide_classes(known, job);
  if (made.knows_classes_ && !has_aggregate(job))
    made.add_transformations(release, input, known, shown, places, classes);
  for (const auto& rows : classes.rows) made.sizes_.push_back(rows.size());
  for (const auto* raw : targets) made.values_.push_back(values_of(release, raw, classes, aggregates));
  return made;
}

void ReleaseLookup::use_repeated(const ColumnPointers& known, const RepeatedClasses& by_row) {
  for (std::size_t row = 0; row < by_row.size(); ++row)
    if (by_row[row]) repeated_.emplace(cells_of(known, row), *by_row[row]);
}

ClassBits ReleaseLookup::classes_of(const CellCodes& known) const {
  if (const auto found = repeated_.find(known); found != repeated_.end()) return one_bit(found->second);
  if (uses_order()) {
    const auto found = order_.place_of(known);
    return found ? one_bit(found->class_number) : starred_;
  }
  ClassBits all = possible_[0][known[0]];
  for (std::size_t i = 1; i < known.size(); ++i) {
    for (std::size_t word = 0; word < all.size(); ++word) all[word] &= possible_[i][known[i]][word];
  }
  if (!knows_classes_) return all;
  ClassBits shown = all;
  for (std::size_t word = 0; word < all.size(); ++word) shown[word] &= ~starred_[word];
  return count_bits(shown) > 0 ? shown : all;
}

std::uint64_t ReleaseLookup::records_in(const ClassBits& classes) const {
  std::uint64_t sum = 0;
  for_each_bit(classes, [&](std::size_t c) { sum += sizes_[c]; });
  return sum;
}

Refinement ReleaseLookup::refinement(const ColumnPointers& known, const Job& job) const {
  std::vector<std::string> names;
  for (const auto* column : known) names.push_back(column->name);
  std::vector<RefinedClass> classes(sizes_.size());
  for (std::size_t c = 0; c < classes.size(); ++c) {
    classes[c].number = c;
    classes[c].records = sizes_[c];
    classes[c].holds_suppressed = has_bit(starred_, c);
    classes[c].values.resize(known.size());
  }
  for (std::size_t i = 0; i < known.size(); ++i) {
    for (std::size_t code = 0; code < possible_[i].size(); ++code)
      for_each_bit(possible_[i][code],
                   [&](std::size_t c) { classes[c].values[i].push_back(static_cast<engine::Code>(code)); });
  }
  for (std::size_t row = 0; row < known.front()->codes.size(); ++row) {
    auto cells = cells_of(known, row);
    for_each_bit(classes_of(cells), [&](std::size_t c) { classes[c].rows.push_back(cells); });
  }
  return refine(order_, names, classes, has_only_k(job) ? std::optional(job.k) : std::nullopt);
}

CellCodes ReleaseLookup::values_in(const ClassBits& classes, std::size_t target) const {
  CellCodes made;
  for_each_bit(classes, [&](std::size_t c) {
    const CellCodes& of_class = values_[target][c];
    made.insert(made.end(), of_class.begin(), of_class.end());
  });
  make_set(made);
  return made;
}

ClassBits ReleaseLookup::one_bit(std::size_t at) const {
  ClassBits made = no_bits(sizes_.size());
  set_bit(made, at);
  return made;
}

void ReleaseLookup::find_starred(const ColumnPointers& columns, const PublishedClasses& classes) {
  starred_ = no_bits(classes.size());
  for (std::size_t c = 0; c < classes.size(); ++c) {
    if (is_starred(columns, classes.shown[c])) set_bit(starred_, c);
  }
}

void ReleaseLookup::add_transformations(const PublishedFile& release, const engine::Table& input,
                                        const std::vector<std::string>& known,
                                        const std::vector<ShownValues>& shown,
                                        const std::vector<std::size_t>& places,
                                        const PublishedClasses& classes) {
  std::vector<TransformationOrder::Step> steps;
  std::map<CellCodes, std::size_t> class_of;
  for (const auto& levels : release.transformations) {
    auto& cells = steps.emplace_back();
    for (std::size_t i = 0; i < known.size(); ++i)
      cells.push_back(
          cells_at(levels[places[i]], shown[i], *input.find(known[i]), *release.published->find(known[i])));
  }
  for (std::size_t c = 0; c < classes.size(); ++c) {
    CellCodes cells;
    for (const auto place : places) cells.push_back(classes.shown[c][place]);
    class_of.emplace(std::move(cells), c);
  }
  order_ = TransformationOrder(std::move(steps), std::move(class_of));
}

}  // namespace pgveil::app
