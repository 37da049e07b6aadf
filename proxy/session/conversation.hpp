#pragma once
// The state of a session that is ready for statements: which answers the server still owes, what its names
// stand for, and what the transaction has touched. simple, extended, server_messages, pooled and renewal work
// on it.
// At most one ReadyForQuery is outstanding: after Query and Sync no further message of the client is handled
// until it has come. So the transaction status is always known, and this state is at most one batch of
// messages ahead of the server.
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <variant>
#include <vector>

#include "proxy/session/error_filter.hpp"
#include "proxy/session/notices.hpp"
#include "proxy/session/phase.hpp"
#include "proxy/session/retry.hpp"
#include "proxy/session/session_state.hpp"
#include "proxy/session/statement_registry.hpp"
#include "proxy/session/transaction_mode.hpp"

namespace pgveil::session {

// Sent in place of a refused statement when the server has to fail too. It is a syntax error in every version
// of PostgreSQL.
inline constexpr std::string_view kRefusalText = "PGVEIL REFUSED";

// What is kept of the client's settings. Like the registry, it runs ahead of the server.
struct KeptSettings {
  rewriter::SearchPath path;
  TransactionMode mode;
};

// Where the columns of an answer come from; null: not known.
using Origins = std::shared_ptr<const std::vector<rewriter::Origin>>;

// How the answer of a SHOW is changed, because the server shows another thing.
struct ShownSetting {
  bool is_path = false;                           // its column is named search_path
  std::optional<bool> reads_only = std::nullopt;  // it is SHOW [default_]transaction_read_only: its value
};

// One statement of a simple query.
struct Part {
  Protection rows = Protection::is_protected;
  Protection errors = Protection::is_protected;  // a commit may run what an earlier statement declared
  Progress progress = Progress::running;         // before its first answer
  std::size_t mark = 0;                          // of the registry, before it
  KeptSettings before = {};
  ShownSetting shown_setting = {};
  Origins origins = nullptr;
};

// A statement that the server has under a name of pgveil's (PreparedStatements), as a message uses it.
struct OwnUse {
  std::string key;                                    // empty: the message uses none
  std::string there = {};                             // the server's name for it; empty: a Query
  std::string name = {};                              // the client's for it; a Query has none
  std::shared_ptr<const std::string> told = nullptr;  // Entry::result; null: a Query
  bool is_new = false;                                // it is prepared just before the message
};

// The answer that is expected for one message that was sent.
struct Expectation {
  Step step;
  Stage stage = Stage::start;
  Protection protection = Protection::is_protected;
  std::size_t mark = 0;                               // of the registry, before it
  std::optional<KeptSettings> before = std::nullopt;  // unset: it changes none of them
  ShownSetting shown_setting = {};
  Origins origins = nullptr;
  std::vector<Part> parts = {};  // simple: its statements; none for an empty query
  std::size_t part = 0;          // simple: the statement that is being answered
  std::optional<wire::ErrorResponse> replacement =
      std::nullopt;           // refused steps: what the client sees instead
  std::uint64_t request = 0;  // of the message, for log and audit
  std::uint64_t rows = 0;     // counted so far
  std::string sqlstate = {};  // simple: of its error
  enum class Shown { as_it_is, not_at_all, as_parsed };
  Shown shown = Shown::as_it_is;  // what the client sees of the step's end
  std::string prepares = {};      // parse: the key that is known on the connection from this message on
  std::string closes = {};        // close: the name of pgveil's that the server has until it answers
  OwnUse uses = {};               // bind, describe_statement
  std::shared_ptr<std::string> result = nullptr;     // describe: where to keep what the client is told
  std::optional<std::string> renews = std::nullopt;  // describe: ours, for this statement of the client
};

// What the statements of the open transaction have read, so that one transaction sees one version of each
// policy.
struct Transaction {
  // The generation of the first protected statement that was judged in it; where the backend has no guard, of
  // its first statement at all.
  std::optional<std::uint64_t> generation;
  std::map<std::string, std::uint64_t> versions;  // by policy
  Protection protection = Protection::open;       // whether anything protected was sent
};

// What is to be recorded about the message that is being handled.
struct Findings {
  bool is_protected = false;
  bool is_masked = false;
  std::vector<rewriter::VersionId> versions;
  std::vector<rewriter::Notices::OfTable> tables;  // that it reads masked
  std::string reason;                              // of the refusal
};

struct Conversation {
  explicit Conversation(SessionState& the_link) : state(the_link) {}
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  void expect(Expectation expectation);
  void pop_expectation();
  [[nodiscard]] KeptSettings kept() const { return {client.path, mode}; }
  void return_to(const KeptSettings& before);

  SessionState& state;
  rewriter::Client client;  // role and search path: like the registry, the path runs ahead of the server
  TransactionMode mode;     // so does this
  StatementRegistry registry;
  std::list<Expectation> expected;
  Transaction transaction;
  Findings findings;
  NoticeBook notices;
  wire::TransactionStatus status = wire::TransactionStatus::idle;
  bool is_skipping = false;         // after a failure: the client's messages up to Sync are dropped
  bool is_unsynced = false;         // extended messages were sent since the last ReadyForQuery
  bool is_flush_sent = false;       // for the answers that are expected now
  std::uint64_t unnamed_count = 0;  // keys of unnamed statements: ParsedText
  retry::State retry;
  std::optional<OwnUse> next_use;  // of the Bind or Describe that is about to be sent
  // Hashes of the keys of plans that the server could not prepare (kept_plan::note_unfit).
  std::unordered_set<std::size_t> unfit_forms;
  // Statements that the books have forgotten, and that the server may still have: it skipped their Close or a
  // DEALLOCATE after an error, or they are older than a table. They are closed before the client gets its
  // ReadyForQuery.
  std::vector<std::string> unclosed;
  bool has_set = false;  // settings may have changed on the connection and must be read
  // What may change settings was sent after the last ReadyForQuery, before which the server tells of its
  // settings. So what it told last may be outdated.
  bool is_changing_settings = false;
  bool has_set_in_transaction = false;  // its end may bring earlier settings back
  bool has_set_unreported = false;      // the same, of settings that the server does not report
  // [key of a ParsedText]: the key that was taken in its place while settings are changing.
  std::map<std::string, std::string> keys_while_changing;
  std::shared_ptr<std::size_t> source_bytes = std::make_shared<std::size_t>(0);  // of all SourceText
};

// A text that may be sent, as the rewriter returned it.
struct LetThrough {
  std::shared_ptr<const rewriter::Rewritten> rewritten;  // never null; may be shared with other sessions
  Serving serving;
  std::shared_ptr<const KeptForm> kept = nullptr;  // Judgement's
  bool may_keep_plan = false;                      // Judgement's
};

// The verdict on a client's SQL, including the checks that depend on the transaction. If it must not be sent,
// the result is the ErrorResponse to send to the client.
using Judged = std::variant<LetThrough, wire::ErrorResponse>;
[[nodiscard]] Judged judge(Conversation& conversation, std::string_view sql);
// The same under a path other than the client's present one.
[[nodiscard]] Judged judge(Conversation& conversation, std::string_view sql, const rewriter::Client& client);

// What running an entry uses: the entry itself, or what its name stands for (EXECUTE, FETCH).
struct Use {
  EntryPtr entry;  // null: unknown; the server answers
  StatementRegistry::Kind kind = StatementRegistry::Kind::statement;
  std::string name;
};
[[nodiscard]] Protection protection_of(const Use& use);

// Resolves a use and checks that it may run now: its versions are current and fit the transaction. The use is
// recorded in the transaction. serving: of the same step, from judge() or Gate::serving().
using Checked = std::variant<Protection, wire::ErrorResponse>;
[[nodiscard]] Checked check_use(Conversation& conversation, const Use& use, const Serving& serving);

// Records what running this does to names and to the kept settings. Errors: a name or a count exceeds its
// limit.
[[nodiscard]] std::optional<wire::ErrorResponse> apply_effect(Conversation& conversation, const Entry& entry);

// 42622 if no statement or portal can have this name. 42939 if pgveil names its own statements so on the same
// connection.
[[nodiscard]] std::optional<wire::ErrorResponse> check_name(const Conversation& conversation,
                                                            std::string_view name);

// 42622 or 54000 if this name cannot be added.
[[nodiscard]] std::optional<wire::ErrorResponse> check_new_name(const Conversation& conversation,
                                                                std::string_view name);

// 54000 if the session already keeps too much text to keep this, too: the client's text, and what is sent for
// it.
[[nodiscard]] std::optional<wire::ErrorResponse> check_room(const Conversation& conversation,
                                                            std::size_t source_bytes, std::size_t sent_bytes);

// From now on the server may take texts for ones in another encoding than UTF8 (common/client_encoding.hpp).
// So what is sent is ASCII, which means the same in all of them. The statements themselves are converted by
// pgveil, before they are judged; parameters and results are converted by the server.
void expect_encoding(Conversation& conversation);
// Puts the client's text into UTF-8. 22021 if that is not possible.
[[nodiscard]] std::optional<wire::ErrorResponse> convert_text(const Conversation& conversation,
                                                              std::string& sql);

// Of what is about to be sent.
[[nodiscard]] ShownSetting shown_setting(const Conversation& conversation, const Entry& entry);

[[nodiscard]] EntryPtr make_entry(const rewriter::Statement& statement, const rewriter::Rewritten& rewritten,
                                  AuditedText text = nullptr);

// Adds to the entry what is needed to judge a kept statement again: the client's text, and what is sent for
// it.
void keep_text(const Conversation& conversation, Entry& entry, std::string_view sql,
               std::string_view sent_sql);

// Tells the client its search_path, as PostgreSQL does from 18 on, if it has changed since it was told last.
// Call it before ReadyForQuery: then the path is the server's, not ahead of it. Does nothing with a server
// that does not report its own.
void report_path(Conversation& conversation);

// Null if nothing is audited.
[[nodiscard]] AuditedText audited_text(const Conversation& conversation, std::string_view sql,
                                       Gate::TextOf what);
// Records that the message at hand is about to be sent, with the findings of check_use(), or that it is
// refused.
void note_statement(Conversation& conversation, AuditedText text);
void audit_refusal(Conversation& conversation, const wire::ErrorResponse& response,
                   std::optional<std::string_view> sql);

// An ERROR whose text is fixed or contains only names that the client chose.
[[nodiscard]] wire::ErrorResponse refuse(std::string_view sqlstate, std::string_view message,
                                         std::string_view hint = {});

}  // namespace pgveil::session
