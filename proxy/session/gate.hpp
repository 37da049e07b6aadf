#pragma once
// What a session asks of the world above it. cli implements it over the rewriter, the credentials and the
// console. All functions but look_up are quick (no I/O), and all are thread-safe; they may be called from any session's
// thread.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "proxy/session/audit_event.hpp"
#include "proxy/session/scram.hpp"
#include "rewriter/pipeline.hpp"

namespace pgveil::session {

// A role of the backend.
struct Credentials {
  std::string user;
  std::string password;  // empty: the server must not ask for one
};

// What a login goes by.
struct Account {
  ScramVerifier verifier;
  std::string reads_as;       // the role of the policies that its statements are judged as
  bool is_looked_up = false;  // PostgreSQL's, found by auth_query: no admin, no bypass role, never exempt
};

// What is known of a role's account.
struct LookUp {
  std::optional<Account>
      account;  // nullopt: no such role (the session then runs a mock exchange, so that existing
                // and missing roles look alike)
  bool is_incomplete = false;  // PostgreSQL could not be asked: who is not known may still be somebody
};

// An authenticated role.
struct Identity {
  std::string_view role;
  bool is_looked_up =
      false;  // or vouched for: no admin, no bypass role, and needs no account in the users file
};

// What a client's login has to show.
enum class LoginDemand {
  password,                     // what the configured way to log in asks for
  certificate,                  // one of an accepted authority, whose name is the role's, and no password
  password_and_certificate,     // such a one, and the password
  password_and_any_certificate  // one of an accepted authority, whoever it names, and the password
};

// Where a client comes from.
struct ClientOrigin {
  std::string address;      // empty: over a Unix socket
  bool is_secured = false;  // by TLS
};

class Gate {
 public:
  Gate() = default;
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  virtual ~Gate() = default;

  // The verdict on a client's SQL in `database`, under the snapshot that is current now.
  [[nodiscard]] virtual rewriter::Verdict judge(std::string_view sql, const rewriter::Client& client,
                                                std::string_view database) = 0;

  // True while every one of these versions is the current one of its policy in `database`.
  [[nodiscard]] virtual bool is_current(std::span<const rewriter::VersionId> versions,
                                        std::string_view database) const = 0;

  // Rewritten::generation of a statement judged now; 0: nothing is answered.
  [[nodiscard]] virtual std::uint64_t generation_of(std::string_view database) const = 0;

  // Where the backend does not check versions itself: Rewritten::generation of a statement judged now, so that a
  // transaction whose snapshot may be older than a version does not run under it. nullopt: the backend checks.
  [[nodiscard]] virtual std::optional<std::uint64_t> unguarded_generation(
      std::string_view database) const = 0;

  // The backend knows other versions than we do: look soon.
  virtual void note_stale_versions(std::string_view database) = 0;

  // The text as the audit log may keep it. statement: it was let through; refused: it was not; command: of the console.
  enum class TextOf { statement, refused, command };
  [[nodiscard]] virtual AuditedText audited_text(std::string_view text, TextOf what) const = 0;

  // The account of a client role that wants to use this database; nullopt: PostgreSQL has to be asked, by look_up(). That
  // depends on the database and on who was looked up lately, never on who has an account.
  [[nodiscard]] virtual std::optional<LookUp> account(std::string_view role,
                                                      std::string_view database) const = 0;

  // The same, after PostgreSQL was asked. Blocks: never on a thread of sessions.
  [[nodiscard]] virtual LookUp look_up(std::string_view role) = 0;

  // May a client from there try to log in, and with what? Asked before anything is known of who it is.
  [[nodiscard]] virtual Result<LoginDemand> may_log_in(std::string_view role, std::string_view database,
                                                       const ClientOrigin& origin) const = 0;

  // Is this a bypass role, and the backend role that its sessions are passed on to as they are; nullopt: it is none.
  [[nodiscard]] virtual std::optional<Credentials> bypass_login(const Identity& who) const = 0;

  // May it use this database? "pgveil" is the console. An Error is what the client is told.
  [[nodiscard]] virtual Result<void> may_connect(const Identity& who, std::string_view database) const = 0;

  // The schemas that bare names are looked up in after pg_catalog, unless the client says otherwise: the path
  // that every backend connection is pinned to.
  [[nodiscard]] virtual rewriter::SchemaNames schemas(std::string_view database) const = 0;
};

}  // namespace pgveil::session
