#include "cli/job_recoding.hpp"

#include "cli/job_mondrian.hpp"

namespace pgveil::cli {

Result<RecodedData> recode_job(const Job& job, const JobData& data, std::span<const unsigned> levels,
                               const engine::SearchOptions& options) {
  auto recoding = engine::recode_locally(data.table, data.prepared, data.quasi_identifiers, data.privacy,
                                         levels, options, job.local_recoding);
  if (!recoding) return recoding.error();
  std::vector<engine::QuasiIdentifier> as_shown;
  for (const auto& it : data.quasi_identifiers)
    as_shown.push_back({it.column, identity_hierarchy(*recoding->table.find(it.column))});
  auto prepared = engine::prepare(recoding->table, as_shown, data.privacy);
  if (!prepared) return prepared.error();
  return RecodedData{std::move(*recoding), std::move(*prepared)};
}

}  // namespace pgveil::cli
