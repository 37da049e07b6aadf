#pragma once
// What a client asks and what becomes of it, as values: the client and the limits of a text, the statements
// that it is rewritten to, or why it is refused.
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "common/error.hpp"
#include "common/refusal.hpp"
#include "rewriter/catalog/search_path.hpp"
#include "rewriter/statement/notice.hpp"

namespace pgveil::rewriter {

inline constexpr std::size_t kParserStackBytes = std::size_t{512}
                                                 << 20;  // virtual; 256 KB of "1+1+…" needs ~200 MB

struct Limits {
  std::size_t statement_bytes = 256 * 1024;
  std::size_t output_bytes = 16 * 1024 * 1024;
  int nesting = 500;  // parentheses, brackets, CASE
};

struct Client {
  std::string role;
  SearchPath path = {};       // as it is when the text begins to run
  bool may_be_exempt = true;  // false: the caller must ensure that no policy exempts the role
  bool sends_ascii = false;   // true: what is sent has no character beyond ASCII (pg/ascii_form.hpp)
};

// The kinds of statements that the session must distinguish to track its own state.
enum class StatementKind {
  select,          // SELECT, VALUES, TABLE, WITH … SELECT
  copy_out,        // COPY … TO STDOUT
  prepare,         // PREPARE name AS …        (name)
  execute,         // EXECUTE name             (name)
  deallocate,      // DEALLOCATE name | ALL    (name; empty: all)
  declare_cursor,  // DECLARE name CURSOR … (name)
  fetch,           // FETCH or MOVE            (name)
  close_cursor,    // CLOSE name | ALL         (name; empty: all)
  begin,
  commit,
  rollback,
  savepoint,  // transaction control; release and rollback-to are `savepoint`
  set,
  show,     // SET, RESET, SHOW (name: the setting); UNLISTEN * and SELECT set_config(…) are `set` too
  discard,  // DISCARD ALL | PLANS      (name: "all" or "plans")
  explain
};

// The column of a table that an output column shows, masked or not; zeros: another thing.
struct Origin {
  std::uint32_t table_oid = 0;
  std::int16_t column = 0;  // pg_attribute.attnum
  bool operator==(const Origin&) const = default;
};

struct Statement {
  StatementKind kind = StatementKind::select;
  std::string sql;               // verified text of this statement alone, without a semicolon
  std::string name;              // see StatementKind
  std::size_t source_begin = 0;  // in bytes: where it is in the client's text, without its semicolon
  std::size_t source_bytes = 0;
  bool is_protected =
      false;               // reads a table with a policy (masked or exempt): its run-time errors are filtered
  bool is_masked = false;  // reads at least one masked table
  bool is_guarded = false;  // reads a table as it is, under a guard that PostgreSQL evaluates as it plans
  bool is_held = false;     // declare_cursor: WITH HOLD
  std::shared_ptr<const PathEffect> path_effect = nullptr;  // null: none
  Notices notices = {};
  NoticeSwitches switches = {};
  bool sets_encoding = false;                                    // client_encoding, to another than UTF8
  std::shared_ptr<const std::vector<Origin>> origins = nullptr;  // of all output columns; null: not known
  // The names of all output columns, only of a policy's source; null: not known.
  std::shared_ptr<const std::vector<std::string>> columns = nullptr;
};

// A policy version that a statement was rewritten under.
struct VersionId {
  std::string policy;
  std::uint64_t number = 0;
  bool operator==(const VersionId&) const = default;
};

struct Rewritten {
  std::vector<Statement> statements;  // empty for an empty query
  std::vector<VersionId> versions;    // of all protected tables read
  std::uint64_t generation = 0;       // of the snapshot
};

// Syntax errors (42601) and unknown columns of listed tables (42703) are Errors; everything that must not be
// answered is a Refusal. One refused statement refuses the whole text.
using Verdict = std::variant<Rewritten, Refusal, Error>;

}  // namespace pgveil::rewriter
