#include "engine/publish/publication.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "common/sqlstate.hpp"

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

// The class of each row, and their sizes: refined column by column.
struct RowClasses {
  std::vector<std::uint32_t> class_of;
  std::vector<std::uint64_t> sizes;
};

RowClasses classes_of(std::span<const Published> columns, std::size_t rows) {
  RowClasses classes{std::vector<std::uint32_t>(rows, 0), {}};
  for (const auto& column : columns) {
    std::unordered_map<std::uint64_t, std::uint32_t> refined;
    for (std::size_t row = 0; row < rows; ++row) {
      const std::uint64_t key = std::uint64_t{classes.class_of[row]} << 32 | column.code(row);
      const auto next = static_cast<std::uint32_t>(refined.size());
      classes.class_of[row] = refined.emplace(key, next).first->second;
    }
    classes.sizes.assign(refined.size(), 0);
  }
  for (const auto number : classes.class_of) ++classes.sizes[number];
  return classes;
}

enum class Fate : std::uint8_t { kept, suppressed, hidden, dropped };

bool is_everything_starred(std::span<const Published> columns, std::size_t row) {
  return std::ranges::all_of(columns,
                             [row](const Published& column) { return column.value(row) == kSuppressed; });
}

Result<std::vector<Fate>> fates(std::span<const Published> columns, const RowClasses& classes,
                                const PublicationOptions& options, Publication& publication) {
  std::vector<Fate> fate(classes.class_of.size(), Fate::kept);
  std::uint64_t starred = 0;  // kept rows that show only `*`: suppressed ones are not told from them
  for (std::size_t row = 0; row < fate.size(); ++row) {
    if (classes.sizes[classes.class_of[row]] < options.anonymity.k) {
      fate[row] = Fate::suppressed;
      ++publication.suppressed_rows;
    } else if (is_everything_starred(columns, row)) {
      ++starred;
    }
  }
  const auto suppressed = publication.suppressed_rows;
  if (suppressed > options.anonymity.suppression_limit) {
    return refused(
        ErrorKind::policy,
        fmt::format("the transformation is not anonymous: {} records are in classes below k = {}, {} may "
                    "be suppressed",
                    suppressed, options.anonymity.k, options.anonymity.suppression_limit),
        "choose another");
  }
  if (suppressed == 0 || suppressed + starred >= options.anonymity.k) return fate;
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
      case Fate::dropped: break;
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
      case Fate::dropped: break;
    }
  }
  return column;
}

double certainty_penalty(std::span<const Published> columns, const std::vector<Fate>& fate) {
  double sum = 0;
  for (const auto& column : columns) {
    const auto domain = column.tables->domain;
    const auto& rows_of_value = column.tables->hierarchy_rows[column.level];
    std::uint64_t spans = 0;
    for (std::size_t row = 0; row < fate.size(); ++row) {
      const std::uint64_t span = fate[row] == Fate::kept ? rows_of_value[column.code(row)] : domain;
      if (span > 1) spans += span;
    }
    sum += static_cast<double>(spans) / static_cast<double>(domain);
  }
  return sum / static_cast<double>(fate.size() * columns.size());
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

void count_kept(const RowClasses& classes, std::uint64_t k, Publication& publication) {
  for (const auto size : classes.sizes) {
    if (size < k) continue;
    publication.smallest_class = publication.classes == 0 ? size : std::min(publication.smallest_class, size);
    ++publication.classes;
  }
}

}  // namespace

Result<Publication> publish(const Table& table, const PreparedTable& prepared,
                            std::span<const unsigned> levels, const PublicationOptions& options) {
  const auto columns = published_columns(table, prepared, levels);
  if (columns.has_error()) return columns.error();
  const auto classes = classes_of(*columns, table.rows());
  Publication publication;
  const auto fate = fates(*columns, classes, options, publication);
  if (fate.has_error()) return fate.error();
  if (publication.dropped_rows == table.rows()) {
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
  count_kept(classes, options.anonymity.k, publication);
  publication.certainty_penalty = certainty_penalty(*columns, *fate);
  reorder(publication, options.seed);
  return publication;
}

}  // namespace pgveil::engine
