#include "jobs/input/search_demands.hpp"

#include <fmt/format.h>

#include "jobs/input/data.hpp"

namespace pgveil::app {

Result<LevelRange> level_range(const Job& job, const std::vector<unsigned>& heights) {
  LevelRange range;
  for (const auto& attribute : job.attributes) {
    if (attribute.attribute_class != AttributeClass::quasi_identifier) continue;
    const unsigned height = heights[range.low.size()];
    range.low.push_back(attribute.min_level.value_or(0));
    range.high.push_back(attribute.max_level.value_or(height));
    if (range.low.back() <= range.high.back() && range.high.back() <= height) continue;
    return error_of_kind(ErrorKind::configuration,
                         fmt::format("levels {} to {} of {} do not exist", range.low.back(),
                                     range.high.back(), attribute.name),
                         fmt::format("it has levels 0 to {}", height));
  }
  return range;
}

engine::QualityModel quality_of(const Job& job) {
  auto quality = job.quality;
  for (const auto& attribute : job.attributes) {
    if (attribute.attribute_class == AttributeClass::quasi_identifier)
      quality.weights.push_back(attribute.weight);
  }
  return quality;
}

engine::Anonymity anonymity_of(const Job& job, std::uint64_t suppression_limit) {
  engine::Anonymity made{job.k, suppression_limit, {}, job.presence, job.k_map, job.risks};
  std::size_t column = 0;
  for (const auto& attribute : job.attributes) {
    if (attribute.models.empty()) continue;
    for (const auto& model : attribute.models) made.sensitive.push_back({column, model});
    ++column;
  }
  if (job.unit) made.sensitive.push_back({column, units_of_class(job)});
  return made;
}

}  // namespace pgveil::app
