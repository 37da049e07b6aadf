// pgveil check: configuration and policies against the live catalog and the stored versions.
#include <fmt/format.h>

#include <cstdio>

#include "cli/verbs.hpp"
#include "daemon/access/bypass_roles.hpp"
#include "daemon/access/hba.hpp"
#include "daemon/access/tls.hpp"
#include "daemon/policies/examination.hpp"
#include "daemon/policies/lineage.hpp"
#include "daemon/policies/listed_views.hpp"
#include "daemon/policies/masked_copies.hpp"
#include "daemon/policies/release_findings.hpp"
#include "daemon/policies/versions.hpp"
#include "daemon/state/present.hpp"
#include "daemon/state/role_needs.hpp"
#include "db/rights/role_check.hpp"
#include "pg/print.hpp"
#include "rewriter/catalog/table_shape.hpp"
#include "rewriter/compile/policy_check.hpp"

namespace pgveil::app {
namespace {

struct CheckArguments {
  bool is_quick = false;  // count nothing
};

class Findings {
 public:
  void error(const Error& error) {
    ++errors_;
    std::fprintf(stderr, "pgveil: %s\n", one_line(error).c_str());
  }
  void error(const std::string& text) {
    ++errors_;
    std::fprintf(stderr, "pgveil: %s\n", text.c_str());
  }
  void warning(const std::string& text) {
    ++warnings_;
    std::printf("warning: %s\n", text.c_str());
  }
  void add(const std::string& database, const Finding& finding) {
    const std::string line = fmt::format("database {}: {}", database, one_line(finding));
    errors_ += finding.severity == Severity::error ? 1 : 0;
    warnings_ += finding.severity == Severity::warning ? 1 : 0;
    if (finding.severity == Severity::error) {
      std::fprintf(stderr, "pgveil: %s\n", line.c_str());
    } else {
      std::printf("%s\n", line.c_str());
    }
  }
  int finish() const {
    std::printf("%zu errors, %zu warnings\n", errors_, warnings_);
    return errors_ == 0 ? kSuccess : kMistake;
  }
  [[nodiscard]] std::size_t errors() const { return errors_; }

 private:
  std::size_t errors_ = 0;
  std::size_t warnings_ = 0;
};

void check_role(const Config& config, const Specs& specs, const std::string& database, Findings& findings) {
  const auto role =
      db::check_query_role(query_endpoint(config), database, role_needs(config, specs, database));
  if (!role) return findings.error(role.error());
  for (const auto& error : role->errors) findings.error(error);
  for (const auto& line : role->missing) findings.error(fmt::format("database {}: {}", database, line));
  for (const auto& warning : role->warnings)
    findings.warning(fmt::format("database {}: {}", database, warning));
}

void check_policies(const Specs& specs, const rewriter::Catalog& catalog, Findings& findings) {
  for (const auto& spec : specs) {
    if (spec->database != catalog.database) continue;
    const auto found = rewriter::check_policy(*spec, catalog);
    for (const auto& error : found.errors) findings.error(error);
    for (const auto& warning : found.warnings) findings.warning(warning);
  }
}

std::string names_of_added(const policy::PolicyVersion& version, const rewriter::Relation& table) {
  std::string names;
  for (const auto& column : rewriter::added_columns(version, table))
    names += (names.empty() ? "" : ", ") + pg::quote_identifier(column.name);
  return names;
}

void say_states(const DatabaseView& view, Findings& findings) {
  for (const auto& table : view.snapshot->protected_tables()) {
    const auto& state = table.state;
    if (!state.version) {
      findings.warning(fmt::format("policy {}: closed: {}", state.spec->name, state.closed_because));
      continue;
    }
    if (!state.not_stored_because.empty())
      findings.warning(fmt::format("policy {}: masks are in each query, not stored: {}", state.spec->name,
                                   state.not_stored_because));
    std::printf("policy %s: open, version %llu of %s, %llu cohorts\n", state.spec->name.c_str(),
                static_cast<unsigned long long>(state.version->number), state.version->built_at.c_str(),
                static_cast<unsigned long long>(state.version->disclosure.cohorts));
    if (const auto names = names_of_added(*state.version, *table.relation); !names.empty())
      std::printf("policy %s: hidden, because they were added since the build: %s\n",
                  state.spec->name.c_str(), names.c_str());
  }
}

void say_views(const DatabaseView& view, const LimitsConfig& limits, Findings& findings) {
  const auto unreadable = unreadable_views(*view.snapshot, limits);
  if (!unreadable) return findings.error(unreadable.error());
  for (const auto& each : *unreadable) findings.warning("view " + each);
}

void say_mask_views(const Config& config, const std::string& database, const DatabaseView& view,
                    Findings& findings) {
  const auto without = policies_without_view(config, database, *view.snapshot);
  if (!without) return findings.error(without.error());
  for (const auto& policy : *without)
    findings.warning(fmt::format(
        "policy {}: no mask view of its version, or not as pgveil makes it; serve makes it", policy));
}

void say_stray_copies(const Config& config, const Specs& specs, const std::string& database,
                      Findings& findings) {
  const auto strays = stray_copies(config, specs, database);
  if (!strays) return findings.error(strays.error());
  for (const auto& copy : *strays)
    findings.warning(
        fmt::format("database {}: pgveil.\"{}\" is a masked copy of policy {}, which has none any more; "
                    "serve drops it at its start and at RELOAD",
                    database, copy.name, copy.policy));
}

void check_releases(const Config& config, const Specs& specs, const std::string& database,
                    const DatabaseView& view, Counting counting, Findings& findings) {
  const auto lineage = lineage_findings(config, specs, database, counting);
  if (!lineage) return findings.error(lineage.error());
  for (const auto& finding : *lineage) findings.add(database, finding);
  for (const auto& table : view.snapshot->protected_tables()) {
    const auto& spec = *table.state.spec;
    const auto report = examine_release(config, spec, table.state.version.get(), counting);
    if (!report) return findings.error(report.error());
    for (const auto& finding : report->findings) findings.add(database, finding);
    for (const auto& line : report->lines) std::printf("policy %s: %s\n", spec.name.c_str(), line.c_str());
  }
}

void check_database(const Config& config, const Specs& specs, const std::string& database, Counting counting,
                    Generations& generations, Findings& findings) {
  const auto examined = examine(config, specs, database);
  if (!examined) return findings.error(examined.error());
  check_role(config, specs, database, findings);
  const std::size_t before = findings.errors();
  check_policies(specs, examined->catalog, findings);
  for (const auto* some : {&examined->server, &examined->surroundings, &examined->decisions}) {
    for (const auto& finding : *some) findings.add(database, finding);
  }
  if (has_errors(examined->server) || has_errors(examined->surroundings)) return;
  const auto view = read_database(config, specs, database, generations, MaskViews::leave);
  if (!view) return findings.error(view.error());
  if (view->version_guard == rewriter::VersionGuard::absent) {
    findings.warning(fmt::format("database {}: {}", database, kVersionsInFiles));
  }
  if (findings.errors() != before) return;
  for (const auto& finding : examined->joins) findings.add(database, finding);
  say_states(*view, findings);
  say_views(*view, config.limits, findings);
  say_mask_views(config, database, *view, findings);
  if (view->version_guard == rewriter::VersionGuard::present)
    say_stray_copies(config, specs, database, findings);
  check_releases(config, specs, database, *view, counting, findings);
}

int run_check(const CheckArguments& arguments, const std::string& config_path) {
  const auto config = read_config(config_path);
  if (!config) return report(config.error());
  Findings findings;
  if (const auto tls = read_tls(config->tls, config->backend.host); !tls) findings.error(tls.error());
  if (const auto tls = read_page_tls(config->page.tls); !tls) findings.error(tls.error());
  const auto users = read_users(*config);
  if (!users) findings.error(users.error());
  if (!config->auth.hba_file.empty()) {
    if (const auto rules = read_access_rules(*config); !rules) findings.error(rules.error());
  }
  for (const auto& warning : config->warnings) findings.warning(warning);
  for (const auto& file : distrusted_files(*config)) findings.warning(file);
  const auto specs = read_policy_files(*config);
  if (!specs) return report(specs.error());
  if (const auto bypass = check_bypass_roles(*config, *specs); !bypass) findings.error(bypass.error());
  Generations generations;
  for (const auto& database : config->backend.databases) {
    check_database(*config, *specs, database, arguments.is_quick ? Counting::none : Counting::live,
                   generations, findings);
  }
  return findings.finish();
}

}  // namespace

Verb add_check(CLI::App& parent, std::string& config) {
  const auto arguments = std::make_shared<CheckArguments>();
  auto* verb =
      add_configured(parent, "check", "compare the configuration and the policies with the live server",
                     "  pgveil check && pgveil serve\n  pgveil check --quick", config);
  verb->add_flag("--quick", arguments->is_quick, "read catalogs and statistics only; count no table");
  return {verb, [=, &config] { return run_check(*arguments, config); },
          [] { return std::string("everything"); }};
}

}  // namespace pgveil::app
