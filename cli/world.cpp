#include "cli/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <utility>

#include "cli/access/bypass_roles.hpp"
#include "cli/access/database_access.hpp"
#include "cli/access/login_account.hpp"
#include "cli/access/tls.hpp"
#include "cli/config/options.hpp"
#include "cli/config/page_lists.hpp"
#include "cli/policies/examination.hpp"
#include "cli/policies/role_needs.hpp"
#include "cli/policies/stored_column.hpp"
#include "cli/policies/versions.hpp"
#include "common/log.hpp"
#include "common/sqlstate.hpp"
#include "db/catalog_loader.hpp"
#include "rewriter/normalized_text.hpp"

namespace pgveil::cli {
namespace {

Error no_such_database(std::string_view database) {
  return {ErrorKind::unknown_object, std::string(sqlstate::kInvalidCatalogName),
          fmt::format("database \"{}\" is not served here", database), "ask the operator which are"};
}

// Masks of before ask for the schema, so nothing is answered until it is back or pgveil is started anew.
Error lost_guard(const std::string& database) {
  return {ErrorKind::server, std::string(sqlstate::kInsufficientPrivilege),
          fmt::format("schema pgveil of database \"{}\" is gone", database),
          "run what pgveil setup-sql prints, or restart pgveil to keep versions in files"};
}

rewriter::Limits limits_of(const LimitsConfig& limits) {
  return {limits.statement_bytes, limits.output_bytes, limits.nesting};
}

enum class PageLists { taken_over, wait };

// Whom the page shows more counts from now on; where the page is, and how it is reached, at the next start. Whether the lists may be is asked
// under the audit log and the roles that are in force: REQUIRES: these are carried over.
PageLists carry_over_page(Config& next, const Config& now, std::vector<LoadStep>& steps) {
  PageConfig written = now.page;
  std::swap(written, next.page);
  next.page.raw_rows = written.raw_rows;
  next.page.table_jobs = written.table_jobs;
  auto lists = PageLists::taken_over;
  std::string why;
  if (const auto wrong = wrong_page_lists(next); !wrong.empty()) {
    next.page.raw_rows.clear();
    next.page.table_jobs.clear();
    lists = PageLists::wait;
    why = "; until then nobody is listed: " + wrong;
  }
  if (next.page != written)
    steps.push_back({"admin.http", true, "changed in the file: takes effect at the next start" + why});
  return lists;
}

void carry_over(Config& next, const Config& now, std::vector<LoadStep>& steps) {
  const auto keep = [&](auto member, std::string_view name) {
    if (next.*member == now.*member) return;
    next.*member = now.*member;
    steps.push_back({std::string(name), true, "changed in the file: takes effect at the next start"});
  };
  keep(&Config::listen, "listen");
  keep(&Config::backend, "backend");
  keep(&Config::pool, "pool");
  keep(&Config::limits, "limits");
  keep(&Config::state_dir, "state_dir");
  keep(&Config::metrics, "metrics");
  keep(&Config::audit, "audit");
  const auto lists = carry_over_page(next, now, steps);
  for (const auto& option : config_options()) {  // SHOW CONFIG tells what is in force
    const bool is_in_force = option.section != "admin.http" || lists == PageLists::taken_over;
    if (is_reloadable(option) && is_in_force) continue;
    const std::string key = full_name(option);
    next.written.erase(key);
    if (const auto old = now.written.find(key); old != now.written.end()) next.written.insert(*old);
  }
  next.interrupt = now.interrupt;
  if (next.auth.method != now.auth.method) {
    next.auth.method = now.auth.method;
    steps.push_back({"auth.method", true, "changed in the file: takes effect at the next start"});
  }
}

Result<std::shared_ptr<AuthQuery>> open_auth_query(const Config& config, const Specs& specs) {
  if (auto fits = check_auth_query(config, specs); !fits) return fits.error();
  return AuthQuery::open(config);
}

}  // namespace

World::World(Config config)
    : present_(std::make_shared<const Present>(
          Present{std::move(config), nullptr, nullptr, {}, nullptr, {}, {}, {}})),
      cache_(present_->config.limits.verdict_cache_bytes) {}

Result<std::unique_ptr<World>> World::open(Config config) {
  std::unique_ptr<World> world(new World(config));
  std::vector<LoadStep> steps;
  auto present = world->load(std::move(config), steps);
  if (!present) return present.error();
  world->replace(std::make_shared<const Present>(std::move(*present)));
  return world;
}

Result<Present> World::load(Config config, std::vector<LoadStep>& steps) {
  Present present;
  std::optional<Error> first;
  const auto note = [&](std::string item, const auto& result, std::string message) {
    steps.push_back(
        {std::move(item), result.has_value(), result ? std::move(message) : one_line(result.error())});
    if (!result && !first) first = result.error();
    return result.has_value();
  };
  auto tls = read_tls(config.tls, config.backend.host);
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
  auto specs = read_policy_files(config);
  if (note("policies", specs, specs ? fmt::format("{} policies", specs->size()) : ""))
    present.specs = std::move(*specs);
  if (const auto bypass = check_bypass_roles(config, present.specs); !bypass)
    note("bypass_roles", bypass, "");
  if (config.auth_query) {
    auto query = open_auth_query(config, present.specs);
    if (note("auth_query", query, "asked")) present.auth_query = std::move(*query);
  }
  for (const auto& database : config.backend.databases) {
    if (!specs) continue;  // what query_role and versions are held against
    const auto role = check_role(config, present.specs, database);
    if (!role && !note("query_role in database " + database, role, "")) continue;
    const auto prepared = prepare_versions(config, present.specs, database);
    if (!prepared && !note("database " + database, prepared, "")) continue;
    auto view = read_database(config, present.specs, database, generations_, MaskViews::make);
    if (view && has_lost_guard(database, *view)) view = lost_guard(database);
    if (!note("database " + database, view, "read")) continue;
    log_findings(database, view->server_findings);
    count_findings(database, view->surroundings_findings);
    log_not_stored(view->snapshot.get());
    present.databases.emplace(database, std::move(*view));
  }
  if (first) return *first;
  present.config = std::move(config);
  return present;
}

std::shared_ptr<const Present> World::present() const {
  const std::lock_guard guard(present_mutex_);
  return present_;
}

void World::replace(std::shared_ptr<const Present> present) {
  const std::lock_guard guard(present_mutex_);
  present_.swap(present);
}

namespace {

Result<std::shared_ptr<const rewriter::Snapshot>> snapshot_of(const Present& present,
                                                              std::string_view database) {
  const auto view = present.databases.find(database);
  if (view == present.databases.end()) return no_such_database(database);
  if (view->second.snapshot) return view->second.snapshot;
  return Error{ErrorKind::server, std::string(sqlstate::kCannotConnectNow), "this database can't be used now",
               "the operator's log says why"};
}

}  // namespace

namespace {

// A session that PostgreSQL's own password opened never gets more than masks, whatever RELOAD made of its role.
Refusal no_longer_masked() {
  return {.reason = Reason::relation_not_listed,
          .message = "this role is exempt from a policy now, and was found by auth_query",
          .hint = "connect again; exempt roles need an account in users_file"};
}

}  // namespace

rewriter::Verdict World::judge(std::string_view sql, const rewriter::Client& client,
                               std::string_view database) {
  const auto now = present();
  if (!client.may_be_exempt && is_exempt_somewhere(now->specs, client.role)) return no_longer_masked();
  const auto snapshot = snapshot_of(*now, database);
  if (!snapshot) return snapshot.error();
  const std::string path = client.path.key();
  const VerdictKeyView key{sql, client.role, path, database, (*snapshot)->generation()};
  auto verdict = cache_.find(key);
  (verdict ? rewrites_.hits : rewrites_.misses).fetch_add(1, std::memory_order_relaxed);
  if (!verdict) {
    const auto begin = std::chrono::steady_clock::now();
    verdict = std::make_shared<const rewriter::Verdict>(
        rewriter::rewrite(sql, client, **snapshot, limits_of(now->config.limits)));
    const auto took = std::chrono::steady_clock::now() - begin;
    rewrites_.time.add(std::chrono::duration_cast<std::chrono::microseconds>(took).count());
    cache_.insert(key, verdict);
  }
  if (const auto* refusal = std::get_if<Refusal>(verdict.get()))
    refusals_.add(refusal->reason, std::time(nullptr));
  return *verdict;
}

Result<std::vector<rewriter::Examined>> World::examine(std::string_view sql, const rewriter::Client& client,
                                                       std::string_view database) const {
  const auto now = present();
  const auto snapshot = snapshot_of(*now, database);
  if (!snapshot) return snapshot.error();
  return rewriter::examine(sql, client, **snapshot, limits_of(now->config.limits));
}

bool World::is_current(std::span<const rewriter::VersionId> versions, std::string_view database) const {
  const auto now = present();
  const auto view = now->databases.find(database);
  if (view == now->databases.end() || !view->second.snapshot) return false;
  const auto& tables = view->second.snapshot->protected_tables();
  return std::ranges::all_of(versions, [&](const rewriter::VersionId& id) {
    return std::ranges::any_of(tables, [&](const auto& table) {
      const auto& version = table.state.version;
      return version && version->number == id.number && version->policy == id.policy;
    });
  });
}

std::uint64_t World::generation_of(std::string_view database) const {
  const auto now = present();
  const auto view = now->databases.find(database);
  const bool is_served = view != now->databases.end() && view->second.snapshot;
  return is_served ? view->second.snapshot->generation() : 0;
}

std::optional<std::uint64_t> World::unguarded_generation(std::string_view database) const {
  const auto now = present();
  const auto view = now->databases.find(database);
  if (view == now->databases.end() || !view->second.snapshot) return std::nullopt;  // nothing is answered
  if (view->second.version_guard == rewriter::VersionGuard::present) return std::nullopt;
  return view->second.snapshot->generation();
}

void World::note_stale_versions(std::string_view) {
  stale_versions_.wake();
}

// A command's words are names, numbers and files; only EXPLAIN POLICY and what drivers send quote statements.
session::AuditedText World::audited_text(std::string_view text, TextOf what) const {
  const std::size_t limit = present()->config.audit.sql_bytes;
  if (limit == 0) return nullptr;
  if (what == TextOf::command) {
    const auto command = admin::parse_command(text);
    const bool is_plain = command && !std::holds_alternative<admin::ExplainPolicy>(*command) &&
                          !std::holds_alternative<admin::Benign>(*command);
    if (is_plain) return std::make_shared<const std::string>(text.substr(0, limit));
  }
  auto normalized = rewriter::normalized_text(
      text, what == TextOf::statement ? rewriter::QuotedNames::shown : rewriter::QuotedNames::hidden, limit);
  if (!normalized) return nullptr;
  return std::make_shared<const std::string>(std::move(*normalized));
}

void World::note(const ProcessEvent& event) {
  if (audit_ != nullptr) audit_->note(event);
}

// Who PostgreSQL knows may not use the console: admins come in when it can't be asked, and ask nobody.
std::optional<session::LookUp> World::account(std::string_view role, std::string_view database) const {
  const auto now = present();
  if (!now->auth_query || database == session::kConsoleDatabase)
    return login_account(*now, role, std::nullopt);
  const auto found = now->auth_query->remembered(role);
  if (!found) return std::nullopt;
  return login_account(*now, role, found);
}

session::LookUp World::look_up(std::string_view role) {
  const auto now = present();
  if (!now->auth_query) return login_account(*now, role, std::nullopt);
  return login_account(*now, role, now->auth_query->ask(std::string(role)));
}

Result<session::LoginDemand> World::may_log_in(std::string_view role, std::string_view database,
                                               const session::ClientOrigin& origin) const {
  const auto now = present();
  if (!now->hba) return session::LoginDemand::password;
  const HbaRule* rule = find_rule(*now->hba, role, database, origin);
  if (rule != nullptr && rule->demand) return *rule->demand;
  const std::string_view why = rule != nullptr ? "is rejected by" : "fits no rule of";
  return Error{ErrorKind::authentication, std::string(sqlstate::kInvalidAuthorization),
               fmt::format("a login of \"{}\" to \"{}\" from {}{} {} the access file", role, database,
                           origin.address.empty() ? "this machine" : origin.address,
                           origin.is_secured ? " with TLS" : "", why),
               "the operator lists who may log in from where in auth.hba_file"};
}

std::optional<session::Credentials> World::bypass_login(const session::Identity& who) const {
  if (who.is_looked_up) return std::nullopt;
  const auto now = present();
  const BypassRole* bypass = find_bypass(now->config, who.role);
  if (bypass == nullptr) return std::nullopt;
  return session::Credentials{bypass->backend.user, bypass->backend.password};
}

Result<void> World::may_connect(const session::Identity& who, std::string_view database) const {
  const auto now = present();
  const std::string_view role = who.role;
  const bool asks_for_file = !now->config.auth.users_file.empty() && !who.is_looked_up;
  if (asks_for_file && !now->users.contains(role)) {
    return Error{ErrorKind::authentication, std::string(sqlstate::kInvalidAuthorization),
                 fmt::format("role \"{}\" is not known here", role), "ask the operator for an account"};
  }
  if (database == session::kConsoleDatabase) {
    if (!who.is_looked_up && standing_of(now->config, role) != admin::Standing::none) return {};
    return Error{ErrorKind::authentication, std::string(sqlstate::kInsufficientPrivilege),
                 fmt::format("role \"{}\" may not use the console", role),
                 "the operator lists roles in admin.admin_users and admin.stats_users"};
  }
  if (!now->databases.contains(database)) return no_such_database(database);
  const BypassRole* bypass = find_bypass(now->config, role);
  const bool is_elsewhere = bypass != nullptr && !bypass->databases.empty() &&
                            std::ranges::find(bypass->databases, database) == bypass->databases.end();
  if (is_elsewhere) {
    return Error{ErrorKind::authentication, std::string(sqlstate::kInsufficientPrivilege),
                 fmt::format("role \"{}\" may not use this database", role),
                 "bypass_roles lists those it may"};
  }
  return {};
}

rewriter::SchemaNames World::schemas(std::string_view database) const {
  const auto now = present();
  const auto view = now->databases.find(database);
  if (view == now->databases.end() || !view->second.snapshot) return {};
  rewriter::SchemaNames names = view->second.snapshot->catalog().search_path;
  // Unnamed it is searched first all the same.
  std::erase(names, "pg_catalog");
  return names;
}

std::vector<LoadStep> World::reload() {
  const std::lock_guard change(change_mutex_);
  std::vector<LoadStep> steps;
  const auto now = present();
  auto config = read_config(now->config.file);
  if (!config) return {{"configuration", false, one_line(config.error())}};
  steps.push_back({"configuration", true, "read"});
  carry_over(*config, now->config, steps);
  if (audit_ != nullptr) {
    const auto reopened = audit_->reopen();
    steps.push_back({"audit", reopened.has_value(), reopened ? "" : one_line(reopened.error())});
    if (!reopened) return steps;
  }
  auto next = load(std::move(*config), steps);
  if (next) replace(std::make_shared<const Present>(std::move(*next)));
  note({"reload", {{"verdict", next ? "done" : "nothing changed"}}});
  return steps;
}

bool World::has_lost_guard(const std::string& database, const DatabaseView& next) const {
  const auto now = present();
  const auto before = now->databases.find(database);
  return before != now->databases.end() && before->second.version_guard == rewriter::VersionGuard::present &&
         next.snapshot && next.version_guard == rewriter::VersionGuard::absent;
}

Result<void> World::refresh(const std::string& database) {
  const auto now = present();
  if (auto prepared = prepare_versions(now->config, now->specs, database);
      !prepared && prepared.error().kind != ErrorKind::configuration) {
    return prepared;
  }
  auto read = read_database_cautiously(now->config, now->specs, database, generations_);
  if (!read) return read.error();
  if (has_lost_guard(database, read->view)) return lost_guard(database);
  if (!read->problem.empty()) log::error("database " + database, "closed in part: " + read->problem);
  const auto& before = now->databases.at(database);
  if (read->view.server_findings != before.server_findings)
    log_findings(database, read->view.server_findings);
  if (read->view.surroundings_findings != before.surroundings_findings)
    count_findings(database, read->view.surroundings_findings);
  log_not_stored(read->view.snapshot.get());
  auto next = std::make_shared<Present>(*now);
  next->databases.insert_or_assign(database, std::move(read->view));
  replace(std::move(next));
  return {};
}

Result<bool> World::refresh_if_changed(const std::string& database) {
  const std::lock_guard change(change_mutex_);
  const auto now = present();
  const auto view = now->databases.find(database);
  if (view == now->databases.end()) return no_such_database(database);
  const auto fingerprint = db::catalog_fingerprint(query_endpoint(now->config), database,
                                                   granted_tables(now->config, now->specs, database));
  if (!fingerprint) return fingerprint.error();
  const auto stamp = versions_stamp(now->config, now->specs, database);
  if (!stamp) return stamp.error();
  const bool is_same = *fingerprint == view->second.fingerprint && *stamp == view->second.stamp;
  if (is_same) return false;
  if (auto refreshed = refresh(database); !refreshed) return refreshed.error();
  return true;
}

std::uint64_t World::served_number(const policy::PolicySpec& spec) const {
  const auto now = present();
  const auto view = now->databases.find(spec.database);
  if (view == now->databases.end() || !view->second.snapshot) return 0;
  for (const auto& table : view->second.snapshot->protected_tables()) {
    if (table.state.spec->name == spec.name && table.state.version) return table.state.version->number;
  }
  return 0;
}

Result<policy::PolicyVersion> World::publish(const policy::PolicySpec& spec, policy::PolicyVersion version) {
  const std::lock_guard change(change_mutex_);
  const auto versions = Versions::open(present()->config, spec.database);
  if (!versions) return versions.error();
  auto& highest = highest_numbers_[spec.name];
  auto published = versions->publish(std::move(version), std::max(highest, served_number(spec)) + 1);
  if (!published) return published.error();
  highest = published->number;
  note({"policy_published", {{"policy", spec.name}, {"version", std::to_string(published->number)}}});
  if (auto refreshed = refresh(spec.database); !refreshed) return refreshed.error();
  return published;
}

Result<void> World::withdraw(const policy::PolicySpec& spec, const std::string& reason) {
  const std::lock_guard change(change_mutex_);
  const auto versions = Versions::open(present()->config, spec.database);
  if (!versions) return versions.error();
  if (auto closed = versions->withdraw(spec.name, reason); !closed) return closed;
  note({"policy_withdrawn", {{"policy", spec.name}}});
  return refresh(spec.database);
}

}  // namespace pgveil::cli
