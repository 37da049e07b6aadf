#include "jobs/cluster/pseudonyms.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <unordered_map>

#include "common/sqlstate.hpp"
#include "engine/publish/publication.hpp"
#include "jobs/input/mondrian.hpp"

namespace pgveil::app {
namespace {

constexpr std::string_view kNull = "NULL";
constexpr std::string_view kRecord = "record";

Error wrong_answer(std::string what) {
  return {ErrorKind::protocol, std::string(sqlstate::kInternalError),
          fmt::format("the cluster's answer {}", what),
          "nothing was published; are pgveil-spark and pgveil of one version?"};
}

// mondrian has these two models only (read_mondrian).
std::string diversity_text(const JobAttribute& attribute) {
  std::string out;
  for (const auto& model : attribute.models) {
    if (const auto* distinct = std::get_if<engine::DistinctDiversity>(&model))
      out += fmt::format("{}distinct: {}", out.empty() ? "" : ", ", distinct->l);
    if (const auto* entropy = std::get_if<engine::EntropyDiversity>(&model))
      out += fmt::format("{}entropy: {}", out.empty() ? "" : ", ", entropy->l);
  }
  return out;
}

// pgveil-spark puts a ' before what a spreadsheet would run; a number never begins with one.
std::string_view without_guard(std::string_view label) {
  return label.starts_with('\'') ? label.substr(1) : label;
}

}  // namespace

Result<Pseudonyms::QuasiIdentifier> Pseudonyms::numeric(const Job& job, const engine::Column& column) {
  const auto dimension = engine::numeric_dimension(
      column, job.null_text ? std::optional<std::string_view>(*job.null_text) : std::nullopt);
  if (!dimension) return dimension.error();
  QuasiIdentifier made;
  made.column = &column;
  for (const auto rank : dimension->rank_of) {
    const bool is_null = dimension->null_rank == rank;
    made.sent.push_back(is_null ? std::string(kNull) : dimension->values[rank]);
    made.numbers.push_back(dimension->numbers[rank]);
    if (!is_null) made.ends.emplace(dimension->values[rank], dimension->numbers[rank]);
  }
  if (dimension->null_rank) made.shown.emplace(kNull, dimension->values[*dimension->null_rank]);
  made.shown.emplace(engine::kSuppressed, engine::kSuppressed);
  return made;
}

Result<Pseudonyms::QuasiIdentifier> Pseudonyms::categorical(const engine::Column& column,
                                                            const engine::Hierarchy& hierarchy) {
  if (const auto possible = engine::categorical_dimension(column, hierarchy); !possible)
    return possible.error();
  QuasiIdentifier made;
  made.column = &column;
  made.shown.emplace(engine::kSuppressed, engine::kSuppressed);
  const std::size_t width = hierarchy.rows.front().size();
  std::vector<std::unordered_map<std::string_view, std::string>> known(width);
  std::unordered_map<std::string_view, std::size_t> row_of_value;
  for (const auto& row : hierarchy.rows) {
    row_of_value.emplace(row.front(), made.rows.size());
    std::vector<std::string> cells;
    for (std::size_t level = 0; level < width; ++level) {
      const auto [id, is_new] =
          known[level].emplace(row[level], fmt::format("l{}_{}", level, known[level].size()));
      if (is_new) made.shown.emplace(id->second, row[level]);
      cells.push_back(id->second);
    }
    made.rows.push_back(std::move(cells));
  }
  for (const auto& value : column.values) {
    made.row_of.push_back(row_of_value.at(value));
    made.sent.push_back(made.rows[made.row_of.back()].front());
  }
  return made;
}

Result<Pseudonyms> Pseudonyms::make(const Job& job, const engine::Table& table,
                                    const HierarchyOf& hierarchy_of) {
  Pseudonyms made(job, table);
  for (const auto& attribute : job.attributes) {
    if (attribute.attribute_class == AttributeClass::identifier) continue;
    const auto& column = *table.find(attribute.name);
    if (!attribute.models.empty()) made.sensitive_.push_back({&attribute, &column});
    if (attribute.attribute_class != AttributeClass::quasi_identifier) continue;
    Result<QuasiIdentifier> one = QuasiIdentifier();
    if (attribute.is_numeric) {
      one = numeric(job, column);
    } else {
      const auto hierarchy = hierarchy_of(attribute);
      if (!hierarchy) return hierarchy.error();
      one = categorical(column, *hierarchy);
    }
    if (!one) return one.error();
    made.quasi_identifiers_.push_back(std::move(*one));
  }
  return made;
}

std::string Pseudonyms::job_text() const {
  std::string out =
      fmt::format("version: 1\nname: pgveil_job\ninput: {{file: {}, \"null\": \"{}\"}}\nattributes:\n",
                  kInputFile, kNull);
  out += fmt::format("  {}: {{class: insensitive}}\n", kRecord);
  for (std::size_t i = 0; i < quasi_identifiers_.size(); ++i) {
    const auto how = quasi_identifiers_[i].is_numeric() ? std::string("numeric: true")
                                                        : fmt::format("hierarchy: {{file: q{}.csv}}", i);
    out += fmt::format("  q{}: {{class: quasi_identifier, {}}}\n", i, how);
  }
  for (std::size_t i = 0; i < sensitive_.size(); ++i)
    out += fmt::format("  s{}: {{class: sensitive, l_diversity: {{{}}}}}\n", i,
                       diversity_text(*sensitive_[i].attribute));
  out += fmt::format("k: {}\nalgorithm: mondrian\nmondrian: {{cut_by: {}, cuts: {}, ranges: {}}}\n", job_->k,
                     word_of(job_->mondrian->cut_by), word_of(job_->mondrian->cuts),
                     word_of(job_->mondrian->ranges));
  out += fmt::format("limits: {{threads: {}}}\n", job_->limits.threads);
  if (job_->seed) out += fmt::format("seed: {}\n", *job_->seed);
  return out + "output: {file: out}\n";
}

std::string Pseudonyms::input_text() const {
  std::string out(kRecord);
  for (std::size_t i = 0; i < quasi_identifiers_.size(); ++i) out += fmt::format(",q{}", i);
  for (std::size_t i = 0; i < sensitive_.size(); ++i) out += fmt::format(",s{}", i);
  out += '\n';
  for (std::size_t row = 0; row < table_->rows(); ++row) {
    fmt::format_to(std::back_inserter(out), "{}", row);
    for (const auto& column : quasi_identifiers_) {
      out += ',';
      out += column.sent[column.column->codes.at(row)];
    }
    for (const auto& column : sensitive_)
      fmt::format_to(std::back_inserter(out), ",{}", column.column->codes.at(row));
    out += '\n';
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> Pseudonyms::files() const {
  std::vector<std::pair<std::string, std::string>> made;
  made.emplace_back(kJobFile, job_text());
  made.emplace_back(kInputFile, input_text());
  for (std::size_t i = 0; i < quasi_identifiers_.size(); ++i) {
    if (quasi_identifiers_[i].is_numeric()) continue;
    std::string text;
    for (const auto& row : quasi_identifiers_[i].rows) text += fmt::format("{}\n", fmt::join(row, ";"));
    made.emplace_back(fmt::format("q{}.csv", i), std::move(text));
  }
  return made;
}

// "[1,20]" or "7", written with what was sent and nothing else: a label has no room for anything that the
// cluster adds.
std::optional<std::pair<double, double>> Pseudonyms::range_of(const QuasiIdentifier& column,
                                                              std::string_view label) {
  const bool is_range = label.size() > 2 && label.front() == '[' && label.back() == ']';
  if (is_range) label = label.substr(1, label.size() - 2);
  const auto comma = label.find(',');
  if (is_range != (comma != std::string_view::npos)) return std::nullopt;
  const auto low = column.ends.find(label.substr(0, comma));
  const auto high = is_range ? column.ends.find(label.substr(comma + 1)) : low;
  if (low == column.ends.end() || high == column.ends.end()) return std::nullopt;
  return std::pair(low->second, high->second);
}

bool Pseudonyms::fits(const QuasiIdentifier& column, engine::Code code, std::string_view label) {
  if (label == engine::kSuppressed) return true;
  if (!column.is_numeric()) {
    const auto& row = column.rows[column.row_of[code]];
    return std::ranges::find(row, label) != row.end();
  }
  const bool is_null = column.sent[code] == kNull;
  if (is_null || label == kNull) return is_null && label == kNull;
  const auto range = range_of(column, label);
  return range && range->first <= column.numbers[code] && column.numbers[code] <= range->second;
}

Result<engine::Column> Pseudonyms::decoded(const QuasiIdentifier& column, const engine::Column& answer,
                                           const std::vector<std::size_t>& place_of) const {
  engine::ColumnEncoder encoder(column.column->name);
  std::map<std::pair<engine::Code, engine::Code>, bool> known;
  for (std::size_t row = 0; row < place_of.size(); ++row) {
    const auto code = column.column->codes.at(row);
    const auto said = answer.codes.at(place_of[row]);
    const std::string& text = answer.values[said];
    const std::string_view label = column.is_numeric() ? without_guard(text) : std::string_view(text);
    const auto [fit, is_new] = known.emplace(std::pair(code, said), false);
    if (is_new) fit->second = fits(column, code, label);
    if (!fit->second) return wrong_answer("has a label that its record's value does not have");
    const auto shown = column.shown.find(label);
    encoder.add(shown == column.shown.end() ? label : std::string_view(shown->second));
  }
  return std::move(encoder).finish();
}

Result<engine::Table> Pseudonyms::read_answer(std::string_view answer) const {
  const auto read = engine::read_table(answer, ',');
  if (!read) return wrong_answer("is no table");
  const auto* record = read->find(kRecord);
  if (record == nullptr || read->rows() != table_->rows())
    return wrong_answer("has other records than were sent");
  constexpr auto kNowhere = static_cast<std::size_t>(-1);
  std::vector<std::size_t> place_of(table_->rows(), kNowhere);
  for (std::size_t place = 0; place < read->rows(); ++place) {
    const std::string& text = record->values[record->codes.at(place)];
    std::size_t row = kNowhere;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), row);
    const bool is_row = error == std::errc() && end == text.data() + text.size() && row < place_of.size();
    if (!is_row || place_of[row] != kNowhere) return wrong_answer("has other records than were sent");
    place_of[row] = place;
  }
  engine::Table made = *table_;
  for (std::size_t i = 0; i < quasi_identifiers_.size(); ++i) {
    const auto* column = read->find(fmt::format("q{}", i));
    if (column == nullptr) return wrong_answer("lacks a column");
    auto labels = decoded(quasi_identifiers_[i], *column, place_of);
    if (!labels) return labels.error();
    const auto place =
        std::ranges::find(made.columns, quasi_identifiers_[i].column->name, &engine::Column::name);
    *place = std::move(*labels);
  }
  return made;
}

}  // namespace pgveil::app
