#pragma once
// What browsers get: the page's files, and the JSON API under /api/v1 (docs/openapi.yaml). Requests are judged (web_guard.hpp), their
// session is looked up, and what they ask is run by the console under the session's role, which authorizes it. Thread-safe.
#include <map>
#include <string>

#include "cli/audit_log.hpp"
#include "cli/web_design.hpp"
#include "cli/web_sessions.hpp"
#include "cli/world.hpp"
#include "proxy/admin/console.hpp"
#include "proxy/net/http_server.hpp"

namespace pgveil::cli {

class WebApi {
 public:
  // All outlive this. audit: null: nothing is audited.
  WebApi(World& world, admin::Console& console, AuditLog* audit);

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
  [[nodiscard]] std::optional<WebSession> session_of(std::string_view token, WebSessions::Touch touch);

  [[nodiscard]] net::HttpResponse sign_in(const net::HttpRequest& request);
  [[nodiscard]] Result<void> check_password(const net::HttpRequest& request, const std::string& role,
                                            const std::string& password);
  [[nodiscard]] net::HttpResponse sign_out(const Visit& visit);
  [[nodiscard]] net::HttpResponse who(const net::HttpRequest& request);
  [[nodiscard]] net::HttpResponse run(const Visit& visit, std::string_view path);
  [[nodiscard]] net::HttpResponse design_check(const Visit& visit);
  [[nodiscard]] net::HttpResponse what_if(const Visit& visit);
  [[nodiscard]] net::HttpResponse events(const Visit& visit);
  [[nodiscard]] std::optional<std::string> next_events(const std::string& token,
                                                       std::map<std::string, std::string>& sent);

  [[nodiscard]] bool keep(const net::HttpRequest& request, std::uint64_t session,
                          const session::AuditEvent& event);
  [[nodiscard]] bool keep(const Visit& visit, session::AuditedThing thing);

  World& world_;
  admin::Console& console_;
  AuditLog* audit_;
  const std::string mock_secret_;
  std::map<std::string, std::string, std::less<>> tags_;  // of files, by path
  WebSessions sessions_;
  SignInLimit limit_;
  Designs designs_;
  std::atomic<std::uint64_t> last_request_{0};
};

}  // namespace pgveil::cli
