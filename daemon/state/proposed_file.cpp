#include "daemon/state/proposed_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <set>
#include <utility>

#include "common/files/whole_file.hpp"
#include "common/sqlstate.hpp"
#include "daemon/access/auth_query.hpp"
#include "daemon/access/bypass_roles.hpp"
#include "daemon/policies/examination.hpp"
#include "daemon/state/role_needs.hpp"
#include "db/rights/role_check.hpp"
#include "policy/spec/spec_reader.hpp"
#include "rewriter/compile/policy_check.hpp"
#include "settings/policy_files.hpp"

namespace pgveil::app {
namespace {

constexpr std::size_t kMostNamedBytes = std::size_t{16} << 20;

// A text that comes over the network must not make pgveil read any file that it may read.
policy::ReadNamedFile files_of_folder(const std::string& path) {
  return [folder = std::filesystem::path(path).parent_path()](
             const yaml::Position& at, const std::string& name) -> Result<std::string> {
    const std::filesystem::path named(name);
    const bool is_inside = !named.is_absolute() && std::ranges::find(named, "..") == named.end();
    if (!is_inside)
      return yaml::error_at(
          at, fmt::format("the file {} is not in the folder of policies", yaml::in_quotes(name)),
          "move it there; a policy that is applied here names no other files");
    const auto text = read_whole((folder / named).string(), kMostNamedBytes);
    if (text && *text) return **text;
    return yaml::error_at(at, fmt::format("the file {} can't be read", yaml::in_quotes(name)),
                          "put it into the folder of policies");
  };
}

// ---- what it shows in addition

// How much of a column readers see.
int openness(policy::ColumnClass column_class) {
  switch (column_class) {
    case policy::ColumnClass::identifier: return 0;
    case policy::ColumnClass::key: return 1;
    case policy::ColumnClass::quasi_identifier: return 2;
    case policy::ColumnClass::sensitive:
    case policy::ColumnClass::insensitive: return 3;
  }
  return 3;
}

std::string_view word_for(policy::ColumnClass column_class) {
  switch (column_class) {
    case policy::ColumnClass::identifier: return "identifier";
    case policy::ColumnClass::key: return "key";
    case policy::ColumnClass::quasi_identifier: return "quasi_identifier";
    case policy::ColumnClass::sensitive: return "sensitive";
    case policy::ColumnClass::insensitive: return "insensitive";
  }
  return "";
}

void compare_columns(const policy::PolicySpec& before, const policy::PolicySpec& after,
                     std::vector<std::string>& out) {
  for (const auto& column : after.columns) {
    const auto had = std::ranges::find(before.columns, column.name, &policy::ColumnRule::name);
    const bool is_new = had == before.columns.end();
    const auto was =
        is_new ? policy::ColumnClass::identifier : had->column_class;  // unlisted ones are hidden
    if (openness(column.column_class) > openness(was))
      out.push_back(fmt::format("policy {}: column {}: {} → {}", after.name, column.name, word_for(was),
                                word_for(column.column_class)));
    if (is_new) continue;
    if (had->level && !column.level)
      out.push_back(fmt::format("policy {}: column {}: exact values, not levels", after.name, column.name));
    if (column.constraints.size() < had->constraints.size())
      out.push_back(fmt::format("policy {}: column {}: {} of {} constraints", after.name, column.name,
                                column.constraints.size(), had->constraints.size()));
  }
}

void compare_roles(const policy::PolicySpec& before, const policy::PolicySpec& after,
                   std::vector<std::string>& out) {
  for (const auto& role : after.readers) {
    if (std::ranges::find(before.readers, role) == before.readers.end())
      out.push_back(fmt::format("policy {}: role {} may read it", after.name, role));
  }
  for (const auto& role : after.exempt_roles) {
    if (std::ranges::find(before.exempt_roles, role) == before.exempt_roles.end())
      out.push_back(fmt::format("policy {}: role {} reads it without masks", after.name, role));
  }
  if (after.is_access_from_database && !before.is_access_from_database)
    out.push_back(fmt::format("policy {}: PostgreSQL's grants decide who reads it", after.name));
}

// ---- what is wrong with it

bool is_over_table(const policy::PolicySpec& spec, const policy::PolicySpec& other) {
  return spec.database == other.database && spec.schema == other.schema && spec.table == other.table;
}

// open_tables would show the rows of such a table as they are.
void refuse_opened_tables(const Config& config, const std::vector<policy::PolicySpec>& former,
                          const std::vector<policy::PolicySpec>& all, std::vector<Error>& errors) {
  for (const auto& spec : former) {
    const bool is_kept = std::ranges::any_of(all, [&](const auto& it) { return is_over_table(it, spec); });
    if (is_kept || !is_in_open_tables(config, spec.database, spec.schema + "." + spec.table)) continue;
    errors.push_back(
        error_of_kind(ErrorKind::policy,
                      fmt::format("without policy {} open_tables would show {}.{} to every role as it is",
                                  spec.name, spec.schema, spec.table),
                      "take the table out of open_tables first"));
  }
}

void check_databases_of(const Config& config, const std::vector<policy::PolicySpec>& specs,
                        std::vector<Error>& errors) {
  for (const auto& spec : specs) {
    if (std::ranges::find(config.backend.databases, spec.database) != config.backend.databases.end())
      continue;
    errors.push_back(yaml::error_at(spec.at,
                                    fmt::format("policy {}: database {} is not in backend.databases",
                                                spec.name, yaml::in_quotes(spec.database)),
                                    "name a database that is served"));
  }
}

Result<std::vector<policy::PolicySpec>> other_policies(const Config& config, const std::string& path) {
  const auto files = policy_file_paths(config);
  if (!files) return files.error();
  std::vector<policy::PolicySpec> others;
  for (const auto& file : *files) {
    if (file == path) continue;
    auto specs = read_policy_file(file);
    if (!specs) return specs.error();
    std::move(specs->begin(), specs->end(), std::back_inserter(others));
  }
  return others;
}

std::vector<db::NeededRead> reads_of_builds(const std::vector<policy::PolicySpec>& policies,
                                            const std::string& database) {
  std::vector<db::NeededRead> reads;
  for (const auto& spec : policies) {
    if (spec.database == database && !spec.source)
      reads.push_back({"policy " + spec.name, spec.schema, spec.table});
  }
  return reads;
}

// Only what the text would add to the findings that are there already.
void add_findings(const std::vector<Finding>& findings, const std::vector<Finding>& known,
                  ProposedFile& out) {
  for (const auto& finding : findings) {
    if (std::ranges::find(known, finding) != known.end()) continue;
    switch (finding.severity) {
      case Severity::note: break;
      case Severity::warning: out.warnings.push_back(one_line(finding)); break;
      case Severity::error:
        out.errors.push_back(
            error_of_kind(ErrorKind::policy, one_line(finding), "docs/check.md describes it"));
        break;
    }
  }
}

// What `pgveil check --quick` says of the database and of the policies of the text.
Result<void> check_in(const std::string& database, const Present& present, const Specs& specs,
                      ProposedFile& out) {
  const Config& config = present.config;
  const auto examined = examine(config, specs, database);
  if (!examined) return examined.error();
  for (const auto& spec : out.policies) {
    if (spec.database != database) continue;
    auto found = rewriter::check_policy(spec, examined->catalog);
    std::ranges::move(found.errors, std::back_inserter(out.errors));
    std::ranges::move(found.warnings, std::back_inserter(out.warnings));
    if (found.closing) out.errors.push_back(*found.closing);
  }
  if (!out.errors.empty()) return {};
  const auto view = present.databases.find(database);
  const DatabaseView known = view == present.databases.end() ? DatabaseView{} : view->second;
  add_findings(examined->surroundings, known.surroundings_findings, out);
  add_findings(examined->joins, known.join_findings, out);
  auto sources = source_tables(config, specs, *examined);
  if (!sources) return sources.error();
  std::ranges::move(sources->errors, std::back_inserter(out.errors));
  auto role =
      db::check_query_role(query_endpoint(config), database, role_needs(config, specs, database, *sources));
  if (!role) return role.error();
  for (const auto& excess : role->errors)
    out.errors.push_back(error_of_kind(ErrorKind::configuration, excess, "mend it, then apply the policy"));
  for (auto& right : role->missing) out.missing.push_back({database, std::move(right)});
  auto builds =
      db::missing_admin_rights(build_endpoint(config), database, reads_of_builds(out.policies, database));
  if (!builds) return builds.error();
  for (auto& right : *builds) out.missing.push_back({database, std::move(right)});
  return {};
}

std::set<std::string> databases_of(const std::vector<policy::PolicySpec>& policies) {
  std::set<std::string> databases;
  for (const auto& spec : policies) databases.insert(spec.database);
  return databases;
}

// Without a database: what the texts say of each other.
Result<Specs> together_with_others(const Config& config, const std::string& path, ProposedFile& out) {
  auto all = other_policies(config, path);
  if (!all) return all.error();
  all->insert(all->end(), out.policies.begin(), out.policies.end());
  if (auto together = policy::check_together(*all); !together) out.errors.push_back(together.error());
  check_databases_of(config, out.policies, out.errors);
  refuse_opened_tables(config, out.former, *all, out.errors);
  Specs specs;
  for (auto& spec : *all) specs.push_back(std::make_shared<const policy::PolicySpec>(std::move(spec)));
  if (config.auth_query) {
    if (auto fits = check_auth_query(config, specs); !fits) out.errors.push_back(fits.error());
  }
  return specs;
}

}  // namespace

std::vector<std::string> shown_in_addition(const std::vector<policy::PolicySpec>& before,
                                           const std::vector<policy::PolicySpec>& after) {
  std::vector<std::string> out;
  for (const auto& spec : after) {
    auto had = std::ranges::find(before, spec.name, &policy::PolicySpec::name);
    if (had == before.end())
      had = std::ranges::find_if(before, [&](const auto& it) { return is_over_table(it, spec); });
    if (had == before.end()) continue;
    if (spec.k < had->k) out.push_back(fmt::format("policy {}: k: {} → {}", spec.name, had->k, spec.k));
    compare_columns(*had, spec, out);
    compare_roles(*had, spec, out);
  }
  return out;
}

Result<ProposedFile> examine_proposed(const Present& present, const std::string& path, std::string_view yaml,
                                      const std::optional<std::string>& former) {
  const Config& config = present.config;
  ProposedFile out;
  const auto named = files_of_folder(path);
  auto policies = policy::read_policy_text(yaml, std::string(kProposedName), named);
  if (former) {
    if (auto had = policy::read_policy_text(*former, std::string(kProposedName), named))
      out.former = std::move(*had);
  }
  if (!policies) {
    out.errors.push_back(policies.error());
    return out;
  }
  out.policies = std::move(*policies);
  for (const auto& spec : out.former) {
    const bool is_kept =
        std::ranges::find(out.policies, spec.name, &policy::PolicySpec::name) != out.policies.end();
    if (!is_kept) out.removed.push_back(spec.name);
  }
  out.shows_more = shown_in_addition(out.former, out.policies);
  const auto specs = together_with_others(config, path, out);
  if (!specs) return specs.error();
  if (!out.errors.empty()) return out;
  if (auto bypass = check_bypass_roles(config, *specs); !bypass) out.errors.push_back(bypass.error());
  for (const auto& database : databases_of(out.policies)) {
    if (auto checked = check_in(database, present, *specs, out); !checked) return checked.error();
  }
  return out;
}

}  // namespace pgveil::app
