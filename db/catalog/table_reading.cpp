#include "db/catalog/table_reading.hpp"

#include <fmt/format.h>

#include <utility>

#include "common/sql_quoting.hpp"
#include "common/sqlstate.hpp"
#include "db/catalog/relation_query.hpp"
#include "db/server/connection.hpp"
#include "db/server/failure.hpp"

namespace pgveil::db {
namespace {

std::string begin_statement(Access access) {
  return fmt::format("BEGIN ISOLATION LEVEL REPEATABLE READ {}",
                     access == Access::read_only ? "READ ONLY" : "READ WRITE");
}

// Reading a view would run what its owner wrote, with our rights.
bool is_table(const rewriter::Relation& relation) {
  return relation.kind == rewriter::RelationKind::table ||
         relation.kind == rewriter::RelationKind::partitioned_table;
}

}  // namespace

TableReading::TableReading(std::shared_ptr<Connection> connection, policy::PolicySpec spec,
                           rewriter::Relation relation, rewriter::Relation rows, std::uint64_t counts_bytes)
    : connection_(std::move(connection)),
      spec_(std::move(spec)),
      relation_(std::move(relation)),
      rows_(std::move(rows)),
      is_staged_(true),
      is_paused_(true),
      counts_bytes_(counts_bytes) {}
TableReading::TableReading(TableReading&&) noexcept = default;
TableReading& TableReading::operator=(TableReading&&) noexcept = default;
TableReading::~TableReading() = default;

Result<TableReading> TableReading::open(const Endpoint& endpoint, const policy::PolicySpec& spec,
                                        std::int64_t lock_wait_ms) {
  return open_with(endpoint, spec, Access::read_only, lock_wait_ms);
}

Result<TableReading> TableReading::open_for_writing(const Endpoint& endpoint,
                                                    const policy::PolicySpec& spec) {
  return open_with(endpoint, spec, Access::read_write, 0);
}

Result<TableReading> TableReading::open_with(const Endpoint& endpoint, const policy::PolicySpec& spec,
                                             Access access, std::int64_t lock_wait_ms) {
  auto connection = Connection::open(endpoint, spec.database, access);
  if (!connection) return connection.error();
  const std::string table = qualified_name(spec.schema, spec.table);
  return guarded<TableReading>(fmt::format("reading table {}", table), [&]() -> Result<TableReading> {
    (*connection)->run(begin_statement(access));
    (*connection)->run(fmt::format("SET LOCAL lock_timeout = '{}ms'", lock_wait_ms));
    // LOCK takes no snapshot: the transaction's snapshot is taken after any DDL we waited for.
    (*connection)->run(fmt::format("LOCK TABLE {} IN ACCESS SHARE MODE", table));
    auto relation = one_relation(**connection, spec.schema, spec.table);
    if (relation && !is_table(*relation)) {
      return Error{ErrorKind::policy, std::string(sqlstate::kFeatureNotSupported),
                   fmt::format("policy {}: {} is no table, and only a BUILD evaluates the rows of a source",
                               spec.name, table),
                   fmt::format("run pgveil policy build {}", spec.name)};
    }
    if (relation && relation->is_distributed) {
      return Error{ErrorKind::policy, std::string(sqlstate::kFeatureNotSupported),
                   fmt::format("policy {}: {} is {}", spec.name, table, rewriter::kDistributed),
                   "copy it into a plain table or a materialized view under a lock (docs/larger.md)"};
    }
    if (relation) {
      TableReading reading(std::move(*connection), spec, *relation, *relation, endpoint.counts_bytes);
      reading.is_staged_ = false;
      reading.is_paused_ = false;
      return reading;
    }
    return Error{ErrorKind::policy, std::string(sqlstate::kUndefinedTable),
                 fmt::format("policy {}: table {} does not exist", spec.name, table),
                 "create it, or correct the policy"};
  });
}

Result<void> TableReading::pause() {
  if (!is_staged_ || is_paused_) return {};
  const auto done = guarded<bool>("ending a transaction", [&]() -> Result<bool> {
    connection_->run("COMMIT");
    return true;
  });
  if (!done) return done.error();
  is_paused_ = true;
  return {};
}

Result<void> TableReading::resume() {
  if (!is_paused_) return {};
  const auto done = guarded<bool>("beginning a transaction", [&]() -> Result<bool> {
    connection_->run(begin_statement(Access::read_write));
    return true;
  });
  if (!done) return done.error();
  is_paused_ = false;
  return {};
}

}  // namespace pgveil::db
