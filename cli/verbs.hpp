#pragma once
// The verbs of pgveil, one file for each; main.cpp has them in the order of the help.
#include "cli/verb.hpp"

namespace pgveil::app {

[[nodiscard]] Verb add_init(CLI::App& parent, std::string& config);
[[nodiscard]] Verb add_serve(CLI::App& parent, std::string& config);
[[nodiscard]] Verb add_status(CLI::App& parent, std::string& config);
[[nodiscard]] Verb add_reload(CLI::App& parent, std::string& config);
[[nodiscard]] Verb add_check(CLI::App& parent, std::string& config);
[[nodiscard]] Verb add_setup_sql(CLI::App& parent, std::string& config);
[[nodiscard]] Verb add_user_add(CLI::App& parent, std::string& config);
[[nodiscard]] Verb add_user_remove(CLI::App& parent, std::string& config);
[[nodiscard]] Verb add_user_list(CLI::App& parent, std::string& config);
[[nodiscard]] Verb add_rewrite(CLI::App& parent, std::string& config);
[[nodiscard]] Verb add_policy_build(CLI::App& parent, std::string& config);
[[nodiscard]] Verb add_policy_show(CLI::App& parent, std::string& config);
[[nodiscard]] Verb add_policy_diff(CLI::App& parent, std::string& config);
[[nodiscard]] Verb add_policy_stored_sql(CLI::App& parent, std::string& config);
[[nodiscard]] Verb add_policy_suggest(CLI::App& parent, std::string& config);
[[nodiscard]] Verb add_policy_explain(CLI::App& parent, std::string& config);
[[nodiscard]] Verb add_anonymize(CLI::App& parent, std::string& config);
[[nodiscard]] Verb add_attack(CLI::App& parent, std::string& config);
[[nodiscard]] Verb add_risk(CLI::App& parent, std::string& config);
[[nodiscard]] Verb add_check_table(CLI::App& parent, std::string& config);
[[nodiscard]] Verb add_apply(CLI::App& parent, std::string& config);
[[nodiscard]] Verb add_job_init(CLI::App& parent, std::string& config);
[[nodiscard]] Verb add_hierarchy_build(CLI::App& parent, std::string& config);
[[nodiscard]] Verb add_hierarchy_show(CLI::App& parent, std::string& config);
[[nodiscard]] Verb add_hierarchy_check(CLI::App& parent, std::string& config);
[[nodiscard]] Verb add_verify_certificate(CLI::App& parent, std::string& config);
[[nodiscard]] Verb add_audit_verify(CLI::App& parent, std::string& config);
[[nodiscard]] Verb add_spark_worker(CLI::App& parent, std::string& config);

// Of command_docs.cpp: what is printed about the command line itself.
[[nodiscard]] Verb add_version(CLI::App& parent, std::string& config);
[[nodiscard]] Verb add_completion(CLI::App& parent, std::string& config);
[[nodiscard]] Verb add_config_doc(CLI::App& parent, std::string& config);
[[nodiscard]] Verb add_man_page(CLI::App& parent, std::string& config);

}  // namespace pgveil::app
