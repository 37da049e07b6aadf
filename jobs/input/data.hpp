#pragma once
// What a job reads, made ready for the engine: the input's columns and their hierarchies.
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "db/server/progress.hpp"
#include "engine/check/prepared_table.hpp"
#include "jobs/language/groups.hpp"
#include "settings/config.hpp"

namespace pgveil::app {

struct JobData {
  engine::Table table;  // the attributes that are no identifiers, in the job's order
  engine::PreparedTable prepared;
  std::map<std::string, std::string> types;  // of a PostgreSQL table's columns
  std::vector<std::string> not_published;    // identifiers and columns that are not listed
  // Of algorithm: mondrian. Then `table` shows its groups, each quasi-identifier with nothing above its
  // values.
  std::optional<JobGroupsReport> groups = {};
  // The table before it was cut into groups, if it is to be kept.
  std::optional<engine::Table> input = {};
  // What `prepared` was made of.
  std::vector<engine::QuasiIdentifier> quasi_identifiers = {};
  engine::PrivacyColumns privacy = {};
};

// Names of the files that the job reads: itself, its input, its hierarchies.
[[nodiscard]] std::vector<std::string> files_read_by(const Job& job);

[[nodiscard]] bool needs_config(const Job& job);

// The table with its database filled in. Errors: no such database in the configuration, or which one is not
// clear.
[[nodiscard]] Result<JobTable> placed(const Config& config, JobTable table);

// As the job gives it, for the values of the column; of an attribute that is aggregated alone, its values and
// `*`. Errors: a file that can't be read or parsed; those of build_hierarchy. REQUIRES: the attribute has
// one, or is aggregated alone.
[[nodiscard]] bool has_hierarchy(const JobAttribute& attribute);
[[nodiscard]] Result<engine::Hierarchy> hierarchy_of(const JobAttribute& attribute,
                                                     const engine::Column& column, const Job& job);

// Of algorithm: mondrian only; else the input stays as it is.
enum class InputOfGroups { is_dropped, is_kept };

struct JobReading {
  InputOfGroups input = InputOfGroups::is_dropped;
  // Called with the rows as they were read, nulls as input.null says; may be empty.
  std::function<void(const engine::Table&)> on_input = {};
};

// config: null when the job has no table. Errors: files that can't be read or parsed; attributes that the
// input has not (all are named); what read_source_table, build_hierarchy, prepare and cut_into_groups refuse.
// The offending values are in private_detail.
[[nodiscard]] Result<JobData> read_job_data(const Job& job, const Config* config,
                                            const std::function<bool()>& is_aborted,
                                            const db::Progress& progress, const JobReading& how = {});

// `shown`: the job's table with its quasi-identifiers as they are to be published; nothing is above their
// values. Errors: those of prepare.
[[nodiscard]] Result<engine::PreparedTable> prepare_shown(const engine::Table& shown, const JobData& data);

}  // namespace pgveil::app
