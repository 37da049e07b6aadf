// Reading everything again: at the start, and for RELOAD.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "common/log.hpp"
#include "daemon/access/bypass_roles.hpp"
#include "daemon/access/database_access.hpp"
#include "daemon/access/tls.hpp"
#include "daemon/access/tls_certificates.hpp"
#include "daemon/policies/examination.hpp"
#include "daemon/policies/masked_copies.hpp"
#include "daemon/policies/stored_column.hpp"
#include "daemon/policies/versions.hpp"
#include "daemon/state/role_needs.hpp"
#include "daemon/state/serving_state.hpp"
#include "db/server/same_cluster.hpp"
#include "settings/options.hpp"
#include "settings/page_lists.hpp"
#include "settings/plaintext.hpp"

namespace pgveil::app {
namespace {

using Outcome = LoadStep::Outcome;

template <class Value>
Outcome outcome_of(const Result<Value>& result) {
  return result ? Outcome::ok : Outcome::error;
}

enum class PageLists { taken_over, wait };

// Takes over the lists of roles who may do more on the page, from now on. Where the page is, and how it is
// reached, changes only at the next start. Whether the lists are allowed depends on the audit log and the
// roles in force. REQUIRES: those are carried over already.
PageLists carry_over_page(Config& next, const Config& now, std::vector<LoadStep>& steps) {
  PageConfig written = now.page;
  std::swap(written, next.page);
  next.page.raw_rows = written.raw_rows;
  next.page.table_jobs = written.table_jobs;
  next.page.policy_authors = written.policy_authors;
  auto lists = PageLists::taken_over;
  std::string why;
  if (const auto wrong = wrong_page_lists(next); !wrong.empty()) {
    next.page.raw_rows.clear();
    next.page.table_jobs.clear();
    next.page.policy_authors.clear();
    lists = PageLists::wait;
    why = "; until then the list is empty: " + wrong;
  }
  if (next.page != written)
    steps.push_back({"admin.http", Outcome::ok, "changed in the file: takes effect at the next start" + why});
  return lists;
}

void carry_over(Config& next, const Config& now, std::vector<LoadStep>& steps) {
  const auto keep = [&](auto member, std::string_view name) {
    if (next.*member == now.*member) return;
    next.*member = now.*member;
    steps.push_back({std::string(name), Outcome::ok, "changed in the file: takes effect at the next start"});
  };
  keep(&Config::listen, "listen");
  keep(&Config::backend, "backend");
  keep(&Config::pool, "pool");
  keep(&Config::limits, "limits");
  keep(&Config::state_dir, "state_dir");
  keep(&Config::metrics, "metrics");
  keep(&Config::audit, "audit");
  const auto lists = carry_over_page(next, now, steps);
  for (const auto& option : config_options()) {  // SHOW CONFIG shows the values in force
    const bool is_in_force = option.section != "admin.http" || lists == PageLists::taken_over;
    if (is_reloadable(option) && is_in_force) continue;
    const std::string key = full_name(option);
    next.written.erase(key);
    if (const auto old = now.written.find(key); old != now.written.end()) next.written.insert(*old);
  }
  next.interrupt = now.interrupt;
  if (next.auth.method != now.auth.method) {
    next.auth.method = now.auth.method;
    steps.push_back({"auth.method", Outcome::ok, "changed in the file: takes effect at the next start"});
  }
}

Result<std::shared_ptr<AuthQuery>> open_auth_query(const Config& config, const Specs& specs) {
  if (auto fits = check_auth_query(config, specs); !fits) return fits.error();
  return AuthQuery::open(config);
}

// Of a database that can't be reached while everything is read again. The watch opens it.
DatabaseView closed_for_now(const DatabaseView* before, std::string problem) {
  DatabaseView closed;
  closed.look_again = true;
  closed.problem = std::move(problem);
  if (before == nullptr) return closed;
  closed.last_snapshot = before->snapshot ? before->snapshot : before->last_snapshot;
  closed.version_guard = before->version_guard;
  closed.by_pattern = before->by_pattern;
  return closed;
}

// Called once nobody is answered from these copies any more.
void retire_stray_copies(const Present& now) {
  for (const auto& [database, view] : now.databases) {
    if (view.version_guard == rewriter::VersionGuard::present)
      retire_stray_copies(now.config, now.specs, database);
  }
}

}  // namespace

bool is_applied(const std::vector<LoadStep>& steps) {
  return std::ranges::none_of(steps, [](const auto& step) { return step.outcome == Outcome::error; });
}

Result<std::unique_ptr<ServingState>> ServingState::open(Config config, AuditLog* audit) {
  std::unique_ptr<ServingState> serving(new ServingState(config, audit));
  std::vector<LoadStep> steps;
  auto present = serving->load(std::move(config), steps);
  if (!present) return present.error();
  for (const auto& step : steps) {
    if (step.outcome != Outcome::ok) log::error(step.item, step.message);
  }
  serving->replace(std::make_shared<const Present>(std::move(*present)));
  retire_stray_copies(*serving->present());
  return serving;
}

Result<Present> ServingState::load(Config config, std::vector<LoadStep>& steps) {
  Present present;
  config = keeping_connections(std::move(config));
  const auto now = this->present();
  std::optional<Error> first;
  const auto note = [&](std::string item, const auto& result, std::string message) {
    steps.push_back(
        {std::move(item), outcome_of(result), result ? std::move(message) : one_line(result.error())});
    if (!result && !first) first = result.error();
    return result.has_value();
  };
  auto tls = read_tls(config.tls, places_of(config.backend));
  if (note("tls", tls, tls ? description(**tls) : "")) present.tls = std::move(*tls);
  auto page_tls = read_page_tls(config.page.tls);
  if (!page_tls) note("admin.http.tls", page_tls, "");
  if (page_tls) present.page_tls = std::move(*page_tls);
  auto users = read_users(config);
  if (note("users", users, users ? fmt::format("{} roles", users->size()) : ""))
    present.users = std::move(*users);
  if (!config.auth.hba_file.empty()) {
    auto rules = read_access_rules(config);
    if (note("hba", rules, rules ? fmt::format("{} rules", rules->size()) : ""))
      present.hba = std::move(*rules);
  }
  for (const auto& warning : config.warnings) log::warning("configuration", warning);
  for (const auto& file : distrusted_files(config)) log::warning("configuration", file);
  for (const auto& warning : plaintext_warnings(config, remote_plaintext(present.hba)))
    log::warning("configuration", warning);
  const auto certificates = shown_certificates(config, present.tls.get(), present.page_tls.get());
  for (const auto& warning : certificate_warnings(certificates, std::time(nullptr)))
    log::warning("tls", warning);
  auto specs = read_policy_files(config);
  if (note("policies", specs, specs ? fmt::format("{} policies", specs->size()) : ""))
    present.specs = std::move(*specs);
  if (const auto bypass = check_bypass_roles(config, present.specs); !bypass)
    note("bypass_roles", bypass, "");
  // If nobody can be reached, the databases say so.
  Result<std::vector<std::string>> cluster = std::vector<std::string>();
  for (const auto& database : config.backend.databases) {
    cluster = db::check_same_cluster(query_endpoint(config), database);
    if (cluster ? cluster->empty() : cluster.error().kind != ErrorKind::connection) break;
  }
  if (!cluster && cluster.error().kind != ErrorKind::connection) note("backend.hosts", cluster, "");
  if (cluster) {
    for (const auto& host : *cluster)
      log::warning("backend.hosts",
                   host + " did not answer, so pgveil can't check whether it belongs to the same cluster");
  }
  if (config.auth_query) {
    auto query = open_auth_query(config, present.specs);
    const bool is_out_of_reach = !query && query.error().kind == ErrorKind::connection;
    if (is_out_of_reach && now->auth_query && config.auth_query == now->config.auth_query) {
      steps.push_back(
          {"auth_query", Outcome::later, one_line(query.error()) + "; it will be asked at the next login"});
      // The old one would ask over the old kind of connection.
      present.auth_query = config.tls == now->config.tls ? now->auth_query : AuthQuery::unasked(config);
    } else if (note("auth_query", query, "asked")) {
      present.auth_query = std::move(*query);
    }
  }
  std::optional<Error> unreachable;
  bool is_any_read = false;
  for (const auto& database : config.backend.databases) {
    if (!specs) continue;  // needed for the checks of query_role and versions
    std::string step = "database " + database;
    auto view = load_database(present, config, database, step);
    if (!view && view.error().kind == ErrorKind::connection) {
      // Users, access rules and other databases must not wait for this one.
      unreachable = view.error();
      const std::string problem = one_line(view.error()) + "; closed until it can be read";
      steps.push_back({step, Outcome::later, problem});
      const auto before = now->databases.find(database);
      present.databases.emplace(
          database, closed_for_now(before == now->databases.end() ? nullptr : &before->second, problem));
      continue;
    }
    if (!note(step, view, "read")) continue;
    is_any_read = true;
    log_findings(database, view->server_findings);
    count_findings(database, view->surroundings_findings);
    count_findings(database, view->join_findings);
    log_not_stored(view->snapshot.get());
    if (view->snapshot) {
      for (const auto& line : shut_tables(*view->snapshot)) log::warning("database " + database, line);
    }
    present.databases.emplace(database, std::move(*view));
  }
  if (!first && unreachable && !is_any_read && now->databases.empty()) first = unreachable;  // the start
  if (first) return *first;
  config.kept_connections = nullptr;
  present.config = std::move(config);
  return present;
}

// step: what an error is of.
Result<DatabaseView> ServingState::load_database(const Present& next, const Config& config,
                                                 const std::string& database, std::string& step) {
  const auto now = present();
  const auto role = check_role(config, next.specs, database);
  if (!role) step = "query_role in database " + database;
  if (!role) return role.error();
  const auto prepared = prepare_versions(config, next.specs, database);
  if (!prepared) return prepared.error();
  const auto before = now->databases.find(database);
  auto view = read_database(config, next.specs, database, generations_, MaskViews::make,
                            before == now->databases.end() ? nullptr : &before->second);
  if (!view) return view;
  if (auto kept = check_guard(database, *view); !kept) return kept.error();
  return view;
}

std::vector<LoadStep> ServingState::reload() {
  const std::lock_guard change(change_mutex_);
  std::vector<LoadStep> steps;
  const auto now = present();
  auto config = read_config(now->config.file);
  if (!config) return {{"configuration", Outcome::error, one_line(config.error())}};
  steps.push_back({"configuration", Outcome::ok, "read"});
  carry_over(*config, now->config, steps);
  if (audit_ != nullptr) {
    const auto reopened = audit_->reopen();
    steps.push_back({"audit", outcome_of(reopened), reopened ? "" : one_line(reopened.error())});
    if (!reopened) return steps;
  }
  auto next = load(std::move(*config), steps);
  if (next) {
    replace(std::make_shared<const Present>(std::move(*next)));
    retire_stray_copies(*present());
    ++reloads_;
  }
  note({"reload", {{"verdict", next ? "done" : "nothing changed"}}});
  return steps;
}

}  // namespace pgveil::app
