#pragma once
// The interface of a session to the rest of the program. daemon/state/serving_state.hpp implements it over
// the rewriter, the accounts and the stored versions. All functions except look_up are quick (no I/O). All
// are thread-safe and may be called from any session's thread.
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "proxy/session/audit_event.hpp"
#include "proxy/session/scram.hpp"
#include "rewriter/pipeline/pipeline.hpp"

namespace pgveil::session {

// A role of the database server, to connect as.
struct Credentials {
  std::string user;
  std::string password;  // empty: the server must not ask for one
};

// The account that a login is checked against.
struct Account {
  ScramVerifier verifier;
  std::string reads_as;       // the role of the policies that its statements are judged as
  bool is_looked_up = false;  // found in PostgreSQL by auth_query: never an admin, a bypass role or exempt
};

// The answer to: does this role have an account?
struct LookUp {
  std::optional<Account>
      account;  // nullopt: no such role (the session then runs a mock exchange, so that existing
                // and missing roles look alike)
  bool is_incomplete = false;  // PostgreSQL could not be asked, so an unknown role may still exist
};

// An authenticated role. is_looked_up: its account was found in PostgreSQL, or the process itself vouches for
// it. Such a role is never an admin or a bypass role, and it needs no account in the users file.
struct Identity {
  std::string_view role;
  bool is_looked_up = false;
};

// What a client has to present to log in.
enum class LoginDemand {
  password,                     // whatever auth.method of the configuration asks for
  certificate,                  // a certificate of an accepted authority that names the role; no password
  password_and_certificate,     // the same certificate, and the password
  password_and_any_certificate  // a certificate of an accepted authority, for any name, and the password
};

// Where a client comes from.
struct ClientOrigin {
  std::string address;      // empty: over a Unix socket
  bool is_secured = false;  // by TLS
};

// A session that was let in, and the facts on which it was let in.
struct Admitted {
  Identity who;
  std::string_view reads_as;
  std::string_view database;
  ClientOrigin origin;
  LoginDemand shown = LoginDemand::password;  // what the client presented
  bool is_vouched = false;                    // opened by this process itself, without a login
  std::optional<ScramVerifier> verifier =
      {};  // the verifier that its password was checked against; nullopt: no password was asked for
  std::optional<Credentials> passed_on_as =
      {};  // a bypass role only: the backend role that its connection uses
};

// What is served of a database at one moment.
struct Serving {
  // The Rewritten::generation of a statement that is judged at this moment. 0: no statement is answered.
  std::uint64_t generation = 0;
  // False: the server does not check versions itself. A transaction whose snapshot may be older than a
  // version must not run under that version, so the session keeps it to one generation.
  bool has_version_guard = true;
  // The server's major when its catalog was read, for example 15. 0: not known.
  int server_major = 0;
  // Masks are being made, and statements that read them are refused until another generation follows.
  bool is_making_masks = false;
};

// A SELECT with parameters in the places of its constants, so that the server can keep its plan.
struct KeptForm {
  std::string key;  // of the text with parameters, their types, the role, the search path and the snapshot
  std::shared_ptr<const rewriter::Rewritten> rewritten;  // one verified statement; never null
  std::vector<std::uint32_t> types;                      // OIDs; 0: as the server finds out
  std::vector<std::string> values;                       // in text format; as many as types
};

// A verdict, and what was served when it was given.
struct Judgement {
  std::shared_ptr<const rewriter::Verdict> verdict;  // never null; may be shared with other sessions
  Serving serving;
  std::shared_ptr<const KeptForm> kept = nullptr;  // the same statement; null: it has no such form
  bool may_keep_plan = false;  // it takes long to plan, and its plan may stay on the server
};

class Gate {
 public:
  Gate() = default;
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  virtual ~Gate() = default;

  // The verdict on a client's SQL in `database`, under the snapshot that is current now.
  [[nodiscard]] virtual Judgement judge(std::string_view sql, const rewriter::Client& client,
                                        std::string_view database) = 0;

  // Whether each of these versions is the current one of its policy in `database`.
  [[nodiscard]] virtual bool is_current(std::span<const rewriter::VersionId> versions,
                                        std::string_view database) const = 0;

  // What is served of this database now.
  [[nodiscard]] virtual Serving serving(std::string_view database) const = 0;

  // The server has other versions than this process knows. They are read again soon.
  virtual void note_stale_versions(std::string_view database) = 0;

  // The text in the form in which the audit log may keep it. statement: SQL that was let through; refused:
  // SQL that was refused; command: a command of the console.
  enum class TextOf { statement, refused, command };
  [[nodiscard]] virtual AuditedText audited_text(std::string_view text, TextOf what) const = 0;

  // The account of a client role that wants to use this database. nullopt: call look_up() to ask PostgreSQL.
  // Whether that is needed depends on the database and on the names that were looked up lately, never on
  // which accounts exist.
  [[nodiscard]] virtual std::optional<LookUp> account(std::string_view role,
                                                      std::string_view database) const = 0;

  // Asks PostgreSQL for the account. It blocks, so never call it on a thread of sessions.
  [[nodiscard]] virtual LookUp look_up(std::string_view role) = 0;

  // Whether a client from this origin may try to log in, and what it has to present. This is called before
  // the client is authenticated.
  [[nodiscard]] virtual Result<LoginDemand> may_log_in(std::string_view role, std::string_view database,
                                                       const ClientOrigin& origin) const = 0;

  // The backend role to which sessions of this bypass role are passed on, without judging their statements.
  // nullopt: it is no bypass role.
  [[nodiscard]] virtual std::optional<Credentials> bypass_login(const Identity& who) const = 0;

  // Whether this role may use this database. "pgveil" is the console. The client is told the Error.
  [[nodiscard]] virtual Result<void> may_connect(const Identity& who, std::string_view database) const = 0;

  // A number that changes whenever the answer of may_stay() may have changed, which is with every RELOAD.
  [[nodiscard]] virtual std::uint64_t access_generation() const = 0;

  // Whether a session that was let in may continue. The client is told the Error when the session ends.
  [[nodiscard]] virtual Result<void> may_stay(const Admitted& session) const = 0;

  // The schemas in which names without a schema are looked up, after pg_catalog, unless the client chooses
  // others. Every backend connection starts with this search path.
  [[nodiscard]] virtual rewriter::SchemaNames schemas(std::string_view database) const = 0;
};

}  // namespace pgveil::session
