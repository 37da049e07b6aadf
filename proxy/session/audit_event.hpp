#pragma once
// The events of a session that must be in the audit log, as values. The driver of the session records them
// before anything else of the same step is done (Actions::audit). What cannot be recorded must not happen
// (AuditFailed). No event holds a value of a row, a parameter or a literal of a client's SQL.
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "rewriter/pipeline/pipeline.hpp"

namespace pgveil::session {

// A client's SQL in the form that the log may keep (Gate::audited_text). Null: no text.
using AuditedText = std::shared_ptr<const std::string>;

// sign_in_link: to the page, with a link that the console made.
enum class LoginMethod { trust, scram_sha_256, certificate, vouched, sign_in_link };
struct AuditedLogin {
  LoginMethod method = LoginMethod::scram_sha_256;
  bool is_bypass = false;
  std::string sqlstate = {};  // empty: let in
  bool is_looked_up = false;  // the account was found by auth_query
  std::string reads_as = {};  // the role that policies are applied for, if it has another name
};
struct AuditedLogout {};  // of a client that had been let in

enum class AuditVerdict {
  open,     // let through; reads nothing that a policy protects
  masked,   // reads at least one table through its mask
  exempt,   // reads protected tables, none of them masked for this role
  bypass,   // of a bypass role: sent as it is
  refused,  // SQLSTATE 42501
  error     // invalid, or too late: any other SQLSTATE
};
// One Query or Execute that is about to be sent (for a bypass role also Parse and FunctionCall), or any
// message that was refused.
struct AuditedStatement {
  AuditVerdict verdict = AuditVerdict::refused;
  std::string sqlstate;  // for refused and error
  std::string reason;    // for refused: the name of the Reason, if there is one
  AuditedText text;
  std::vector<rewriter::VersionId> versions;  // of the policies whose tables it reads
};
// The end of a statement that was sent.
struct AuditedAnswer {
  std::uint64_t rows = 0;  // sum of the counts in the CommandCompletes of its statements
  std::string sqlstate;    // empty: no error
};

// A command of the console that is about to run, and its end.
struct AuditedCommand {
  AuditedText text;
};
struct AuditedCommandEnd {
  std::string sqlstate;
};

using AuditedThing = std::variant<AuditedLogin, AuditedLogout, AuditedStatement, AuditedAnswer,
                                  AuditedCommand, AuditedCommandEnd>;

struct AuditEvent {
  std::uint64_t request = 0;  // of this session, from 1; 0: none (a login)
  std::string role, database;
  AuditedThing thing;
};

}  // namespace pgveil::session
