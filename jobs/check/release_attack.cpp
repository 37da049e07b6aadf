#include "jobs/check/release_attack.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "engine/publish/publication.hpp"
#include "jobs/check/aggregated_values.hpp"
#include "jobs/check/published_classes.hpp"
#include "jobs/check/repeated_job.hpp"
#include "jobs/check/shown_values.hpp"
#include "jobs/input/aggregates.hpp"

namespace pgveil::app {
namespace {

using Codes = CellCodes;
using Columns = ColumnPointers;

Error no_release(std::string message, std::string private_detail = {}) {
  return invalid_input(std::move(message), "is this the file that the job published, and its input?",
                       std::move(private_detail));
}

Result<void> check_columns(const Job& job, const engine::Table& table, std::string_view what) {
  if (table.rows() == 0) return no_release(fmt::format("the {} of job {} has no rows", what, job.name));
  for (const auto& attribute : job.attributes) {
    if (attribute.attribute_class != AttributeClass::identifier && table.find(attribute.name) == nullptr)
      return no_release(fmt::format("the {} of job {} has no column {}", what, job.name, attribute.name));
  }
  return {};
}

// ---- somebody who has the file alone

struct MostFrequent {
  engine::Code code = 0;
  std::uint64_t count = 0;
  std::size_t distinct = 0;
};

MostFrequent most_frequent(const engine::Column& column, const std::vector<std::uint32_t>& rows) {
  std::map<engine::Code, std::uint64_t> counts;
  for (const auto row : rows) ++counts[column.codes.at(row)];
  MostFrequent best{0, 0, counts.size()};
  for (const auto& [code, count] : counts) {
    if (count > best.count) {
      best.code = code;
      best.count = count;
    }
  }
  return best;
}

using Guesses = std::vector<std::vector<MostFrequent>>;  // by class and other column

ReleasedColumn released_column(const Job& job, const engine::Column& column, const PublishedClasses& classes,
                               Guesses& guesses) {
  const auto attribute = std::ranges::find(job.attributes, column.name, &JobAttribute::name);
  ReleasedColumn made;
  made.name = column.name;
  made.is_sensitive = attribute->attribute_class == AttributeClass::sensitive;
  std::vector<std::uint64_t> counts(column.values.size(), 0);
  for (std::size_t row = 0; row < column.codes.size(); ++row) ++counts[column.codes.at(row)];
  made.prior_right = *std::ranges::max_element(counts);
  for (std::size_t c = 0; c < classes.size(); ++c) {
    guesses[c].push_back(most_frequent(column, classes.rows[c]));
    const auto& guess = guesses[c].back();
    made.guessed_right += guess.count;
    if (guess.distinct > 1) continue;
    ++made.classes_of_one_value;
    made.records_of_one_value += classes.rows[c].size();
  }
  return made;
}

bool is_isolated(const Columns& others, const std::vector<std::uint32_t>& rows,
                 const std::vector<MostFrequent>& guesses) {
  return std::ranges::count_if(rows, [&](std::uint32_t row) {
           for (std::size_t i = 0; i < others.size(); ++i) {
             if (others[i]->codes.at(row) != guesses[i].code) return false;
           }
           return true;
         }) == 1;
}

ReleaseAttack attack_alone(const PublishedFile& release, const PublishedClasses& classes) {
  const Job& job = *release.job;
  ReleaseAttack made;
  made.records = release.published->rows();
  made.classes = classes.size();
  const auto shown = columns_of(job, *release.published, Asked::quasi_identifiers);
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const std::uint64_t size = classes.rows[c].size();
    if (is_starred(shown, classes.shown[c]))
      made.starred_records += size;
    else
      made.smallest_class = made.smallest_class == 0 ? size : std::min(made.smallest_class, size);
  }
  const auto others = columns_of(job, *release.published, Asked::others);
  Guesses guesses(classes.size());
  for (const auto* column : others) made.columns.push_back(released_column(job, *column, classes, guesses));
  if (others.empty()) return made;
  made.predicates = classes.size();
  for (std::size_t c = 0; c < classes.size(); ++c) {
    if (is_isolated(others, classes.rows[c], guesses[c])) ++made.isolating;
  }
  return made;
}

// ---- somebody who knows columns of persons

using Bits = std::vector<std::uint64_t>;

void set_bit(Bits& bits, std::size_t at) {
  bits[at / 64] |= std::uint64_t{1} << (at % 64);
}

Bits no_bits(std::size_t size) {
  return Bits((size + 63) / 64, 0);
}

void for_each_bit(const Bits& bits, const std::function<void(std::size_t)>& work) {
  for (std::size_t word = 0; word < bits.size(); ++word) {
    for (std::uint64_t left = bits[word]; left != 0; left &= left - 1)
      work(word * 64 + static_cast<std::size_t>(std::countr_zero(left)));
  }
}

bool has_bit(const Bits& bits, std::size_t at) {
  return (bits[at / 64] >> (at % 64) & 1) != 0;
}

std::uint64_t count_bits(const Bits& bits) {
  std::uint64_t sum = 0;
  for (const auto word : bits) sum += static_cast<std::uint64_t>(std::popcount(word));
  return sum;
}

enum class Strangers { refused, allowed };  // texts that stand for no value of the input

bool has_aggregate(const Job& job) {
  return std::ranges::any_of(job.attributes, [](const JobAttribute& it) { return it.aggregate.has_value(); });
}

// What can be behind a cell of a class with so many records: a flag for each code of the input.
struct CellMeaning {
  std::function<std::vector<bool>(const std::string& text, std::uint64_t records)> values;
  bool depends_on_records = false;
};

CellMeaning meaning_of(AggregatedValues shown) {
  return {[shown = std::move(shown)](const std::string& text, std::uint64_t records) {
            return shown.possible(text, records);
          },
          true};
}

// Of a file of another job, whose classes can have values that the input does not have.
CellMeaning any_of(const engine::Column& raw) {
  return {[values = raw.values.size()](const std::string&, std::uint64_t) {
            return std::vector<bool>(values, true);
          },
          false};
}

CellMeaning meaning_of(ShownValues shown) {
  return {[shown = std::move(shown)](const std::string& text, std::uint64_t) { return shown.covered(text); },
          false};
}

Result<AggregatedValues> aggregated_values(const PublishedFile& release, const JobAttribute& attribute,
                                           const engine::Column& raw) {
  const auto columns = columns_of(*release.job, *release.published, Asked::quasi_identifiers);
  const auto place = std::ranges::find(columns, attribute.name, &engine::Column::name) - columns.begin();
  std::optional<unsigned> level;
  if (release.transformations.size() == 1)
    level = release.transformations.front()[static_cast<std::size_t>(place)];
  return AggregatedValues::make(attribute, raw, *release.job, level);
}

// [class]: the raw codes of the values that can be behind its cell, ascending. REQUIRES: place is the
// column's, among the quasi-identifiers.
std::vector<Codes> values_by_class(const CellMeaning& meaning, const engine::Column& column,
                                   std::size_t place, const PublishedClasses& classes) {
  std::map<std::pair<engine::Code, std::uint64_t>, Codes> known;
  std::vector<Codes> made;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const auto code = classes.shown[c][place];
    const std::uint64_t records = classes.rows[c].size();
    const auto [found, is_new] = known.try_emplace({code, meaning.depends_on_records ? records : 0});
    if (is_new) {
      const auto flags = meaning.values(column.values[code], records);
      for (std::size_t value = 0; value < flags.size(); ++value) {
        if (flags[value]) found->second.push_back(static_cast<engine::Code>(value));
      }
    }
    made.push_back(found->second);
  }
  return made;
}

// Errors: a class can have no value.
Result<void> check_values(const std::vector<Codes>& values, const engine::Column& column, std::size_t place,
                          const PublishedClasses& classes) {
  std::set<std::string> strange;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    if (values[c].empty()) strange.insert(column.values[classes.shown[c][place]]);
  }
  if (strange.empty()) return {};
  return no_release(
      fmt::format("{} texts of {} in the file stand for no value of the input", strange.size(), column.name),
      fmt::format("{}", fmt::join(strange, ", ")));
}

// [raw code]: the classes whose cell in this column can stand for the value.
std::vector<Bits> classes_by_value(const std::vector<Codes>& values, const engine::Column& raw,
                                   const PublishedClasses& classes) {
  std::vector<Bits> made(raw.values.size(), no_bits(classes.size()));
  for (std::size_t c = 0; c < classes.size(); ++c) {
    for (const auto value : values[c]) set_bit(made[value], c);
  }
  return made;
}

void make_set(Codes& codes) {
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

// Whether the known columns tell which class of a job that generalizes by levels a person is in, if it is shown.
// A column that is aggregated without a hierarchy takes no part in this.
bool decide_classes(const std::vector<std::string>& known, const Job& job) {
  return !job.mondrian && std::ranges::all_of(job.attributes, [&](const JobAttribute& it) {
    return it.attribute_class != AttributeClass::quasi_identifier || is_aggregated_alone(it) ||
           (!it.aggregate && std::ranges::find(known, it.name) != known.end());
  });
}

// One file with what it says of persons by their known columns.
class ReleaseLookup {
 public:
  // targets: columns of the input, by their names in the file; those that the file lacks are null.
  static Result<ReleaseLookup> make(const PublishedFile& release, const engine::Table& input,
                                    const std::vector<std::string>& known, const Columns& targets,
                                    const PublishedClasses& classes, Strangers strangers) {
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
      CellMeaning meaning;
      if (attribute->aggregate && strangers == Strangers::allowed) {
        meaning = any_of(raw);
      } else if (attribute->aggregate) {
        auto one = aggregated_values(release, *attribute, raw);
        if (!one) return one.error();
        meaning = meaning_of(std::move(*one));
      } else {
        auto one = ShownValues::make(*attribute, raw, job);
        if (!one) return one.error();
        shown.push_back(*one);
        meaning = meaning_of(std::move(*one));
      }
      const auto values = values_by_class(meaning, *column, places.back(), classes);
      if (strangers == Strangers::refused) {
        if (auto checked = check_values(values, *column, places.back(), classes); !checked)
          return checked.error();
      }
      made.possible_.push_back(classes_by_value(values, raw, classes));
    }
    made.find_starred(columns, classes);
    made.knows_classes_ = decide_classes(known, job);
    if (made.knows_classes_ && !has_aggregate(job))
      made.add_transformations(release, input, known, shown, places, classes);
    for (const auto& rows : classes.rows) made.sizes_.push_back(rows.size());
    for (const auto* raw : targets) {
      auto values = values_of(release, raw, classes);
      if (!values) return values.error();
      made.values_.push_back(std::move(*values));
    }
    return made;
  }

  // From now on, the class of each person is the one that the repeated job gives. by_row: of the input.
  void use_repeated(const Columns& known, const RepeatedClasses& by_row) {
    for (std::size_t row = 0; row < by_row.size(); ++row)
      if (by_row[row]) repeated_.emplace(cells_of(known, row), *by_row[row]);
  }

  // The classes that can be the person's, for the codes of the known columns.
  [[nodiscard]] Bits classes_of(const Codes& known) const {
    if (const auto found = repeated_.find(known); found != repeated_.end()) return one_bit(found->second);
    if (uses_order()) {
      const auto found = order_.place_of(known);
      return found ? one_bit(found->class_number) : starred_;
    }
    Bits all = possible_[0][known[0]];
    for (std::size_t i = 1; i < known.size(); ++i) {
      for (std::size_t word = 0; word < all.size(); ++word) all[word] &= possible_[i][known[i]][word];
    }
    if (!knows_classes_) return all;
    Bits shown = all;
    for (std::size_t word = 0; word < all.size(); ++word) shown[word] &= ~starred_[word];
    return count_bits(shown) > 0 ? shown : all;
  }
  // Whether the order of the job's transformations makes each person's class certain.
  [[nodiscard]] bool uses_order() const { return order_.is_known(); }
  [[nodiscard]] std::uint64_t records_in(const Bits& classes) const {
    std::uint64_t sum = 0;
    for_each_bit(classes, [&](std::size_t c) { sum += sizes_[c]; });
    return sum;
  }
  [[nodiscard]] bool has(std::size_t target) const { return !values_[target].empty(); }

  // What the order excludes in the cells of each class. known: the columns of the input. REQUIRES:
  // uses_order().
  [[nodiscard]] Refinement refinement(const Columns& known, const Job& job) const {
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
  // Values that some record of these classes has, as ascending codes of the input. The last code stands for
  // all values that nobody in the input has.
  [[nodiscard]] Codes values_in(const Bits& classes, std::size_t target) const {
    Codes made;
    for_each_bit(classes, [&](std::size_t c) {
      const Codes& of_class = values_[target][c];
      made.insert(made.end(), of_class.begin(), of_class.end());
    });
    make_set(made);
    return made;
  }

 private:
  [[nodiscard]] Bits one_bit(std::size_t at) const {
    Bits made = no_bits(sizes_.size());
    set_bit(made, at);
    return made;
  }

  static Result<std::vector<Codes>> values_of(const PublishedFile& release, const engine::Column* raw,
                                              const PublishedClasses& classes) {
    if (raw == nullptr) return std::vector<Codes>();
    const auto* column = release.published->find(raw->name);
    const auto& attribute = *std::ranges::find(release.job->attributes, raw->name, &JobAttribute::name);
    if (attribute.aggregate) {
      auto shown = aggregated_values(release, attribute, *raw);
      if (!shown) return shown.error();
      const auto columns = columns_of(*release.job, *release.published, Asked::quasi_identifiers);
      const auto place = std::ranges::find(columns, column) - columns.begin();
      return values_by_class(meaning_of(std::move(*shown)), *column, static_cast<std::size_t>(place),
                             classes);
    }
    const auto codes = raw_codes_of(*column, *raw, release.job->null_text);
    const auto nobody = static_cast<engine::Code>(raw->values.size());
    std::vector<Codes> made;
    for (const auto& rows : classes.rows) {
      Codes values;
      for (const auto row : rows) values.push_back(codes[column->codes.at(row)].value_or(nobody));
      make_set(values);
      made.push_back(std::move(values));
    }
    return made;
  }

  void find_starred(const Columns& columns, const PublishedClasses& classes) {
    starred_ = no_bits(classes.size());
    for (std::size_t c = 0; c < classes.size(); ++c) {
      if (is_starred(columns, classes.shown[c])) set_bit(starred_, c);
    }
  }

  void add_transformations(const PublishedFile& release, const engine::Table& input,
                           const std::vector<std::string>& known, const std::vector<ShownValues>& shown,
                           const std::vector<std::size_t>& places, const PublishedClasses& classes) {
    std::vector<TransformationOrder::Step> steps;
    std::map<Codes, std::size_t> class_of;
    for (const auto& levels : release.transformations) {
      auto& cells = steps.emplace_back();
      for (std::size_t i = 0; i < known.size(); ++i)
        cells.push_back(
            cells_at(levels[places[i]], shown[i], *input.find(known[i]), *release.published->find(known[i])));
    }
    for (std::size_t c = 0; c < classes.size(); ++c) {
      Codes cells;
      for (const auto place : places) cells.push_back(classes.shown[c][place]);
      class_of.emplace(std::move(cells), c);
    }
    order_ = TransformationOrder(std::move(steps), std::move(class_of));
  }

  // [raw code]: what this level gives.
  static std::vector<TransformationOrder::Cell> cells_at(unsigned level, const ShownValues& shown,
                                                         const engine::Column& raw,
                                                         const engine::Column& published) {
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

  bool knows_classes_ = false;               // the known columns decide them
  Bits starred_;                             // classes that show only `*`: there is at most one
  TransformationOrder order_;                // of the known columns
  std::map<Codes, std::size_t> repeated_;    // by the codes of the known columns
  std::vector<std::vector<Bits>> possible_;  // by known column and raw code
  std::vector<std::uint64_t> sizes_;         // by class
  std::vector<std::vector<Codes>> values_;   // by target and class; empty: the file lacks the column
};

Result<void> check_known(const Job& job, const std::vector<std::string>& names) {
  for (const auto& name : names) {
    const auto found = std::ranges::find(job.attributes, name, &JobAttribute::name);
    if (found == job.attributes.end() || found->attribute_class != AttributeClass::quasi_identifier)
      return usage_error(fmt::format("{} is not a quasi-identifier of job {}", name, job.name),
                         "name columns that every job generalizes");
  }
  if (names.empty()) return usage_error("no column is known", "name some with --knows");
  return {};
}

// Columns that the file tells of, by their place in the input: those that it shows unchanged, and of the first
// file those that it aggregates; null: it has none of that name.
Columns targets_in(const PublishedFile& release, const Columns& targets, Strangers strangers) {
  Columns made;
  for (const auto* raw : targets) {
    const auto attribute = std::ranges::find(release.job->attributes, raw->name, &JobAttribute::name);
    const bool is_shown = attribute != release.job->attributes.end() &&
                          ((attribute->aggregate && strangers == Strangers::refused) ||
                           attribute->attribute_class == AttributeClass::sensitive ||
                           attribute->attribute_class == AttributeClass::insensitive);
    made.push_back(is_shown ? raw : nullptr);
  }
  return made;
}

// What somebody who knows these columns wants to know.
Columns targets_of(const Job& job, const engine::Table& input, const std::vector<std::string>& known) {
  Columns made = columns_of(job, input, Asked::others);
  for (const auto& attribute : job.attributes) {
    if (attribute.aggregate && std::ranges::find(known, attribute.name) == known.end())
      made.push_back(input.find(attribute.name));
  }
  return made;
}

Result<std::vector<AggregatedColumn>> behind_aggregates(const PublishedFile& release,
                                                        const engine::Table& input,
                                                        const PublishedClasses& classes) {
  const auto columns = columns_of(*release.job, *release.published, Asked::quasi_identifiers);
  std::vector<AggregatedColumn> made;
  for (std::size_t place = 0; place < columns.size(); ++place) {
    const auto& column = *columns[place];
    const auto& attribute = *std::ranges::find(release.job->attributes, column.name, &JobAttribute::name);
    if (!attribute.aggregate) continue;
    const auto& raw = *input.find(column.name);
    const auto shown = aggregated_values(release, attribute, raw);
    if (!shown) return shown.error();
    const auto values = values_by_class(meaning_of(*shown), column, place, classes);
    if (auto checked = check_values(values, column, place, classes); !checked) return checked.error();
    AggregatedColumn one{.name = column.name, .how = *attribute.aggregate};
    double shares = 0;
    for (std::size_t c = 0; c < classes.size(); ++c) {
      const auto& text = column.values[classes.shown[c][place]];
      if (text == engine::kSuppressed || shown->names_one_value(text)) continue;
      const std::uint64_t size = classes.rows[c].size();
      one.records += size;
      const bool is_narrowed = values[c].size() < raw.values.size();
      if (is_narrowed) one.narrowed += size;
      if (is_narrowed && values[c].size() == 1) one.of_one_value += size;
      shares += static_cast<double>(size * values[c].size()) / static_cast<double>(raw.values.size());
    }
    one.possible_share = one.records == 0 ? 1 : shares / static_cast<double>(one.records);
    made.push_back(std::move(one));
  }
  return made;
}

void add_claim(const Codes& possible, const engine::Column& raw, const std::vector<std::uint32_t>& rows,
               LearntColumn& out) {
  if (possible.size() != 1) return;
  for (const auto row : rows) ++(raw.codes.at(row) == possible.front() ? out.learnt : out.wrong);
}

class PersonAttack {
 public:
  PersonAttack(Columns known, Columns targets) : known_(std::move(known)), targets_(std::move(targets)) {}

  void add(ReleaseLookup lookup) { lookups_.push_back(std::move(lookup)); }

  void run(const engine::Table& input, KnownInRelease& found, LearntTogether* together) const {
    std::map<Codes, std::vector<std::uint32_t>> persons;
    for (std::size_t row = 0; row < input.rows(); ++row)
      persons[cells_of(known_, row)].push_back(static_cast<std::uint32_t>(row));
    found.persons = input.rows();
    double records = 0;
    for (const auto& [values, rows] : persons) {
      if (rows.size() == 1) ++found.unique;
      look_for(values, rows, found, together, records);
    }
    const auto looked_at = found.persons - found.in_no_class;
    found.mean_records = looked_at == 0 ? 0 : records / static_cast<double>(looked_at);
  }

 private:
  void look_for(const Codes& values, const std::vector<std::uint32_t>& rows, KnownInRelease& found,
                LearntTogether* together, double& sum) const {
    const auto classes = lookups_.front().classes_of(values);
    const auto count = count_bits(classes);
    if (count == 0) found.in_no_class += rows.size();
    if (count == 1) found.in_one_class += rows.size();
    if (count > 0) {
      const auto records = lookups_.front().records_in(classes);
      found.fewest_records = found.fewest_records == 0 ? records : std::min(found.fewest_records, records);
      sum += static_cast<double>(records) * static_cast<double>(rows.size());
    }
    std::vector<Bits> in_others;
    for (std::size_t i = 1; i < lookups_.size(); ++i) in_others.push_back(lookups_[i].classes_of(values));
    std::size_t place = 0;  // in together->learnt
    for (std::size_t t = 0; t < targets_.size(); ++t) {
      auto possible = lookups_.front().values_in(classes, t);
      add_claim(possible, *targets_[t], rows, found.learnt[t]);
      if (together == nullptr || !is_shared(t)) continue;
      for (std::size_t i = 1; i < lookups_.size(); ++i) {
        if (!lookups_[i].has(t) || count_bits(in_others[i - 1]) == 0) continue;
        const auto there = lookups_[i].values_in(in_others[i - 1], t);
        if (possible.empty()) {  // the first file leaves the person out
          possible = there;
          continue;
        }
        Codes both;
        std::ranges::set_intersection(possible, there, std::back_inserter(both));
        possible = std::move(both);
      }
      add_claim(possible, *targets_[t], rows, together->learnt[place++]);
    }
  }
  [[nodiscard]] bool is_shared(std::size_t target) const {
    return std::ranges::any_of(lookups_.begin() + 1, lookups_.end(),
                               [&](const ReleaseLookup& it) { return it.has(target); });
  }

  Columns known_, targets_;  // of the input
  std::vector<ReleaseLookup> lookups_;
};

KnownInRelease nothing_known(const Columns& known, const Columns& targets) {
  KnownInRelease made;
  for (const auto* column : known) made.columns.push_back(column->name);
  for (const auto* target : targets) made.learnt.push_back({target->name});
  return made;
}

// What follows from repeating the job.
Result<void> repeat_job(const PublishedFile& release, const engine::Table& input, const Columns& known,
                        const Columns& targets, const PublishedClasses& classes, ReleaseLookup lookup,
                        ReleaseAttack& made) {
  const auto groups = repeat_groups(*release.job, input, *release.published, classes);
  if (!groups) return groups.error();
  if (*groups && is_decided_by_values(*release.job)) {
    lookup.use_repeated(known, **groups);
    PersonAttack attack(known, targets);
    attack.add(std::move(lookup));
    made.repeated = nothing_known(known, targets);
    attack.run(input, *made.repeated, nullptr);
  }
  if (*groups) {
    auto facts = facts_of_groups(*release.job, input, *release.published, classes, **groups);
    if (!facts) return facts.error();
    made.groups = std::move(*facts);
  }
  auto minimality = repeat_search(*release.job, input, *release.published, classes);
  if (!minimality) return minimality.error();
  made.minimality = std::move(*minimality);
  return {};
}

}  // namespace

bool ReleaseAttack::is_anything_learnt() const {
  const auto is_learnt = [](const std::vector<LearntColumn>& learnt, const std::string& name) {
    return std::ranges::any_of(learnt,
                               [&](const LearntColumn& it) { return it.name == name && it.learnt > 0; });
  };
  return std::ranges::any_of(columns,
                             [&](const ReleasedColumn& it) {
                               return it.is_sensitive &&
                                      (it.classes_of_one_value > 0 ||
                                       (known && is_learnt(known->learnt, it.name)) ||
                                       (together && is_learnt(together->learnt, it.name)) ||
                                       (repeated && is_learnt(repeated->learnt, it.name)));
                             }) ||
         (minimality &&
          std::ranges::any_of(minimality->columns, [](const auto& it) { return it.learnt > 0; }));
}

bool ReleaseAttack::is_any_cell_computed() const {
  if (std::ranges::any_of(aggregates, [](const auto& it) { return it.of_one_value > 0; })) return true;
  return refined && std::ranges::any_of(refined->columns, [](const auto& it) { return it.learnt > 0; });
}

Result<ReleaseAttack> attack_release(const PublishedFile& release) {
  if (auto checked = check_columns(*release.job, *release.published, "file"); !checked)
    return checked.error();
  const auto shown = columns_of(*release.job, *release.published, Asked::quasi_identifiers);
  return attack_alone(release, classes_of(*release.published, shown));
}

Result<ReleaseAttack> attack_release(const PublishedFile& release, const engine::Table& input,
                                     const std::vector<std::string>& known,
                                     std::span<const PublishedFile> others) {
  if (auto checked = check_columns(*release.job, input, "input"); !checked) return checked.error();
  std::vector<PublishedFile> releases{release};
  releases.insert(releases.end(), others.begin(), others.end());
  const auto targets = targets_of(*release.job, input, known);
  Columns raw;
  for (const auto& it : releases) {
    if (auto checked = check_columns(*it.job, *it.published, "file"); !checked) return checked.error();
    if (auto checked = check_known(*it.job, known); !checked) return checked.error();
    if (it.job->differential_privacy)
      return error_of_kind(
          ErrorKind::usage,
          fmt::format("job {} publishes a sample, so nobody knows whether a person is in its file",
                      it.job->name),
          "attack the file without known columns");
    const auto shown = columns_of(*it.job, *it.published, Asked::quasi_identifiers).size();
    for (const auto& levels : it.transformations) {
      if (levels.size() != shown)
        return no_release(fmt::format("a transformation of job {} has {} levels for {} columns", it.job->name,
                                      levels.size(), shown));
    }
  }
  for (const auto& name : known) raw.push_back(input.find(name));
  PersonAttack attack(raw, targets);
  ReleaseAttack made;
  KnownInRelease found = nothing_known(raw, targets);
  LearntTogether together;
  std::optional<Refinement> refined;
  for (std::size_t i = 0; i < releases.size(); ++i) {
    const auto& it = releases[i];
    const auto classes =
        classes_of(*it.published, columns_of(*it.job, *it.published, Asked::quasi_identifiers));
    const auto strangers = i == 0 ? Strangers::refused : Strangers::allowed;
    const auto shown = targets_in(it, targets, strangers);
    auto lookup = ReleaseLookup::make(it, input, known, shown, classes, strangers);
    if (!lookup) return lookup.error();
    if (i == 0) found.uses_order = lookup->uses_order();
    if (found.uses_order && i == 0) refined = lookup->refinement(raw, *it.job);
    if (i == 0) {
      made = attack_alone(it, classes);
      auto aggregates = behind_aggregates(it, input, classes);
      if (!aggregates) return aggregates.error();
      made.aggregates = std::move(*aggregates);
      const bool knows_all = known.size() == columns_of(*it.job, input, Asked::quasi_identifiers).size();
      if (knows_all && !has_aggregate(*it.job)) {
        if (auto repeated = repeat_job(it, input, raw, targets, classes, *lookup, made); !repeated)
          return repeated.error();
      }
    }
    attack.add(std::move(*lookup));
    if (i == 0) continue;
    together.jobs.push_back(it.job->name);
    for (const auto* target : shown) {
      if (target == nullptr) continue;
      const bool is_new =
          std::ranges::find(together.learnt, target->name, &LearntColumn::name) == together.learnt.end();
      if (is_new) together.learnt.push_back({target->name});
    }
  }
  std::ranges::sort(together.learnt, {}, [&](const LearntColumn& it) {
    return std::ranges::find(targets, it.name, &engine::Column::name) - targets.begin();
  });
  attack.run(input, found, others.empty() ? nullptr : &together);
  made.known = std::move(found);
  made.refined = std::move(refined);
  if (!others.empty()) made.together = std::move(together);
  return made;
}

}  // namespace pgveil::app
