// pgveil check: configuration and policies against the live catalog and the stored versions.
#include <fmt/format.h>

#include <cstdio>
#include <ctime>
#include <optional>
#include <utility>

#include "cli/verbs.hpp"
#include "daemon/access/bypass_roles.hpp"
#include "daemon/access/hba.hpp"
#include "daemon/access/tls.hpp"
#include "daemon/access/tls_certificates.hpp"
#include "daemon/policies/examination.hpp"
#include "daemon/policies/lineage.hpp"
#include "daemon/policies/listed_views.hpp"
#include "daemon/policies/masked_copies.hpp"
#include "daemon/policies/release_findings.hpp"
#include "daemon/policies/versions.hpp"
#include "daemon/state/present.hpp"
#include "daemon/state/role_needs.hpp"
#include "db/rights/role_check.hpp"
#include "db/server/same_cluster.hpp"
#include "pg/print.hpp"
#include "review/group_findings.hpp"
#include "rewriter/catalog/table_shape.hpp"
#include "rewriter/compile/policy_check.hpp"
#include "settings/plaintext.hpp"

namespace pgveil::app {
namespace {

struct CheckArguments {
  bool is_quick = false;   // count nothing
  bool wants_all = false;  // each finding on a line of its own, and all notes
};

class Findings {
 public:
  explicit Findings(bool wants_all) : wants_all_(wants_all) {}
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
  // print() prints it, with the others of its database.
  void add(const Finding& finding) {
    errors_ += finding.severity == Severity::error ? 1 : 0;
    warnings_ += finding.severity == Severity::warning ? 1 : 0;
    added_.push_back(finding);
  }
  void detail(const std::string& line) {
    if (wants_all_) std::printf("%s\n", line.c_str());
  }
  void print(const std::string& database) {
    review::GroupedFindings grouped;
    if (wants_all_) {
      grouped.lines = review::by_danger(std::move(added_));
    } else {
      grouped = review::group_findings(std::move(added_));
    }
    added_.clear();
    notes_left_out_ += grouped.notes_left_out;
    for (const Finding& finding : grouped.lines) {
      const std::string line = fmt::format("database {}: {}", database, one_line(finding));
      if (finding.severity == Severity::error) {
        std::fprintf(stderr, "pgveil: %s\n", line.c_str());
      } else {
        std::printf("%s\n", line.c_str());
      }
    }
  }
  int finish() const {
    if (notes_left_out_ > 0)
      std::printf("%zu notes about what clients can't read or change: pgveil check --all lists them\n",
                  notes_left_out_);
    std::printf("%zu errors, %zu warnings\n", errors_, warnings_);
    return errors_ == 0 ? kSuccess : kMistake;
  }
  [[nodiscard]] bool wants_all() const { return wants_all_; }
  [[nodiscard]] std::size_t errors() const { return errors_; }

 private:
  bool wants_all_;
  std::size_t errors_ = 0;
  std::size_t warnings_ = 0;
  std::size_t notes_left_out_ = 0;
  std::vector<Finding> added_;
};

void check_role(const Config& config, const Specs& specs, const Examination& examined, Findings& findings) {
  const std::string& database = examined.catalog.database;
  const auto sources = source_tables(config, specs, examined);
  if (!sources) return findings.error(sources.error());
  for (const auto& error : sources->errors) findings.error(error);
  const auto role =
      db::check_query_role(query_endpoint(config), database, role_needs(config, specs, database, *sources));
  if (!role) return findings.error(role.error());
  for (const auto& error : role->errors) findings.error(error);
  for (const auto& right : role->missing)
    findings.error(fmt::format("database {}: {}", database, line_of(right)));
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
  constexpr std::size_t kFew = 3;
  if (unreadable->size() <= kFew || findings.wants_all()) {
    for (const auto& each : *unreadable) findings.warning("view " + each);
    return;
  }
  std::string named;
  for (std::size_t i = 0; i < kFew; ++i)
    named += (i == 0 ? "" : ", ") + (*unreadable)[i].substr(0, (*unreadable)[i].find(" is listed"));
  findings.warning(
      fmt::format("{} listed views are refused to every reader: {} and {} more (pgveil check --all "
                  "gives the reasons)",
                  unreadable->size(), named, unreadable->size() - kFew));
}

void say_mask_views(const Config& config, const std::string& database, const DatabaseView& view,
                    Findings& findings) {
  const auto without = policies_without_view(config, database, *view.snapshot);
  if (!without) return findings.error(without.error());
  for (const auto& policy : *without)
    findings.warning(
        fmt::format("policy {}: the mask view of its version is missing or was changed. serve "
                    "creates it again",
                    policy));
}

void say_stray_copies(const Config& config, const Specs& specs, const std::string& database,
                      Findings& findings) {
  const auto strays = stray_copies(config, specs, database);
  if (!strays) return findings.error(strays.error());
  for (const auto& copy : *strays)
    findings.warning(
        fmt::format("database {}: pgveil.\"{}\" is a masked copy of policy {}, which no longer uses "
                    "copies. serve drops it at its start and at RELOAD",
                    database, copy.name, copy.policy));
}

void check_releases(const Config& config, const Specs& specs, const std::string& database,
                    const DatabaseView& view, Counting counting, Findings& findings) {
  const auto lineage = lineage_findings(config, specs, database, counting);
  if (!lineage) return findings.error(lineage.error());
  for (const auto& finding : *lineage) findings.add(finding);
  for (const auto& table : view.snapshot->protected_tables()) {
    // Closed, and nobody may count it.
    if (table.relation != nullptr && table.relation->has_row_security) continue;
    const auto& spec = *table.state.spec;
    const auto report = examine_release(config, spec, table.state.version.get(), counting);
    if (!report) return findings.error(report.error());
    for (const auto& finding : report->findings) findings.add(finding);
    for (const auto& line : report->lines) findings.detail(fmt::format("policy {}: {}", spec.name, line));
  }
}

void check_database(const Config& config, const Specs& specs, const std::string& database, Counting counting,
                    Generations& generations, Findings& findings) {
  auto examined = examine(config, specs, database);
  if (!examined) return findings.error(examined.error());
  check_role(config, specs, *examined, findings);
  const std::size_t before = findings.errors();
  check_policies(specs, examined->catalog, findings);
  for (const auto* some : {&examined->server, &examined->surroundings, &examined->decisions}) {
    for (const auto& finding : *some) findings.add(finding);
  }
  if (has_errors(examined->server) || has_errors(examined->surroundings)) return;
  const auto view =
      read_database(config, specs, database, generations, MaskViews::leave, nullptr, std::move(*examined));
  if (!view) return findings.error(view.error());
  if (view->version_guard == rewriter::VersionGuard::absent) {
    findings.warning(fmt::format("database {}: {}", database, kVersionsInFiles));
  }
  if (findings.errors() != before) return;
  for (const auto& finding : view->join_findings) findings.add(finding);
  say_states(*view, findings);
  for (const auto& line : shut_tables(*view->snapshot))
    findings.warning(fmt::format("database {}: {}", database, line));
  say_views(*view, config.limits, findings);
  say_mask_views(config, database, *view, findings);
  if (view->version_guard == rewriter::VersionGuard::present)
    say_stray_copies(config, specs, database, findings);
  check_releases(config, specs, database, *view, counting, findings);
}

void check_tls(const Config& config, Findings& findings) {
  const auto tls = read_tls(config.tls, places_of(config.backend));
  if (!tls) findings.error(tls.error());
  const auto page = read_page_tls(config.page.tls);
  if (!page) findings.error(page.error());
  const auto certificates =
      shown_certificates(config, tls ? tls->get() : nullptr, page ? page->get() : nullptr);
  for (const auto& warning : certificate_warnings(certificates, std::time(nullptr)))
    findings.warning(warning);
}

// From where clients may log in, and whether without TLS.
void check_logins(const Config& config, Findings& findings) {
  std::optional<HbaRules> rules;
  if (!config.auth.hba_file.empty()) {
    auto read = read_access_rules(config);
    if (!read) return findings.error(read.error());
    rules = std::move(*read);
  }
  for (const auto& warning : plaintext_warnings(config, remote_plaintext(rules))) findings.warning(warning);
}

int run_check(const CheckArguments& arguments, const std::string& config_path) {
  auto config = read_config(config_path);
  if (!config) return report(config.error());
  config = keeping_connections(std::move(*config));
  Findings findings(arguments.wants_all);
  check_tls(*config, findings);
  const auto users = read_users(*config);
  if (!users) findings.error(users.error());
  check_logins(*config, findings);
  for (const auto& warning : config->warnings) findings.warning(warning);
  for (const auto& file : distrusted_files(*config)) findings.warning(file);
  const auto specs = read_policy_files(*config);
  if (!specs) return report(specs.error());
  if (const auto bypass = check_bypass_roles(*config, *specs); !bypass) findings.error(bypass.error());
  const auto cluster = db::check_same_cluster(query_endpoint(*config), config->backend.databases.front());
  if (!cluster) findings.error(cluster.error());
  if (cluster) {
    for (const auto& host : *cluster)
      findings.warning(
          fmt::format("backend.hosts: {} did not answer, so pgveil can't check whether it belongs to "
                      "the same cluster",
                      host));
  }
  Generations generations;
  for (const auto& database : config->backend.databases) {
    check_database(*config, *specs, database, arguments.is_quick ? Counting::none : Counting::live,
                   generations, findings);
    findings.print(database);
  }
  return findings.finish();
}

}  // namespace

Verb add_check(CLI::App& parent, std::string& config) {
  const auto arguments = std::make_shared<CheckArguments>();
  auto* verb =
      add_configured(parent, "check", "compare the configuration and the policies with the live server",
                     "  pgveil check && pgveil serve\n  pgveil check --quick --all", config);
  verb->add_flag("--quick", arguments->is_quick, "read catalogs and statistics only; count no table");
  verb->add_flag("--all", arguments->wants_all,
                 "print each finding on a line of its own, all notes, and figures of each visible column");
  return {verb, [=, &config] { return run_check(*arguments, config); },
          [] { return std::string("everything"); }};
}

}  // namespace pgveil::app
