#include "daemon/console/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "common/clock.hpp"
#include "console/exposition.hpp"
#include "daemon/access/tls_certificates.hpp"

namespace pgveil::app {
namespace {

using console::Exposition;

std::uint64_t value_of(const std::atomic<std::uint64_t>& counter) {
  return counter.load(std::memory_order_relaxed);
}

void add_sessions(Exposition& out, const net::Server& server) {
  std::map<std::pair<std::string, std::string_view>, std::uint64_t> clients;
  std::map<std::string, std::uint64_t> servers;
  std::uint64_t pending = 0;
  for (const auto& it : server.sessions()) {
    std::string_view state = "active";
    switch (it.state) {
      case console::SessionState::login: state = "login"; break;
      case console::SessionState::waiting: state = "waiting"; break;
      case console::SessionState::idle: state = "idle"; break;
      case console::SessionState::in_transaction: state = "in_transaction"; break;
      case console::SessionState::active: state = "active"; break;
    }
    ++clients[{it.database, state}];
    pending += it.pending_bytes;
  }
  std::map<std::pair<std::string, std::string_view>, std::uint64_t> by_state;
  std::map<std::string, std::uint64_t> waiting;
  for (const auto& pool : server.pools().pools()) {
    servers[pool.database] += pool.open;
    by_state[{pool.database, "idle"}] += pool.idle;
    by_state[{pool.database, "cleaning"}] += pool.cleaning;
    const std::uint64_t at_rest = pool.idle + pool.cleaning;
    by_state[{pool.database, "used"}] += pool.open > at_rest ? pool.open - at_rest : 0;
    waiting[pool.database] += pool.waiting;
  }
  out.begin("pgveil_clients", "gauge", "Connected clients by database and state.");
  for (const auto& [key, count] : clients)
    out.sample({{"database", key.first}, {"state", key.second}}, count);
  out.begin("pgveil_servers", "gauge", "Connections to PostgreSQL by database.");
  for (const auto& [database, count] : servers) out.sample({{"database", database}}, count);
  out.begin("pgveil_pool_servers", "gauge", "The same by state: used, idle or cleaning.");
  for (const auto& [key, count] : by_state)
    out.sample({{"database", key.first}, {"state", key.second}}, count);
  out.begin("pgveil_pool_waiting", "gauge", "Clients in line for a connection to PostgreSQL.");
  for (const auto& [database, count] : waiting) out.sample({{"database", database}}, count);
  out.begin("pgveil_pending_bytes", "gauge", "Bytes that clients and servers have not taken yet.");
  out.sample({}, pending);
  out.begin("pgveil_connections_total", "counter", "Clients that were let in to log in.");
  out.sample({}, value_of(server.statistics().accepted));
  out.begin("pgveil_turned_away_total", "counter", "Logins beyond limits.max_clients.");
  out.sample({}, value_of(server.statistics().turned_away));
  out.begin("pgveil_logins", "gauge", "Connections that have not logged in.");
  out.sample({}, std::uint64_t{server.count_logging_in()});
  out.begin("pgveil_put_out_total", "counter", "Connections closed before their login, for another.");
  out.sample({}, value_of(server.statistics().put_out));
}

void add_traffic(Exposition& out, const net::Server& server) {
  const auto traffic = server.statistics().traffic();
  const auto add = [&](std::string_view name, std::string_view help,
                       std::uint64_t console::Traffic::*member) {
    out.begin(name, "counter", help);
    for (const auto& each : traffic) out.sample({{"database", each.database}}, each.total.*member);
  };
  add("pgveil_queries_total", "Requests answered, by database.", &console::Traffic::queries);
  add("pgveil_transactions_total", "Transactions ended, by database.", &console::Traffic::transactions);
  add("pgveil_received_bytes_total", "Bytes from clients, without TLS.", &console::Traffic::received_bytes);
  add("pgveil_sent_bytes_total", "Bytes to clients, without TLS.", &console::Traffic::sent_bytes);
  out.begin("pgveil_query_seconds", "histogram", "From a request to its last answer.");
  out.histogram(server.statistics().query_time.snapshot());
  out.begin("pgveil_masked_query_seconds", "histogram", "The same, of requests with a masked statement.");
  out.histogram(server.statistics().masked_time.snapshot());
  out.begin("pgveil_slow_masked_queries_total", "counter", "Of these, those above metrics.slow_query.");
  out.sample({}, value_of(server.statistics().slow_masked));
  out.begin("pgveil_wait_seconds", "histogram", "From a login to a connection to PostgreSQL.");
  out.histogram(server.statistics().wait_time.snapshot());
}

void add_rewrites(Exposition& out, const ServingState& serving) {
  out.begin("pgveil_rewrite_seconds", "histogram", "To judge and rewrite a text that was not in the cache.");
  out.histogram(serving.rewrites().time.snapshot());
  out.begin("pgveil_rewrite_pass_seconds_total", "counter", "The same time, by pass of the rewriter.");
  for (const rewriter::Pass pass : rewriter::kPasses) {
    const std::chrono::duration<double> total = serving.rewrites().passes.total(pass);
    out.sample({{"pass", rewriter::name(pass)}}, total.count());
  }
  out.begin("pgveil_verdict_cache_hits_total", "counter", "Texts that were in the cache.");
  out.sample({}, value_of(serving.rewrites().hits));
  out.begin("pgveil_verdict_cache_shape_hits_total", "counter",
            "Texts that differ only in literals from one that was.");
  out.sample({}, value_of(serving.rewrites().shapes));
  out.begin("pgveil_verdict_cache_misses_total", "counter", "Texts that were rewritten.");
  out.sample({}, value_of(serving.rewrites().misses));
  out.begin("pgveil_verdict_cache_bytes", "gauge", "Memory of the cache.");
  out.sample({}, std::uint64_t{serving.cache().size_bytes()});
  out.begin("pgveil_refusals_total", "counter", "Texts that were refused, by reason.");
  for (std::size_t i = 0; i < kReasonCount; ++i) {
    const auto reason = static_cast<Reason>(i);
    out.sample({{"reason", reason_name(reason)}}, serving.refusals().total(reason));
  }
}

// Shares are whole per cents, because more digits would tell about single rows.
void add_shares(Exposition& out, const Present& now, std::string_view name, std::string_view help,
                std::uint64_t policy::Disclosure::*cells) {
  out.begin(name, "gauge", help);
  for (const auto& spec : now.specs) {
    const auto version = state_of(now, spec).version;
    if (!version || version->disclosure.cells == 0) continue;
    const auto share =
        static_cast<double>(version->disclosure.*cells) / static_cast<double>(version->disclosure.cells);
    out.sample({{"database", spec->database}, {"policy", spec->name}}, std::round(share * 100) / 100);
  }
}

// The share of the table's rows that counts by a column leave out. Rows without a value are among them,
// because a share of the others would tell hidden values from missing ones (docs/attack-model.md). The mean
// over groups would tell of a single row: one new value is one more group that is all wrong.
void add_column_errors(Exposition& out, const Present& now) {
  out.begin("pgveil_policy_column_error_ratio", "gauge",
            "Share of the table's rows that counts by a column leave out, rounded to 0.01.");
  for (const auto& spec : now.specs) {
    const auto version = state_of(now, spec).version;
    if (!version || version->disclosure.rows == 0) continue;
    const policy::Disclosure& disclosure = version->disclosure;
    for (std::size_t a = 0; a < disclosure.disclosed_by_attribute.size(); ++a) {
      const auto shown = static_cast<double>(disclosure.disclosed_by_attribute[a]);
      out.sample({{"database", spec->database},
                  {"policy", spec->name},
                  {"column", version->tree.attributes[a].name}},
                 std::round((1 - shown / static_cast<double>(disclosure.rows)) * 100) / 100);
    }
  }
}

// A copy shows the rows of its version's build, and a scheduled build that fails leaves the version as it is.
void add_builds(Exposition& out, const Present& now, const FailedBuilds& failed) {
  out.begin("pgveil_policy_version_age_seconds", "gauge", "Since the version that is served was built.");
  const std::int64_t at = utc_seconds(utc_now()).value_or(0);
  for (const auto& spec : now.specs) {
    const auto version = state_of(now, spec).version;
    const auto built_at = version ? utc_seconds(version->built_at) : std::nullopt;
    if (!built_at) continue;
    out.sample({{"database", spec->database}, {"policy", spec->name}},
               static_cast<std::uint64_t>(std::max<std::int64_t>(0, at - *built_at)));
  }
  out.begin("pgveil_policy_last_build_failed", "gauge",
            "1: the last build in this process failed, and no version was published since it began.");
  for (const auto& spec : now.specs) {
    const bool has_failed = failed.of(spec->name, number_of(now, *spec)).has_value();
    out.sample({{"database", spec->database}, {"policy", spec->name}}, std::uint64_t{has_failed ? 1U : 0U});
  }
}

void add_databases(Exposition& out, const ServingState& serving) {
  out.begin("pgveil_database_usable", "gauge", "1: it is served, and PostgreSQL answers for it.");
  for (const auto& [database, view] : serving.present()->databases)
    out.sample({{"database", database}}, std::uint64_t{serving.why_unusable(database) ? 0U : 1U});
}

void add_policies(Exposition& out, const Present& now) {
  out.begin("pgveil_policy_open", "gauge", "1: the policy has a version that is served.");
  for (const auto& spec : now.specs) {
    const bool is_open = state_of(now, spec).version != nullptr;
    out.sample({{"database", spec->database}, {"policy", spec->name}}, std::uint64_t{is_open ? 1U : 0U});
  }
  add_shares(out, now, "pgveil_policy_disclosed_ratio", "Share of cells shown, rounded to 0.01.",
             &policy::Disclosure::disclosed);
  add_shares(out, now, "pgveil_policy_computable_ratio",
             "Share of cells that are hidden and that a reader can compute, rounded to 0.01.",
             &policy::Disclosure::computable);
  add_column_errors(out, now);
}

void add_certificates(Exposition& out, const Present& now) {
  out.begin("pgveil_tls_certificate_expiry_timestamp_seconds", "gauge",
            "When the certificate for clients, and that of the page, is over, in seconds since 1970.");
  for (const auto& shown : shown_certificates(now.config, now.tls.get(), now.page_tls.get()))
    out.sample({{"listener", shown.listener}},
               static_cast<std::uint64_t>(std::max<std::int64_t>(0, shown.validity.until)));
}

void add_audit(Exposition& out, const AuditLog* audit) {
  if (audit == nullptr) return;
  out.begin("pgveil_audit_lines_total", "counter", "Lines of the audit log.");
  out.sample({}, audit->line_count());
  out.begin("pgveil_audit_failures_total", "counter", "Lines that could not be written.");
  out.sample({}, audit->failure_count());
}

}  // namespace

std::string metrics_text(const ServingState& serving, const net::Server& server) {
  Exposition out;
  out.begin("pgveil_build_info", "gauge", "The version of pgveil.");
  out.sample({{"version", PGVEIL_VERSION}}, std::uint64_t{1});
  add_sessions(out, server);
  add_traffic(out, server);
  add_rewrites(out, serving);
  const auto now = serving.present();
  add_databases(out, serving);
  add_policies(out, *now);
  add_builds(out, *now, serving.failed_builds());
  add_certificates(out, *now);
  add_audit(out, serving.audit());
  return out.text();
}

std::string why_not_ready(const ServingState& serving, const net::Server& server) {
  if (!server.is_listening()) return "shutting down";
  if (serving.audit() != nullptr && serving.audit()->is_failing()) return "the audit log can't be written";
  const auto now = serving.present();
  for (const auto& [database, view] : now->databases) {
    if (const auto why = serving.why_unusable(database))
      return fmt::format("database {} can't be used: {}", database, *why);
  }
  return {};
}

}  // namespace pgveil::app
