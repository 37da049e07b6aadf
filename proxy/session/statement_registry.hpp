#pragma once
// The prepared statements and portals of one session. PREPARE and Parse share the names of statements on the
// server, DECLARE and Bind those of portals; so all of them share this registry. The registry is ahead of the
// server: a change is entered when its message is sent, and undone when the server refuses or skips the
// message. It may know a name that the server does not have; the server then answers. It must never take a
// name for something else than the server does.
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proxy/session/audit_event.hpp"
#include "proxy/wire/backend.hpp"
#include "rewriter/pipeline/pipeline.hpp"

namespace pgveil::session {

// PostgreSQL cuts names after NAMEDATALEN - 1 bytes. Two longer names could be different here and the same
// there, so longer names are refused.
inline constexpr std::size_t kMaxNameBytes = 63;

// The client's text of a statement that the server keeps (Parse, PREPARE, DECLARE). It is judged again before
// each use under another snapshot.
struct SourceText {
  SourceText(std::string client_sql, rewriter::SearchPath client_path, std::shared_ptr<std::size_t> total)
      : sql(std::move(client_sql)), path(std::move(client_path)), total_bytes(std::move(total)) {
    *total_bytes += sql.size();
  }
  SourceText(const SourceText&) = delete;
  SourceText& operator=(const SourceText&) = delete;
  ~SourceText() { *total_bytes -= sql.size(); }

  const std::string sql;
  const rewriter::SearchPath path;                 // under which it was judged
  const std::shared_ptr<std::size_t> total_bytes;  // of all texts of the session
};

// What was sent for it, masks included.
struct SentText {
  std::string digest;     // tells it from any other
  std::size_t bytes = 0;  // that the server keeps, at least
};

// How Parse made a statement: it can be prepared again when the policies change, or on whatever connection is
// at hand.
struct ParsedText {
  std::vector<std::uint32_t> parameter_types;
  std::string key;  // transaction mode: of what was sent: PreparedStatements
};

// What a name stands for. The default value is what is assumed of an unknown name: it may do anything.
struct Entry {
  rewriter::StatementKind kind = rewriter::StatementKind::select;
  std::string target;  // Statement.name, for kinds that act on a name
  bool is_protected = true;
  bool is_masked = false;
  std::shared_ptr<const rewriter::PathEffect> path_effect =
      nullptr;                                // what running it does to the search path
  std::vector<rewriter::VersionId> versions;  // of all protected tables it reads
  AuditedText text = nullptr;                 // of what Parse named
  std::uint64_t generation = 0;               // of the snapshot that it was rewritten under
  std::uint64_t allowed = 0;  // of the last one that it was judged under, with the same outcome
  std::shared_ptr<const SourceText> source = nullptr;  // null: it is not kept, or the name is not known
  SentText sent = {};
  std::shared_ptr<const ParsedText> parsed = nullptr;  // of what Parse made; null: it is not made again
  // What the client was told of the columns of its result (renewal::result_of), shared by all entries that
  // follow one another under its name, and by portals; empty: nothing yet.
  std::shared_ptr<std::string> result = nullptr;
  std::shared_ptr<const wire::ErrorResponse> refusal = nullptr;  // why it can't be used as things are
};
using EntryPtr = std::shared_ptr<const Entry>;

// How long a portal can live. The server ends a `transaction` portal with its transaction. A cursor of
// DECLARE may be WITH HOLD, so it is kept until it is closed by name.
enum class PortalLife { transaction, session };

class StatementRegistry {
 public:
  enum class Kind { statement, portal };

  // Null: not known.
  [[nodiscard]] EntryPtr find(Kind kind, std::string_view name) const;
  [[nodiscard]] std::size_t size() const { return statements_.size() + portals_.size(); }
  // SentText::bytes of all that is entered now: a portal keeps a plan of its own, so its text counts again.
  [[nodiscard]] std::size_t sent_bytes() const { return sent_bytes_; }

  void put_statement(std::string_view name, EntryPtr entry);
  void put_portal(std::string_view name, EntryPtr entry, PortalLife life);
  // The name still stands for the same thing, of which more is known now. REQUIRES: it is entered.
  void update(Kind kind, std::string_view name, EntryPtr entry);
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
  // What leaves a slot, and what comes into one.
  void uncount(const EntryPtr& entry) { sent_bytes_ -= entry == nullptr ? 0 : entry->sent.bytes; }
  void count(const EntryPtr& entry) { sent_bytes_ += entry == nullptr ? 0 : entry->sent.bytes; }

  Names statements_;
  Names portals_;
  std::size_t sent_bytes_ = 0;
  std::vector<Change> journal_;
};

}  // namespace pgveil::session
