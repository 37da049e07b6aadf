#include "engine/publish/publication.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>

#include "common/sqlstate.hpp"
#include "engine/privacy/class_test.hpp"

namespace pgveil::engine {
namespace {

Error refused(ErrorKind kind, std::string message, std::string hint) {
  return Error{.kind = kind,
               .sqlstate = std::string(sqlstate::kInvalidParameterValue),
               .public_message = std::move(message),
               .hint = std::move(hint)};
}

// One quasi-identifier at the level it is published at.
struct Published {
  const Column* column = nullptr;
  const LevelTables* tables = nullptr;
  unsigned level = 0;

  [[nodiscard]] Code code(std::size_t row) const { return tables->code_at[level][column->codes.at(row)]; }
  [[nodiscard]] const std::string& value(std::size_t row) const { return tables->values[level][code(row)]; }
};

Result<std::vector<Published>> published_columns(const Table& table, const PreparedTable& prepared,
                                                 std::span<const unsigned> levels) {
  if (levels.size() != prepared.given_order.size()) {
    return refused(
        ErrorKind::configuration,
        fmt::format("{} levels for {} quasi-identifiers", levels.size(), prepared.given_order.size()),
        "give one for each");
  }
  std::vector<Published> made;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const auto& tables = prepared.attributes[prepared.given_order[i]];
    if (levels[i] > tables.height()) {
      return refused(ErrorKind::configuration, fmt::format("{} has no level {}", tables.name, levels[i]),
                     fmt::format("it has levels 0 to {}", tables.height()));
    }
    made.push_back({table.find(tables.name), &tables, levels[i]});
  }
  return made;
}

// The class of each row: refined column by column.
struct RowClasses {
  std::vector<std::uint32_t> class_of;
  std::size_t count = 0;
};

RowClasses classes_of(std::span<const Published> columns, std::size_t rows) {
  RowClasses classes{std::vector<std::uint32_t>(rows, 0), 1};
  for (const auto& column : columns) {
    std::unordered_map<std::uint64_t, std::uint32_t> refined;
    for (std::size_t row = 0; row < rows; ++row) {
      const std::uint64_t key = std::uint64_t{classes.class_of[row]} << 32 | column.code(row);
      const auto next = static_cast<std::uint32_t>(refined.size());
      classes.class_of[row] = refined.emplace(key, next).first->second;
    }
    classes.count = refined.size();
  }
  return classes;
}

// Published: written out, unless suppressed and then dropped. Outside: not in the subset, there to be compared with only.
enum class Fate : std::uint8_t { kept, suppressed, hidden, dropped, outside };

// A class counted row by row.
struct CountedClass {
  std::uint64_t records = 0, population = 0;
  std::vector<std::map<Code, std::uint64_t>> values;  // [sensitive column]
};

class RowCounter {
 public:
  RowCounter(const Table& table, const PreparedTable& prepared, const Anonymity& anonymity)
      : prepared_(prepared), test_(anonymity, prepared.sensitive) {
    for (const auto& it : prepared.sensitive) columns_.push_back(table.find(it.levels.name));
  }

  [[nodiscard]] bool is_published(std::size_t row) const {
    return !prepared_.has_subset() || prepared_.subset[row] != 0;
  }
  void add(std::size_t row, CountedClass& to) const {
    to.values.resize(columns_.size());
    ++to.population;
    if (!is_published(row)) return;
    ++to.records;
    for (std::size_t i = 0; i < columns_.size(); ++i) ++to.values[i][columns_[i]->codes.at(row)];
  }
  [[nodiscard]] ClassVerdict verdict(const CountedClass& counted) {
    std::vector<std::vector<Code>> codes(columns_.size());
    std::vector<std::vector<std::uint64_t>> counts(columns_.size());
    std::vector<ClassView::Values> views;
    for (std::size_t i = 0; i < counted.values.size(); ++i) {
      for (const auto& [code, count] : counted.values[i]) {
        codes[i].push_back(code);
        counts[i].push_back(count);
      }
      views.push_back({codes[i], counts[i]});
    }
    return test_.test({counted.records, counted.population, views});
  }

 private:
  const PreparedTable& prepared_;
  ClassTest test_;
  std::vector<const Column*> columns_;
};

bool is_everything_starred(std::span<const Published> columns, std::size_t row) {
  return std::ranges::all_of(columns,
                             [row](const Published& column) { return column.value(row) == kSuppressed; });
}

// One for each class. Counts what is kept.
std::vector<ClassVerdict> verdicts(const RowClasses& classes, RowCounter& counter, Publication& publication) {
  std::vector<CountedClass> counted(classes.count);
  for (std::size_t row = 0; row < classes.class_of.size(); ++row)
    counter.add(row, counted[classes.class_of[row]]);
  std::vector<ClassVerdict> made;
  for (const auto& it : counted) {
    made.push_back(counter.verdict(it));
    if (!made.back().is_kept) publication.suppressed_rows += it.records;
    if (!made.back().is_kept || it.records == 0) continue;
    publication.smallest_class =
        publication.classes == 0 ? it.records : std::min(publication.smallest_class, it.records);
    ++publication.classes;
  }
  return made;
}

Error not_anonymous(const Publication& publication, const Anonymity& anonymity) {
  const auto found = is_plain(anonymity) ? fmt::format("below k = {}", anonymity.k)
                                         : std::string("that break a privacy model");
  return refused(
      ErrorKind::policy,
      fmt::format("the transformation is not anonymous: {} records are in classes {}, {} may be suppressed",
                  publication.suppressed_rows, found, anonymity.suppression_limit),
      "choose another");
}

Result<std::vector<Fate>> fates(std::span<const Published> columns, const RowClasses& classes,
                                RowCounter& counter, const PublicationOptions& options,
                                Publication& publication) {
  const auto found = verdicts(classes, counter, publication);
  const bool is_hopeless = std::ranges::any_of(
      found, [](const ClassVerdict& it) { return it.stays_suppressed == ClassVerdict::kHopeless; });
  if (is_hopeless) {
    return refused(ErrorKind::policy,
                   "the transformation is not anonymous: a class has no record of the subset, which "
                   "δ-presence forbids",
                   "choose another, or lower its least share");
  }
  if (publication.suppressed_rows > options.anonymity.suppression_limit)
    return not_anonymous(publication, options.anonymity);
  std::vector<Fate> fate(classes.class_of.size(), Fate::kept);
  CountedClass starred;  // what shows only `*`, suppressed or not: nobody can tell them apart
  for (std::size_t row = 0; row < fate.size(); ++row) {
    const bool is_suppressed = !found[classes.class_of[row]].is_kept;
    if (is_suppressed) fate[row] = Fate::suppressed;
    if (is_suppressed || is_everything_starred(columns, row)) counter.add(row, starred);
    if (!counter.is_published(row)) fate[row] = Fate::outside;
  }
  const auto suppressed = publication.suppressed_rows;
  if (suppressed == 0 || counter.verdict(starred).is_kept) return fate;
  if (options.outliers == Outliers::as_reference) return fate;
  const bool drops = options.outliers == Outliers::drop;
  (drops ? publication.dropped_rows : publication.hidden_rows) = suppressed;
  for (auto& it : fate) {
    if (it == Fate::suppressed) it = drops ? Fate::dropped : Fate::hidden;
  }
  return fate;
}

// Values of a column as they are written, each once, and none that is not.
class CellCodes {
 public:
  CellCodes(PublishedColumn& column, const std::vector<std::string>& values,
            const std::optional<std::string>& null_text)
      : column_(column), values_(values), null_text_(null_text), code_of_(values.size(), kUnknown) {}
  void add(Code code) {
    if (code_of_[code] == kUnknown) code_of_[code] = code_of(values_[code]);
    column_.codes.push_back(code_of_[code]);
  }
  void add_text(std::string_view value) { column_.codes.push_back(code_of(std::string(value))); }
  void add_null() { column_.codes.push_back(kNullCode); }

 private:
  static constexpr Code kUnknown = kNullCode - 1;
  Code code_of(const std::string& value) {
    if (value == null_text_) return kNullCode;
    const auto [known, is_new] = codes_.emplace(value, static_cast<Code>(column_.values.size()));
    if (is_new) column_.values.push_back(value);
    return known->second;
  }

  PublishedColumn& column_;
  const std::vector<std::string>& values_;
  const std::optional<std::string>& null_text_;
  std::vector<Code> code_of_;
  std::unordered_map<std::string, Code> codes_;
};

PublishedColumn quasi_identifier(const Published& from, const std::vector<Fate>& fate,
                                 const std::optional<std::string>& null_text) {
  PublishedColumn column{from.tables->name, true, {}, {}};
  CellCodes cells(column, from.tables->values[from.level], null_text);
  for (std::size_t row = 0; row < fate.size(); ++row) {
    switch (fate[row]) {
      case Fate::kept: cells.add(from.code(row)); break;
      case Fate::suppressed:
      case Fate::hidden: cells.add_text(kSuppressed); break;
      case Fate::dropped:
      case Fate::outside: break;
    }
  }
  return column;
}

PublishedColumn other_column(const Column& from, const std::vector<Fate>& fate,
                             const std::optional<std::string>& null_text) {
  PublishedColumn column{from.name, false, {}, {}};
  CellCodes cells(column, from.values, null_text);
  for (std::size_t row = 0; row < fate.size(); ++row) {
    switch (fate[row]) {
      case Fate::kept:
      case Fate::suppressed: cells.add(from.codes.at(row)); break;
      case Fate::hidden: cells.add_null(); break;
      case Fate::dropped:
      case Fate::outside: break;
    }
  }
  return column;
}

void measure_penalties(std::span<const Published> columns, const std::vector<Fate>& fate,
                       Publication& publication) {
  const std::size_t rows = fate.size() - static_cast<std::size_t>(std::ranges::count(fate, Fate::outside));
  double sum = 0;
  for (const auto& column : columns) {
    const auto domain = column.tables->domain;
    const auto& rows_of_value = column.tables->hierarchy_rows[column.level];
    std::uint64_t spans = 0;
    for (std::size_t row = 0; row < fate.size(); ++row) {
      if (fate[row] == Fate::outside) continue;
      const std::uint64_t span = fate[row] == Fate::kept ? rows_of_value[column.code(row)] : domain;
      if (span > 1) spans += span;
    }
    const double penalty = static_cast<double>(spans) / static_cast<double>(domain);
    publication.certainty_penalties.push_back(penalty / static_cast<double>(rows));
    sum += penalty;
  }
  publication.certainty_penalty = sum / static_cast<double>(rows * columns.size());
}

void reorder(Publication& publication, std::uint64_t seed) {
  auto order = sorted_rows(publication.columns);
  shuffle(order, seed);
  for (auto& column : publication.columns) {
    std::vector<Code> codes(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) codes[i] = column.codes[order[i]];
    column.codes = std::move(codes);
  }
  publication.rows = order.size();
}

}  // namespace

Result<Publication> publish(const Table& table, const PreparedTable& prepared,
                            std::span<const unsigned> levels, const PublicationOptions& options) {
  const auto columns = published_columns(table, prepared, levels);
  if (columns.has_error()) return columns.error();
  const auto classes = classes_of(*columns, table.rows());
  Publication publication;
  if (auto valid = validate(options.anonymity, shapes_of(prepared.sensitive), prepared.has_subset()); !valid)
    return valid.error();
  RowCounter counter(table, prepared, options.anonymity);
  const auto fate = fates(*columns, classes, counter, options, publication);
  if (fate.has_error()) return fate.error();
  if (publication.dropped_rows == prepared.rows) {
    return refused(ErrorKind::policy, "every record would be dropped", "choose another transformation");
  }
  for (const auto& name : options.columns) {
    const auto same_name = [&](const Published& it) { return it.tables->name == name; };
    const auto found = std::ranges::find_if(*columns, same_name);
    if (found != columns->end()) {
      publication.columns.push_back(quasi_identifier(*found, *fate, options.null_text));
      continue;
    }
    const Column* other = table.find(name);
    if (other == nullptr) {
      return refused(ErrorKind::configuration, fmt::format("the table has no column {}", name),
                     "names are case-sensitive");
    }
    publication.columns.push_back(other_column(*other, *fate, options.null_text));
  }
  measure_penalties(*columns, *fate, publication);
  reorder(publication, options.seed);
  return publication;
}

}  // namespace pgveil::engine
