#pragma once
// What browsers get: the page's files, and the JSON API under /api/v1 (docs/openapi.yaml). Requests are judged (cli/web/guard.hpp), their
// session is looked up, and what they ask is run by the console under the session's role, which authorizes it. Thread-safe.
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "cli/audit/log.hpp"
#include "cli/web/design.hpp"
#include "cli/web/desk.hpp"
#include "cli/web/difference.hpp"
#include "cli/web/raw.hpp"
#include "cli/web/rows.hpp"
#include "cli/web/sessions.hpp"
#include "cli/web/state.hpp"
#include "cli/world.hpp"
#include "proxy/admin/console.hpp"
#include "proxy/net/http_server.hpp"

namespace pgveil::cli {

class WebApi {
 public:
  // All outlive this. audit: null: nothing is audited. desk: null: jobs can't be set up.
  WebApi(World& world, admin::Console& console, net::Server& server, AuditLog* audit, Desk* desk);

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
  // nullopt: no such address among those with a body of their own.
  [[nodiscard]] std::optional<net::HttpResponse> posted(const Visit& visit, std::string_view path);
  [[nodiscard]] std::optional<WebSession> session_of(std::string_view token, WebSessions::Touch touch);

  [[nodiscard]] net::HttpResponse sign_in(const net::HttpRequest& request);
  [[nodiscard]] Result<void> check_password(const net::HttpRequest& request, const std::string& role,
                                            const std::string& password);
  [[nodiscard]] static net::HttpResponse too_many_tries();
  [[nodiscard]] net::HttpResponse sign_out(const Visit& visit);
  [[nodiscard]] net::HttpResponse who(const net::HttpRequest& request);
  [[nodiscard]] net::HttpResponse run(const Visit& visit, std::string_view path);
  [[nodiscard]] net::HttpResponse design_check(const Visit& visit);
  [[nodiscard]] net::HttpResponse what_if(const Visit& visit);
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
  [[nodiscard]] net::HttpResponse audit_log(const Visit& visit);
  [[nodiscard]] net::HttpResponse at_desk(const Visit& visit, std::string_view path);
  [[nodiscard]] net::HttpResponse events(const Visit& visit);
  [[nodiscard]] std::optional<std::string> next_events(const std::string& token,
                                                       std::map<std::string, std::string>& sent);

  [[nodiscard]] bool keep(const net::HttpRequest& request, std::uint64_t session,
                          const session::AuditEvent& event);
  [[nodiscard]] bool keep(const Visit& visit, session::AuditedThing thing);
  // As audit.sql_bytes allows.
  [[nodiscard]] session::AuditedText kept_words(const std::string& words) const;
  // What `work` answers, with `words` on record before it and its end after it.
  [[nodiscard]] net::HttpResponse recorded(const Visit& visit, const std::string& words,
                                           const std::function<Result<boost::json::object>()>& work);

  World& world_;
  admin::Console& console_;
  AuditLog* audit_;
  const std::string mock_secret_;
  std::map<std::string, std::string, std::less<>> tags_;  // of files, by path
  WebSessions sessions_;
  SignInLimit limit_;
  Designs designs_;
  WebDifference differences_;
  WebRows rows_;
  WebRaw raw_;
  BuildTurns build_turns_;
  Desk* desk_;
  std::atomic<std::uint64_t> last_request_{0};
};

}  // namespace pgveil::cli
