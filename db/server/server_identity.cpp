#include "db/server/server_identity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "common/ascii.hpp"
#include "common/sqlstate.hpp"

namespace pgveil::db {
namespace {

// A word of version(), in lower case, and the name of what says it.
constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kForks{
    {{"greenplum", "Greenplum"},
     {"cloudberry", "Apache Cloudberry"},
     {"cockroachdb", "CockroachDB"},
     {"-yb-", "YugabyteDB"},
     {"yugabyte", "YugabyteDB"},
     {"redshift", "Amazon Redshift"},
     {"enterprisedb advanced server", "EDB Postgres Advanced Server"},
     {"ivorysql", "IvorySQL"},
     {"polardb", "PolarDB"},
     {"opengauss", "openGauss"},
     {"gaussdb", "GaussDB"},
     {"materialize", "Materialize"},
     {"risingwave", "RisingWave"},
     {"cratedb", "CrateDB"},
     {"vertica", "Vertica"},
     {"netezza", "Netezza"}}};

Error refused_fork(std::string_view name) {
  return {ErrorKind::server, std::string(sqlstate::kFeatureNotSupported),
          fmt::format("the server is {}, not PostgreSQL itself: its functions, catalogs and planner were not "
                      "reviewed, so nothing is known of what they show",
                      name),
          "use a PostgreSQL server, own or rented"};
}

}  // namespace

Result<void> refuse_forks(std::string_view version) {
  const std::string text = lower(version);
  const auto fork = std::ranges::find_if(
      kForks, [&](const auto& known) { return text.find(known.first) != std::string::npos; });
  if (fork != kForks.end()) return refused_fork(fork->second);
  constexpr std::string_view kName = "PostgreSQL ";
  const bool is_named = version.starts_with(kName) && version.size() > kName.size();
  if (is_named && is_digit(version[kName.size()])) return {};
  return refused_fork("something else, as its version() tells");
}

Error pooler_error() {
  return {ErrorKind::server, std::string(sqlstate::kFeatureNotSupported),
          "a pooler answers there, such as PgBouncer, and not the server itself: it would give sessions of "
          "clients to each other, without the settings that masks rely on",
          "name the server's own host and port; pgveil pools connections itself (docs/pooling.md)"};
}

Result<void> judge_greeting(const ServerGreeting& greeting, std::string_view sent) {
  if (auto original = refuse_forks(greeting.version); !original) return original;
  if (greeting.echo != sent) return pooler_error();
  return {};
}

// PgBouncer and what is built on it; RDS Proxy.
bool is_of_a_pooler(std::string_view failure) {
  constexpr std::array<std::string_view, 2> kTexts{"unsupported startup parameter", "command-line options"};
  return std::ranges::any_of(kTexts, [&](auto text) { return failure.find(text) != std::string_view::npos; });
}

bool is_about_a_setting(std::string_view failure) {
  constexpr std::array<std::string_view, 2> kTexts{"configuration parameter", "configuration setting"};
  return std::ranges::any_of(kTexts, [&](auto text) { return failure.find(text) != std::string_view::npos; });
}

}  // namespace pgveil::db
