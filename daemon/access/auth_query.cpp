#include "daemon/access/auth_query.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/log.hpp"
#include "common/sqlstate.hpp"
#include "console/quote.hpp"

namespace pgveil::app {
namespace {

constexpr std::size_t kMaxRemembered = 10'000;  // some MB
constexpr std::size_t kMaxNameBytes = 63;       // PostgreSQL's NAMEDATALEN - 1
constexpr std::chrono::seconds kRetryAfter{1};
constexpr std::string_view kTopic = "auth_query";

const AuthQueryConfig& settings(const Config& config) {
  return *config.auth_query;
}

Error not_usable(std::string_view what, std::string_view fix) {
  return {ErrorKind::configuration, std::string(sqlstate::kInvalidParameterValue), std::string(what),
          std::string(fix)};
}

bool is_md5(std::string_view text) {
  return text.starts_with("md5");
}

}  // namespace

Result<std::optional<session::ScramVerifier>> verifier_in(const std::vector<db::FoundVerifier>& rows,
                                                          std::string_view name) {
  if (rows.empty()) return std::optional<session::ScramVerifier>();
  if (rows.size() > 1)
    return not_usable(fmt::format("the query returned {} rows", rows.size()),
                      "it may return at most one row");
  const auto& row = rows.front();
  if (row.name != name)
    return not_usable("the query returned a row with another name", "compare with $1 exactly");
  if (!row.verifier) return not_usable("it has no password", "set one");
  auto verifier = session::parse_verifier(*row.verifier);
  if (verifier) return std::optional(std::move(*verifier));
  return not_usable(is_md5(*row.verifier) ? "its password is stored as an md5 hash, which is not accepted"
                    : row.verifier->starts_with("SCRAM-SHA-256$")
                        ? "its verifier is malformed"
                        : "its password is not stored as a SCRAM verifier",
                    "set it again with password_encryption = scram-sha-256");
}

AuthQuery::AuthQuery(const Config& config)
    : cache_(settings(config).cache_ms),
      query_(auth_query_endpoint(config), auth_query_database(config), settings(config).query) {}

std::shared_ptr<AuthQuery> AuthQuery::unasked(const Config& config) {
  return std::shared_ptr<AuthQuery>(new AuthQuery(config));
}

Result<std::shared_ptr<AuthQuery>> AuthQuery::open(const Config& config) {
  auto made = unasked(config);
  const auto rows = made->query_.ask("");
  if (!rows) return rows.error();
  if (!rows->empty())
    return not_usable("auth_query returns a row for the empty name",
                      "it must return only the row whose name is $1");
  const auto is_superuser = made->query_.is_superuser();
  if (!is_superuser) return is_superuser.error();
  if (*is_superuser)
    log::warning(kTopic,
                 "the role that runs the query is a superuser. A function for this query needs "
                 "much fewer rights (docs/operations.md)");
  return made;
}

std::optional<AuthQuery::Found> AuthQuery::remembered(std::string_view name) const {
  const std::lock_guard guard(mutex_);
  const auto found = memories_.find(name);
  if (found == memories_.end() || found->second.until <= Clock::now()) return std::nullopt;
  return found->second.found;
}

void AuthQuery::remember(const std::string& name, const Found& found) {
  if (cache_ == cache_.zero()) return;
  const auto now = Clock::now();
  const std::lock_guard guard(mutex_);
  if (memories_.size() >= kMaxRemembered) {
    std::erase_if(memories_, [&](const auto& each) { return each.second.until <= now; });
    if (memories_.size() >= kMaxRemembered) memories_.clear();
  }
  memories_.insert_or_assign(name, Memory{found, now + cache_});
}

AuthQuery::Found AuthQuery::ask(const std::string& name) {
  if (name.empty() || name.size() > kMaxNameBytes) return {};  // PostgreSQL has no such role
  const std::lock_guard guard(asking_);
  if (auto known = remembered(name)) return *known;
  if (Clock::now() < retry_at_) return {std::nullopt, true};
  const auto rows = query_.ask(name);
  if (!rows) {
    retry_at_ = Clock::now() + kRetryAfter;
    log::warning(kTopic, one_line(rows.error()));
    return {std::nullopt, true};
  }
  Found found;
  auto verifier = verifier_in(*rows, name);
  if (verifier) {
    found.verifier = std::move(*verifier);
  } else {
    log::warning(kTopic, fmt::format("role {}: {}", console::shown_name(name), one_line(verifier.error())));
  }
  remember(name, found);
  return found;
}

Result<void> check_auth_query(const Config& config, const Specs& specs) {
  if (!config.auth_query) return {};
  for (const auto& rule : config.auth_query->let_in) {
    for (const auto& spec : specs) {
      const auto& exempt = spec->exempt_roles;
      if (rule.as.empty() || std::ranges::find(exempt, rule.as) == exempt.end()) continue;
      return not_usable(fmt::format("auth_query lets {} in as {}, which is exempt from policy {}",
                                    rule.user == kEverybody ? "everybody" : console::shown_name(rule.user),
                                    console::shown_name(rule.as), spec->name),
                        "let them in as a role that is masked, or put them into users_file");
    }
  }
  return {};
}

}  // namespace pgveil::app
