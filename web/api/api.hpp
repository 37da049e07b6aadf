#pragma once
// Answers the requests of browsers: the files of the page, and the JSON API under /api/v1
// (docs/openapi.yaml). First a request is judged (web/api/guard.hpp). Then its session is looked up. Then the
// console runs the command that it asks for, under the session's role, and the console decides whether this
// role may. Thread-safe.
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "console/console.hpp"
#include "daemon/access/sign_in_links.hpp"
#include "daemon/audit/log.hpp"
#include "daemon/state/serving_state.hpp"
#include "web/api/audit.hpp"
#include "web/api/design.hpp"
#include "web/api/difference.hpp"
#include "web/api/distribution.hpp"
#include "web/api/page_jobs.hpp"
#include "web/api/policy_authors.hpp"
#include "web/api/questions.hpp"
#include "web/api/raw_rows.hpp"
#include "web/api/rows.hpp"
#include "web/api/sessions.hpp"
#include "web/api/state.hpp"
#include "web/http/http_server.hpp"

namespace pgveil::app {

class WebApi {
 public:
  // All arguments must outlive this object. audit: null: nothing is audited. page_jobs: null: no jobs can be
  // set up.
  WebApi(ServingState& serving, console::Console& console, net::Server& server, AuditLog* audit,
         SignInLinks& links, PageJobs* page_jobs);

  [[nodiscard]] net::HttpResponse answer(const net::HttpRequest& request);

 private:
  struct Visit {
    const net::HttpRequest& request;
    WebSession session;
    std::string token;
    std::uint64_t number = 0;  // of the request, in the audit log
  };
  [[nodiscard]] net::HttpResponse judged(const net::HttpRequest& request);
  [[nodiscard]] net::HttpResponse file(const net::HttpRequest& request, std::string_view path) const;
  [[nodiscard]] net::HttpResponse api(const net::HttpRequest& request, std::string_view path);
  [[nodiscard]] net::HttpResponse in_session(const Visit& visit, std::string_view path);
  // nullopt: the address is not one of those that take a body of their own.
  [[nodiscard]] std::optional<net::HttpResponse> posted(const Visit& visit, std::string_view path);
  [[nodiscard]] std::optional<WebSession> session_of(std::string_view token, WebSessions::Touch touch);

  // Of the session; empty: there is none.
  [[nodiscard]] static std::string_view token_of(const net::HttpRequest& request);
  [[nodiscard]] bool may_stay(std::string_view role, std::string_view verifier,
                              const session::ClientOrigin& origin) const;
  struct SignedIn {
    std::uint64_t number = 0;  // of the session, in the audit log
    std::string role, verifier;
  };
  [[nodiscard]] net::HttpResponse begin_session(const net::HttpRequest& request, const SignedIn& who);
  [[nodiscard]] std::optional<std::uint64_t> record_login(const net::HttpRequest& request,
                                                          session::LoginMethod method,
                                                          const std::string& role,
                                                          const Result<void>& checked);
  [[nodiscard]] Result<void> check_link(const net::HttpRequest& request,
                                        const std::optional<SignInLinks::Holder>& holder) const;
  [[nodiscard]] net::HttpResponse sign_in_by_link(const net::HttpRequest& request);
  [[nodiscard]] net::HttpResponse sign_in(const net::HttpRequest& request);
  // The verifier that the password fits. By the time of the answer a RELOAD may have replaced it.
  [[nodiscard]] Result<std::string> check_password(const net::HttpRequest& request, const std::string& role,
                                                   const std::string& password);
  [[nodiscard]] static net::HttpResponse too_many_tries();
  [[nodiscard]] net::HttpResponse sign_out(const Visit& visit);
  [[nodiscard]] net::HttpResponse who(const net::HttpRequest& request);
  [[nodiscard]] net::HttpResponse run(const Visit& visit, std::string_view path);
  [[nodiscard]] net::HttpResponse design_check(const Visit& visit);
  [[nodiscard]] net::HttpResponse list_tables_to_protect(const Visit& visit);
  [[nodiscard]] net::HttpResponse draft_table(const Visit& visit);
  [[nodiscard]] net::HttpResponse check_file(const Visit& visit);
  [[nodiscard]] net::HttpResponse apply_file(const Visit& visit);
  [[nodiscard]] net::HttpResponse undo_file(const Visit& visit);
  [[nodiscard]] net::HttpResponse curve(const Visit& visit);
  [[nodiscard]] net::HttpResponse sample(const Visit& visit);
  [[nodiscard]] net::HttpResponse cancel_question(const Visit& visit);
  [[nodiscard]] net::HttpResponse connection(const Visit& visit);
  [[nodiscard]] net::HttpResponse masked_rows(const Visit& visit);
  [[nodiscard]] net::HttpResponse raw_rows(const Visit& visit);
  [[nodiscard]] net::HttpResponse prove(const Visit& visit);
  [[nodiscard]] net::HttpResponse state(const Visit& visit);
  [[nodiscard]] net::HttpResponse build(const Visit& visit);
  [[nodiscard]] net::HttpResponse build_if_same(const Visit& visit, const std::string& policy,
                                                const std::string& tag);
  [[nodiscard]] net::HttpResponse list_design_files(const Visit& visit);
  [[nodiscard]] net::HttpResponse read_design_file(const Visit& visit);
  [[nodiscard]] net::HttpResponse list_tables(const Visit& visit);
  [[nodiscard]] net::HttpResponse table_columns(const Visit& visit);
  [[nodiscard]] net::HttpResponse difference(const Visit& visit);
  [[nodiscard]] net::HttpResponse distribution(const Visit& visit);
  [[nodiscard]] net::HttpResponse audit_log(const Visit& visit);
  [[nodiscard]] net::HttpResponse audit_groups(const Visit& visit);
  [[nodiscard]] net::HttpResponse on_audit_log(
      const Visit& visit, const std::string& words,
      Result<boost::json::object> (*work)(const std::string& file, const AuditQuestion& question));
  [[nodiscard]] net::HttpResponse answer_for_page_jobs(const Visit& visit, std::string_view path);
  [[nodiscard]] net::HttpResponse events(const Visit& visit);
  [[nodiscard]] std::optional<std::string> next_events(const std::string& token,
                                                       std::map<std::string, std::string>& sent);

  [[nodiscard]] bool keep(const net::HttpRequest& request, std::uint64_t session,
                          const session::AuditEvent& event);
  [[nodiscard]] bool keep(const Visit& visit, session::AuditedThing thing);
  // The text shortened as audit.sql_bytes says.
  [[nodiscard]] session::AuditedText kept_words(const std::string& words) const;
  // Records `words`, asks, and records the end. A newer question of the session ends this one.
  using Ask = std::function<Result<boost::json::object>(const Designs::IsAbandoned& is_abandoned)>;
  [[nodiscard]] net::HttpResponse asked(const Visit& visit, const std::string& words, const Ask& ask);
  // Runs `work` only with the password, which a session that was stolen has not. Records `words` before the
  // password is checked, and the end. What is recorded is written in full whatever audit.sql_bytes is, so it
  // has only names and sizes.
  using Say = std::function<bool(const std::string& words)>;  // one more record; false: it can't be written
  struct Outcome {
    net::HttpResponse response;
    std::string sqlstate;  // for the record; empty: success
  };
  [[nodiscard]] static Outcome outcome_of(const Result<boost::json::object>& answer);
  [[nodiscard]] net::HttpResponse with_password(const Visit& visit, const std::string& words,
                                                const std::string& password,
                                                const std::function<Outcome(const Say&)>& work);
  // Runs `work` and returns its answer. Records `words` before it, and the end after it.
  [[nodiscard]] net::HttpResponse recorded(const Visit& visit, const std::string& words,
                                           const std::function<Result<boost::json::object>()>& work);

  ServingState& serving_;
  console::Console& console_;
  net::Server& server_;
  SignInLinks& links_;
  AuditLog* audit_;
  const std::string mock_secret_;
  std::map<std::string, std::string, std::less<>> tags_;  // of files, by path
  WebSessions sessions_;
  SignInLimit limit_;
  Designs designs_;
  Questions questions_;
  PolicyAuthors authors_;
  WebDifference differences_;
  Distributions distributions_;
  WebRows rows_;
  RawRowsView raw_;
  BuildTurns build_turns_;
  PageJobs* page_jobs_;
  std::atomic<std::uint64_t> last_request_{0};
};

}  // namespace pgveil::app
