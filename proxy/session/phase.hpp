#pragma once
// Which message is legal when: the tables of the session. A tag that an entry does not hold is a protocol
// violation and ends the session; so does a phase or step without an entry.
#include <string_view>

namespace pgveil::session {

// Where a session is, from its first byte on.
enum class Phase {
  startup,        // packets without a tag
  securing,       // SecureClient is under way; the client says nothing that the session sees
  sasl_initial,   // we offered SCRAM: the client's first message is due
  looking_up,     // LookUpAccount is under way; the client's bytes wait
  sasl_final,     // the client's proof is due
  connecting,     // ConnectBackend is under way; the client's bytes wait
  backend_login,  // our own login at the backend; the client's bytes wait
  preparing,      // an OwnStatement before the client's statements; the client's bytes wait
  ready,          // statements
  relay,          // a bypass role's: whatever comes is passed on
  settling,       // an OwnStatement after the client's transaction; the client's bytes wait
  parked,         // no connection to the backend until the client wants one: between two transactions
  console,        // the virtual database
  closed
};

// The tags a client may send; empty: none, its bytes wait or are not tagged.
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

// What a backend owes us for one message we sent.
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

// How far the answer to it has come.
enum class Stage {
  start,      // nothing yet (simple: nothing of the current statement)
  described,  // describe_statement: ParameterDescription came
  rows,       // RowDescription or a row came
  copy_out,   // between CopyOutResponse and CopyDone
  copied,     // CopyDone came
  complete,   // simple: the last statement is done
  failed      // ErrorResponse came: ReadyForQuery is due
};

// The tags a backend may answer with. ErrorResponse, NoticeResponse and ParameterStatus are legal where
// listed in kAnytime too; a FATAL ErrorResponse is legal at any time.
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

// The tags a backend may send when it owes nothing, and between any two answers. E must then be FATAL.
inline constexpr std::string_view kAnytime = "SNAE";

// The tags a backend may send during our login.
inline constexpr std::string_view kLoginTags = "RSKZNE";

// True when the step ends with ReadyForQuery, so that nothing more of the client is looked at before it came.
[[nodiscard]] constexpr bool ends_ready(Step step) {
  return step == Step::simple || step == Step::refused_simple || step == Step::sync;
}

}  // namespace pgveil::session
