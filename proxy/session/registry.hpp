#pragma once
// The prepared statements and portals of one session. PREPARE and Parse, DECLARE and Bind share the server's
// names, so they share this registry. It runs ahead of the server: a change is entered when its message is
// sent, and taken back when the server refuses it or skips it. It may know a name that the server has not
// (the server then answers); it must never know a name as something other than the server does.
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proxy/session/audit_event.hpp"
#include "proxy/wire/backend.hpp"
#include "rewriter/pipeline.hpp"

namespace pgveil::session {

// PostgreSQL cuts names at NAMEDATALEN - 1. Longer ones would be two names here and one there, so they are
// refused.
inline constexpr std::size_t kMaxNameBytes = 63;

// A statement of Parse, to be prepared again when the policies change, or on whatever connection is at hand.
struct ParsedText {
  ParsedText(std::string client_sql, std::vector<std::uint32_t> types, rewriter::SearchPath client_path,
             std::string text_key, std::shared_ptr<std::size_t> total)
      : sql(std::move(client_sql)),
        parameter_types(std::move(types)),
        path(std::move(client_path)),
        key(std::move(text_key)),
        total_bytes(std::move(total)) {
    *total_bytes += sql.size();
  }
  ParsedText(const ParsedText&) = delete;
  ParsedText& operator=(const ParsedText&) = delete;
  ~ParsedText() { *total_bytes -= sql.size(); }

  const std::string sql;  // the client's
  const std::vector<std::uint32_t> parameter_types;
  const rewriter::SearchPath path;                 // under which it was judged
  const std::string key;                           // transaction mode: of what was sent: PreparedStatements
  const std::shared_ptr<std::size_t> total_bytes;  // of all texts of the session
};

// What a name stands for. The default is what is assumed of an unknown name: anything at all.
struct Entry {
  rewriter::StatementKind kind = rewriter::StatementKind::select;
  std::string target;  // Statement.name, for kinds that act on a name
  bool is_protected = true;
  bool is_masked = false;
  std::shared_ptr<const rewriter::PathEffect> path_effect =
      nullptr;                                         // what running it does to the search path
  std::vector<rewriter::VersionId> versions;           // of all protected tables it reads
  AuditedText text = nullptr;                          // of what Parse named
  std::uint64_t generation = 0;                        // of the snapshot that it was judged under
  std::shared_ptr<const ParsedText> parsed = nullptr;  // of what Parse made; null: it is not made again
  // What the client was told of the columns of its result (renewal::result_of), shared by all entries that follow one
  // another under its name, and by portals; empty: nothing yet.
  std::shared_ptr<std::string> result = nullptr;
  std::shared_ptr<const wire::ErrorResponse> refusal = nullptr;  // why it can't be used as things are
};
using EntryPtr = std::shared_ptr<const Entry>;

// How long a portal may live. The server ends `transaction` ones with their transaction; a cursor of DECLARE
// may be WITH HOLD, so it is kept until it is closed by name.
enum class PortalLife { transaction, session };

class Registry {
 public:
  enum class Kind { statement, portal };

  // Null: not known.
  [[nodiscard]] EntryPtr find(Kind kind, std::string_view name) const;
  [[nodiscard]] std::size_t size() const { return statements_.size() + portals_.size(); }

  void put_statement(std::string_view name, EntryPtr entry);
  void put_portal(std::string_view name, EntryPtr entry, PortalLife life);
  void erase(Kind kind, std::string_view name);
  void erase_all(Kind kind);

  // A point to come back to. Valid until settle().
  [[nodiscard]] std::size_t mark() const { return journal_.size(); }
  // Takes back all changes since the mark that were not taken back with an earlier one. `keep` leaves names
  // that are new since then: the server may have entered them before it was interrupted.
  enum class NewNames { forget, keep };
  void undo_to(std::size_t mark, NewNames new_names);
  // ReadyForQuery came: all that is entered here is so on the server.
  void settle() { journal_.clear(); }
  // The transaction is over: portals of it are gone. REQUIRES: settled.
  void end_transaction();

 private:
  struct Slot {
    EntryPtr entry;  // null: no such name
    PortalLife life = PortalLife::session;
  };
  struct Change {
    Kind kind;
    std::string name;
    Slot before;
  };
  using Names = std::map<std::string, Slot, std::less<>>;

  [[nodiscard]] Names& names(Kind kind) { return kind == Kind::statement ? statements_ : portals_; }
  [[nodiscard]] const Names& names(Kind kind) const {
    return kind == Kind::statement ? statements_ : portals_;
  }
  void put(Kind kind, std::string_view name, Slot slot);

  Names statements_;
  Names portals_;
  std::vector<Change> journal_;
};

}  // namespace pgveil::session
