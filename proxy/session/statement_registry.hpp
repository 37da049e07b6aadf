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
  const rewriter::SearchPath path;                 // the path under which it was judged
  const std::shared_ptr<std::size_t> total_bytes;  // of all texts of the session
};

// What was sent for a statement, masks included.
struct SentText {
  std::string digest;     // identifies the text
  std::size_t bytes = 0;  // that the server keeps, as a lower bound
};

// How a Parse made a statement. With this it can be prepared again when the policies change, or on whatever
// connection the session has at the moment.
struct ParsedText {
  std::vector<std::uint32_t> parameter_types;
  // Of what was sent, see PreparedStatements. Empty: the server has it under the client's own name.
  std::string key;
  bool is_kept = false;  // an unnamed statement that the server has under a name, so that its plan stays
};

// What a name stands for. An unknown name is treated like the default value: it may do anything.
struct Entry {
  rewriter::StatementKind kind = rewriter::StatementKind::select;
  std::string target;  // Statement.name, for kinds that act on a name
  bool is_protected = true;
  bool is_masked = false;
  bool is_held = false;  // DECLARE … WITH HOLD
  std::shared_ptr<const rewriter::PathEffect> path_effect =
      nullptr;                                          // what running it does to the search path
  std::vector<rewriter::VersionId> versions;            // of all protected tables it reads
  std::vector<rewriter::Notices::OfTable> tables = {};  // those that it reads masked
  rewriter::NoticeSwitches switches = {};
  bool sets_encoding = false;
  std::shared_ptr<const std::vector<rewriter::Origin>> origins = nullptr;  // Statement::origins
  AuditedText text = nullptr;                                              // for what Parse named
  std::uint64_t generation = 0;  // of the snapshot that it was rewritten under
  std::uint64_t allowed = 0;     // of the last snapshot under which it was judged with the same outcome
  std::shared_ptr<const SourceText> source = nullptr;  // null: the text is not kept, or the name is not known
  SentText sent = {};
  std::shared_ptr<const ParsedText> parsed = nullptr;  // set by Parse; null: the statement is not made again
  // What the client was told about the columns of its result (renewal::result_of). It is shared by all
  // entries that follow one another under this name, and by portals. Empty: nothing yet.
  std::shared_ptr<std::string> result = nullptr;
  std::shared_ptr<const wire::ErrorResponse> refusal = nullptr;  // why it can't be used now
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
  // The sum of SentText::bytes of all current entries. A portal keeps its own plan, so its text counts again.
  [[nodiscard]] std::size_t sent_bytes() const { return sent_bytes_; }

  // Whether a cursor may outlive its transaction. One whose transaction was rolled back counts until it is
  // closed by name.
  [[nodiscard]] bool holds_cursor() const;

  void put_statement(std::string_view name, EntryPtr entry);
  void put_portal(std::string_view name, EntryPtr entry, PortalLife life);
  // The name still stands for the same thing, but more is known of it now. REQUIRES: the name is entered.
  void update(Kind kind, std::string_view name, EntryPtr entry);
  void erase(Kind kind, std::string_view name);
  void erase_all(Kind kind);

  // A point to return to with undo_to(). Valid until settle().
  [[nodiscard]] std::size_t mark() const { return journal_.size(); }
  // Undoes all changes since the mark that were not undone already. `keep` leaves names that are new since
  // then, because the server may have entered them before it was interrupted.
  enum class NewNames { forget, keep };
  void undo_to(std::size_t mark, NewNames new_names);
  // ReadyForQuery came: everything entered here is now true on the server.
  void settle() { journal_.clear(); }
  // The transaction is over, so its portals are gone. REQUIRES: settled.
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
  // Called when an entry leaves a slot, and when one enters a slot.
  void uncount(const EntryPtr& entry) { sent_bytes_ -= entry == nullptr ? 0 : entry->sent.bytes; }
  void count(const EntryPtr& entry) { sent_bytes_ += entry == nullptr ? 0 : entry->sent.bytes; }

  Names statements_;
  Names portals_;
  std::size_t sent_bytes_ = 0;
  std::vector<Change> journal_;
};

}  // namespace pgveil::session
