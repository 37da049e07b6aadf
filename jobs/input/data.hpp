#pragma once
// Reads the data of a job and prepares it for the engine: the input's columns and their hierarchies.
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "db/server/progress.hpp"
#include "engine/check/prepared_table.hpp"
#include "engine/search/private_choice.hpp"
#include "jobs/language/groups.hpp"
#include "settings/config.hpp"

namespace pgveil::app {

struct JobData {
  engine::Table table;  // the attributes except identifiers, in the job's order; then the unit, if any
  engine::PreparedTable prepared;
  std::map<std::string, std::string> types;  // PostgreSQL's, of the columns whose types the input tells
  std::vector<std::string> not_published;    // identifiers, and columns that the job does not list
  std::uint64_t read_rows = 0;               // of which `table` has all, or a sample
  std::uint64_t unknown_rows = 0;            // left out before the sample was drawn (known_values.hpp)
  // If the job has them chosen privately. In the job's order.
  std::optional<engine::PrivateChoice> chosen = {};
  // Set if the job makes groups. Then `table` shows its groups, and no quasi-identifier has a level above its
  // values.
  std::optional<JobGroupsReport> groups = {};
  // The table before it was cut into groups, if the caller wants to keep it.
  std::optional<engine::Table> input = {};
  // What `prepared` was made from.
  std::vector<engine::QuasiIdentifier> quasi_identifiers = {};
  engine::PrivacyColumns privacy = {};
  // Columns of the input that `table` has with other texts, because values were joined (alike_values.hpp).
  std::vector<engine::Column> joined = {};
};

// The input's rows. REQUIRES: if the job makes groups, its input was kept.
[[nodiscard]] const engine::Table& table_as_read(const JobData& data);

// Names of all columns but the identifiers, in the job's order.
[[nodiscard]] std::vector<std::string> published_columns(const Job& job);

// What each class promises of the unit's column: k distinct values, like a sensitive column with k values.
// REQUIRES: job.unit.
[[nodiscard]] engine::DistinctDiversity units_of_class(const Job& job);

// Names of the files that the job reads: itself, its input, its hierarchies.
[[nodiscard]] std::vector<std::string> files_read_by(const Job& job);

[[nodiscard]] bool needs_config(const Job& job);

// The table with its database filled in. Errors: the configuration has no such database, or it is unclear
// which one is meant.
[[nodiscard]] Result<JobTable> placed(const Config& config, JobTable table);

// hierarchy_of returns the hierarchy that the job gives for the attribute, made for the column's values. For
// an attribute that is aggregated without a hierarchy it is the values and `*`. Errors: a file that cannot be
// read or parsed; those of build_hierarchy. REQUIRES: the attribute has a hierarchy, or is aggregated without
// one.
[[nodiscard]] bool has_hierarchy(const JobAttribute& attribute);
[[nodiscard]] Result<engine::Hierarchy> hierarchy_of(const JobAttribute& attribute,
                                                     const engine::Column& column, const Job& job);

// Whether to keep the input of a job that makes groups. For other jobs the input always stays as it is.
enum class InputOfGroups { is_dropped, is_kept };

struct JobReading {
  // The input, in place of what the job names; null: what the job names is read. NULL is job.null_text.
  const engine::Table* table = nullptr;
  InputOfGroups input = InputOfGroups::is_dropped;
  // Called with the rows as they were read, with nulls as input.null says; may be empty.
  std::function<void(const engine::Table&)> on_input = {};
  // As in GroupsHooks, for a job that makes groups.
  std::function<bool()> wants_best_so_far = {};
  std::function<void()> on_groups = {};
};

// config: null if the job has no table. Errors: files that cannot be read or parsed; attributes that the
// input does not have (all are named); records without a unit; what read_source_table, build_hierarchy,
// prepare and make_groups refuse. The offending values are in private_detail.
[[nodiscard]] Result<JobData> read_job_data(const Job& job, const Config* config,
                                            const std::function<bool()>& is_aborted,
                                            const db::Progress& progress, const JobReading& how = {});

// A table that shows the job's quasi-identifiers as they are to be published. They have no level above their
// values, and sensitive values are compared with those of the job's input.
struct ShownTable {
  engine::Table table;
  engine::PreparedTable prepared;
  std::uint64_t dropped = 0;           // records that were taken out of the table
  std::vector<std::size_t> kept = {};  // the places of the others before; empty: all are there
};

// suppressed: rows of `shown` that show only `*` because they are suppressed. With suppressed_records: drop,
// they are taken out. Errors: no row would be left; those of prepare.
[[nodiscard]] Result<ShownTable> show_table(const Job& job, const JobData& data, engine::Table shown,
                                            std::span<const std::size_t> suppressed);

}  // namespace pgveil::app
