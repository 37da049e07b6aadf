#include "db/versions/version_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "common/array_text.hpp"
#include "common/sql_quoting.hpp"
#include "db/server/connection.hpp"
#include "db/server/failure.hpp"

namespace pgveil::db {
namespace {

constexpr const char* kRows = R"(
SELECT v.policy, v.number, v.is_current, COALESCE(v.closed_because, 'withdrawn'), v.digest,
       CASE WHEN v.digest = w.digest THEN '' ELSE COALESCE(v.document, '') END,
       COALESCE(v.digest = w.digest, false)
  FROM (SELECT policy, number, is_current, closed_because, document,
               pg_catalog.encode(pg_catalog.sha256(
                 pg_catalog.convert_to(COALESCE(document, ''), 'UTF8')), 'hex') AS digest
          FROM pgveil.version WHERE policy = ANY ($1::pg_catalog.text[])) AS v
  JOIN ROWS FROM (pg_catalog.unnest($1::pg_catalog.text[]), pg_catalog.unnest($2::pg_catalog.text[]))
       AS w(policy, digest) ON w.policy = v.policy
 ORDER BY v.policy)";

constexpr const char* kCurrentTables = R"(
SELECT policy, COALESCE(document::pg_catalog.json #>> '{table,schema}', ''),
       COALESCE(document::pg_catalog.json #>> '{table,name}', '')
  FROM pgveil.version WHERE is_current AND policy <> ALL ($1::pg_catalog.text[]) ORDER BY policy)";

constexpr const char* kStamp = R"(
SELECT COALESCE(pg_catalog.string_agg(pg_catalog.concat_ws(' ', policy, number, is_current), '; ' ORDER BY policy), '')
  FROM pgveil.version)";

constexpr const char* kAddRow = R"(
INSERT INTO pgveil.version (policy, number, is_current, closed_because) VALUES ($1, 0, false, 'build needed')
    ON CONFLICT (policy) DO NOTHING)";

// Does not delay readers, and thus guards. The lock is released with the transaction. What is read after
// taking it is the newest state, because each statement has its own snapshot.
constexpr const char* kBeginWriting = R"(
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL lock_timeout = '30s';
LOCK TABLE pgveil.version IN SHARE ROW EXCLUSIVE MODE)";

constexpr const char* kLastNumber = "SELECT number FROM pgveil.version WHERE policy = $1";

constexpr const char* kMarks = "SELECT policy, number, is_current FROM pgveil.version";

constexpr const char* kMakeCurrent = R"(
UPDATE pgveil.version SET number = $2, is_current = true, closed_because = NULL, document = $3,
       changed_at = pg_catalog.now() WHERE policy = $1)";

constexpr const char* kWithdraw = R"(
UPDATE pgveil.version SET is_current = false, closed_because = $2, changed_at = pg_catalog.now() WHERE policy = $1)";

constexpr const char* kImport = R"(
INSERT INTO pgveil.version (policy, number, is_current, closed_because, document)
VALUES ($1, $2, $3::pg_catalog.text IS NULL, $3, $4) ON CONFLICT (policy) DO NOTHING)";

template <class T>
Result<T> with_server(const Endpoint& admin, const std::string& database, Access access,
                      std::string_view what, const std::function<T(Connection&)>& body) {
  auto connection = Connection::open(admin, database, access);
  if (!connection) return connection.error();
  return guarded<T>(fmt::format("{} in schema pgveil of database {}", what, quoted_name(database)),
                    [&]() -> Result<T> { return body(**connection); });
}

VersionRow row_of(const Row& row) {
  return {row[0].as<std::string>(), static_cast<std::uint64_t>(row[1].as<std::int64_t>()),
          row[2].as<bool>(),        row[3].as<std::string>(),
          row[4].as<std::string>(), row[5].as<std::string>(),
          row[6].as<bool>()};
}

}  // namespace

Result<std::vector<VersionRow>> read_version_rows(const Endpoint& admin, const std::string& database,
                                                  const WantedVersions& wanted) {
  std::vector<std::string> policies, digests;
  for (const auto& [policy, digest] : wanted) {
    policies.push_back(policy);
    digests.push_back(digest);
  }
  return with_server<std::vector<VersionRow>>(
      admin, database, Access::read_only, "reading versions", [&](Connection& server) {
        std::vector<VersionRow> rows;
        for (const auto& row : server.run(kRows, array_text(policies), array_text(digests)))
          rows.push_back(row_of(row));
        return rows;
      });
}

Result<std::vector<CurrentTable>> read_current_tables_except(const Endpoint& admin,
                                                             const std::string& database,
                                                             const std::vector<std::string>& policies) {
  return with_server<std::vector<CurrentTable>>(
      admin, database, Access::read_only, "reading versions", [&](Connection& server) {
        std::vector<CurrentTable> tables;
        for (const auto& row : server.run(kCurrentTables, array_text(policies)))
          tables.push_back({row[0].as<std::string>(), row[1].as<std::string>(), row[2].as<std::string>()});
        return tables;
      });
}

Result<std::string> version_rows_stamp(const Endpoint& admin, const std::string& database) {
  return with_server<std::string>(
      admin, database, Access::read_only, "watching versions",
      [](Connection& server) { return server.run(kStamp)[0][0].as<std::string>(); });
}

namespace {

constexpr std::string_view kLockNotAvailable = "55P03";

// Runs `body` under the lock; it returns whether it changed rows. Waiting too long for the lock is an error
// of its own.
Result<bool> with_lock(const Endpoint& admin, const std::string& database, std::string_view what,
                       const std::function<bool(Connection&)>& body) {
  auto done = with_server<bool>(admin, database, Access::read_write, what, [&](Connection& server) {
    server.run(kBeginWriting);
    const bool is_changed = body(server);
    server.run(is_changed ? "COMMIT" : "ROLLBACK");
    return is_changed;
  });
  if (!done && done.error().sqlstate == kLockNotAvailable)
    done.error().hint = "another pgveil, or a tool, is busy with pgveil.version: try again";
  return done;
}

bool still_stand(Connection& server, const VersionMarks& seen) {
  VersionMarks stored;
  for (const auto& row : server.run(kMarks)) {
    stored.emplace(row[0].as<std::string>(),
                   VersionMark{static_cast<std::uint64_t>(row[1].as<std::int64_t>()), row[2].as<bool>()});
  }
  return std::ranges::all_of(seen, [&](const auto& one) { return stored[one.first] == one.second; });
}

}  // namespace

Result<std::optional<std::vector<policy::PolicyVersion>>> commit_versions(
    const Endpoint& admin, const std::string& database, std::vector<policy::PolicyVersion> versions,
    const LeastNumbers& least, const VersionMarks& seen) {
  const auto done = with_lock(admin, database, "storing a version", [&](Connection& server) {
    if (!still_stand(server, seen)) return false;
    for (auto& version : versions) {
      server.run(kAddRow, version.policy);
      const auto last =
          static_cast<std::uint64_t>(server.run(kLastNumber, version.policy)[0][0].as<std::int64_t>());
      const auto at_least = least.find(version.policy);
      version.number = std::max(last + 1, at_least == least.end() ? 1 : at_least->second);
      server.run(kMakeCurrent, version.policy, static_cast<std::int64_t>(version.number),
                 policy::to_json(version));
    }
    return true;
  });
  if (!done) return done.error();
  return *done ? std::optional(std::move(versions)) : std::nullopt;
}

Result<bool> commit_withdrawal(const Endpoint& admin, const std::string& database, const std::string& policy,
                               const std::string& reason, const VersionMark& seen) {
  return with_lock(admin, database, "withdrawing a version", [&](Connection& server) {
    if (!still_stand(server, {{policy, seen}})) return false;
    server.run(kAddRow, policy);
    server.run(kWithdraw, policy, reason);
    return true;
  });
}

Result<bool> import_version(const Endpoint& admin, const std::string& database,
                            const policy::PolicyVersion& version,
                            const std::optional<std::string>& closed_because) {
  return with_server<bool>(
      admin, database, Access::read_write, "taking in a version", [&](Connection& server) {
        const auto number = static_cast<std::int64_t>(version.number);
        return server.run(kImport, version.policy, number, closed_because, policy::to_json(version))
                   .affected_rows() == 1;
      });
}

}  // namespace pgveil::db
