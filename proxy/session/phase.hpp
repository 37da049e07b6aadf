#pragma once
// The tables that say which message is legal when. A tag that an entry does not list is a protocol violation
// and ends the session; so does a phase or step without an entry.
// Where a session is, from its first byte on.
#include <string_view>

namespace pgveil::session {

// Where a session is, from its first byte on.
enum class Phase {
  startup,        // packets without a tag
  securing,       // SecureClient is under way; the session sees nothing of the client
  sasl_initial,   // we offered SCRAM and wait for the client's first message
  looking_up,     // LookUpAccount is under way; the client's bytes wait
  sasl_final,     // waits for the client's proof
  connecting,     // ConnectBackend is under way; the client's bytes wait
  backend_login,  // our own login at the backend; the client's bytes wait
  preparing,      // an OwnStatement before the client's statements; the client's bytes wait
  ready,          // for statements
  relay,          // for a bypass role: everything is passed on
  settling,       // an OwnStatement after the client's transaction; the client's bytes wait
  parked,         // between two transactions: no connection to the backend until the client needs one
  console,        // the virtual database
  closed
};

// The tags a client may send; empty: none, because its bytes wait or have no tags.
[[nodiscard]] constexpr std::string_view client_tags(Phase phase) {
  switch (phase) {
    case Phase::startup: return "";
    case Phase::securing: return "";
    case Phase::sasl_initial: return "p";
    case Phase::looking_up: return "";
    case Phase::sasl_final: return "p";
    case Phase::connecting: return "";
    case Phase::backend_login: return "";
    case Phase::relay: return "BCDEFHPQSXcdf";
    case Phase::preparing: return "";
    case Phase::ready: return "BCDEFHPQSX";  // no d, c, f: COPY FROM STDIN is never open
    case Phase::settling: return "";
    case Phase::parked: return "BCDEFHPQSX";
    case Phase::console: return "BCDEFHPQSX";
    case Phase::closed: return "";
  }
  return "";
}

// What the backend owes us for one message that we sent.
enum class Step {
  simple,          // Query
  refused_simple,  // the refusal text as a Query: its error is replaced by ours
  parse,
  refused_parse,  // the refusal text as a Parse: its error is replaced by ours
  bind,
  describe_statement,
  describe_portal,
  execute,
  close,
  sync
};

// How far the answer to that message has come.
enum class Stage {
  start,      // nothing yet (simple: nothing yet for the current statement)
  described,  // describe_statement: ParameterDescription came
  rows,       // RowDescription or a row came
  copy_out,   // between CopyOutResponse and CopyDone
  copied,     // CopyDone came
  complete,   // simple: the last statement is done
  failed      // ErrorResponse came: ReadyForQuery must follow
};

// The tags with which a backend may answer. ErrorResponse, NoticeResponse and ParameterStatus are also legal
// where kAnytime lists them; a FATAL ErrorResponse is legal at any time.
[[nodiscard]] constexpr std::string_view answer_tags(Step step, Stage stage) {
  if (stage == Stage::failed) return "Z";
  switch (step) {
    case Step::simple:
      switch (stage) {
        case Stage::start: return "THCIE";
        case Stage::rows: return "DCE";
        case Stage::copy_out: return "dcE";
        case Stage::copied: return "CE";
        case Stage::complete: return "ZE";
        case Stage::described: return "";
        case Stage::failed: return "Z";
      }
      return "";
    case Step::execute:
      switch (stage) {
        case Stage::start: return "DCIsHE";
        case Stage::rows: return "DCsE";
        case Stage::copy_out: return "dcE";
        case Stage::copied: return "CE";
        case Stage::complete: return "";
        case Stage::described: return "";
        case Stage::failed: return "";
      }
      return "";
    case Step::describe_statement: return stage == Stage::start ? "tE" : "TnE";
    case Step::describe_portal: return "TnE";
    case Step::refused_simple: return "E";
    case Step::refused_parse: return "E";
    case Step::parse: return "1E";
    case Step::bind: return "2E";
    case Step::close: return "3E";
    case Step::sync: return "ZE";
  }
  return "";
}

// The tags that a backend may send when it owes nothing, and between two answers. E must then be FATAL.
inline constexpr std::string_view kAnytime = "SNAE";

// The tags a backend may send during our login.
inline constexpr std::string_view kLoginTags = "RSKZNE";

// True if the step ends with ReadyForQuery. Then no further message of the client is handled before it has
// come.
[[nodiscard]] constexpr bool ends_ready(Step step) {
  return step == Step::simple || step == Step::refused_simple || step == Step::sync;
}

}  // namespace pgveil::session
