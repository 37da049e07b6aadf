#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/error.hpp"
#include "common/utf8.hpp"
#include "jobs/check/check_table.hpp"
#include "jobs/check/demand_words.hpp"
#include "jobs/report/check_report.hpp"
#include "jobs/report/risk_report.hpp"
#include "jobs/report/utility_report.hpp"
#include "jobs/run/anonymize.hpp"
#include "library/pgveil.h"

using namespace pgveil;

struct pgveil_error {
  Error error;
};

struct pgveil_table {
  struct Column {
    std::string name;
    std::vector<std::string> values;
    std::vector<std::uint32_t> codes;
  };
  std::vector<Column> columns;
  [[nodiscard]] std::uint64_t rows() const { return columns.empty() ? 0 : columns.front().codes.size(); }
};

struct pgveil_report {
  std::string text, json, html;
};

namespace {

// To answer may take a lock of the caller's language, and engines ask some thousand times a second.
constexpr std::int64_t kMsBetweenQuestions = 50;

// No exception crosses the border of C: work's result, or null with the error.
template <class Made, class Work>
Made* guarded(pgveil_error** error, Work&& work) {
  *error = nullptr;
  try {
    Result<std::unique_ptr<Made>> made = work();
    if (made) return made->release();
    *error = new pgveil_error{made.error()};
  } catch (const std::bad_alloc&) {
    *error = new (std::nothrow)
        pgveil_error{{ErrorKind::limit, "53200", "there is not enough memory", "use fewer rows or columns"}};
  } catch (const std::exception& bug) {
    *error = new (std::nothrow) pgveil_error{{ErrorKind::io, "XX000", bug.what(), "please report this"}};
  }
  return nullptr;
}

// An option's structure as this library knows it. It may come from a program that was compiled with an older
// header, whose structure ends earlier: what is missing is zero.
template <class Options>
Result<Options> options_of(const Options* given) {
  Options made{};
  if (given == nullptr) return made;
  if (given->size == 0)
    return usage_error("the size of the options is not set", "set it to sizeof the structure");
  std::memcpy(&made, given, std::min<std::size_t>(given->size, sizeof(Options)));
  return made;
}

Error wrong(std::string message, std::string hint) {
  return usage_error(std::move(message), std::move(hint));
}

bool is_utf8(std::string_view text) {
  return utf8_prefix(text) == text.size();
}

// what: the member of the options, for messages. A requirement that is not there must not vanish silently.
Result<std::vector<std::string>> texts(const std::string& what, const char* const* given,
                                       std::uint32_t count) {
  if (given == nullptr && count > 0)
    return wrong(what + " is null, and its count is not 0", "give the texts, or the count 0");
  std::vector<std::string> made;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (given[i] == nullptr) return wrong("a text of " + what + " is null", "give the texts that count says");
    if (!is_utf8(given[i])) return wrong("a text of " + what + " is not UTF-8", "give all texts as UTF-8");
    made.emplace_back(given[i]);
  }
  return made;
}

// No process has as much memory, so an offset above it cannot be one.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 47;

// The offsets come before the bytes that they lead to: a wrong one must not be followed.
Result<std::vector<std::string>> values_of(const std::string& column, const char* bytes,
                                           const std::uint64_t* offsets, std::uint32_t values) {
  std::vector<std::string> made;
  if (values == 0) return made;
  if (offsets == nullptr) return wrong("column " + column + " has values and no offsets", "give them");
  if (!std::is_sorted(offsets, offsets + values + std::size_t{1}))
    return wrong("offsets of " + column + " descend", "give them in order");
  if (offsets[values] > kMostBytes)
    return wrong("an offset of " + column + " is above 2^47", "the last one is the number of bytes");
  if (bytes == nullptr && offsets[values] > 0)
    return wrong("column " + column + " has offsets and no bytes", "give the bytes of its values");
  for (std::uint32_t value = 0; value < values; ++value) {
    const std::string_view text(bytes + offsets[value], offsets[value + 1] - offsets[value]);
    if (!is_utf8(text)) return wrong("a value of " + column + " is not UTF-8", "give all text as UTF-8");
    made.emplace_back(text);
  }
  return made;
}

Result<void> add_column(pgveil_table& table, const char* name, const std::uint32_t* codes, std::uint64_t rows,
                        const char* bytes, const std::uint64_t* offsets, std::uint32_t values) {
  const std::string own = name == nullptr ? "" : name;
  if (own.empty()) return wrong("a column without a name", "name it");
  if (!is_utf8(own)) return wrong("the name of a column is not UTF-8", "give all text as UTF-8");
  if (std::ranges::find(table.columns, own, &pgveil_table::Column::name) != table.columns.end())
    return wrong("there are two columns " + own, "rename one");
  if (rows >= UINT32_MAX)
    return wrong("a table of 2^32 - 1 rows or more", "publish it in parts, or on Spark");
  if (!table.columns.empty() && table.rows() != rows)
    return wrong("column " + own + " has another number of rows than the first", "give all columns alike");
  if (codes == nullptr && rows > 0) return wrong("column " + own + " has rows and no codes", "give them");
  auto texts_of_values = values_of(own, bytes, offsets, values);
  if (!texts_of_values) return texts_of_values.error();
  pgveil_table::Column column{own, std::move(*texts_of_values), {codes, codes + rows}};
  auto sorted = column.values;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end())
    return wrong("a value of " + own + " is there twice", "give each value once");
  for (const auto code : column.codes) {
    if (code >= values && code != PGVEIL_NULL)
      return wrong("a code of " + own + " has no value", "codes are below the number of values");
  }
  table.columns.push_back(std::move(column));
  return {};
}

bool has_null(const pgveil_table& table) {
  return std::ranges::any_of(table.columns, [](const pgveil_table::Column& column) {
    return std::ranges::find(column.codes, PGVEIL_NULL) != column.codes.end();
  });
}

// Whether a value may have the text that stands for NULL.
enum class NullText { is_apart, may_be_a_value };

// As the engine has it. A NULL becomes the text null_text.
Result<engine::Table> engine_table(const pgveil_table& table, const std::string& null_text,
                                   NullText whose = NullText::is_apart) {
  engine::Table made;
  for (const auto& given : table.columns) {
    engine::ColumnEncoder encoder(given.name);
    const bool has_text = std::ranges::find(given.values, null_text) != given.values.end();
    for (const auto code : given.codes) {
      if (code == PGVEIL_NULL && has_text && whose == NullText::is_apart)
        return wrong("column " + given.name + " has NULL and the text " + null_text,
                     "name another text for NULL in the job: input: {null: …}");
      encoder.add(code == PGVEIL_NULL ? null_text : given.values[code]);
    }
    made.columns.push_back(std::move(encoder).finish());
  }
  return made;
}

// The values are sorted, because their order of first appearance would tell of the input's order.
pgveil_table::Column column_of(const engine::PublishedColumn& column) {
  pgveil_table::Column made{column.name, column.values, column.codes.all()};
  std::ranges::sort(made.values);
  std::vector<std::uint32_t> place_of(column.values.size());
  for (std::size_t code = 0; code < place_of.size(); ++code) {
    const auto place = std::ranges::lower_bound(made.values, column.values[code]) - made.values.begin();
    place_of[code] = static_cast<std::uint32_t>(place);
  }
  for (auto& code : made.codes) {
    if (code != PGVEIL_NULL) code = place_of[code];
  }
  return made;
}

std::unique_ptr<pgveil_table> table_of(const engine::Publication& publication) {
  auto made = std::make_unique<pgveil_table>();
  for (const auto& column : publication.columns) made->columns.push_back(column_of(column));
  return made;
}

// What the program `risk` does without options.
pgveil_risk_options usual_risk() {
  pgveil_risk_options made{};
  made.size = sizeof made;
  made.threshold = 0.2;
  made.most_columns = 2;
  return made;
}

std::optional<std::vector<unsigned>> levels_of(const std::uint32_t* given, std::uint32_t count) {
  if (given == nullptr) return std::nullopt;
  return std::vector<unsigned>(given, given + count);
}

Result<std::unique_ptr<pgveil_table>> anonymized(const pgveil_table& table, const char* job_text,
                                                 const pgveil_options& options,
                                                 std::unique_ptr<pgveil_report>& report) {
  if (job_text == nullptr) return wrong("there is no job", "give its text");
  app::AnonymizeRequest request;
  auto job = app::read_job_text(job_text, "job");
  if (!job) return job.error();
  request.job = std::move(*job);
  if (!request.job.null_text && has_null(table)) request.job.null_text = std::string(app::kNullOfTables);
  // With differential privacy, a value must not decide whether there is a table.
  const auto whose = request.job.differential_privacy ? NullText::may_be_a_value : NullText::is_apart;
  const auto input = engine_table(table, request.job.null_text.value_or(""), whose);
  if (!input) return input.error();
  request.table = &*input;
  request.levels = levels_of(options.levels, options.level_count);
  request.heights = levels_of(options.heights, options.level_count);
  request.wants_utility = options.wants_utility != 0;
  std::unique_ptr<pgveil_table> published;
  app::AnonymizeHooks hooks;
  hooks.publication = [&](const engine::Publication& made) { published = table_of(made); };
  std::atomic<bool> is_cancelled = false;
  std::atomic<std::int64_t> next_question = 0;
  if (options.is_cancelled != nullptr) {
    hooks.is_aborted = [&] {
      using namespace std::chrono;
      const std::int64_t now = duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
      std::int64_t due = next_question;
      if (now >= due && next_question.compare_exchange_strong(due, now + kMsBetweenQuestions) &&
          options.is_cancelled(options.context) != 0)
        is_cancelled = true;
      return is_cancelled.load();
    };
  }
  const auto made = app::anonymize(request, hooks);
  if (!made) return made.error();
  report = std::make_unique<pgveil_report>(
      pgveil_report{app::report_text(*made), app::report_json(*made), app::report_html(*made)});
  return published;
}

Result<std::unique_ptr<pgveil_report>> checked(const pgveil_table& table, const pgveil_check_options& options,
                                               bool& is_kept) {
  app::DemandWords words;
  auto columns = texts("quasi_identifiers", options.quasi_identifiers, options.quasi_identifier_count);
  if (!columns) return columns.error();
  auto sensitive = texts("sensitive", options.sensitive, options.sensitive_count);
  if (!sensitive) return sensitive.error();
  auto required = texts("required", options.required, options.required_count);
  if (!required) return required.error();
  auto risks = texts("risks", options.risks, options.risk_count);
  if (!risks) return risks.error();
  words.columns = std::move(*columns);
  words.sensitive = std::move(*sensitive);
  if (options.k > 0) words.k = options.k;
  words.required = std::move(*required);
  words.risks = std::move(*risks);
  if (words.columns.empty()) return wrong("there is no quasi-identifier", "name the columns to group by");
  const std::string null_text(app::kNullOfTables);
  const auto checked_table = engine_table(table, null_text);
  if (!checked_table) return checked_table.error();
  const auto demand = app::demand_of(words, has_null(table) ? std::optional(null_text) : std::nullopt);
  if (!demand) return demand.error();
  auto findings = app::check_table(*checked_table, *demand);
  if (!findings) return findings.error();
  app::CheckReport report;
  report.table = "table";
  report.columns = demand->quasi_identifiers;
  report.findings = std::move(*findings);
  is_kept = report.findings.is_kept();
  return std::make_unique<pgveil_report>(
      pgveil_report{app::check_text(report), app::check_json(report), app::check_html(report)});
}

Result<std::unique_ptr<pgveil_report>> measured(const pgveil_table& table,
                                                const pgveil_risk_options& options) {
  if (!(options.threshold > 0 && options.threshold <= 1))
    return wrong("the threshold is not above 0 and at most 1", "give the highest risk that is accepted: 0.2");
  if (!(options.population_size >= 0))
    return wrong("the size of the population is not 0 or more", "count everybody who could be in the table");
  if (options.most_columns > 20) return wrong("sets of more than 20 columns", "ask for smaller sets");
  auto columns = texts("columns", options.columns, options.column_count);
  if (!columns) return columns.error();
  const std::string null_text(app::kNullOfTables);
  const auto measured_table = engine_table(table, null_text);
  if (!measured_table) return measured_table.error();
  app::RiskReport report;
  report.table = "table";
  report.columns = std::move(*columns);
  if (report.columns.empty()) {
    for (const auto& column : table.columns) report.columns.push_back(column.name);
  }
  report.threshold = options.threshold;
  auto figures = engine::measure_risk(*measured_table, report.columns, options.threshold, nullptr);
  if (!figures) return figures.error();
  report.figures = std::move(*figures);
  if (options.population_size > 0) {
    auto estimated = engine::estimate_uniqueness(report.figures.histogram, options.population_size);
    if (!estimated) return estimated.error();
    report.uniqueness = *estimated;
  }
  auto sets = engine::identifying_sets(*measured_table, report.columns, options.most_columns);
  if (!sets) return sets.error();
  report.sets = std::move(*sets);
  report.hints =
      engine::safe_harbor_hints(*measured_table, has_null(table) ? std::optional(null_text) : std::nullopt);
  return std::make_unique<pgveil_report>(
      pgveil_report{app::risk_text(report), app::risk_json(report), app::risk_html(report)});
}

}  // namespace

int pgveil_abi_version(void) {
  return PGVEIL_ABI_VERSION;
}
const char* pgveil_version(void) {
  return PGVEIL_VERSION;
}

pgveil_error_kind pgveil_error_kind_of(const pgveil_error* error) {
  switch (error->error.kind) {
    case ErrorKind::usage: return PGVEIL_ERROR_USAGE;
    case ErrorKind::configuration: return PGVEIL_ERROR_CONFIGURATION;
    case ErrorKind::policy: return PGVEIL_ERROR_POLICY;
    case ErrorKind::syntax:
    case ErrorKind::unknown_object:
    case ErrorKind::protocol:
    case ErrorKind::authentication:
    case ErrorKind::connection:
    case ErrorKind::limit:
    case ErrorKind::server:
    case ErrorKind::io: return PGVEIL_ERROR_OTHER;
  }
  return PGVEIL_ERROR_OTHER;
}
const char* pgveil_error_message(const pgveil_error* error) {
  return error->error.public_message.c_str();
}
const char* pgveil_error_hint(const pgveil_error* error) {
  return error->error.hint.c_str();
}
const char* pgveil_error_detail(const pgveil_error* error) {
  return error->error.private_detail.c_str();
}
void pgveil_error_free(pgveil_error* error) {
  delete error;
}

pgveil_table* pgveil_table_new(void) {
  return new (std::nothrow) pgveil_table;
}
int pgveil_table_add_column(pgveil_table* table, const char* name, const std::uint32_t* codes,
                            std::uint64_t rows, const char* bytes, const std::uint64_t* offsets,
                            std::uint32_t values, pgveil_error** error) {
  struct Done {};
  const std::unique_ptr<Done> done(guarded<Done>(error, [&]() -> Result<std::unique_ptr<Done>> {
    if (auto added = add_column(*table, name, codes, rows, bytes, offsets, values); !added)
      return added.error();
    return std::make_unique<Done>();
  }));
  return done ? 0 : -1;
}
std::uint64_t pgveil_table_rows(const pgveil_table* table) {
  return table->rows();
}
std::uint32_t pgveil_table_columns(const pgveil_table* table) {
  return static_cast<std::uint32_t>(table->columns.size());
}
const char* pgveil_table_name(const pgveil_table* table, std::uint32_t column) {
  return table->columns[column].name.c_str();
}
const std::uint32_t* pgveil_table_codes(const pgveil_table* table, std::uint32_t column) {
  return table->columns[column].codes.data();
}
std::uint32_t pgveil_table_values(const pgveil_table* table, std::uint32_t column) {
  return static_cast<std::uint32_t>(table->columns[column].values.size());
}
const char* pgveil_table_value(const pgveil_table* table, std::uint32_t column, std::uint32_t value,
                               std::uint64_t* bytes) {
  const auto& text = table->columns[column].values[value];
  *bytes = text.size();
  return text.c_str();
}
void pgveil_table_free(pgveil_table* table) {
  delete table;
}

const char* pgveil_report_in(const pgveil_report* report, pgveil_format format) {
  switch (format) {
    case PGVEIL_TEXT: return report->text.c_str();
    case PGVEIL_JSON: return report->json.c_str();
    case PGVEIL_HTML: return report->html.c_str();
  }
  return "";
}
void pgveil_report_free(pgveil_report* report) {
  delete report;
}

pgveil_table* pgveil_anonymize(const pgveil_table* table, const char* job, const pgveil_options* options,
                               pgveil_report** report, pgveil_error** error) {
  if (report != nullptr) *report = nullptr;
  return guarded<pgveil_table>(error, [&]() -> Result<std::unique_ptr<pgveil_table>> {
    const auto given = options_of(options);
    if (!given) return given.error();
    std::unique_ptr<pgveil_report> made;
    auto published = anonymized(*table, job, *given, made);
    if (published && report != nullptr) *report = made.release();
    return published;
  });
}

pgveil_report* pgveil_check(const pgveil_table* table, const pgveil_check_options* options, int* is_kept,
                            pgveil_error** error) {
  if (is_kept != nullptr) *is_kept = 0;
  return guarded<pgveil_report>(error, [&]() -> Result<std::unique_ptr<pgveil_report>> {
    const auto given = options_of(options);
    if (!given) return given.error();
    bool keeps = false;
    auto report = checked(*table, *given, keeps);
    if (report && is_kept != nullptr) *is_kept = keeps ? 1 : 0;
    return report;
  });
}

pgveil_report* pgveil_risk(const pgveil_table* table, const pgveil_risk_options* options,
                           pgveil_error** error) {
  return guarded<pgveil_report>(error, [&]() -> Result<std::unique_ptr<pgveil_report>> {
    const auto given = options == nullptr ? usual_risk() : options_of(options);
    if (!given) return given.error();
    return measured(*table, *given);
  });
}
