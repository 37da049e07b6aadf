#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "engine/publish/judged_rows.hpp"
#include "jobs/input/aggregates.hpp"
#include "jobs/input/mondrian.hpp"
#include "jobs/language/job.hpp"
#include "jobs/language/keys.hpp"
#include "jobs/language/privacy.hpp"
#include "jobs/language/values.hpp"
#include "policy/spec/column_reader.hpp"

namespace pgveil::app {
namespace {

using yaml::error_at;
using yaml::in_quotes;
using yaml::Value;

constexpr std::int64_t kMaxK = std::int64_t{1} << 32;
constexpr std::int64_t kMaxChecks = std::int64_t{1} << 53;
constexpr std::int64_t kMaxBytes = std::int64_t{1} << 40;
constexpr std::int64_t kMaxThreads = 256;
constexpr std::int64_t kMaxParts = 1000;

// The value of a required key, or the section itself after recording an error.
const Value& required(const JobEntries& entries, const Value& section, std::string_view key,
                      std::string_view fix, FirstError& errors) {
  if (const auto* value = yaml::find(entries, key)) return *value;
  errors.add(error_at(section.position(), fmt::format("{} is missing", in_quotes(key)), fix));
  return section;
}

Result<AttributeClass> read_class(const Value& value) {
  constexpr std::array<std::pair<std::string_view, AttributeClass>, 4> kClasses{
      {{"identifier", AttributeClass::identifier},
       {"quasi_identifier", AttributeClass::quasi_identifier},
       {"sensitive", AttributeClass::sensitive},
       {"insensitive", AttributeClass::insensitive}}};
  return read_choice(value, kClasses);
}

// Whether a quasi-identifier needs a hierarchy if it is not numeric.
enum class Hierarchies { are_required, are_optional };

Result<void> read_quasi_identifier(const JobEntries& entries, const Value& value, const std::string& folder,
                                   Hierarchies hierarchies, JobAttribute& attribute) {
  FirstError errors;
  for (const auto& entry : entries) {
    constexpr std::array<std::string_view, 5> kOfValues{"l_diversity", "t_closeness", "beta_likeness",
                                                        "delta_disclosure", "order"};
    if (std::ranges::find(kOfValues, entry.key) == kOfValues.end()) continue;
    return error_at(entry.key_position,
                    fmt::format("{} is for sensitive attributes only", in_quotes(entry.key)),
                    "remove it, or change the class. A value by which an attacker finds a record is "
                    "known already and can't be protected");
  }
  if (const auto* numeric = yaml::find(entries, "numeric"))
    attribute.is_numeric = errors.take(numeric->as_boolean());
  if (const auto* continuous = yaml::find(entries, "continuous"))
    attribute.is_continuous = errors.take(continuous->as_boolean());
  if (const auto* aggregate = yaml::find(entries, "aggregate"))
    attribute.aggregate = errors.take(read_aggregate(*aggregate));
  if (errors.error()) return *errors.error();
  if (attribute.aggregate && !attribute.is_numeric && yaml::find(entries, "hierarchy") == nullptr)
    return hold_at_top(entries, attribute);
  const bool is_needed = hierarchies == Hierarchies::are_required;
  if (!attribute.is_numeric && (is_needed || yaml::find(entries, "hierarchy") != nullptr)) {
    const auto& hierarchy = required(entries, value, "hierarchy", "add hierarchy: {file: name.csv}", errors);
    if (errors.error()) return *errors.error();
    attribute.hierarchy = errors.take(read_job_hierarchy(hierarchy, folder));
  } else if (const auto* hierarchy = yaml::find(entries, "hierarchy"); attribute.is_numeric && hierarchy) {
    return error_at(hierarchy->position(), "a hierarchy of a numeric attribute", "remove one of the two");
  }
  const auto level = [&](std::string_view key, std::optional<unsigned>& target) {
    if (const auto* given = yaml::find(entries, key))
      target = static_cast<unsigned>(errors.take(given->as_integer(0, 127)));
  };
  level("min_level", attribute.min_level);
  level("max_level", attribute.max_level);
  if (const auto* weight = yaml::find(entries, "weight"))
    attribute.weight = errors.take(read_decimal(*weight, 0, HUGE_VAL));
  if (!errors.error() && attribute.min_level && attribute.max_level &&
      *attribute.min_level > *attribute.max_level) {
    return error_at(value.position(), "min_level is above max_level", "swap them");
  }
  return errors.error() ? Result<void>(*errors.error()) : Result<void>();
}

Result<JobAttribute> read_attribute(const std::string& name, const Value& value, const std::string& folder,
                                    Hierarchies hierarchies) {
  const auto entries = read_job_section(value, "attributes");
  if (!entries) return entries.error();
  FirstError errors;
  JobAttribute attribute;
  attribute.name = name;
  attribute.attribute_class =
      errors.take(read_class(required(*entries, value, "class", "add class: quasi_identifier", errors)));
  if (errors.error()) return *errors.error();
  if (attribute.attribute_class == AttributeClass::quasi_identifier) {
    if (auto read = read_quasi_identifier(*entries, value, folder, hierarchies, attribute); !read)
      return read.error();
    return attribute;
  }
  if (attribute.attribute_class == AttributeClass::sensitive) {
    if (auto read = read_sensitive(*entries, folder, attribute); !read) return read.error();
    return attribute;
  }
  for (const auto& entry : *entries) {
    if (entry.key == "class") continue;
    return error_at(entry.key_position, fmt::format("{} is not for this class", in_quotes(entry.key)),
                    "remove it, or change the class to quasi_identifier or sensitive");
  }
  return attribute;
}

Result<std::vector<JobAttribute>> read_attributes(const Value& value, const std::string& folder,
                                                  Hierarchies hierarchies) {
  const auto entries = value.as_map();
  if (!entries) return entries.error();
  std::vector<JobAttribute> attributes;
  for (const auto& entry : *entries) {
    if (entry.key.empty())
      return error_at(entry.key_position, "an attribute without a name", "name a column");
    auto attribute = read_attribute(entry.key, entry.value, folder, hierarchies);
    if (!attribute) return attribute.error();
    attributes.push_back(std::move(*attribute));
  }
  const auto is_quasi = [](const JobAttribute& it) {
    return it.attribute_class == AttributeClass::quasi_identifier;
  };
  if (std::ranges::any_of(attributes, is_quasi)) return attributes;
  return error_at(value.position(), "no quasi-identifier",
                  "without a quasi-identifier there is nothing to generalize");
}

// The table of a section, with its database.
std::optional<JobTable> read_table_keys(const JobEntries& entries, FirstError& errors) {
  const auto* table = yaml::find(entries, "table");
  const auto* database = yaml::find(entries, "database");
  if (table == nullptr) {
    if (database != nullptr)
      errors.add(error_at(database->position(), "a database without a table", "remove it"));
    return std::nullopt;
  }
  auto made = errors.take(read_job_table(*table));
  if (database != nullptr) made.database = errors.take(policy::read_identifier(*database, "a database"));
  return made;
}

bool is_standard_input(const JobEntries& entries) {
  const auto path = yaml::find(entries, "file")->as_string();
  return path && *path == kStandardInput;
}

Result<void> read_input(const Value& value, const std::string& folder, Job& job) {
  const auto entries = read_job_section(value, "input");
  if (!entries) return entries.error();
  FirstError errors;
  auto file = errors.take(read_job_file_keys(*entries, folder, ','));
  if (file && is_standard_input(*entries)) file->path = kStandardInput;
  const auto table = read_table_keys(*entries, errors);
  const auto* null = yaml::find(*entries, "null");
  if (null != nullptr) job.null_text = errors.take(null->as_string());
  if (errors.error()) return *errors.error();
  if (job.null_text == engine::kSuppressed)
    return error_at(null->position(), "null is *, which stands for everything in what is published",
                    "write another text for NULL");
  if (file.has_value() == table.has_value()) {
    return error_at(value.position(),
                    file ? "input is both a file and a table" : "input is neither file nor table",
                    "give one of file and table");
  }
  if (file) {
    job.input = *file;
  } else {
    job.input = *table;
    if (!job.null_text) job.null_text = std::string(kNullOfTables);
  }
  return {};
}

Result<std::map<std::string, std::string>> read_types(const Value& value, const Job& job) {
  const auto entries = value.as_map();
  if (!entries) return entries.error();
  std::map<std::string, std::string> types;
  for (const auto& entry : *entries) {
    const auto same_name = [&](const JobAttribute& it) { return it.name == entry.key; };
    const auto found = std::ranges::find_if(job.attributes, same_name);
    if (found == job.attributes.end() || found->attribute_class == AttributeClass::identifier) {
      return error_at(entry.key_position, fmt::format("{} is not published", in_quotes(entry.key)),
                      "name an attribute that is not an identifier");
    }
    auto type = entry.value.as_string();
    if (!type) return type.error();
    constexpr std::array<std::string_view, 12> kTypes{"text",    "smallint", "integer",          "bigint",
                                                      "numeric", "real",     "double precision", "boolean",
                                                      "date",    "time",     "timestamptz",      "timestamp"};
    if (std::ranges::find(kTypes, *type) == kTypes.end()) {
      return error_at(entry.value.position(), fmt::format("unknown type {}", in_quotes(*type)),
                      yaml::suggestion(*type, kTypes));
    }
    types.emplace(entry.key, std::move(*type));
  }
  return types;
}

Result<void> read_output(const Value& value, const std::string& folder, Job& job) {
  const auto entries = read_job_section(value, "output");
  if (!entries) return entries.error();
  FirstError errors;
  job.output.file = errors.take(read_job_file_keys(*entries, folder, ','));
  job.output.table = read_table_keys(*entries, errors);
  if (const auto* replace = yaml::find(*entries, "replace"))
    job.output.replace = errors.take(replace->as_boolean());
  const auto* types = yaml::find(*entries, "types");
  if (types != nullptr) job.output.types = errors.take(read_types(*types, job));
  if (errors.error()) return *errors.error();
  if (!job.output.file && !job.output.table)
    return error_at(value.position(), "output is neither file nor table", "give one of them, or both");
  if (types != nullptr && !job.output.table)
    return error_at(types->position(), "types without a table", "remove them");
  return {};
}

Result<JobLimits> read_limits(const Value& value) {
  const auto entries = read_job_section(value, "limits");
  if (!entries) return entries.error();
  FirstError errors;
  JobLimits limits;
  if (const auto* time = yaml::find(*entries, "time")) limits.time_ms = errors.take(time->as_duration_ms());
  if (const auto* checks = yaml::find(*entries, "checks"))
    limits.checks = static_cast<std::uint64_t>(errors.take(checks->as_integer(1, kMaxChecks)));
  if (const auto* bytes = yaml::find(*entries, "bytes"))
    limits.bytes = static_cast<std::size_t>(errors.take(bytes->as_integer(0, kMaxBytes)));
  if (const auto* threads = yaml::find(*entries, "threads"))
    limits.threads = static_cast<std::size_t>(errors.take(threads->as_integer(1, kMaxThreads)));
  if (errors.error()) return *errors.error();
  return limits;
}

Result<engine::Metric> read_metric(const Value& value) {
  std::array<std::pair<std::string_view, engine::Metric>, engine::kMetrics> choices;
  for (std::size_t i = 0; i < engine::kMetrics; ++i) {
    const auto metric = static_cast<engine::Metric>(i);
    choices[i] = {engine::name(metric), metric};
  }
  return read_choice(value, choices);
}

Result<engine::Algorithm> read_algorithm(const Value& value) {
  using engine::Algorithm;
  std::array<std::pair<std::string_view, Algorithm>, engine::kAlgorithms> choices;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const auto algorithm = static_cast<Algorithm>(i);
    choices[i] = {engine::name(algorithm), algorithm};
  }
  return read_choice(value, choices);
}

constexpr std::array<std::pair<std::string_view, engine::Aggregate>, 5> kAggregates{
    {{"sum", engine::Aggregate::sum},
     {"arithmetic_mean", engine::Aggregate::arithmetic_mean},
     {"geometric_mean", engine::Aggregate::geometric_mean},
     {"maximum", engine::Aggregate::maximum},
     {"rank", engine::Aggregate::rank}}};
// Older jobs say `outliers`. Its words meant only what happens if the suppressed records break a model.
constexpr std::array<std::pair<std::string_view, engine::SuppressedRecords>, 3> kOutliers{
    {{"drop", engine::SuppressedRecords::keep_or_drop},
     {"hide", engine::SuppressedRecords::keep_or_hide},
     {"as_reference", engine::SuppressedRecords::keep}}};

Result<engine::SuppressedRecords> read_suppressed_records(const JobEntries& entries) {
  const auto* outliers = yaml::find(entries, "outliers");
  const auto* suppressed = yaml::find(entries, "suppressed_records");
  if (outliers != nullptr && suppressed != nullptr)
    return error_at(outliers->position(), "outliers and suppressed_records",
                    "remove outliers: it is the older key for the same choice");
  if (outliers != nullptr) return read_choice(*outliers, kOutliers);
  if (suppressed == nullptr) return engine::SuppressedRecords::keep_or_drop;
  std::array<std::pair<std::string_view, engine::SuppressedRecords>, engine::kSuppressedRecords> choices;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const auto choice = static_cast<engine::SuppressedRecords>(i);
    choices[i] = {engine::name(choice), choice};
  }
  return read_choice(*suppressed, choices);
}

void read_goal(const JobEntries& entries, const Value& document, Job& job, FirstError& errors) {
  if (yaml::find(entries, "differential_privacy") == nullptr)
    job.k = static_cast<std::uint64_t>(
        errors.take(required(entries, document, "k", "add k: 5", errors).as_integer(1, kMaxK)));
  if (const auto* share = yaml::find(entries, "suppression"))
    job.suppression = errors.take(read_share(*share));
  if (const auto* metric = yaml::find(entries, "metric"))
    job.quality.metric = errors.take(read_metric(*metric));
  if (const auto* aggregate = yaml::find(entries, "aggregate"))
    job.quality.aggregate = errors.take(read_choice(*aggregate, kAggregates));
  if (const auto* gs = yaml::find(entries, "gs")) job.quality.gs = errors.take(read_decimal(*gs, 0, 1));
  if (const auto* algorithm = yaml::find(entries, "algorithm");
      algorithm != nullptr && !asks_for_groups(entries))
    job.algorithm = errors.take(read_algorithm(*algorithm));
  if (const auto* limits = yaml::find(entries, "limits")) job.limits = errors.take(read_limits(*limits));
  job.suppressed_records = errors.take(read_suppressed_records(entries));
  if (const auto* seed = yaml::find(entries, "seed"))
    job.seed = static_cast<std::uint64_t>(errors.take(seed->as_integer(0, INT64_MAX)));
}

// A number of parts, or a section.
Result<void> read_recoding_limits(const Value& value, JobRecoding& recoding) {
  const auto read_parts = [&](const Value& given) -> Result<void> {
    const auto parts = given.as_integer(0, kMaxParts);
    if (!parts) return parts.error();
    recoding.parts = static_cast<std::size_t>(*parts);
    return {};
  };
  if (value.as_string()) return read_parts(value);
  const auto entries = read_job_section(value, "local_recoding");
  if (!entries) return entries.error();
  const auto* parts = yaml::find(*entries, "parts");
  if (parts == nullptr) {
    recoding.parts = static_cast<std::size_t>(kMaxParts);
  } else if (auto read = read_parts(*parts); !read) {
    return read;
  }
  const auto* least = yaml::find(*entries, "least");
  if (least == nullptr) return {};
  const auto share = read_share(*least);
  if (!share) return share.error();
  recoding.least = *share;
  return {};
}

// Refuses models that two parts of a table can each keep but break together.
Result<void> read_local_recoding(const JobEntries& entries, Job& job) {
  const auto* value = yaml::find(entries, "local_recoding");
  if (value == nullptr) return {};
  if (auto read = read_recoding_limits(*value, job.local_recoding); !read) return read;
  if (job.local_recoding.parts == 0) return {};
  const auto refused = [&](std::string_view what) {
    return error_at(value->position(), fmt::format("local_recoding and {}", what),
                    "remove one of them, because parts that satisfy the model can break it together");
  };
  if (job.subset) return refused("subset");
  const auto is_of_all = [](const engine::RiskModel& it) {
    return !std::holds_alternative<engine::HighestRisk>(it);
  };
  if (std::ranges::any_of(job.risks, is_of_all)) return refused("risks of the whole table");
  for (const auto& attribute : job.attributes) {
    for (const auto& model : attribute.models) {
      if (std::holds_alternative<engine::DeltaDisclosure>(model)) return refused("delta_disclosure");
    }
  }
  return {};
}

Result<void> check_weights(const Value& attributes, const Job& job) {
  const auto counts = [](const JobAttribute& it) {
    return it.attribute_class == AttributeClass::quasi_identifier && it.weight > 0;
  };
  if (std::ranges::any_of(job.attributes, counts)) return {};
  return error_at(attributes.position(), "all weights are 0", "leave one above 0");
}

Result<Job> read_document(const Value& document, const std::string& file_name) {
  const auto entries = read_job_section(document, "");
  if (!entries) return entries.error();
  FirstError errors;
  Job job;
  job.source = std::filesystem::absolute(file_name).lexically_normal().string();
  const auto folder = std::filesystem::path(job.source).parent_path().string();
  const auto get = [&](std::string_view key, std::string_view fix) -> const Value& {
    return required(*entries, document, key, fix, errors);
  };
  const Value& version = get("version", "add version: 1");
  if (!errors.error())
    errors.check([&]() -> Result<void> {
      const auto read = version.as_integer(1, 1);
      return read ? Result<void>() : Result<void>(read.error());
    }());
  job.name = errors.take(policy::read_own_name(get("name", "add name: my_job"), "a job's name"));
  errors.check(read_input(get("input", "add input: {file: name.csv}"), folder, job));
  const Value& attributes = get("attributes", "add attributes: {age: {class: …}}");
  job.attributes = errors.take(read_attributes(
      attributes, folder, asks_for_sets(*entries) ? Hierarchies::are_optional : Hierarchies::are_required));
  if (!errors.error()) errors.check(check_classes(attributes, job));
  if (!errors.error()) errors.check(check_weights(attributes, job));
  read_goal(*entries, document, job, errors);
  errors.check(read_subset(*entries, folder, job));
  errors.check(read_risk(*entries, job));
  errors.check(read_local_recoding(*entries, job));
  errors.check(read_groups(*entries, attributes, job));
  errors.check(check_aggregates(attributes, job));
  if (!errors.error()) errors.check(read_unit(*entries, job));
  if (!errors.error()) errors.check(read_differential_privacy(*entries, job));
  errors.check(read_output(get("output", "add output: {file: name.csv}"), folder, job));
  if (errors.error()) return *errors.error();
  return job;
}

}  // namespace

Result<Job> read_job_text(std::string_view text, const std::string& file_name) {
  const auto document = yaml::parse(text, file_name);
  if (!document) return document.error();
  auto job = read_document(*document, file_name);
  if (job) job->text = text;
  return job;
}

Result<Job> read_job_file(const std::string& path) {
  const auto text = yaml::read_file(path);
  if (!text) return text.error();
  return read_job_text(*text, path);
}

}  // namespace pgveil::app
