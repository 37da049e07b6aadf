#include "jobs/input/private_levels.hpp"

#include <utility>
#include <vector>

#include "common/sqlstate.hpp"
#include "common/workers.hpp"
#include "engine/check/prepared_table.hpp"
#include "jobs/input/data.hpp"
#include "jobs/input/random_secret.hpp"
#include "jobs/input/search_demands.hpp"

namespace pgveil::app {

Result<engine::PrivateChoice> choose_levels(const Job& job, const engine::Table& table,
                                            const std::function<bool()>& is_aborted) {
  std::vector<engine::QuasiIdentifier> quasi_identifiers;
  for (const auto& attribute : job.attributes) {
    if (attribute.attribute_class != AttributeClass::quasi_identifier) continue;
    auto hierarchy = hierarchy_of(attribute, *table.find(attribute.name), job);
    if (!hierarchy) return hierarchy.error();
    quasi_identifiers.push_back({attribute.name, std::move(*hierarchy)});
  }
  const auto prepared = engine::prepare(table, quasi_identifiers);
  if (!prepared) return prepared.error();
  std::vector<unsigned> heights;
  for (const auto attribute : prepared->given_order)
    heights.push_back(prepared->attributes[attribute].height());
  auto range = level_range(job, heights);
  if (!range) return range.error();
  const auto& wanted = *job.differential_privacy;
  Workers workers(job.limits.threads);
  engine::PrivateChoiceOptions options;
  options.epsilon = wanted.search_epsilon;
  options.sampling_rate = engine::sampling_rate(wanted.sampling_epsilon());
  options.k = job.k;
  options.min_levels = std::move(range->low);
  options.max_levels = std::move(range->high);
  options.weights = quality_of(job).weights;
  options.parallel.threads = job.limits.threads;
  options.parallel.run = [&workers](std::size_t parts, const auto& part) { workers.run(parts, part); };
  options.stop = is_aborted;
  engine::SecretDraws draws(random_secret());
  auto chosen = engine::choose_privately(*prepared, options, draws);
  if (!chosen) return chosen.error();
  if (*chosen) return std::move(**chosen);
  return Error{ErrorKind::usage, std::string(sqlstate::kQueryCanceled), "interrupted; nothing was published"};
}

}  // namespace pgveil::app
