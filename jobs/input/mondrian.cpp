#include "jobs/input/mondrian.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>
#include <variant>

#include "common/workers.hpp"

namespace pgveil::app {
namespace {

using yaml::error_at;
using yaml::in_quotes;
using yaml::Value;

constexpr std::string_view kMondrian = "mondrian";

template <class Choice, std::size_t Count>
std::string_view word_in(const std::array<std::pair<std::string_view, Choice>, Count>& choices,
                         Choice choice) {
  for (const auto& [word, value] : choices) {
    if (value == choice) return word;
  }
  return {};
}

Result<JobMondrian> read_section(const Value& value) {
  const auto entries = read_job_section(value, kMondrian);
  if (!entries) return entries.error();
  FirstError errors;
  JobMondrian made;
  if (const auto* cut_by = yaml::find(*entries, "cut_by"))
    made.cut_by = errors.take(read_choice(*cut_by, kCutBy));
  if (const auto* cuts = yaml::find(*entries, "cuts")) made.cuts = errors.take(read_choice(*cuts, kCuts));
  if (const auto* ranges = yaml::find(*entries, "ranges"))
    made.ranges = errors.take(read_choice(*ranges, kRanges));
  if (errors.error()) return *errors.error();
  return made;
}

// Refuses keys that only a search over transformations can use.
Result<void> check_keys(const JobEntries& entries) {
  constexpr std::array<std::string_view, 11> kOfLattices{"suppression",   "suppressed_records",
                                                         "outliers",      "metric",
                                                         "aggregate",     "gs",
                                                         "presence",      "subset",
                                                         "k_map",         "risk",
                                                         "local_recoding"};
  for (const auto& entry : entries) {
    if (std::ranges::find(kOfLattices, entry.key) == kOfLattices.end()) continue;
    return error_at(entry.key_position, fmt::format("{} has no meaning with algorithm: mondrian", entry.key),
                    "remove it, because Mondrian cuts groups and neither suppresses nor searches");
  }
  const auto* limits = yaml::find(entries, "limits");
  if (limits == nullptr) return {};
  const auto inside = limits->as_map();
  if (!inside) return inside.error();
  for (const auto& entry : *inside) {
    if (entry.key != "threads")
      return error_at(entry.key_position,
                      fmt::format("{} has no meaning with algorithm: mondrian", entry.key),
                      "remove it. threads is the only limit that applies");
  }
  return {};
}

bool is_of_groups(const engine::ValueModel& model) {
  return std::holds_alternative<engine::DistinctDiversity>(model) ||
         std::holds_alternative<engine::EntropyDiversity>(model);
}

Result<void> check_attributes(const Value& attributes, const Job& job) {
  for (const auto& attribute : job.attributes) {
    if (attribute.aggregate)
      return error_at(attributes.position(),
                      fmt::format("{}: aggregate has no meaning with algorithm: mondrian", attribute.name),
                      "remove it, because groups show their own ranges");
    if (attribute.min_level || attribute.max_level || attribute.weight != 1 || attribute.is_continuous) {
      return error_at(
          attributes.position(),
          fmt::format("{}: levels, weights and continuous have no meaning with algorithm: mondrian",
                      attribute.name),
          "remove them");
    }
    if (std::ranges::all_of(attribute.models, is_of_groups)) continue;
    return error_at(
        attributes.position(),
        fmt::format("{}: mondrian supports only k, distinct and entropy l-diversity", attribute.name),
        "remove the other models, or search with flash");
  }
  return {};
}

Result<engine::Dimension> dimension_of(const JobAttribute& attribute, const engine::Column& column,
                                       const Job& job, const HierarchyOf& hierarchy_of) {
  if (attribute.is_numeric) {
    return engine::numeric_dimension(
        column, job.null_text ? std::optional<std::string_view>(*job.null_text) : std::nullopt);
  }
  const auto hierarchy = hierarchy_of(attribute);
  if (!hierarchy) return hierarchy.error();
  return engine::categorical_dimension(column, *hierarchy);
}

engine::GroupDiversity diversity_of(std::size_t column, const engine::ValueModel& model) {
  if (const auto* entropy = std::get_if<engine::EntropyDiversity>(&model))
    return {column, engine::GroupDiversity::Kind::entropy, entropy->l};
  return {column, engine::GroupDiversity::Kind::distinct, std::get<engine::DistinctDiversity>(model).l};
}

struct Columns {
  std::vector<engine::Dimension> dimensions;
  std::vector<const engine::CodeColumn*> quasi_identifiers, sensitive;
  std::vector<engine::GroupDiversity> diversity;
};

Result<Columns> columns_of(const Job& job, const engine::Table& table, const HierarchyOf& hierarchy_of) {
  Columns out;
  for (const auto& attribute : job.attributes) {
    if (attribute.attribute_class == AttributeClass::identifier) continue;
    const engine::Column& column = *table.find(attribute.name);
    if (attribute.attribute_class == AttributeClass::quasi_identifier) {
      auto dimension = dimension_of(attribute, column, job, hierarchy_of);
      if (!dimension) return dimension.error();
      out.dimensions.push_back(std::move(*dimension));
      out.quasi_identifiers.push_back(&column.codes);
    }
    if (attribute.models.empty()) continue;
    for (const auto& model : attribute.models)
      out.diversity.push_back(diversity_of(out.sensitive.size(), model));
    out.sensitive.push_back(&column.codes);
  }
  return out;
}

Result<engine::Groups> cut(const Job& job, const Columns& columns, const std::function<bool()>& is_aborted,
                           const db::Progress& progress) {
  Workers workers(job.limits.threads);
  engine::MondrianOptions options;
  options.k = job.k;
  options.diversity = columns.diversity;
  options.cut_by = job.mondrian->cut_by;
  options.cuts = job.mondrian->cuts;
  options.parallel.threads = job.limits.threads;
  options.parallel.run = [&workers](std::size_t parts, const auto& work) { workers.run(parts, work); };
  options.is_aborted = is_aborted;
  if (progress) options.progress = [&](std::uint64_t records) { progress("cutting into groups", records); };
  return engine::mondrian(columns.dimensions, columns.quasi_identifiers, columns.sensitive, options);
}

}  // namespace

bool asks_for_mondrian(const JobEntries& entries) {
  const auto* algorithm = yaml::find(entries, "algorithm");
  if (algorithm == nullptr) return false;
  const auto name = algorithm->as_string();
  return name && *name == kMondrian;
}

Result<void> read_mondrian(const JobEntries& entries, const Value& attributes, Job& job) {
  const auto* section = yaml::find(entries, kMondrian);
  if (!asks_for_mondrian(entries)) {
    if (section != nullptr)
      return error_at(section->position(), "mondrian without its algorithm", "write algorithm: mondrian");
    const auto numeric = std::ranges::find(job.attributes, true, &JobAttribute::is_numeric);
    if (numeric == job.attributes.end()) return {};
    return error_at(attributes.position(),
                    fmt::format("{} is numeric, which mondrian alone can use", numeric->name),
                    "give it a hierarchy, for example intervals");
  }
  if (auto checked = check_keys(entries); !checked) return checked;
  if (auto checked = check_attributes(attributes, job); !checked) return checked;
  job.mondrian = JobMondrian{};
  if (section == nullptr) return {};
  auto read = read_section(*section);
  if (!read) return read.error();
  job.mondrian = *read;
  return {};
}

Result<JobGroups> cut_into_groups(const Job& job, engine::Table table, const HierarchyOf& hierarchy_of,
                                  const std::function<bool()>& is_aborted, const db::Progress& progress) {
  const auto begin = std::chrono::steady_clock::now();
  const auto columns = columns_of(job, table, hierarchy_of);
  if (!columns) return columns.error();
  const auto groups = cut(job, *columns, is_aborted, progress);
  if (!groups) return groups.error();
  JobGroups out;
  out.report.tight = engine::quality_of(*groups, columns->dimensions, engine::Ranges::tight);
  out.report.region = engine::quality_of(*groups, columns->dimensions, engine::Ranges::region);
  for (std::size_t d = 0; d < columns->dimensions.size(); ++d) {
    const auto found = std::ranges::find(table.columns, columns->dimensions[d].name, &engine::Column::name);
    *found = engine::generalized(*groups, columns->dimensions, d, job.mondrian->ranges);
  }
  out.table = std::move(table);
  out.report.ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  return out;
}

std::string_view word_of(engine::CutBy cut_by) {
  return word_in(kCutBy, cut_by);
}
std::string_view word_of(engine::Cuts cuts) {
  return word_in(kCuts, cuts);
}
std::string_view word_of(engine::Ranges ranges) {
  return word_in(kRanges, ranges);
}

engine::Hierarchy identity_hierarchy(const engine::Column& column) {
  engine::Hierarchy hierarchy;
  for (const auto& value : column.values) hierarchy.rows.push_back({value});
  return hierarchy;
}

}  // namespace pgveil::app
