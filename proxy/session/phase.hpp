#pragma once
// The tables that say what holds in which phase, and which message is legal when. A tag that an entry does
// not list is a protocol violation and ends the session; so does a phase or step without an entry.
#include <optional>
#include <string_view>

#include "proxy/session/session.hpp"

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

// Must the client's next message wait, whatever it is? `by_answers`: until those before it are answered.
enum class Waits { no, yes, by_answers };

// Everything that tells one phase from another.
struct PhaseFacts {
  std::string_view client_tags = "";  // that a client may send; empty: its bytes wait or have no tags
  Waits client_waits = Waits::no;
  std::optional<Activity> activity = std::nullopt;  // none: by what is under way
  bool is_past_login = false;                       // the time-out of the login no longer matters
  bool may_end_unanswered = false;  // at that time-out: a client that has sent nothing useful gets no error
  bool is_backend_talking = false;  // what the backend sends is read
  bool has_terminate = false;       // the backend is told when the session ends
};

[[nodiscard]] constexpr PhaseFacts facts_of(Phase phase) {
  switch (phase) {
    case Phase::startup: return {.activity = Activity::login, .may_end_unanswered = true};
    case Phase::securing:
      return {.client_waits = Waits::yes, .activity = Activity::login, .may_end_unanswered = true};
    case Phase::sasl_initial: return {.client_tags = "p", .activity = Activity::login};
    case Phase::looking_up: return {.client_waits = Waits::yes, .activity = Activity::login};
    case Phase::sasl_final: return {.client_tags = "p", .activity = Activity::login};
    case Phase::connecting: return {.client_waits = Waits::yes, .activity = Activity::waiting};
    case Phase::backend_login:
    case Phase::preparing:
      return {.client_waits = Waits::yes, .activity = Activity::waiting, .is_backend_talking = true};
    case Phase::ready:
      return {.client_tags = "BCDEFHPQSX",  // no d, c, f: COPY FROM STDIN is never open
              .client_waits = Waits::by_answers,
              .is_past_login = true,
              .is_backend_talking = true,
              .has_terminate = true};
    case Phase::relay:
      return {.client_tags = "BCDEFHPQSXcdf",
              .is_past_login = true,
              .is_backend_talking = true,
              .has_terminate = true};
    case Phase::settling:
      return {.client_waits = Waits::yes,
              .activity = Activity::idle,
              .is_past_login = true,
              .is_backend_talking = true};
    case Phase::parked:
      return {.client_tags = "BCDEFHPQSX", .activity = Activity::idle, .is_past_login = true};
    case Phase::console:
      return {.client_tags = "BCDEFHPQSX", .client_waits = Waits::by_answers, .is_past_login = true};
    case Phase::closed: return {.client_waits = Waits::yes, .activity = Activity::closed};
  }
  return {.client_waits = Waits::yes};
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
inline constexpr std::string_view kLoginTags = "vRSKZNE";

// True if the step ends with ReadyForQuery. Then no further message of the client is handled before it has
// come.
[[nodiscard]] constexpr bool ends_ready(Step step) {
  return step == Step::simple || step == Step::refused_simple || step == Step::sync;
}

}  // namespace pgveil::session
