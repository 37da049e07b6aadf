#include "web/api/api.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json/serialize.hpp>

#include "common/sha256.hpp"
#include "proxy/net/random.hpp"
#include "proxy/session/session.hpp"
#include "web/api/assets.hpp"
#include "web/api/guard.hpp"
#include "web/api/json.hpp"
#include "web/api/routes.hpp"

namespace pgveil::app {
namespace {

using net::HttpRequest;
using net::HttpResponse;

constexpr std::string_view kPrefix = "/api/v1/";
constexpr std::string_view kPageJobs = "desk/";

// Nothing from other origins, nothing inline, no frame around it, no text that becomes markup.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri "
    "'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

void add_headers(HttpResponse& response) {
  for (const auto& [name, value] :
       {std::pair<std::string_view, std::string_view>{"Content-Security-Policy", kPolicy},
        {"X-Content-Type-Options", "nosniff"},
        {"X-Frame-Options", "DENY"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Permissions-Policy", "camera=(), geolocation=(), microphone=()"}})
    response.headers.emplace_back(name, value);
}

}  // namespace

WebApi::WebApi(ServingState& serving, console::Console& console, net::Server& server, AuditLog* audit,
               SignInLinks& links, PageJobs* page_jobs)
    : serving_(serving),
      console_(console),
      server_(server),
      links_(links),
      audit_(audit),
      mock_secret_(net::random_nonce()),
      authors_(serving, console),
      rows_(server),
      page_jobs_(page_jobs) {
  for (const auto& asset : web_assets())
    tags_.emplace(asset.path, '"' + sha256_hex(asset.bytes).substr(0, 32) + '"');
}

HttpResponse WebApi::answer(const HttpRequest& request) {
  HttpResponse response = judged(request);
  add_headers(response);
  return response;
}

HttpResponse WebApi::judged(const HttpRequest& request) {
  if (const char* why = wrong_host(request, serving_.present()->config.page.names))
    return error_response(421, why, "use localhost and the port, or a name of admin.http.names");
  const std::string_view target = request.target;
  const std::string_view path = target.substr(0, target.find('?'));
  if (!path.starts_with(kPrefix)) return file(request, path);
  if (request.method != "GET" && request.method != "POST" && request.method != "DELETE") {
    auto response = error_response(405, "GET, POST and DELETE are known here");
    response.headers.emplace_back("Allow", "GET, POST, DELETE");
    return response;
  }
  if (const char* why = wrong_origin(request)) return error_response(403, why);
  return api(request, path.substr(kPrefix.size()));
}

HttpResponse WebApi::file(const HttpRequest& request, std::string_view path) const {
  if (request.method != "GET") {
    auto response = error_response(405, "GET only");
    response.headers.emplace_back("Allow", "GET");
    return response;
  }
  const auto assets = web_assets();
  if (assets.empty())
    return error_response(404, "this pgveil was built without the page", "docs/web.md says how it is built");
  const auto asset = std::ranges::find(assets, path, &WebAsset::path);
  if (asset == assets.end()) return error_response(404, "there is no such file");
  const std::string& tag = tags_.at(std::string(path));
  HttpResponse response{200, {{"ETag", tag}, {"Cache-Control", "no-cache"}}, ""};
  if (header(request, "if-none-match") == tag) {
    response.status = 304;
    return response;
  }
  response.headers.emplace_back("Content-Type", asset->type);
  response.body = std::string(asset->bytes);
  return response;
}

HttpResponse WebApi::api(const HttpRequest& request, std::string_view path) {
  designs_.forget_old();
  if (page_jobs_ != nullptr) page_jobs_->tidy();
  if (path == "session" && request.method == "POST") return sign_in(request);
  if (path == "session/link" && request.method == "POST") return sign_in_by_link(request);
  if (path == "session" && request.method == "GET") return who(request);
  const std::string token(token_of(request));
  auto session = session_of(token, WebSessions::Touch::goes_on);
  if (!session) return error_response(401, "nobody is signed in", "sign in again");
  if (request.method != "GET" && !is_same_secret(header(request, "x-csrf-token"), session->csrf))
    return error_response(403, "the session's token is missing");
  return in_session({request, std::move(*session), token, ++last_request_}, path);
}

std::optional<HttpResponse> WebApi::posted(const Visit& visit, std::string_view path) {
  struct Address {
    std::string_view path;
    HttpResponse (WebApi::*answer)(const Visit& visit);
  };
  static constexpr auto kAddresses =
      std::to_array<Address>({{"design/check", &WebApi::design_check},
                              {"design/files", &WebApi::list_design_files},
                              {"design/file", &WebApi::read_design_file},
                              {"design/tables", &WebApi::list_tables},
                              {"design/columns", &WebApi::table_columns},
                              {"protect/tables", &WebApi::list_tables_to_protect},
                              {"protect/draft", &WebApi::draft_table},
                              {"protect/check", &WebApi::check_file},
                              {"protect/apply", &WebApi::apply_file},
                              {"protect/undo", &WebApi::undo_file},
                              {"protect/curve", &WebApi::curve},
                              {"protect/sample", &WebApi::sample},
                              {"protect/cancel", &WebApi::cancel_question},
                              {"state", &WebApi::state},
                              {"build", &WebApi::build},
                              {"rows", &WebApi::masked_rows},
                              {"raw-rows", &WebApi::raw_rows},
                              {"prove", &WebApi::prove},
                              {"difference", &WebApi::difference},
                              {"distribution", &WebApi::distribution},
                              {"audit", &WebApi::audit_log},
                              {"audit/groups", &WebApi::audit_groups}});
  const auto found = std::ranges::find(kAddresses, path, &Address::path);
  if (found == kAddresses.end()) return std::nullopt;
  return (this->*found->answer)(visit);
}

HttpResponse WebApi::in_session(const Visit& visit, std::string_view path) {
  const std::string& method = visit.request.method;
  if (path == "session" && method == "DELETE") return sign_out(visit);
  if (method == "POST") {
    if (auto answer = posted(visit, path)) return std::move(*answer);
  }
  if (path == "events" && method == "GET") return events(visit);
  if (path == "protect/connection" && method == "GET") return connection(visit);
  if (path.starts_with(kPageJobs)) return answer_for_page_jobs(visit, path.substr(kPageJobs.size()));
  return run(visit, path);
}

// ---- commands

bool WebApi::keep(const HttpRequest& request, std::uint64_t session, const session::AuditEvent& event) {
  return audit_ == nullptr || audit_->keep({session, request.visitor, event, std::nullopt});
}

bool WebApi::keep(const Visit& visit, session::AuditedThing thing) {
  return keep(visit.request, visit.session.number,
              {visit.number, visit.session.role, std::string(session::kConsoleDatabase), std::move(thing)});
}

session::AuditedText WebApi::kept_words(const std::string& words) const {
  const std::size_t limit = serving_.present()->config.audit.sql_bytes;
  return limit == 0 ? nullptr : std::make_shared<const std::string>(words.substr(0, limit));
}

HttpResponse WebApi::recorded(const Visit& visit, const std::string& words,
                              const std::function<Result<boost::json::object>()>& work) {
  if (!keep(visit, session::AuditedCommand{kept_words(words)})) return not_on_record();
  const auto answer = work();
  if (!keep(visit, session::AuditedCommandEnd{answer ? std::string() : answer.error().sqlstate}))
    return not_on_record();
  return answer ? json_response(200, *answer) : error_response(answer.error());
}

WebApi::Outcome WebApi::outcome_of(const Result<boost::json::object>& answer) {
  if (answer) return {json_response(200, *answer), ""};
  return {error_response(answer.error()), answer.error().sqlstate};
}

HttpResponse WebApi::with_password(const Visit& visit, const std::string& words, const std::string& password,
                                   const std::function<Outcome(const Say&)>& work) {
  if (audit_ == nullptr)
    return error_response(403, "this is allowed only where an audit log is kept", "set audit.file");
  const auto time = std::chrono::steady_clock::now();
  if (!limit_.may_try(visit.session.role, time)) return too_many_tries();
  const Say say = [&](const std::string& line) {
    return keep(visit, session::AuditedCommand{std::make_shared<const std::string>(line)});
  };
  const auto end = [&](const std::string& sqlstate) {
    return keep(visit, session::AuditedCommandEnd{sqlstate});
  };
  if (!say(words)) return not_on_record();
  if (const auto proved = check_password(visit.request, visit.session.role, password); !proved)
    return end(proved.error().sqlstate)
               ? error_response(403, "the password is wrong", "it is asked for each time")
               : not_on_record();
  limit_.take_back(visit.session.role, time);
  auto outcome = work(say);
  return end(outcome.sqlstate) ? std::move(outcome.response) : not_on_record();
}

HttpResponse WebApi::run(const Visit& visit, std::string_view path) {
  const auto routed = route(visit.request.method, path, visit.request.body);
  if (!routed) return not_there();
  if (!*routed) return error_response(routed->error());
  const Routed& wanted = **routed;
  const auto text = serving_.audited_text(wanted.command, session::Gate::TextOf::command);
  if (!keep(visit, session::AuditedCommand{text})) return not_on_record();
  const auto answer = console_.run({visit.session.role, wanted.command});
  if (!keep(visit, session::AuditedCommandEnd{answer ? std::string() : answer.error().sqlstate}))
    return not_on_record();
  if (!answer) return error_response(answer.error());
  switch (wanted.answer) {
    case RouteAnswer::table: return json_response(200, json_of(*answer));
    case RouteAnswer::cell: {
      const bool is_cell = answer->rows.size() == 1 && answer->rows[0].size() == 1 && answer->rows[0][0];
      return is_cell ? json_text_response(*answer->rows[0][0]) : not_there();
    }
  }
  return not_there();
}

// ---- events

std::optional<std::string> WebApi::next_events(const std::string& token,
                                               std::map<std::string, std::string>& sent) {
  designs_.forget_old();
  const auto session = session_of(token, WebSessions::Touch::rests);
  if (!session) return std::nullopt;
  std::string text = ": \n\n";  // so that a visitor who has gone is noticed
  const auto tell = [&](std::string_view name, std::string data) {
    std::string& last = sent[std::string(name)];
    if (data == last) return;
    text += fmt::format("event: {}\ndata: {}\n\n", name, data);
    last = std::move(data);
  };
  for (const auto& topic : event_topics()) {
    const auto answer = console_.run({session->role, std::string(topic.command)});
    if (!answer) return std::nullopt;
    tell(topic.name, boost::json::serialize(json_of(*answer)));
  }
  tell("builds", boost::json::serialize(builds_json(serving_.running_builds())));
  return text;
}

// Recorded once, with what it shows. Then it continues as long as the session.
HttpResponse WebApi::events(const Visit& visit) {
  for (const auto& topic : event_topics()) {
    const auto text = serving_.audited_text(topic.command, session::Gate::TextOf::command);
    if (!keep(visit, session::AuditedCommand{text})) return not_on_record();
    if (!keep(visit, session::AuditedCommandEnd{})) return not_on_record();
  }
  if (!keep(visit, session::AuditedCommand{kept_words("LOOK AT RUNNING BUILDS")})) return not_on_record();
  if (!keep(visit, session::AuditedCommandEnd{})) return not_on_record();
  auto sent = std::make_shared<std::map<std::string, std::string>>();
  return {200,
          {{"Content-Type", "text/event-stream"}, {"Cache-Control", "no-store"}},
          "retry: 5000\n\n",
          [this, token = visit.token, sent] { return next_events(token, *sent); }};
}

}  // namespace pgveil::app
