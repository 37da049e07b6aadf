#pragma once
// Evaluates the sources of policies once, in one snapshot, into temporary tables of one session. Trees are
// then counted on these rows, and copies are made of them, so the rows that were counted are the rows that
// are published, and no transaction is open while a tree is computed. The temporary tables hold raw rows.
// Only this session can read them, and they end with it, also if pgveil or the server is killed.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/error.hpp"
#include "db/catalog/table_reading.hpp"
#include "db/server/endpoint.hpp"
#include "db/server/progress.hpp"
#include "policy/spec/spec.hpp"

namespace pgveil::db {

struct ToStage {
  policy::PolicySpec spec;
  // The verified SELECT of a policy with `source` (rewriter/compile/source_query.hpp). Empty: the rows of the
  // policy's table.
  std::string select;
  // What the SELECT reads (SourceQuery::tables).
  std::vector<std::pair<std::string, std::string>> reads = {};
};

// A session with the rows of some policies. Not thread-safe. The readings made from it share its session.
class StagedTables {
 public:
  // endpoint: admin_role. reader: query_role; the SELECTs are evaluated with its rights, so that they can
  // read and do nothing else. Where a SELECT is published under a name of schema pgveil, an empty table of
  // that name is made, or made anew if the columns changed. Errors: ErrorKind::policy: a table or view does
  // not exist; a column runs code of its type's owner (column_code.hpp); a table was replaced by a view since
  // it was examined; ErrorKind::server: admin_role may not
  // make temporary tables or take on reader, with the remedy; ::connection.
  [[nodiscard]] static Result<StagedTables> stage(const Endpoint& endpoint, const std::string& database,
                                                  const std::vector<ToStage>& tables,
                                                  const std::string& reader, const Progress& progress = {});

  // The rows of the policy with this index in `tables`.
  [[nodiscard]] TableReading reading(std::size_t index) const;
  [[nodiscard]] std::size_t size() const { return staged_.size(); }
  // Another look at the same session: other rows of this policy, under another spec.
  [[nodiscard]] TableReading reading_of(policy::PolicySpec spec, rewriter::Relation relation,
                                        rewriter::Relation rows) const;

  // For db/ only.
  [[nodiscard]] const std::shared_ptr<Connection>& connection() const { return connection_; }

 private:
  struct Staged {
    policy::PolicySpec spec;
    rewriter::Relation published;
    rewriter::Relation rows;
  };
  StagedTables(std::shared_ptr<Connection> connection, std::vector<Staged> staged,
               std::uint64_t counts_bytes);
  std::shared_ptr<Connection> connection_;
  std::vector<Staged> staged_;
  std::uint64_t counts_bytes_;
};

}  // namespace pgveil::db
