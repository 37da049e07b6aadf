#include "daemon/console/commands.hpp"

#include <fmt/format.h>

#include <utility>

#include "common/assert.hpp"
#include "common/clock.hpp"
#include "common/log.hpp"
#include "common/sqlstate.hpp"
#include "console/command_list.hpp"
#include "console/format_cohorts.hpp"
#include "console/format_policies.hpp"
#include "console/format_rules.hpp"
#include "console/format_tree.hpp"
#include "console/format_utility.hpp"
#include "daemon/policies/attack_policy.hpp"
#include "daemon/policies/builder.hpp"
#include "daemon/policies/masked_copies.hpp"
#include "daemon/policies/stored_column.hpp"
#include "daemon/state/build.hpp"
#include "daemon/state/drift.hpp"
#include "daemon/state/export_policy.hpp"
#include "daemon/statements/explain.hpp"
#include "jobs/language/files.hpp"
#include "policy/spec/entity_group.hpp"

namespace pgveil::app {
namespace {

using console::Answer;
using console::Table;
using Row = std::vector<std::optional<std::string>>;

struct OpenPolicy {
  std::shared_ptr<const policy::PolicySpec> spec;
  std::shared_ptr<const policy::PolicyVersion> version;
};

// The policy with its current version. Errors: there is no such policy; it is closed, and why.
Result<OpenPolicy> open_policy(const Present& present, const std::string& name) {
  const auto spec = find_policy(present.specs, name);
  if (!spec) return spec.error();
  const auto state = state_of(present, *spec);
  if (state.version) return OpenPolicy{*spec, state.version};
  return Error{ErrorKind::policy, std::string(sqlstate::kInsufficientPrivilege),
               fmt::format("policy {} is closed: {}", name, state.closed_because), "BUILD POLICY opens it"};
}

std::string_view outcome_word(LoadStep::Outcome outcome) {
  switch (outcome) {
    case LoadStep::Outcome::ok: return "ok";
    case LoadStep::Outcome::later: return "later";
    case LoadStep::Outcome::error: return "error";
  }
  PGVEIL_ASSERT(false);
}

// Of a version on the rows that `disclosure` and `utility` are of.
Row release_row(const policy::PolicyVersion& version, const policy::Disclosure& disclosure,
                const std::optional<policy::Utility>& utility) {
  Row row{version.policy, std::to_string(version.number)};
  for (auto& cell : console::release_cells(disclosure)) row.push_back(std::move(cell));
  for (auto& cell : console::utility_cells(version.tree, disclosure, utility)) row.push_back(std::move(cell));
  return row;
}

enum class CopyState { as_built, changed };

// The last column of CHECK POLICY.
std::string finding_of(const Recheck& recheck, const policy::PolicySpec& spec, CopyState copy,
                       const std::string& joint) {
  if (copy == CopyState::changed)
    return fmt::format("{}: the next drift check closes the policy; BUILD POLICY is needed", kCopyChanged);
  if (!recheck.is_same_shape) return "the table changed since the build: BUILD POLICY is needed";
  if (spec.source || policy::key_of(spec) != nullptr)
    return "ok: answers and these figures come from the rows of the build, because only "
           "BUILD evaluates the source";
  if (spec.enforcement == policy::Enforcement::copy)
    return "ok: answers come from the rows of the build. These figures are for the current "
           "rows";
  if (!recheck.repaired)
    return recheck.broken_because + ": BUILD POLICY is needed, or the policy must change";
  if (recheck.splits_below_k > 0) {
    return fmt::format("{} splits have a side below k = {}: {}", recheck.splits_below_k, spec.k,
                       spec.drift.action == policy::DriftAction::suppress
                           ? "the next drift check suppresses them"
                           : "drift.action is alert, so they stay open; BUILD POLICY is needed");
  }
  if (joint.empty()) return "ok";
  return fmt::format("{}: {}", joint,
                     spec.drift.action == policy::DriftAction::suppress
                         ? "the next drift check joins cohorts until all satisfy the constraints"
                         : "drift.action is alert, so nothing is repaired; BUILD POLICY is needed");
}

Table export_answer(const std::string& policy, std::string target, const db::ExportReport& report,
                    std::string tag) {
  Row row{policy, std::move(target)};
  for (auto& cell : console::release_cells(report.disclosure)) row.push_back(std::move(cell));
  Table table{console::columns_of(console::ExportToFile{}), {std::move(row)}, std::move(tag), {}};
  if (report.collapsed > 0) {
    table.notices.push_back(
        fmt::format("{} splits were suppressed in the export, because the live data no longer "
                    "support them",
                    report.collapsed));
  }
  return table;
}

// The message without the folder of the page's files.
std::string message_of(const JobRun& run) {
  std::string message = run.message;
  const std::string folder = run.folder + "/";
  for (auto at = message.find(folder); !run.folder.empty() && at != std::string::npos;
       at = message.find(folder, at))
    message.erase(at, folder.size());
  return message;
}

Row job_row(const JobRun& run) {
  const auto shown = [](const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
  };
  return {run.job,
          std::string(name(run.state)),
          run.started_by,
          run.started_at,
          shown(run.ended_at),
          std::to_string(run.checks),
          run.best ? std::optional(fmt::format("{}", *run.best)) : std::nullopt,
          run.state == JobState::done ? std::optional(std::to_string(run.rows)) : std::nullopt,
          shown(message_of(run))};
}

// The runs, and the jobs of the configuration that never ran.
Table jobs_table(std::vector<std::string> columns, const std::vector<JobRun>& runs,
                 const Result<std::vector<Job>>& jobs) {
  std::map<std::string, Row> rows;
  for (const auto& run : runs) rows.emplace(run.job, job_row(run));
  Table table{std::move(columns), {}, "SHOW", {}};
  if (jobs) {
    for (const auto& job : *jobs) {
      Row row(table.columns.size());
      row[0] = job.name;
      row[1] = "never ran";
      rows.emplace(job.name, std::move(row));
    }
  } else {
    table.notices.push_back(one_line(jobs.error()));
  }
  for (auto& [job, row] : rows) table.rows.push_back(std::move(row));
  return table;
}

}  // namespace

Answer Commands::run(const console::Request& request) {
  const auto command = console::parse_command(request.text);
  if (!command) return command.error();
  const auto standing = standing_of(serving_.present()->config, request.role);
  if (auto allowed = console::authorize(*command, standing); !allowed) return allowed.error();
  auto answered = std::visit([&](const auto& it) { return answer(it, request.role); }, *command);
  if (!answered && !answered.error().private_detail.empty()) {
    log::private_detail("console", answered.error().private_detail);
  }
  return answered;
}

Answer Commands::answer(const console::ShowPolicies&, const std::string& role) {
  const auto now = serving_.present();
  std::vector<console::PolicyLine> lines;
  for (const auto& spec : now->specs) {
    const auto state = state_of(*now, spec);
    const auto failure = serving_.failed_builds().of(spec->name, number_of(*now, *spec));
    const auto check = serving_.last_checks().of(spec->name, number_of(*now, *spec));
    lines.push_back({spec, state.version, state.closed_because, serving_.running_builds().of(spec->name),
                     enforcement_of(state), failure ? failure->at : std::string(),
                     failure ? failure->why : std::string(), check ? check->at : std::string(),
                     check ? check->finding : std::string()});
  }
  return console::policies_table(lines, standing_of(now->config, role));
}

Answer Commands::answer(const console::ShowTree& command, const std::string&) {
  const auto open = open_policy(*serving_.present(), command.policy);
  if (!open) return open.error();
  return console::tree_table(open->version->tree);
}

Answer Commands::answer(const console::ShowTreeAs& command, const std::string&) {
  const auto open = open_policy(*serving_.present(), command.policy);
  if (!open) return open.error();
  return console::tree_table_as(*open->version, command.format);
}

Answer Commands::answer(const console::ShowRules& command, const std::string&) {
  const auto open = open_policy(*serving_.present(), command.policy);
  if (!open) return open.error();
  return console::rules_table(open->version->tree, command.excerpt);
}

Answer Commands::answer(const console::ShowCohorts& command, const std::string&) {
  const auto open = open_policy(*serving_.present(), command.policy);
  if (!open) return open.error();
  return console::cohorts_table(open->version->tree, command.excerpt);
}

Answer Commands::answer(const console::ShowUtility& command, const std::string&) {
  const auto open = open_policy(*serving_.present(), command.policy);
  if (!open) return open.error();
  return console::utility_table(*open->version);
}

Answer Commands::answer(const console::ShowStored& command, const std::string&) {
  const auto now = serving_.present();
  const auto open = open_policy(*now, command.policy);
  if (!open) return open.error();
  const auto sql = stored_sql(now->config, *open->spec, *open->version);
  if (!sql) return sql.error();
  return console::lines_table(command, *sql);
}

Answer Commands::answer(const console::ShowRefusals&, const std::string&) {
  return serving_.refusals().table();
}

Answer Commands::answer(const console::ShowVersion& command, const std::string&) {
  return Table{console::columns_of(command), {{std::string("pgveil " PGVEIL_VERSION)}}, "SHOW", {}};
}

Answer Commands::answer(const console::ShowHelp&, const std::string&) {
  return console::help_table();
}

Answer Commands::answer(const console::BuildPolicy& command, const std::string& role) {
  const auto spec = find_policy(serving_.present()->specs, command.policy);
  if (!spec) return spec.error();
  const auto published =
      build_and_publish(serving_, *spec, command.is_fresh ? Lineage::begin : Lineage::go_on, role);
  if (!published) return published.error();
  return Table{console::columns_of(command),
               {release_row(*published, published->disclosure, published->utility)},
               "BUILD POLICY",
               console::build_lines(**spec, *published)};
}

Answer Commands::answer(const console::CheckPolicy& command, const std::string&) {
  const auto now = serving_.present();
  const auto open = open_policy(*now, command.policy);
  if (!open) return open.error();
  const auto recheck = recheck_version(build_endpoint(now->config), *open->spec, *open->version, utc_now());
  if (!recheck) return recheck.error();
  const auto is_as_built = is_copy_as_built(now->config, *open->spec, *open->version);
  if (!is_as_built) return is_as_built.error();
  const auto copy = *is_as_built ? CopyState::as_built : CopyState::changed;
  Result<std::string> joint = std::string();
  if (recheck->repaired) joint = joint_drift_of(*now, *open->spec, *recheck->repaired);
  if (!joint) return joint.error();
  Row row = release_row(*open->version, recheck->disclosure,
                        recheck->is_same_shape ? std::optional(recheck->utility) : std::nullopt);
  row.push_back(std::to_string(recheck->splits_below_k));
  const auto finding = finding_of(*recheck, *open->spec, copy, *joint);
  row.push_back(finding);
  serving_.last_checks().checked(open->spec->name, open->version->number, {utc_now(), finding});
  return Table{console::columns_of(command), {std::move(row)}, "CHECK POLICY", {}};
}

Answer Commands::answer(const console::AttackPolicy& command, const std::string&) {
  const auto now = serving_.present();
  const auto open = open_policy(*now, command.policy);
  if (!open) return open.error();
  const auto report =
      attack_policy(now->config, now->specs, {open->spec, open->version, ""}, command.columns, {});
  if (!report) return report.error();
  auto text = attack::attack_report_as(*report, command.format);
  if (command.format == ReportFormat::text) return console::lines_table(command, text);
  return Table{console::columns_of(command), {{std::move(text)}}, "SHOW", {}};
}

Answer Commands::answer(const console::ExplainPolicy& command, const std::string&) {
  const auto now = serving_.present();
  const auto& databases = now->config.backend.databases;
  if (!command.database && databases.size() != 1) {
    return Error{ErrorKind::usage, std::string(sqlstate::kInvalidParameterValue), "which database?",
                 "EXPLAIN POLICY FOR ROLE r IN DATABASE d 'SQL'"};
  }
  return explain_table(
      serving_.examine(command.sql, {command.role}, command.database.value_or(databases.front())),
      command.sql, command.is_full ? Masks::in_place : Masks::named);
}

Answer Commands::answer(const console::Reload& command, const std::string& role) {
  const auto steps = serving_.reload();
  Table table{console::columns_of(command), {}, "RELOAD", {}};
  for (const auto& step : steps)
    table.rows.push_back({step.item, std::string(outcome_word(step.outcome)), step.message});
  const bool is_ok = is_applied(steps);
  if (!is_ok) table.notices.push_back("nothing was changed. The rows with errors come first");
  // Which roles are masked or exempt, and how the server is reached, may have changed.
  if (net::Server* server = server_; is_ok && server != nullptr) server->pools().reconnect("");
  log::info("console", fmt::format("RELOAD by {}: {}", role,
                                   is_ok ? "done" : "nothing was changed, because there are errors"));
  return table;
}

Answer Commands::answer(const console::ExportToTable& command, const std::string& role) {
  const auto now = serving_.present();
  const auto open = open_policy(*now, command.policy);
  if (!open) return open.error();
  const auto report = export_policy_to_table(*now, *open->spec, *open->version, command.schema, command.table,
                                             command.certificate);
  if (!report) return report.error();
  log::info("policy " + command.policy, "exported to a table by " + role);
  return export_answer(command.policy, command.schema + "." + command.table, *report, "EXPORT POLICY");
}

Answer Commands::answer(const console::ExportToFile& command, const std::string& role) {
  const auto now = serving_.present();
  const auto open = open_policy(*now, command.policy);
  if (!open) return open.error();
  const auto report =
      export_policy_to_file(*now, *open->spec, *open->version, command.file, command.certificate);
  if (!report) return report.error();
  log::info("policy " + command.policy, "exported to a file by " + role);
  return export_answer(command.policy, command.file, *report, "EXPORT POLICY");
}

Answer Commands::answer(const console::AnonymizeJob& command, const std::string& role) {
  auto now = serving_.present();
  auto job = find_job(now->config, command.job);
  if (!job) return job.error();
  if (!command.table.empty()) {
    const auto database = job->output.table ? job->output.table->database : std::string();
    job->output.table = JobTable{database, command.schema, command.table};
    job->output.file.reset();
    job->output.replace = false;  // this was meant for the job's own target
  }
  if (auto started = jobs_.start(std::move(now), std::move(*job), role); !started) return started.error();
  log::info("job " + command.job, "started by " + role);
  return Table{console::columns_of(command), {{command.job, "running"}}, "ANONYMIZE JOB", {}};
}

Answer Commands::answer(const console::CancelJob& command, const std::string& role) {
  if (auto cancelled = jobs_.cancel(command.job); !cancelled) return cancelled.error();
  log::info("job " + command.job, "cancelled by " + role);
  return Table{console::columns_of(command), {{command.job, "cancelled"}}, "CANCEL JOB", {}};
}

Answer Commands::answer(const console::ShowJobs& command, const std::string&) {
  return jobs_table(console::columns_of(command), jobs_.runs(), read_job_files(serving_.present()->config));
}

Answer Commands::answer(const console::Benign& command, const std::string&) {
  Table table{command.columns, {}, command.tag, {}};
  for (const auto& row : command.rows) table.rows.emplace_back(row.begin(), row.end());
  return table;
}

}  // namespace pgveil::app
