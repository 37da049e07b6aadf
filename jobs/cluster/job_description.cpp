#include "jobs/cluster/job_description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <unordered_set>
#include <utility>
#include <variant>

#include "common/sqlstate.hpp"
#include "engine/mondrian/dimension.hpp"
#include "jobs/input/data.hpp"
#include "jobs/input/mondrian.hpp"
#include "jobs/language/values.hpp"

namespace pgveil::app {
namespace {

namespace json = boost::json;

Error for_one_machine(std::string what) {
  return {ErrorKind::configuration, std::string(sqlstate::kFeatureNotSupported),
          fmt::format("{} is for one machine only", what), "leave it out, or run pgveil anonymize"};
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

// l is written as text: the shortest text of a double is the same number wherever it is read.
Result<json::object> model_json(const JobAttribute& attribute, const engine::ValueModel& model) {
  if (const auto* distinct = std::get_if<engine::DistinctDiversity>(&model))
    return json::object{{"kind", "distinct"}, {"l", fmt::format("{}", distinct->l)}};
  if (const auto* entropy = std::get_if<engine::EntropyDiversity>(&model))
    return json::object{{"kind", "entropy"}, {"l", fmt::format("{}", entropy->l)}};
  return for_one_machine(
      fmt::format("a model of {} beside distinct and entropy l-diversity", attribute.name));
}

Result<json::array> attributes_json(const Job& job) {
  json::array out;
  for (const auto& attribute : job.attributes) {
    json::array models;
    for (const auto& model : attribute.models) {
      auto made = model_json(attribute, model);
      if (!made) return made.error();
      models.push_back(std::move(*made));
    }
    out.push_back({{"name", attribute.name},
                   {"class", name(attribute.attribute_class)},
                   {"numeric", attribute.is_numeric},
                   {"models", std::move(models)}});
  }
  return out;
}

json::object input_json(const Job& job) {
  if (const auto* table = std::get_if<JobTable>(&job.input))
    return {{"schema", table->schema}, {"table", table->table}};
  const auto& file = std::get<JobFile>(job.input);
  return {{"file", file.path}, {"separator", std::string(1, file.separator)}};
}

Result<void> check_files(const Job& job) {
  const auto* input = std::get_if<JobFile>(&job.input);
  if ((input != nullptr && is_json_lines(input->path)) ||
      (job.output.file && is_json_lines(job.output.file->path)))
    return for_one_machine("a file of JSON lines");
  return {};
}

Result<void> check_models(const Job& job) {
  if (job.unit) return for_one_machine("unit");
  if (job.differential_privacy) return for_one_machine("differential_privacy");
  if (job.subset) return for_one_machine("subset");
  if (job.presence) return for_one_machine("presence");
  if (job.k_map) return for_one_machine("k_map");
  if (!job.risks.empty()) return for_one_machine("risk");
  if (job.local_recoding.parts > 0) return for_one_machine("local_recoding");
  if (job.mondrian && job.mondrian->rounds) return for_one_machine("algorithm: least_loss");
  if (job.mondrian && !job.mondrian->resist.empty()) return for_one_machine("resist");
  if (job.mondrian && job.mondrian->ranges == engine::Ranges::sets) return for_one_machine("ranges: sets");
  if (job.mondrian && job.mondrian->ranges == engine::Ranges::region_sets)
    return for_one_machine("ranges: region_sets");
  for (const auto& attribute : job.attributes) {
    const bool is_of_groups = std::ranges::all_of(attribute.models, [](const engine::ValueModel& it) {
      return std::holds_alternative<engine::DistinctDiversity>(it) ||
             std::holds_alternative<engine::EntropyDiversity>(it);
    });
    if (job.mondrian && !is_of_groups)
      return for_one_machine(
          fmt::format("{}: a model other than distinct and entropy l-diversity with "
                      "algorithm: mondrian",
                      attribute.name));
  }
  const auto is_aggregated = [](const JobAttribute& it) { return it.aggregate.has_value(); };
  if (std::ranges::any_of(job.attributes, is_aggregated)) return for_one_machine("aggregate");
  switch (job.suppressed_records) {
    case engine::SuppressedRecords::drop:
    case engine::SuppressedRecords::keep_or_drop: return {};
    case engine::SuppressedRecords::keep:
    case engine::SuppressedRecords::keep_or_hide: break;
  }
  return for_one_machine(fmt::format("suppressed_records: {}", engine::name(job.suppressed_records)));
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

}  // namespace

Result<std::string> describe_job(const Job& job) {
  if (auto checked = check_files(job); !checked) return checked.error();
  if (auto checked = check_models(job); !checked) return checked.error();
  auto attributes = attributes_json(job);
  if (!attributes) return attributes.error();
  json::object out{{"name", job.name},
                   {"input", input_json(job)},
                   {"attributes", *attributes},
                   {"k", job.k},
                   {"suppression", job.suppression},
                   {"threads", job.limits.threads},
                   {"suppressed_records", engine::name(job.suppressed_records)}};
  if (job.null_text) out["null"] = *job.null_text;
  if (job.seed) out["seed"] = *job.seed;
  if (job.output.file) out["output"] = job.output.file->path;
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
    if (attribute.attribute_class != AttributeClass::quasi_identifier) continue;
    const auto column = column_of(attribute, frames.texts(), frames);
    if (!frames.is_good()) return frames.error();
    if (auto resolved = resolve(attribute, column, job, writer); !resolved) return resolved;
  }
  frames.end();
  if (!frames.is_good()) return frames.error();
  return writer.finish();
}

}  // namespace pgveil::app
