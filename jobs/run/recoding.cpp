#include "jobs/run/recoding.hpp"

namespace pgveil::app {

Result<RecodedData> recode_job(const Job& job, const JobData& data, std::span<const unsigned> levels,
                               const engine::SearchOptions& options) {
  auto recoding = engine::recode_locally(data.table, data.prepared, data.quasi_identifiers, data.privacy,
                                         levels, options, job.local_recoding);
  if (!recoding) return recoding.error();
  auto prepared = prepare_shown(recoding->table, data);
  if (!prepared) return prepared.error();
  return RecodedData{std::move(*recoding), std::move(*prepared)};
}

}  // namespace pgveil::app
