#pragma once
// The subcommands of pgveil, one file each. Each prints its answer on standard output and its errors as one
// line on standard error, and returns the exit status.
#include <optional>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "jobs/input/table_input.hpp"
#include "jobs/run/applied_scheme.hpp"

namespace pgveil::app {

inline constexpr int kSuccess = 0;
inline constexpr int kMistake = 1;   // an input or the environment is wrong
inline constexpr int kUsage = 2;     // the command line is wrong
inline constexpr int kUnproven = 3;  // anonymize: published, but stopped before the optimum was proven

struct CheckArguments {
  std::string config;
  bool is_quick = false;  // count nothing
};

struct AuditVerifyArguments {
  std::vector<std::string> files;     // in the order in which they were written
  std::optional<std::string> config;  // names the key; none: the chain has no key
  // Hashes of lines, noted elsewhere.
  std::optional<std::string> after;     // of the line before the first one; none: there is no such line
  std::optional<std::string> includes;  // of a line that must be present
};

struct RewriteArguments {
  std::string config;
  std::string role;
  std::optional<std::string> database;  // none: the only configured one
  std::optional<std::string> sql;       // none: standard input
  bool is_full = false;                 // show masks in their places
};

enum class ShowWhat { tree, rules, cohorts, utility, everything };
struct PolicyShowArguments {
  std::string config;
  std::string policy;
  ShowWhat what = ShowWhat::everything;
  std::string format = "text";  // text, dot or json; the last two print the tree alone
  console::Excerpt excerpt = {.limit = std::nullopt};  // of rules and cohorts
};

struct PolicyDiffArguments {
  std::string config;
  std::string policy;
  std::optional<std::string>
      with;  // a file from policy show --format json; none: what a build would make now
};

struct PolicyExplainArguments {
  std::string config;
  std::string policy;
  std::vector<std::string> row;  // "column=value"; columns that are not named are NULL
};

struct PolicyStoredSqlArguments {
  std::string config;
  std::string policy;
};

struct PolicyBuildArguments {
  std::string config;
  std::optional<std::string> policy;  // none: all
  bool is_fresh = false;              // ignore what was shown before
};

struct AnonymizeArguments {
  std::string config;
  std::string job;
  std::string report;                         // file for the JSON report; empty: none
  std::optional<std::string> transformation;  // "1,1,2"
  bool lists_only = false;
  std::optional<std::string> frontier;  // thresholds: "2,5,10" or "50%,20%"
  std::string certificate;              // file for the certificate; empty: none
  std::optional<std::string> key_file;  // for the input's fingerprint in the certificate
  bool wants_utility = false;
  std::string report_html;                 // file for the page; empty: none
  std::optional<std::string> contingency;  // "age,illness"
  std::string contingency_report;          // file for the pairs of these two; empty: none
};

struct SparkWorkerArguments {
  std::optional<std::string> job;  // none: works on a partition on standard input
  bool resolves_domains = false;
};

struct SetupSqlArguments {
  std::string config;
  std::optional<std::string> database;  // none: the only configured one
};

struct RiskArguments {
  std::string config;
  TableArguments table;
  std::optional<std::string> columns;  // "age,zip"; none: all
  TableArguments population;           // neither file nor table: none
  std::optional<double> population_size;
  double threshold = 0.2;
  std::size_t most_columns = 2;  // of the sets whose identifying power is measured
  std::string format = "text";   // text, json or html
  std::optional<std::string> output;
};

struct CheckTableArguments {
  std::string config;
  TableArguments table;
  std::optional<std::string> job;                 // replaces the next five
  std::optional<std::string> columns, sensitive;  // "age,zip"
  std::optional<std::uint64_t> k;
  std::vector<std::string> required, orders;  // "diagnosis=distinct 3", "income=number"
  std::vector<std::string> risks;             // "average_risk 0.05"
  TableArguments population;                  // for a job's presence and k_map; neither file nor table: none
  std::optional<std::string> transformation;  // "1,1,2": the table's levels; none: found by its texts
  bool ignores_suppressed = false;            // the class that shows only *
  std::size_t most_classes = 0;               // number of offending classes whose cells are shown
  std::string format = "text";                // text, json or html
  std::optional<std::string> output;
};

struct VerifyArguments {
  std::string config;
  std::string certificate;
  TableArguments table;
  std::optional<std::string> job;     // the job that may have published the table
  std::optional<std::string> policy;  // file of the policy that may have been exported
  TableArguments input;               // neither file nor table: not checked
  std::optional<std::string> key_file;
};

struct HierarchyArguments {
  std::string config;
  TableArguments table;  // the values; neither file nor table: none
  std::string column;
  std::optional<std::string> rule, job;  // build: where to find the rule
  std::string file;                      // show, check: the hierarchy's
  std::string separator = ";";           // of that file
  std::size_t most_nodes = 0;            // show: of the tree
  std::optional<std::string> output;
};

[[nodiscard]] int run_serve(const std::string& config);
[[nodiscard]] int run_check(const CheckArguments& arguments);
[[nodiscard]] int run_anonymize(const AnonymizeArguments& arguments);
[[nodiscard]] int run_spark_worker(const SparkWorkerArguments& arguments);
[[nodiscard]] int run_setup_sql(const SetupSqlArguments& arguments);
[[nodiscard]] int run_rewrite(const RewriteArguments& arguments);
[[nodiscard]] int run_policy_build(const PolicyBuildArguments& arguments);
[[nodiscard]] int run_policy_show(const PolicyShowArguments& arguments);
[[nodiscard]] int run_policy_diff(const PolicyDiffArguments& arguments);
[[nodiscard]] int run_audit_verify(const AuditVerifyArguments& arguments);
[[nodiscard]] int run_policy_stored_sql(const PolicyStoredSqlArguments& arguments);
// Also returns kMistake if a demanded model is not met.
[[nodiscard]] int run_check_table(const CheckTableArguments& arguments);
[[nodiscard]] int run_apply(const ApplyArguments& arguments);
[[nodiscard]] int run_hierarchy_build(const HierarchyArguments& arguments);
[[nodiscard]] int run_hierarchy_show(const HierarchyArguments& arguments);
[[nodiscard]] int run_hierarchy_check(const HierarchyArguments& arguments);
// Also returns kMistake if the table is not what the certificate says.
[[nodiscard]] int run_verify_certificate(const VerifyArguments& arguments);
[[nodiscard]] int run_risk(const RiskArguments& arguments);
[[nodiscard]] int run_policy_explain(const PolicyExplainArguments& arguments);

// Prints "pgveil: message (hint)" on standard error and returns kMistake. main itself handles errors of the
// command line (kUsage).
int report(const Error& error);

}  // namespace pgveil::app
