#pragma once
// A job of `pgveil anonymize` as a value, and its reader: YAML, as strict as a policy's. docs/anonymize.md is
// the reference; its tables come from jobs/language/keys.hpp. The reader does not look at the data,
// hierarchies and databases that a job names.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/error.hpp"
#include "common/yaml.hpp"
#include "engine/data/hierarchy_builders.hpp"
#include "engine/mondrian/generalized.hpp"
#include "engine/mondrian/mondrian.hpp"
#include "engine/privacy/differential_privacy.hpp"
#include "engine/publish/class_aggregate.hpp"
#include "engine/publish/publication.hpp"
#include "engine/search/search.hpp"

namespace pgveil::app {

inline constexpr std::string_view kStandardInput = "-";

struct JobFile {
  std::string path;  // absolute; of the input also kStandardInput
  char separator = ',';
  std::optional<bool> has_header = {};  // of a hierarchy: its first record names the levels; none: not said
};

struct JobTable {
  std::string database;  // empty: that of the input, or the only configured one
  std::string schema;
  std::string table;
};

enum class AttributeClass { identifier, quasi_identifier, sensitive, insensitive };

struct JobAttribute {
  std::string name;
  AttributeClass attribute_class = AttributeClass::identifier;
  // For quasi-identifiers, and for sensitive attributes whose t-closeness is hierarchical. A file without a
  // path: none, which quasi-identifiers may have if groups show sets of values.
  std::variant<JobFile, engine::HierarchyRule> hierarchy;
  // For quasi-identifiers only:
  std::optional<unsigned> min_level, max_level;
  double weight = 1;
  bool is_continuous = false;  // its loss is computed from intervals
  bool is_numeric = false;     // ordered as numbers; then it has no hierarchy
  // What a class shows in place of its values. Without a hierarchy the attribute takes no part in the search:
  // it stays at level 1 of its two levels, the values and `*`.
  std::optional<engine::Microaggregate> aggregate;
  // For sensitive attributes only:
  std::vector<engine::ValueModel> models;
  std::optional<engine::ValueOrder> order;
};

// The subset that is published, compared with the whole input: the records of a file, each of which occurs in
// the input, or the records with one value.
struct JobSubset {
  std::optional<JobFile> file;
  std::string column, value;
};

// Attacks by somebody who knows how generalizations are chosen (docs/attacks.md).
enum class ResistedAttack { downcoding, minimality, refinement };

// algorithm: mondrian or least_loss makes groups in place of one transformation for all records.
struct JobMondrian {
  engine::CutBy cut_by = engine::CutBy::normalized_span;
  engine::Cuts cuts = engine::Cuts::strict;
  engine::Ranges ranges = engine::Ranges::tight;
  std::vector<ResistedAttack> resist = {};  // any: cuts are drawn, and groups show their regions
  // least_loss: at most so many rounds improve the groups.
  std::optional<std::size_t> rounds;
};

struct JobRecoding {
  std::size_t parts = 0;  // additional transformations at most
  double least = 0;       // share of all records that each of them shows at least
};

struct JobLimits {
  std::optional<std::int64_t> time_ms;
  std::optional<std::uint64_t> checks;
  std::optional<std::size_t> bytes;  // for snapshots
  std::size_t threads = 1;
};

struct JobOutput {
  std::optional<JobFile> file;
  std::optional<JobTable> table;
  bool replace = false;
  std::map<std::string, std::string> types;  // of the table's columns, as written in the job
};

struct Job {
  std::string name;
  std::string source;  // the job's own file
  std::string text;    // what it was read from, whatever the file has since
  std::variant<JobFile, JobTable> input;
  std::optional<std::string> null_text;
  std::vector<JobAttribute> attributes;  // in the order of the job
  std::uint64_t k = 0;
  // The column whose distinct values k counts in a class, which is never published; none: each record is one
  // unit.
  std::optional<std::string> unit;
  // Records are sampled, and k follows from it.
  std::optional<engine::DifferentialPrivacy> differential_privacy;
  double suppression = 0;  // share of the records
  std::optional<JobSubset> subset;
  std::optional<engine::DeltaPresence> presence;
  std::optional<std::uint64_t> k_map;
  std::vector<engine::RiskModel> risks;
  JobRecoding local_recoding;
  engine::QualityModel quality;
  engine::Algorithm algorithm = engine::Algorithm::flash;
  std::optional<JobMondrian> mondrian;  // in place of `algorithm`
  JobLimits limits;
  engine::SuppressedRecords suppressed_records = engine::SuppressedRecords::keep_or_drop;
  std::optional<std::uint64_t> seed;
  JobOutput output;
};

// Relative paths start at the folder of file_name. Every error is one line with file, line, column and the
// fix.
[[nodiscard]] Result<Job> read_job_text(std::string_view text, const std::string& file_name);
[[nodiscard]] Result<Job> read_job_file(const std::string& path);

// The text of NULL if the job sets none. Hierarchies of a table's column use it.
inline constexpr std::string_view kNullOfTables = "NULL";

}  // namespace pgveil::app
