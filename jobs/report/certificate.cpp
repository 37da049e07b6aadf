#include "jobs/report/certificate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "common/files/whole_file.hpp"
#include "common/yaml.hpp"
#include "jobs/check/fingerprint.hpp"
#include "jobs/check/model_words.hpp"

namespace pgveil::app {
namespace {

namespace json = boost::json;

constexpr double kMostOfNumbers = 1'000'000;  // shares and levels

Error no_certificate() {
  return invalid_input("this is no certificate of pgveil",
                       "take a file that --certificate wrote, with a pgveil as new as its");
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

json::value text_or_null(const std::optional<std::string>& text) {
  return text ? json::value(*text) : json::value(nullptr);
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

// Takes members out of an object. The first one that is missing or has another type is remembered.
class Fields {
 public:
  explicit Fields(const json::object& object) : object_(object) {}
  [[nodiscard]] bool is_complete() const { return is_complete_; }

  std::string text(std::string_view key) {
    const auto* value = object_.if_contains(key);
    if (value != nullptr && value->is_string()) return std::string(value->get_string());
    is_complete_ = false;
    return "";
  }
  std::optional<std::string> text_if_any(std::string_view key) {
    const auto* value = object_.if_contains(key);
    if (value != nullptr && value->is_null()) return std::nullopt;
    return text(key);
  }
  std::uint64_t count(std::string_view key) {
    const auto* value = object_.if_contains(key);
    if (value != nullptr && value->is_int64() && value->get_int64() >= 0)
      return static_cast<std::uint64_t>(value->get_int64());
    is_complete_ = false;
    return 0;
  }
  std::vector<std::string> texts(std::string_view key) {
    std::vector<std::string> made;
    for (const auto& value : array(key)) {
      is_complete_ = is_complete_ && value.is_string();
      if (value.is_string()) made.emplace_back(value.get_string());
    }
    return made;
  }
  // Whether the member exists and is not null.
  [[nodiscard]] bool has(std::string_view key) const {
    const auto* value = object_.if_contains(key);
    return value != nullptr && !value->is_null();
  }
  // Finite, and at least 0.
  std::vector<double> numbers(std::string_view key) {
    std::vector<double> made;
    for (const auto& value : array(key)) {
      const double number = value.is_number() ? value.to_number<double>() : -1;
      is_complete_ = is_complete_ && number >= 0 && number <= kMostOfNumbers;
      made.push_back(is_complete_ ? number : 0);
    }
    return made;
  }
  const json::array& array(std::string_view key) {
    static const json::array kNone;
    const auto* value = object_.if_contains(key);
    if (value != nullptr && value->is_array()) return value->get_array();
    is_complete_ = false;
    return kNone;
  }

 private:
  const json::object& object_;
  bool is_complete_ = true;
};

Result<engine::CheckedColumn> column_of(const json::value& value) {
  if (!value.is_object()) return no_certificate();
  Fields fields(value.get_object());
  engine::CheckedColumn made{fields.text("column")};
  for (const auto& words : fields.texts("models")) {
    const auto model = model_of(words);
    if (!model) return no_certificate();
    made.demanded.push_back(*model);
  }
  const auto* order = value.get_object().if_contains("order");
  if (order != nullptr && order->is_array()) made.order = engine::ValueOrder(fields.texts("order"));
  if (order != nullptr && order->is_string())
    made.order = engine::ValueOrder(*order == "number" ? engine::SortedBy::number : engine::SortedBy::text);
  if (!fields.is_complete()) return no_certificate();
  return made;
}

bool read_policy_part(Fields& fields, Certificate& made) {
  made.policy = fields.text("policy");
  made.policy_print = fields.text("policy_sha256");
  made.models = fields.texts("models");
  made.unit = fields.text_if_any("unit");
  return !made.policy.empty();
}

// Certificates of an older pgveil have none of these members.
bool read_population_models(Fields& fields, Certificate& made) {
  if (fields.has("presence")) {
    const auto shares = fields.numbers("presence");
    if (shares.size() != 2) return false;
    made.presence = engine::DeltaPresence{shares[0], shares[1]};
  }
  if (fields.has("k_map")) made.k_map = fields.count("k_map");
  return true;
}

bool read_job_part(Fields& fields, Certificate& made) {
  made.job = fields.text("job");
  made.job_print = fields.text("job_sha256");
  made.input_print = fields.text("input_hmac_sha256");
  made.null_text = fields.text_if_any("null");
  made.dropped_rows = fields.count("dropped_rows");
  made.has_left_out = made.dropped_rows + fields.count("hidden_rows") > 0;
  made.lets_suppressed_be = fields.text("outliers") == "as_reference";
  for (const double level : fields.numbers("levels")) made.levels.push_back(static_cast<unsigned>(level));
  for (const auto& it : fields.array("sensitive")) {
    auto column = column_of(it);
    if (!column) return false;
    column->null_text = made.null_text;
    made.sensitive.push_back(std::move(*column));
  }
  // Certificates of an older pgveil have none.
  for (const auto& words : fields.has("risks") ? fields.texts("risks") : std::vector<std::string>()) {
    const auto risk = risk_of(words);
    if (!risk) return false;
    made.risks.push_back(*risk);
  }
  return read_population_models(fields, made);
}

}  // namespace

Result<JobFingerprints> fingerprints_of(const Job& job, const JobData& data, WrittenPrints written,
                                        const std::string& key) {
  const auto text = read_whole(job.source, yaml::kMaxYamlBytes);
  if (!text) return text.error();
  if (!*text) return invalid_input("the job's file is gone", "run the job again");
  JobFingerprints made{std::move(written.file), std::move(written.table), fingerprint_of(**text), ""};
  if (key.empty()) return made;
  if (job.mondrian)
    return invalid_input("the input of a job that cuts groups gets no fingerprint", "leave --key-file out");
  std::vector<std::string> names;
  for (const auto& column : data.table.columns) names.push_back(column.name);
  TableFingerprint print(names, key);
  std::vector<std::optional<std::string_view>> cells(names.size());
  for (std::size_t row = 0; row < data.table.rows(); ++row) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const auto& column = data.table.columns[i];
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
  for (const auto& [metric, score] : report.scores) scores[engine::name(metric)] = score.value();
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
                          {"models", names_array(report.models)},
                          {"sensitive", sensitive_json(job)},
                          {"risks", risks_json(job)},
                          {"presence", presence_json(job)},
                          {"k_map", job.k_map ? json::value(*job.k_map) : json::value(nullptr)},
                          {"outliers", job.outliers == engine::Outliers::drop   ? "drop"
                                       : job.outliers == engine::Outliers::hide ? "hide"
                                                                                : "as_reference"},
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
  boost::system::error_code failed;
  const auto value = json::parse(text, failed);
  if (failed || !value.is_object()) return no_certificate();
  Fields fields(value.get_object());
  if (fields.count("pgveil_certificate") != kCertificateForm) return no_certificate();
  Certificate made;
  made.issued_at = fields.text("issued_at");
  made.version = fields.text("version");
  made.file_print = fields.text_if_any("file_sha256");
  made.table_print = fields.text_if_any("table_sha256");
  made.columns = fields.texts("columns");
  made.quasi_identifiers = fields.texts("quasi_identifiers");
  made.rows = fields.count("rows");
  made.k = fields.count("k");
  const bool is_read =
      value.get_object().contains("policy") ? read_policy_part(fields, made) : read_job_part(fields, made);
  if (!is_read || !fields.is_complete()) return no_certificate();
  return made;
}

}  // namespace pgveil::app
