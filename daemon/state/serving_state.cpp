#include "daemon/state/serving_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <utility>

#include "common/log.hpp"
#include "common/sqlstate.hpp"
#include "daemon/access/bypass_roles.hpp"
#include "daemon/access/database_access.hpp"
#include "daemon/access/tls.hpp"
#include "daemon/policies/examination.hpp"
#include "daemon/policies/masked_copies.hpp"
#include "daemon/policies/stored_column.hpp"
#include "daemon/policies/versions.hpp"
#include "daemon/state/login_account.hpp"
#include "daemon/state/role_needs.hpp"
#include "daemon/state/still_let_in.hpp"
#include "db/catalog/catalog_loader.hpp"
#include "db/server/same_cluster.hpp"
#include "rewriter/statement/normalized_text.hpp"
#include "settings/options.hpp"
#include "settings/page_lists.hpp"

namespace pgveil::app {
namespace {

Error no_such_database(std::string_view database) {
  return {ErrorKind::unknown_object, std::string(sqlstate::kInvalidCatalogName),
          fmt::format("database \"{}\" is not served here", database),
          "ask the operator which databases are served"};
}

rewriter::Limits limits_of(const LimitsConfig& limits) {
  return {limits.statement_bytes, limits.output_bytes, limits.nesting};
}

// If nothing of the database is answered, the log says why already.
void log_closed_policies(const Present& now, const std::string& database, const rewriter::Snapshot* next) {
  if (next == nullptr) return;
  for (const auto& table : next->protected_tables()) {
    const auto known = find_policy(now.specs, table.state.spec->name);
    const bool was_open = known && (*known)->database == database && state_of(now, *known).version;
    if (was_open && !table.state.version)
      log::warning("policy " + table.state.spec->name, "closed: " + table.state.closed_because);
  }
}

}  // namespace

void Wake::wake() {
  {
    const std::lock_guard lock(mutex_);
    is_woken_ = true;
  }
  condition_.notify_all();
}

bool Wake::sleep_for(const std::stop_token& stop, std::int64_t ms) {
  std::unique_lock lock(mutex_);
  condition_.wait_for(lock, stop, std::chrono::milliseconds(ms), [this] { return is_woken_; });
  is_woken_ = false;
  return !stop.stop_requested();
}

ServingState::ServingState(Config config, AuditLog* audit)
    : present_(std::make_shared<const Present>(
          Present{std::move(config), nullptr, nullptr, {}, nullptr, {}, {}, {}})),
      audit_(audit),
      cache_(present_->config.limits.verdict_cache_bytes) {}

std::shared_ptr<const Present> ServingState::present() const {
  const std::lock_guard guard(present_mutex_);
  return present_;
}

void ServingState::replace(std::shared_ptr<const Present> present) {
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

session::Serving serving_of(const Present& present, std::string_view database) {
  const auto view = present.databases.find(database);
  if (view == present.databases.end() || !view->second.snapshot) return {};
  const auto& snapshot = *view->second.snapshot;
  return {snapshot.generation(), view->second.version_guard == rewriter::VersionGuard::present,
          snapshot.catalog().major(), snapshot.is_making_masks()};
}

// A session that was opened by PostgreSQL's own password never gets more than masks, whatever RELOAD has made
// of its role.
Refusal no_longer_masked() {
  return {.reason = Reason::relation_not_listed,
          .message = "this role is now exempt from a policy, but its account comes from auth_query",
          .hint = "connect again; exempt roles need an account in users_file"};
}

}  // namespace

void ServingState::Rewrites::count(FoundVerdict::From from, std::chrono::steady_clock::duration took) {
  switch (from) {
    case FoundVerdict::From::text: hits.fetch_add(1, std::memory_order_relaxed); return;
    case FoundVerdict::From::shape: shapes.fetch_add(1, std::memory_order_relaxed); return;
    case FoundVerdict::From::rewriting:
      misses.fetch_add(1, std::memory_order_relaxed);
      time.add(std::chrono::duration_cast<std::chrono::microseconds>(took).count());
      return;
  }
}

session::Judgement ServingState::judge(std::string_view sql, const rewriter::Client& client,
                                       std::string_view database) {
  const auto now = present();
  const session::Serving served = serving_of(*now, database);
  if (!client.may_be_exempt && is_exempt_somewhere(now->specs, client.role))
    return {std::make_shared<const rewriter::Verdict>(no_longer_masked()), served};
  const auto snapshot = snapshot_of(*now, database);
  if (!snapshot) return {std::make_shared<const rewriter::Verdict>(snapshot.error()), served};
  const auto begin = std::chrono::steady_clock::now();
  PassClock clock(rewrites_.passes);
  const rewriter::Limits limits = limits_of(now->config.limits);
  const KeptPlans kept_plans = now->config.kept_plans ? KeptPlans::yes : KeptPlans::no;
  auto [verdict, from, kept, may_keep_plan] =
      find_verdict(cache_, sql, {client, database, **snapshot, limits, kept_plans}, clock);
  rewrites_.count(from, std::chrono::steady_clock::now() - begin);
  if (const auto* refusal = std::get_if<Refusal>(verdict.get()))
    refusals_.add(refusal->reason, std::time(nullptr));
  return {std::move(verdict), served, std::move(kept), may_keep_plan};
}

Result<std::vector<rewriter::Examined>> ServingState::examine(std::string_view sql,
                                                              const rewriter::Client& client,
                                                              std::string_view database) const {
  const auto now = present();
  const auto snapshot = snapshot_of(*now, database);
  if (!snapshot) return snapshot.error();
  return rewriter::examine(sql, client, **snapshot, limits_of(now->config.limits));
}

bool ServingState::is_current(std::span<const rewriter::VersionId> versions,
                              std::string_view database) const {
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

session::Serving ServingState::serving(std::string_view database) const {
  return serving_of(*present(), database);
}

void ServingState::note_stale_versions(std::string_view) {
  stale_versions_.wake();
}

// The words of a command are names, numbers and files. Only EXPLAIN POLICY and the SQL that drivers send
// quote statements.
session::AuditedText ServingState::audited_text(std::string_view text, TextOf what) const {
  const std::size_t limit = present()->config.audit.sql_bytes;
  if (limit == 0) return nullptr;
  if (what == TextOf::command) {
    const auto command = console::parse_command(text);
    const bool is_plain = command && !std::holds_alternative<console::ExplainPolicy>(*command) &&
                          !std::holds_alternative<console::Benign>(*command);
    if (is_plain) return std::make_shared<const std::string>(text.substr(0, limit));
  }
  auto normalized = rewriter::normalized_text(
      text, what == TextOf::statement ? rewriter::QuotedNames::shown : rewriter::QuotedNames::hidden, limit);
  if (!normalized) return nullptr;
  return std::make_shared<const std::string>(std::move(*normalized));
}

void ServingState::note(const ProcessEvent& event) {
  if (audit_ != nullptr) audit_->note(event);
}

// Roles known only to PostgreSQL may not use the console. So admins can log in when PostgreSQL cannot be
// asked, and no query runs for them.
std::optional<session::LookUp> ServingState::account(std::string_view role, std::string_view database) const {
  const auto now = present();
  if (!now->auth_query || database == session::kConsoleDatabase)
    return login_account(*now, role, std::nullopt);
  const auto found = now->auth_query->remembered(role);
  if (!found) return std::nullopt;
  return login_account(*now, role, found);
}

session::LookUp ServingState::look_up(std::string_view role) {
  const auto now = present();
  if (!now->auth_query) return login_account(*now, role, std::nullopt);
  return login_account(*now, role, now->auth_query->ask(std::string(role)));
}

Result<session::LoginDemand> ServingState::may_log_in(std::string_view role, std::string_view database,
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

std::optional<session::Credentials> ServingState::bypass_login(const session::Identity& who) const {
  if (who.is_looked_up) return std::nullopt;
  const auto now = present();
  const BypassRole* bypass = find_bypass(now->config, who.role);
  if (bypass == nullptr) return std::nullopt;
  return session::Credentials{bypass->backend.user, bypass->backend.password};
}

Result<void> ServingState::may_connect(const session::Identity& who, std::string_view database) const {
  const auto now = present();
  const std::string_view role = who.role;
  const bool asks_for_file = !now->config.auth.users_file.empty() && !who.is_looked_up;
  if (asks_for_file && !now->users.contains(role)) {
    return Error{ErrorKind::authentication, std::string(sqlstate::kInvalidAuthorization),
                 fmt::format("role \"{}\" is unknown", role), "ask the operator for an account"};
  }
  if (database == session::kConsoleDatabase) {
    if (!who.is_looked_up && standing_of(now->config, role) != console::Standing::none) return {};
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

Result<void> ServingState::may_stay(const session::Admitted& session) const {
  if (auto allowed = may_connect(session.who, session.database); !allowed || session.is_vouched)
    return allowed;
  return still_let_in(*present(), session);
}

rewriter::SchemaNames ServingState::schemas(std::string_view database) const {
  const auto now = present();
  const auto view = now->databases.find(database);
  if (view == now->databases.end()) return {};
  rewriter::SchemaNames names = now->config.backend.schemas;  // also while the database is closed
  // Even if it is not named, it is searched first.
  std::erase(names, "pg_catalog");
  return names;
}

// Existing masks ask the schema, so nothing is answered until it is back or pgveil is restarted.
Result<void> ServingState::check_guard(const std::string& database, const DatabaseView& next) const {
  const auto now = present();
  const auto before = now->databases.find(database);
  const bool is_lost = before != now->databases.end() &&
                       before->second.version_guard == rewriter::VersionGuard::present && next.snapshot &&
                       next.version_guard == rewriter::VersionGuard::absent;
  if (!is_lost) return {};
  return Error{ErrorKind::server, std::string(sqlstate::kInsufficientPrivilege),
               fmt::format("schema pgveil of database \"{}\" has disappeared", database),
               "run what pgveil setup-sql prints, or restart pgveil to store versions in files"};
}

Result<void> ServingState::refresh(const std::string& database) {
  const auto now = present();
  const Config config = keeping_connections(now->config);
  if (auto prepared = prepare_versions(config, now->specs, database);
      !prepared && prepared.error().kind != ErrorKind::configuration) {
    return prepared;
  }
  const auto close_first = [&](DatabaseView closed) {
    if (check_guard(database, closed)) put(*now, database, std::move(closed));
  };
  auto read = read_database_cautiously(config, now->specs, database, generations_,
                                       now->databases.at(database), close_first);
  if (!read) return read.error();
  if (auto kept = check_guard(database, *read); !kept) return kept;
  const auto& before = now->databases.at(database);
  if (read->snapshot && !before.snapshot) {  // it opens, so nothing is left out that the start checks
    if (auto role = check_role(config, now->specs, database); !role) return role;
  }
  if (!read->problem.empty() && read->problem != before.problem)
    log::error("database " + database, "closed in part: " + read->problem);
  if (read->snapshot && !before.snapshot) log::info("database " + database, "is answered again");
  if (read->server_findings != before.server_findings) log_findings(database, read->server_findings);
  if (read->surroundings_findings != before.surroundings_findings)
    count_findings(database, read->surroundings_findings);
  if (read->join_findings != before.join_findings) count_findings(database, read->join_findings);
  log_not_stored(read->snapshot.get());
  log_closed_policies(*now, database, read->snapshot.get());
  put(*now, database, std::move(*read));
  return {};
}

void ServingState::put(const Present& now, const std::string& database, DatabaseView view) {
  auto next = std::make_shared<Present>(now);
  next->databases.insert_or_assign(database, std::move(view));
  replace(std::move(next));
}

Result<void> ServingState::take_up(const std::string& database, rewriter::PolicyState state) {
  const auto now = present();
  const auto view = now->databases.find(database);
  if (view == now->databases.end()) return no_such_database(database);
  auto next = with_state(now->config, view->second, database, std::move(state), generations_);
  if (!next || !*next) return refresh(database);
  put(*now, database, std::move(**next));
  return {};
}

std::optional<std::string> ServingState::why_unusable(std::string_view database) const {
  const auto now = present();
  const auto view = now->databases.find(database);
  if (view == now->databases.end()) return no_such_database(database).public_message;
  if (!view->second.snapshot)
    return view->second.problem.empty() ? "its catalog could not be read" : view->second.problem;
  return reach_.failure_of(database, DatabaseReach::Clock::now());
}

Result<bool> ServingState::refresh_if_changed(const std::string& database) {
  const std::lock_guard change(change_mutex_);
  auto looked = look_at(database);
  reach_.answered(database, looked ? "" : one_line(looked.error()));
  return looked;
}

Result<bool> ServingState::look_at(const std::string& database) {
  const auto now = present();
  const auto view = now->databases.find(database);
  if (view == now->databases.end()) return no_such_database(database);
  reach_.asked(database, DatabaseReach::Clock::now());
  const auto fingerprint = db::catalog_fingerprint(query_endpoint(now->config), database,
                                                   granted_tables(now->config, now->specs, database));
  if (!fingerprint) return fingerprint.error();
  const auto stamp = versions_stamp(now->config, now->specs, database);
  if (!stamp) return stamp.error();
  reach_.answered(database, "");  // reading it again may take minutes
  const bool is_same = *fingerprint == view->second.fingerprint && *stamp == view->second.stamp;
  if (is_same && !view->second.look_again) return false;
  if (auto refreshed = refresh(database); !refreshed) return refreshed.error();
  return !is_same;
}

Result<ServingState::Published> ServingState::publish(const std::string& database,
                                                      std::vector<policy::PolicyVersion> versions,
                                                      const db::VersionMarks& seen, Catalog catalog) {
  const std::lock_guard change(change_mutex_);
  const auto now = present();
  const auto stored = Versions::open(now->config, database);
  if (!stored) return stored.error();
  db::LeastNumbers least;
  for (const auto& version : versions) {
    const auto known = find_policy(now->specs, version.policy);
    const std::uint64_t served = known ? number_of(*now, **known) : 0;
    least[version.policy] = std::max(highest_numbers_[version.policy], served) + 1;
  }
  auto published = stored->publish(std::move(versions), least, seen);
  if (!published) return published.error();
  if (!*published) {
    log::info("database " + database,
              "a version was not stored, because a version of its table was stored or "
              "withdrawn meanwhile");
    if (auto refreshed = refresh(database); !refreshed) return refreshed.error();
    return published;
  }
  for (const auto& version : **published) {
    highest_numbers_[version.policy] = version.number;
    note({"policy_published", {{"policy", version.policy}, {"version", std::to_string(version.number)}}});
  }
  const auto& first = (*published)->front();
  const auto known = find_policy(now->specs, first.policy);
  const bool is_as_known = known && (*published)->size() == 1 && catalog == Catalog::as_known;
  const auto taken =
      is_as_known ? take_up(database, {*known, std::make_shared<const policy::PolicyVersion>(first), ""})
                  : refresh(database);
  if (!taken) return taken.error();
  return published;
}

Result<bool> ServingState::withdraw(const policy::PolicySpec& spec, const std::string& reason,
                                    const db::VersionMark& seen) {
  const auto versions = Versions::open(present()->config, spec.database);
  if (!versions) return versions.error();
  // Does not wait for a change that is under way here, which may make masks for minutes. With the schema
  // pgveil, the version is refused from now on.
  const auto closed = versions->withdraw(spec.name, reason, seen);
  if (!closed) return closed;
  if (*closed) note({"policy_withdrawn", {{"policy", spec.name}}});
  const std::lock_guard change(change_mutex_);
  const auto known = find_policy(present()->specs, spec.name);
  const bool is_last = number_of(*present(), spec) <= seen.number;  // nothing was built in the meantime
  const auto taken =
      known && *closed && is_last
          ? take_up(spec.database, {*known, nullptr, fmt::format("withdrawn: {}; build needed", reason)})
          : refresh(spec.database);
  if (!taken) return taken.error();
  return closed;
}

}  // namespace pgveil::app
