#pragma once
// A gate for session tests: it understands just enough SQL words to say what kind of statement it is, marks
// what it lets through, and remembers every text it has made, so that a test can tell what was let through
// from what was not.
#include <set>
#include <string>
#include <vector>

#include "proxy/session/gate.hpp"

namespace pgveil::session::testing {

// "refuse …" is refused, "syntax …" and "unknown …" are errors; all else is let through as "ok: …", split at
// ';', with " in " and the client's search path when it set one (PATH name, LOCALPATH name, RESET; BACKTO is
// ROLLBACK TO). What names "people" is protected and reads version 1 of policy p (or what `version` says);
// while `is_people_raw` it is sent as "raw: …". SET and RESET of a setting turn notices on and off as the
// rewriter says. "… KEPT 5" has a form with a parameter, "… KEPT $1". The plan of what has the word LONG may
// be kept.
class FakeGate : public Gate {
 public:
  Judgement judge(std::string_view sql, const rewriter::Client& client, std::string_view database) override;
  bool is_current(std::span<const rewriter::VersionId> versions, std::string_view database) const override;
  Serving serving(std::string_view) const override {
    ++questions;
    return {generation, has_guard, server_major};
  }
  void note_stale_versions(std::string_view) override { ++stale_notes; }
  // The text in brackets, with the first letter of what it is text of.
  AuditedText audited_text(std::string_view text, TextOf what) const override;
  std::optional<LookUp> account(std::string_view role, std::string_view database) const override;
  LookUp look_up(std::string_view role) override;
  Result<LoginDemand> may_log_in(std::string_view role, std::string_view,
                                 const ClientOrigin& origin) const override;
  std::optional<Credentials> bypass_login(const Identity& who) const override;
  Result<void> may_connect(const Identity& who, std::string_view database) const override;
  std::uint64_t access_generation() const override { return reloads; }
  Result<void> may_stay(const Admitted& session) const override;
  rewriter::SchemaNames schemas(std::string_view) const override { return {"public"}; }

  bool refuses_people = false;
  std::string refused_word;    // what has it is refused; empty: nothing
  std::string mark;            // at the end of every text it makes
  bool is_people_raw = false;  // its reader is exempt: no version, no mask
  std::uint64_t reloads = 0;
  bool is_put_out = false;                  // nobody may stay
  mutable std::vector<std::string> stayed;  // who was asked, and what was known of it
  LoginDemand demand = LoginDemand::password;
  bool must_ask = false;       // accounts are known by look_up only
  bool is_ann_bypass = false;  // she is passed on to backend role raw
  // What reads people masked has a notice; what has the word "hidden" has one about its condition.
  bool has_notices = false;
  std::uint64_t version = 1;
  std::uint64_t generation = 1;
  bool has_guard = true;  // in the backend
  int server_major = 0;
  int stale_notes = 0;
  mutable int questions = 0;   // how often it was asked what is served: judge, is_current, serving
  int judgements = 0;          // how often judge
  std::set<std::string> made;  // every text a Query or Parse may carry
  std::optional<ScramVerifier> ann_verifier;  // of role ann, the only one there is

 private:
  rewriter::Verdict verdict_on(std::string_view sql, const rewriter::Client& client);
};

}  // namespace pgveil::session::testing
