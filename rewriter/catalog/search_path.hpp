#pragma once
// The search_path of a client. The backend's own path stays pinned. The client's path decides what
// unqualified names in its SQL mean and what SHOW answers. A plain value with PostgreSQL's transactional
// rules, so that the rewriter can run ahead of the server within one text, and the session from one message
// to the next.
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rewriter/catalog/catalog.hpp"

namespace pgveil::rewriter {

// The setting under which the server keeps the client's path. It means nothing to the server, so command
// tags, errors and the value after a rollback are the server's own.
inline constexpr std::string_view kPathSetting = "pgveil.search_path";

using SchemaNames = std::vector<std::string>;  // as listed, including "$user" and names of no schema here

// Reads a comma-separated list as set_config() and start-up parameters have it: unquoted names fold to lower
// case. nullopt: the list has a syntax error.
[[nodiscard]] std::optional<SchemaNames> parse_schema_list(std::string_view text);
// The list as SHOW prints it: quoted where needed, separated by ", ".
[[nodiscard]] std::string schema_list_text(const SchemaNames& names);

// What running a statement does to what is kept for the client: its path, and whether it asked for
// transactions that are read only (proxy/session/transaction_mode.hpp; SearchPath ignores that).
struct PathEffect {
  enum class Kind {
    set,
    set_local,
    reset,
    reset_local,
    reset_all,         // RESET ALL, DISCARD ALL
    transaction_mode,  // of the transaction at hand
    default_mode,      // of later transactions
    commit,
    rollback,
    savepoint,
    release,
    rollback_to
  };
  Kind kind;
  std::shared_ptr<const SchemaNames> schemas = nullptr;  // set, set_local
  std::string savepoint = {};                            // savepoint, release, rollback_to
  std::optional<bool> reads_only = std::nullopt;         // *_mode; default_mode: unset as at the start
  bool is_chained = false;                               // commit, rollback: AND CHAIN
};

class SearchPath {
 public:
  // The catalog's own path, also after RESET.
  SearchPath() = default;
  // What the client asked for at start-up; RESET returns to it.
  explicit SearchPath(SchemaNames at_start);

  // Null: the catalog's own.
  [[nodiscard]] const SchemaNames* schemas() const { return current_.get(); }

  void apply(const PathEffect& effect);
  // A statement failed: the transaction can only be rolled back now, as a whole or to a savepoint.
  void fail() { has_failed_ = true; }
  // The server is idle again: the settings stay, or are undone if something failed.
  void end_transaction() { end(has_failed_ ? transaction_start_ : session_); }

  // If two keys are equal, every text means the same under both paths. Empty for the catalog's own path while
  // nothing changes it.
  [[nodiscard]] std::string key() const;

 private:
  using Path = std::shared_ptr<const SchemaNames>;  // null: the catalog's own
  struct Savepoint;
  using Savepoints = std::shared_ptr<const Savepoint>;  // innermost first

  void end(const Path& left);
  [[nodiscard]] Savepoints find(std::string_view name) const;
  [[nodiscard]] bool is_uniform() const;

  Path at_start_;
  Path transaction_start_;  // what a rollback returns to
  Path session_;            // what a commit leaves
  Path current_;
  Savepoints savepoints_;
  bool has_failed_ = false;
};

// A path as names are looked up by it. "$user" is the role. Schemas that the catalog's path does not list are
// skipped, as PostgreSQL skips schemas that do not exist. pg_catalog comes first unless it is named. pg_temp
// is never in it.
struct ResolvedPath {
  SchemaNames schemas;
  bool is_catalog_implicit = true;  // schemas[0] is a pg_catalog that nobody named
};
[[nodiscard]] ResolvedPath resolve_path(const SearchPath& path, const Catalog& catalog,
                                        const std::string& role);

}  // namespace pgveil::rewriter
