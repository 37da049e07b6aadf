#include "jobs/input/aggregates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <variant>

namespace pgveil::app {
namespace {

using yaml::error_at;
using yaml::Value;

bool is_aggregated(const JobAttribute& attribute) {
  return attribute.aggregate.has_value();
}

bool is_of_all(const engine::RiskModel& model) {
  return !std::holds_alternative<engine::HighestRisk>(model);
}

bool has_delta_disclosure(const JobAttribute& attribute) {
  return std::ranges::any_of(attribute.models, [](const engine::ValueModel& it) {
    return std::holds_alternative<engine::DeltaDisclosure>(it);
  });
}

}  // namespace

Result<engine::Microaggregate> read_aggregate(const Value& value) {
  std::array<std::pair<std::string_view, engine::Microaggregate>, engine::kMicroaggregates> choices;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const auto how = static_cast<engine::Microaggregate>(i);
    choices[i] = {engine::name(how), how};
  }
  return read_choice(value, choices);
}

Result<void> hold_at_top(const JobEntries& entries, JobAttribute& attribute) {
  for (const auto& entry : entries) {
    constexpr std::array<std::string_view, 3> kOwn{"class", "aggregate", "numeric"};
    if (std::ranges::find(kOwn, entry.key) != kOwn.end()) continue;
    return error_at(entry.key_position,
                    fmt::format("{} of an attribute that is aggregated without a hierarchy", entry.key),
                    "remove it, or add a hierarchy: without one it takes no part in the search");
  }
  attribute.min_level = attribute.max_level = 1;
  attribute.weight = 0;
  return {};
}

bool is_aggregated_alone(const JobAttribute& attribute) {
  return is_aggregated(attribute) && !attribute.is_numeric && !has_hierarchy(attribute);
}

Result<void> check_classes(const Value& attributes, const Job& job) {
  const auto forms_classes = [](const JobAttribute& it) {
    return it.attribute_class == AttributeClass::quasi_identifier && !is_aggregated_alone(it);
  };
  if (std::ranges::any_of(job.attributes, forms_classes)) return {};
  return error_at(attributes.position(),
                  "all quasi-identifiers are aggregated without a hierarchy: all records would be one class",
                  "give one of them a hierarchy");
}

Result<void> check_aggregates(const Value& attributes, const Job& job) {
  if (std::ranges::none_of(job.attributes, is_aggregated)) return {};
  const auto refused = [&](std::string_view what, std::string_view why) {
    return error_at(attributes.position(), fmt::format("aggregate and {}", what),
                    fmt::format("remove one of them: {}", why));
  };
  constexpr std::string_view kTogether =
      "classes that get the same aggregates are merged; each can satisfy the model "
      "while the merged class breaks it";
  if (job.subset) return refused("subset", "what is shown can't be looked up in the population");
  if (job.local_recoding.parts > 0) return refused("local_recoding", "each shows classes in its own way");
  if (std::ranges::any_of(job.risks, is_of_all)) return refused("risks of the whole table", kTogether);
  if (std::ranges::any_of(job.attributes, has_delta_disclosure))
    return refused("delta_disclosure", kTogether);
  return {};
}

engine::Hierarchy hierarchy_to_top(const engine::Column& column) {
  engine::Hierarchy hierarchy;
  for (const auto& value : column.values) hierarchy.rows.push_back({value, std::string(engine::kSuppressed)});
  return hierarchy;
}

std::vector<engine::MicroaggregatedColumn> aggregated_columns(const Job& job) {
  std::vector<engine::MicroaggregatedColumn> made;
  for (const auto& attribute : job.attributes) {
    if (attribute.aggregate) made.push_back({attribute.name, *attribute.aggregate, job.null_text});
  }
  return made;
}

Result<AggregatedData> aggregate_job(const Job& job, const JobData& data, std::span<const unsigned> levels,
                                     const engine::Anonymity& anonymity) {
  auto made = engine::microaggregate(data.table, data.prepared, levels, anonymity, aggregated_columns(job));
  if (!made) return made.error();
  auto shown = show_table(job, data, std::move(made->table), made->suppressed_rows);
  if (!shown) return shown.error();
  return AggregatedData{std::move(*made), std::move(*shown)};
}

}  // namespace pgveil::app
