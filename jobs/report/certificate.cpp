#include "jobs/report/certificate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "common/json_object.hpp"
#include "jobs/check/fingerprint.hpp"
#include "jobs/check/model_words.hpp"

namespace pgveil::app {
namespace {

namespace json = boost::json;

constexpr double kMostOfShares = 1'000'000;
constexpr std::int64_t kMostLevels = 1'000'000;

Error no_certificate() {
  return invalid_input("this is not a certificate of pgveil",
                       "use a file that --certificate wrote. It may need a newer pgveil");
}

json::array names_array(const std::vector<std::string>& names) {
  json::array made;
  for (const auto& name : names) made.emplace_back(name);
  return made;
}

json::value order_json(const std::optional<engine::ValueOrder>& order) {
  if (!order) return nullptr;
  if (const auto* list = std::get_if<std::vector<std::string>>(&*order)) return names_array(*list);
  return std::get<engine::SortedBy>(*order) == engine::SortedBy::number ? "number" : "text";
}

json::array sensitive_json(const Job& job) {
  json::array made;
  for (const auto& attribute : job.attributes) {
    if (attribute.models.empty()) continue;
    json::array models;
    for (const auto& model : attribute.models) models.emplace_back(engine::describe(model));
    made.push_back(
        {{"column", attribute.name}, {"models", std::move(models)}, {"order", order_json(attribute.order)}});
  }
  return made;
}

json::array risks_json(const Job& job) {
  json::array made;
  for (const auto& risk : job.risks) made.emplace_back(engine::describe(risk));
  return made;
}

json::value presence_json(const Job& job) {
  return job.presence ? json::value(json::array{job.presence->least, job.presence->most})
                      : json::value(nullptr);
}

std::optional<engine::ValueOrder> order_of(JsonObjectView& fields, FirstError& errors) {
  if (!fields.has_value("order")) return std::nullopt;
  if (fields.is_list("order")) return engine::ValueOrder(fields.texts("order"));
  const auto word = fields.text("order");
  if (word != "number" && word != "text") errors.add(no_certificate());
  return engine::ValueOrder(word == "number" ? engine::SortedBy::number : engine::SortedBy::text);
}

engine::CheckedColumn column_of(const json::value& value, FirstError& errors) {
  JsonObjectView fields(value, "sensitive", errors);
  engine::CheckedColumn made{fields.text("column")};
  for (const auto& words : fields.texts("models")) {
    const auto model = model_of(words);
    if (!model) errors.add(no_certificate());
    if (model) made.demanded.push_back(*model);
  }
  made.order = order_of(fields, errors);
  fields.finish();
  return made;
}

// "disclosed_or_implied" is what an older pgveil wrote.
void read_policy_part(JsonObjectView& fields, Certificate& made, FirstError& errors) {
  made.policy = fields.text("policy");
  made.policy_print = fields.text("policy_sha256");
  made.policy_version = fields.count("policy_version");
  made.models = fields.texts("models");
  made.unit = fields.text_or_null("unit");
  if (made.policy.empty()) errors.add(no_certificate());
  for (const auto* key : {"built_at", "units", "cohorts", "smallest_cohort", "cells", "disclosed",
                          "computable", "equal", "disclosed_or_implied", "suppressed_splits"})
    fields.skip(key);
}

// Certificates of an older pgveil lack some of these members.
void read_later_models(JsonObjectView& fields, Certificate& made, FirstError& errors) {
  if (fields.has_value("presence")) {
    const auto shares = fields.numbers("presence", 0, kMostOfShares);
    if (shares.size() != 2) return errors.add(no_certificate());
    made.presence = engine::DeltaPresence{shares[0], shares[1]};
  }
  if (fields.has("unit")) made.unit = fields.text_or_null("unit");
  if (fields.has_value("k_map")) made.k_map = fields.count("k_map");
  if (!fields.has_value("risks")) return;
  for (const auto& words : fields.texts("risks")) {
    const auto risk = risk_of(words);
    if (!risk) return errors.add(no_certificate());
    made.risks.push_back(*risk);
  }
}

// Certificates of an older pgveil have `outliers`.
engine::SuppressedRecords suppressed_records_of(JsonObjectView& fields, FirstError& errors) {
  using enum engine::SuppressedRecords;
  if (fields.has("outliers")) {
    const auto word = fields.text("outliers");
    if (word == "drop") return keep_or_drop;
    if (word == "hide") return keep_or_hide;
    if (word != "as_reference") errors.add(no_certificate());
    return keep;
  }
  const auto word = fields.text("suppressed_records");
  for (std::size_t i = 0; i < engine::kSuppressedRecords; ++i) {
    const auto choice = static_cast<engine::SuppressedRecords>(i);
    if (word == engine::name(choice)) return choice;
  }
  errors.add(no_certificate());
  return keep_or_drop;
}

void read_job_part(JsonObjectView& fields, Certificate& made, FirstError& errors) {
  made.job = fields.text("job");
  made.job_print = fields.text("job_sha256");
  made.input_print = fields.text("input_hmac_sha256");
  made.null_text = fields.text_or_null("null");
  made.dropped_rows = fields.count("dropped_rows");
  made.has_left_out = made.dropped_rows + fields.count("hidden_rows") > 0;
  made.suppressed_records = suppressed_records_of(fields, errors);
  for (const auto level : fields.integers("levels", 0, kMostLevels))
    made.levels.push_back(static_cast<unsigned>(level));
  for (const auto& it : fields.array("sensitive")) {
    auto column = column_of(it, errors);
    column.null_text = made.null_text;
    made.sensitive.push_back(std::move(column));
  }
  read_later_models(fields, made, errors);
  for (const auto* key : {"models", "input_rows", "classes", "smallest_class", "suppressed_rows",
                          "certainty_penalty", "scores"})
    fields.skip(key);
}

// As the input has it.
const engine::Column& column_as_read(const JobData& data, const std::string& name) {
  const auto joined = std::ranges::find(data.joined, name, &engine::Column::name);
  return joined == data.joined.end() ? *table_as_read(data).find(name) : *joined;
}

}  // namespace

Result<JobFingerprints> fingerprints_of(const Job& job, const JobData& data, WrittenPrints written,
                                        const std::string& key) {
  JobFingerprints made{std::move(written.file), std::move(written.table), fingerprint_of(job.text), ""};
  if (key.empty()) return made;
  const auto names = published_columns(job);
  TableFingerprint print(names, key);
  std::vector<const engine::Column*> columns;
  for (const auto& name : names) columns.push_back(&column_as_read(data, name));
  std::vector<std::optional<std::string_view>> cells(names.size());
  for (std::size_t row = 0; row < table_as_read(data).rows(); ++row) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const auto& column = *columns[i];
      cells[i] = std::string_view(column.values[column.codes.at(row)]);
    }
    print.add(cells);
  }
  made.input = std::move(print).finish();
  return made;
}

std::string certificate_json(const Job& job, const JobReport& report, const JobFingerprints& prints,
                             std::string_view issued_at) {
  json::object scores;
  for (const auto& [metric, score] : report.scores)
    scores[engine::name(metric)] = number_or_null(score.value());
  json::array levels;
  for (const auto level : report.levels) levels.emplace_back(level);
  const json::object made{{"pgveil_certificate", kCertificateForm},
                          {"version", PGVEIL_VERSION},
                          {"issued_at", issued_at},
                          {"job", report.job},
                          {"job_sha256", prints.job},
                          {"input_hmac_sha256", prints.input},
                          {"input_rows", report.rows},
                          {"file_sha256", text_or_null(prints.file)},
                          {"table_sha256", text_or_null(prints.table)},
                          {"rows", report.published_rows},
                          {"columns", names_array(report.columns)},
                          {"quasi_identifiers", names_array(report.quasi_identifiers)},
                          {"null", text_or_null(job.null_text)},
                          {"k", report.k},
                          {"unit", text_or_null(report.unit)},
                          {"models", names_array(report.models)},
                          {"sensitive", sensitive_json(job)},
                          {"risks", risks_json(job)},
                          {"presence", presence_json(job)},
                          {"k_map", job.k_map ? json::value(*job.k_map) : json::value(nullptr)},
                          {"suppressed_records", engine::name(job.suppressed_records)},
                          {"levels", std::move(levels)},
                          {"classes", report.classes},
                          {"smallest_class", report.smallest_class},
                          {"suppressed_rows", report.suppressed_rows},
                          {"dropped_rows", report.dropped_rows},
                          {"hidden_rows", report.hidden_rows},
                          {"certainty_penalty", report.certainty_penalty},
                          {"scores", std::move(scores)}};
  return json::serialize(made) + "\n";
}

Result<Certificate> read_certificate(std::string_view text) {
  const auto value = parse_json(text);
  if (!value) return no_certificate();
  FirstError errors;
  JsonObjectView fields(*value, "certificate", errors);
  if (fields.count("pgveil_certificate") != kCertificateForm) return no_certificate();
  Certificate made;
  made.issued_at = fields.text("issued_at");
  made.version = fields.text("version");
  made.file_print = fields.text_or_null("file_sha256");
  made.table_print = fields.text_or_null("table_sha256");
  made.columns = fields.texts("columns");
  made.quasi_identifiers = fields.texts("quasi_identifiers");
  made.rows = fields.count("rows");
  made.k = fields.count("k");
  if (fields.has("policy"))
    read_policy_part(fields, made, errors);
  else
    read_job_part(fields, made, errors);
  fields.finish();
  if (errors.error()) return no_certificate();
  return made;
}

}  // namespace pgveil::app
