#include "jobs/cluster/job_description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>

#include "common/sqlstate.hpp"
#include "engine/mondrian/dimension.hpp"
#include "engine/privacy/sensitive_values.hpp"
#include "jobs/cluster/sensitive_frames.hpp"
#include "jobs/columnar/columnar_file.hpp"
#include "jobs/input/data.hpp"
#include "jobs/input/mondrian.hpp"
#include "jobs/language/values.hpp"

namespace pgveil::app {
namespace {

namespace json = boost::json;

// why: a sentence without its end.
Error for_one_machine(std::string_view what, std::string_view why) {
  return {ErrorKind::configuration, std::string(sqlstate::kFeatureNotSupported),
          fmt::format("{} is for one machine only", what),
          fmt::format("{}; leave it out, or run pgveil anonymize", why)};
}

std::string_view name(AttributeClass attribute_class) {
  switch (attribute_class) {
    case AttributeClass::identifier: return "identifier";
    case AttributeClass::quasi_identifier: return "quasi_identifier";
    case AttributeClass::sensitive: return "sensitive";
    case AttributeClass::insensitive: return "insensitive";
  }
  return "";
}

json::value number_or_null(const std::optional<unsigned>& number) {
  return number ? json::value(*number) : json::value(nullptr);
}

json::array attributes_json(const Job& job) {
  json::array out;
  for (const auto& attribute : job.attributes) {
    json::array models;
    for (const auto& model : attribute.models) models.emplace_back(engine::describe(model));
    json::object described{{"name", attribute.name},
                           {"class", name(attribute.attribute_class)},
                           {"numeric", attribute.is_numeric},
                           {"models", std::move(models)},
                           {"compared", compares_with_table(attribute.models)},
                           {"min_level", number_or_null(attribute.min_level)},
                           {"max_level", number_or_null(attribute.max_level)}};
    // The values of other orders are compared with the whole table, which tests them.
    if (attribute.order == engine::ValueOrder(engine::SortedBy::number)) described["order"] = "number";
    out.push_back(std::move(described));
  }
  return out;
}

json::array risks_json(const Job& job) {
  json::array out;
  for (const auto& risk : job.risks) out.emplace_back(engine::describe(risk));
  return out;
}

json::object input_json(const Job& job) {
  if (const auto* table = std::get_if<JobTable>(&job.input))
    return {{"schema", table->schema}, {"table", table->table}};
  const auto& file = std::get<JobFile>(job.input);
  return {{"file", file.path}, {"separator", std::string(1, file.separator)}};
}

Result<void> check_groups(const JobMondrian& groups) {
  if (groups.rounds) {
    return for_one_machine("algorithm: least_loss",
                           "its groups are improved with records from anywhere in the table");
  }
  if (!groups.resist.empty())
    return for_one_machine("resist", "the cuts that divide the table among the workers are not random");
  switch (groups.ranges) {
    case engine::Ranges::tight:
    case engine::Ranges::region: return {};
    case engine::Ranges::sets:
    case engine::Ranges::region_sets: break;
  }
  return for_one_machine(fmt::format("ranges: {}", word_of(groups.ranges)),
                         "the workers of a cluster know the ends of ranges only");
}

constexpr std::string_view kReadsOthers = "a cluster reads CSV, Parquet and tables of PostgreSQL";

Result<void> check_file(const std::string& path) {
  if (is_json_lines(path)) return for_one_machine("a file of JSON lines", kReadsOthers);
  const auto columnar = columnar_format_of_name(path);
  if (!columnar) return columnar.error();
  if (*columnar && **columnar != ColumnarFormat::parquet)
    return for_one_machine(fmt::format("an {}", words(**columnar)), kReadsOthers);
  return {};
}

Result<void> check_files(const Job& job) {
  if (const auto* input = std::get_if<JobFile>(&job.input)) {
    if (input->path == kStandardInput) return for_one_machine("standard input", kReadsOthers);
    if (auto checked = check_file(input->path); !checked) return checked;
  }
  if (job.output.file && job.output.table)
    return for_one_machine("a table beside the file as output", "a cluster writes files");
  return job.output.file ? check_file(job.output.file->path) : Result<void>();
}

Result<void> check_models(const Job& job) {
  if (job.unit)
    return for_one_machine("unit", "the written files, which are counted again, do not have the units");
  if (job.differential_privacy)
    return for_one_machine("differential_privacy", "the records of its sample are drawn on one machine");
  if (job.subset)
    return for_one_machine("subset", "a cluster publishes all records of the input, or suppresses them");
  if (job.presence) return for_one_machine("presence", "it needs a subset");
  if (job.k_map) return for_one_machine("k_map", "it needs a subset");
  if (job.local_recoding.parts > 0)
    return for_one_machine("local_recoding", "a cluster applies one transformation and searches for none");
  if (job.mondrian) {
    if (auto checked = check_groups(*job.mondrian); !checked) return checked;
  }
  const auto is_aggregated = [](const JobAttribute& it) { return it.aggregate.has_value(); };
  if (std::ranges::any_of(job.attributes, is_aggregated))
    return for_one_machine("aggregate", "a cluster shows the texts of hierarchies and ranges only");
  switch (job.suppressed_records) {
    case engine::SuppressedRecords::drop:
    case engine::SuppressedRecords::keep_or_drop: return {};
    case engine::SuppressedRecords::keep:
    case engine::SuppressedRecords::keep_or_hide: break;
  }
  return for_one_machine(fmt::format("suppressed_records: {}", engine::name(job.suppressed_records)),
                         "a cluster publishes no class that breaks a model");
}

std::uint64_t smallest_class(const Job& job) {
  engine::Anonymity anonymity;
  anonymity.k = job.k;
  anonymity.risks = job.risks;
  return engine::smallest_class(anonymity);
}

// A column without records, only with a dictionary.
engine::Column column_of(const JobAttribute& attribute, std::vector<std::string> values,
                         FrameReader& frames) {
  engine::Column out;
  out.name = attribute.name;
  out.values = std::move(values);
  const std::unordered_set<std::string_view> different(out.values.begin(), out.values.end());
  if (different.size() != out.values.size()) frames.fail("a dictionary has a value twice");
  if (out.values.empty()) frames.fail("a dictionary is empty");
  return out;
}

Result<void> resolve(const JobAttribute& attribute, const engine::Column& column, const Job& job,
                     FrameWriter& writer) {
  if (attribute.is_numeric) {
    const auto made = engine::numeric_dimension(
        column, job.null_text ? std::optional<std::string_view>(*job.null_text) : std::nullopt);
    if (!made) return made.error();
    writer.texts(made->values);
    writer.hierarchy({});
    return {};
  }
  const auto hierarchy = hierarchy_of(attribute, column, job);
  if (!hierarchy) return hierarchy.error();
  const auto made = engine::categorical_dimension(column, *hierarchy);
  if (!made) return made.error();
  writer.texts(made->values);
  writer.hierarchy(*hierarchy);
  return {};
}

// The values in their order if they have one, and the row of each in the hierarchy if there is one.
Result<void> resolve_sensitive(const JobAttribute& attribute, const engine::Column& column, const Job& job,
                               FrameWriter& writer) {
  engine::SensitiveColumn given{attribute.name, attribute.order, std::nullopt, job.null_text};
  if (has_hierarchy(attribute)) {
    auto hierarchy = hierarchy_of(attribute, column, job);
    if (!hierarchy) return hierarchy.error();
    given.hierarchy = std::move(*hierarchy);
  }
  const auto made = engine::make_sensitive_values(column, given, {});
  if (!made) return made.error();
  std::vector<std::string> ordered = column.values;
  for (std::size_t i = 0; i < made->ascending.size(); ++i) ordered[i] = column.values[made->ascending[i]];
  engine::Hierarchy shown;
  if (given.hierarchy) {
    std::unordered_map<std::string_view, std::size_t> row_of;
    for (std::size_t row = 0; row < given.hierarchy->rows.size(); ++row)
      row_of.emplace(given.hierarchy->rows[row].front(), row);
    for (const auto& value : ordered) shown.rows.push_back(given.hierarchy->rows[row_of.at(value)]);
  }
  writer.texts(ordered);
  writer.hierarchy(shown);
  return {};
}

}  // namespace

Result<std::string> describe_job(const Job& job) {
  if (auto checked = check_files(job); !checked) return checked.error();
  if (auto checked = check_models(job); !checked) return checked.error();
  json::object out{{"name", job.name},
                   {"input", input_json(job)},
                   {"attributes", attributes_json(job)},
                   {"k", job.k},
                   {"smallest_class", smallest_class(job)},
                   {"risks", risks_json(job)},
                   {"suppression", job.suppression},
                   {"threads", job.limits.threads},
                   {"suppressed_records", engine::name(job.suppressed_records)}};
  if (job.null_text) out["null"] = *job.null_text;
  if (job.seed) out["seed"] = *job.seed;
  if (job.output.file) {
    out["output"] = job.output.file->path;
    out["output_separator"] = std::string(1, job.output.file->separator);
  }
  if (job.mondrian) {
    out["mondrian"] = {{"cut_by", word_of(job.mondrian->cut_by)},
                       {"cuts", word_of(job.mondrian->cuts)},
                       {"ranges", word_of(job.mondrian->ranges)}};
  }
  return json::serialize(out) + "\n";
}

Result<void> resolve_domains(const Job& job, const ReadBytes& read, const WriteBytes& write) {
  FrameReader frames(read);
  FrameWriter writer(write);
  frames.begin();
  for (const auto& attribute : job.attributes) {
    const bool is_compared = compares_with_table(attribute.models);
    if (attribute.attribute_class != AttributeClass::quasi_identifier && !is_compared) continue;
    const auto column = column_of(attribute, frames.texts(), frames);
    if (!frames.is_good()) return frames.error();
    auto resolved = is_compared ? resolve_sensitive(attribute, column, job, writer)
                                : resolve(attribute, column, job, writer);
    if (!resolved) return resolved;
  }
  frames.end();
  if (!frames.is_good()) return frames.error();
  return writer.finish();
}

}  // namespace pgveil::app
