#include "daemon/policies/examination.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "common/log.hpp"
#include "common/sqlstate.hpp"
#include "daemon/access/database_access.hpp"
#include "db/catalog/catalog_loader.hpp"
#include "db/catalog/surroundings_loader.hpp"
#include "db/server/server_facts_loader.hpp"
#include "review/candidate_check.hpp"
#include "review/closure_check.hpp"
#include "review/open_by_pattern.hpp"
#include "review/release_check.hpp"
#include "review/server_check.hpp"
#include "rewriter/compile/policy_check.hpp"

namespace pgveil::app {

namespace {

std::vector<Finding> find_surroundings(const Config& config, const Specs& specs, Examination& examined,
                                       const rewriter::Surroundings& surroundings) {
  const rewriter::Catalog& catalog = examined.catalog;
  std::vector<const policy::PolicySpec*> policies;
  for (const auto& spec : specs) {
    if (spec->database == catalog.database) policies.push_back(spec.get());
  }
  auto open = open_tables_of(config, catalog.database);
  auto by_pattern = review::open_by_pattern(open_patterns_of(config, catalog.database), open, catalog,
                                            policies, surroundings);
  open.insert(open.end(), by_pattern.tables.begin(), by_pattern.tables.end());
  examined.by_pattern = std::move(by_pattern.tables);
  examined.pattern_access = std::move(by_pattern.access);
  const review::OwnerDecisions standings(catalog, policies, open);
  auto findings = review::check_closure(standings, surroundings);
  std::move(by_pattern.closed.begin(), by_pattern.closed.end(), std::back_inserter(findings));
  for (const auto* spec : policies) {
    if (auto unlisted = review::unlisted_source(*spec)) findings.push_back(std::move(*unlisted));
    const auto* relation = catalog.find(spec->schema, spec->table);
    if (relation == nullptr) continue;  // policy_check reports this
    auto found = review::check_release(*spec, *relation, standings, surroundings);
    std::move(found.begin(), found.end(), std::back_inserter(findings));
  }
  return findings;
}

std::vector<std::string> sources_in(const Specs& specs, const std::string& database) {
  std::vector<std::string> out;
  for (const auto& spec : specs) {
    if (spec->database != database || !spec->source) continue;
    const std::string& select = spec->source->select;
    out.push_back(select.empty() ? spec->schema + "." + spec->table : select);
  }
  return out;
}

// Applies the owner's decisions to all findings. Decisions that match no finding become findings themselves.
void decide(Examination& examined, const std::vector<Acknowledgement>& acknowledged) {
  std::vector<Finding> all = examined.server;
  all.insert(all.end(), examined.surroundings.begin(), examined.surroundings.end());
  all = settle(std::move(all), acknowledged);
  const auto surroundings = all.begin() + static_cast<std::ptrdiff_t>(examined.server.size());
  const auto decisions = surroundings + static_cast<std::ptrdiff_t>(examined.surroundings.size());
  examined.server.assign(all.begin(), surroundings);
  examined.surroundings.assign(surroundings, decisions);
  examined.decisions.assign(decisions, all.end());
  const auto is_join = [](const Finding& finding) { return finding.kind == FindingKind::join_key; };
  std::ranges::copy_if(examined.surroundings, std::back_inserter(examined.joins), is_join);
  std::erase_if(examined.surroundings, is_join);
}

}  // namespace

Result<Examination> examine(const Config& config, const Specs& specs, const std::string& database) {
  const auto endpoint = query_endpoint(keeping_connections(config));
  Examination out;
  auto catalog = db::load_catalog(
      endpoint, database,
      {config.backend.schemas, open_tables_of(config, database), granted_tables(config, specs, database),
       open_patterns_of(config, database), sources_in(specs, database)});
  if (!catalog) return catalog.error();
  out.catalog = std::move(*catalog);
  const auto facts = db::load_server_facts(endpoint, database);
  if (!facts) return facts.error();
  auto verdict = review::check_server(*facts);
  out.catalog.dropped_functions = std::move(verdict.dropped_functions);
  out.server = std::move(verdict.findings);
  auto candidates = review::judge_candidates(out.catalog, config.open_functions);
  std::move(candidates.begin(), candidates.end(), std::back_inserter(out.server));
  const auto surroundings = db::load_surroundings(endpoint, database);
  if (!surroundings) return surroundings.error();
  out.surroundings = find_surroundings(config, specs, out, *surroundings);
  out.reads = surroundings->reads;
  decide(out, acknowledged_in(config, database));
  return out;
}

Result<void> check_joins(const Config& config, const Specs& specs, const policy::PolicySpec& spec) {
  const auto examined = examine(config, specs, spec.database);
  if (!examined) return examined.error();
  // What keeps pgveil from serving keeps it from building, too: a cast of a user's type runs with our rights.
  if (auto sound = refuse_errors(examined->server); !sound) return sound.error();
  // Before the table is read, which for another kind of relation ends in an error of PostgreSQL's.
  const auto fits = rewriter::check_policy(spec, examined->catalog);
  if (!fits.errors.empty()) return fits.errors.front();
  const std::string of_table = fmt::format(" {}.{}.", spec.schema, spec.table);
  for (const Finding& finding : examined->joins) {
    if (finding.severity != Severity::error || finding.object.find(of_table) == std::string::npos) continue;
    return Error{ErrorKind::policy, std::string(sqlstate::kInsufficientPrivilege), finding.what,
                 finding.mend};
  }
  return {};
}

Result<void> refuse_errors(const std::vector<Finding>& findings) {
  const auto is_error = [](const Finding& finding) { return finding.severity == Severity::error; };
  const auto first = std::ranges::find_if(findings, is_error);
  if (first == findings.end()) return {};
  const auto more = std::ranges::count_if(findings, is_error) - 1;
  return Error{ErrorKind::configuration, std::string(sqlstate::kInsufficientPrivilege),
               fmt::format("{}{}", first->what, more == 0 ? "" : fmt::format(" (and {} more)", more)),
               fmt::format("{}; `pgveil check` lists all", first->mend)};
}

void log_findings(const std::string& database, const std::vector<Finding>& findings) {
  for (const auto& finding : findings) {
    const std::string text = fmt::format("{}: {}; {}", code_of(finding.kind), finding.what, finding.mend);
    switch (finding.severity) {
      case Severity::note: break;
      case Severity::warning: log::warning("database " + database, text); break;
      case Severity::error: log::error("database " + database, text); break;
    }
  }
}

void count_findings(const std::string& database, const std::vector<Finding>& findings) {
  std::vector<Finding> errors;
  std::size_t warnings = 0;
  for (const auto& finding : findings) {
    if (finding.severity == Severity::error) errors.push_back(finding);
    if (finding.severity == Severity::warning) ++warnings;
  }
  log_findings(database, errors);
  if (warnings == 0) return;
  log::warning("database " + database,
               fmt::format("{} findings about the protected tables need a decision; `pgveil check` lists "
                           "them",
                           warnings));
}

}  // namespace pgveil::app
