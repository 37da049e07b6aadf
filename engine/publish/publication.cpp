#include "engine/publish/publication.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

#include "common/utf8.hpp"
#include "engine/publish/judged_rows.hpp"

namespace pgveil::engine {
namespace {

// kept and suppressed records are written; hidden ones show NULL elsewhere; dropped ones are not written.
// outside: not in the subset, and only there to be compared with.
enum class Fate : std::uint8_t { kept, suppressed, hidden, dropped, outside };

void count_kept(const std::vector<JudgedClass>& judged, Publication& publication) {
  for (const auto& it : judged) {
    if (!it.is_kept) publication.suppressed_rows += it.records;
    if (!it.is_kept || it.records == 0) continue;
    publication.smallest_class =
        publication.classes == 0 ? it.records : std::min(publication.smallest_class, it.records);
    ++publication.classes;
  }
}

Error not_anonymous(const Publication& publication, const Anonymity& anonymity) {
  const auto found = is_plain(anonymity) ? fmt::format("below k = {}", anonymity.k)
                                         : std::string("that break a privacy model");
  return error_of_kind(
      ErrorKind::policy,
      fmt::format("the transformation is not anonymous: {} records are in classes {}, {} may be suppressed",
                  publication.suppressed_rows, found, anonymity.suppression_limit),
      "choose another");
}

// All records that show only `*`, suppressed or not, are one class, because nobody can tell them apart.
bool keeps_starred(std::span<const LevelColumn> columns, const std::vector<JudgedClass>& judged,
                   const CountedClass& starred, RowCounter& counter, const RiskTest& risks) {
  if (!counter.verdict(starred).is_kept) return false;
  SizeHistogram shown{{starred.records, 1}};
  for (const auto& it : judged) {
    if (it.is_kept && it.records > 0 && !is_everything_starred(columns, it.row)) ++shown[it.records];
  }
  return risks.keeps(shown);
}

// Hidden records still count. People whose records are dropped look like people who have none.
bool keeps_presence(const DeltaPresence& presence, const CountedClass& starred,
                    SuppressedRecords suppressed_records) {
  switch (suppressed_records) {
    case SuppressedRecords::keep: return true;
    case SuppressedRecords::keep_or_drop:
    case SuppressedRecords::drop: return presence.least == 0;
    case SuppressedRecords::keep_or_hide: break;
  }
  const auto records = static_cast<double>(starred.records);
  const auto people = static_cast<double>(starred.population);
  return records >= presence.least * people && records <= presence.most * people;
}

// starred_keep_models: whether the rows that show only `*` satisfy the models if suppressed records are kept.
Fate suppressed_fate(SuppressedRecords suppressed_records, bool starred_keep_models) {
  switch (suppressed_records) {
    case SuppressedRecords::keep: return Fate::suppressed;
    case SuppressedRecords::drop: return Fate::dropped;
    case SuppressedRecords::keep_or_drop: return starred_keep_models ? Fate::suppressed : Fate::dropped;
    case SuppressedRecords::keep_or_hide: return starred_keep_models ? Fate::suppressed : Fate::hidden;
  }
  return Fate::dropped;
}

Result<std::vector<Fate>> fates(std::span<const LevelColumn> columns, const JudgedRows& judged,
                                RowCounter& counter, const RiskTest& risks, const PublicationOptions& options,
                                Publication& publication) {
  if (std::ranges::any_of(judged.classes, &JudgedClass::is_hopeless)) {
    return error_of_kind(ErrorKind::policy,
                         "the transformation is not anonymous: a class has no record of the subset, which "
                         "δ-presence forbids",
                         "choose another, or lower its least share");
  }
  count_kept(judged.classes, publication);
  if (publication.suppressed_rows > options.anonymity.suppression_limit)
    return not_anonymous(publication, options.anonymity);
  std::vector<Fate> fate(judged.class_of.size(), Fate::kept);
  CountedClass starred;
  for (std::size_t row = 0; row < fate.size(); ++row) {
    const bool is_suppressed = !judged.is_kept(row);
    if (is_suppressed) fate[row] = Fate::suppressed;
    if (is_suppressed || is_everything_starred(columns, row)) counter.add(row, starred);
    if (!counter.is_published(row)) fate[row] = Fate::outside;
  }
  const auto suppressed = publication.suppressed_rows;
  if (suppressed == 0) return fate;
  const Fate chosen = suppressed_fate(options.suppressed_records,
                                      keeps_starred(columns, judged.classes, starred, counter, risks));
  if (chosen == Fate::suppressed) return fate;
  if (options.anonymity.presence &&
      !keeps_presence(*options.anonymity.presence, starred, options.suppressed_records)) {
    return error_of_kind(
        ErrorKind::policy,
        fmt::format("δ-presence does not hold of the {} records that are suppressed, whether they are "
                    "dropped or hidden: it tells who is among them, or who is not",
                    suppressed),
        "allow less suppression, or choose another transformation; with a least share of 0 they can be "
        "dropped");
  }
  (chosen == Fate::dropped ? publication.dropped_rows : publication.hidden_rows) = suppressed;
  std::ranges::replace(fate, Fate::suppressed, chosen);
  return fate;
}

// The values of a column as they are written: each once, and only those that are written.
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

PublishedColumn quasi_identifier(const LevelColumn& from, const std::vector<Fate>& fate,
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
  column.codes.shrink();
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
  column.codes.shrink();
  return column;
}

void measure_penalties(std::span<const LevelColumn> columns, const std::vector<Fate>& fate,
                       Publication& publication) {
  const std::size_t rows = fate.size() - static_cast<std::size_t>(std::ranges::count(fate, Fate::outside));
  double sum = 0;
  for (const auto& column : columns) {
    const auto range = column.tables->range;
    const auto& spans_of_values = column.tables->spans[column.level];
    std::uint64_t spans = 0;
    for (std::size_t row = 0; row < fate.size(); ++row) {
      if (fate[row] == Fate::outside) continue;
      const std::uint64_t span = fate[row] == Fate::kept ? spans_of_values[column.code(row)] : range;
      if (span > 1) spans += span;
    }
    const double penalty = static_cast<double>(spans) / static_cast<double>(range);
    publication.certainty_penalties.push_back(penalty / static_cast<double>(rows));
    sum += penalty;
  }
  publication.certainty_penalty = sum / static_cast<double>(rows * columns.size());
}

// The rows of the table that are written, ascending.
std::vector<std::uint32_t> written_rows(const std::vector<Fate>& fate) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < fate.size(); ++row) {
    if (fate[row] != Fate::dropped && fate[row] != Fate::outside) rows.push_back(row);
  }
  return rows;
}

void reorder(Publication& publication, std::uint64_t seed) {
  auto order = sorted_rows(publication.columns);
  shuffle(order, seed);
  for (auto& column : publication.columns) column.codes = column.codes.taken(order);
  if (!publication.source_rows.empty()) {
    const auto written = std::exchange(publication.source_rows, {});
    for (const auto row : order) publication.source_rows.push_back(written[row]);
  }
  publication.rows = order.size();
}

}  // namespace

std::string_view name(SuppressedRecords suppressed_records) {
  switch (suppressed_records) {
    case SuppressedRecords::keep_or_drop: return "keep_or_drop";
    case SuppressedRecords::keep_or_hide: return "keep_or_hide";
    case SuppressedRecords::keep: return "keep";
    case SuppressedRecords::drop: return "drop";
  }
  return "";
}

Result<Publication> publish(const Table& table, const PreparedTable& prepared,
                            std::span<const unsigned> levels, const PublicationOptions& options) {
  const auto columns = level_columns(table, prepared, levels);
  if (columns.has_error()) return columns.error();
  Publication publication;
  if (auto valid = validate(options.anonymity, shapes_of(prepared.sensitive), prepared.has_subset()); !valid)
    return valid.error();
  if (auto valid = validate_populations(options.anonymity, prepared.rows); !valid) return valid.error();
  RowCounter counter(table, prepared, options.anonymity);
  const RiskTest risks(options.anonymity);
  auto judged = judge_rows(*columns, prepared, table.rows(), counter, risks);
  const auto fate = fates(*columns, judged, counter, risks, options, publication);
  judged = {};  // memory for the columns
  if (fate.has_error()) return fate.error();
  if (publication.dropped_rows == prepared.rows) {
    return error_of_kind(ErrorKind::policy, "every record would be dropped", "choose another transformation");
  }
  for (const auto& name : options.columns) {
    const auto same_name = [&](const LevelColumn& it) { return it.tables->name == name; };
    const auto found = std::ranges::find_if(*columns, same_name);
    if (found != columns->end()) {
      publication.columns.push_back(quasi_identifier(*found, *fate, options.null_text));
      continue;
    }
    const Column* other = table.find(name);
    if (other == nullptr) {
      return error_of_kind(ErrorKind::configuration, fmt::format("the table has no column {}", name),
                           "names are case-sensitive");
    }
    publication.columns.push_back(other_column(*other, *fate, options.null_text));
  }
  if (options.wants_source_rows) publication.source_rows = written_rows(*fate);
  measure_penalties(*columns, *fate, publication);
  reorder(publication, options.seed);
  return publication;
}

Result<void> check_utf8(const Publication& publication) {
  const auto refused = [](std::string_view what) {
    return error_of_kind(ErrorKind::configuration,
                         fmt::format("{} is not UTF-8, so it can't be published in this format", what),
                         "publish CSV, or convert the input to UTF-8");
  };
  const auto is_utf8 = [](std::string_view text) { return utf8_prefix(text) == text.size(); };
  for (std::size_t i = 0; i < publication.columns.size(); ++i) {
    const auto& column = publication.columns[i];
    if (!is_utf8(column.name)) return refused(fmt::format("the name of column {}", i + 1));
    if (!std::ranges::all_of(column.values, is_utf8))
      return refused(fmt::format("a text of column {}", column.name));
  }
  return {};
}

}  // namespace pgveil::engine
