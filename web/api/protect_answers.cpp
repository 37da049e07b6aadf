// The answers of the API for people who protect a table: what a draft of its policy would disclose, and how
// clients connect.
#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <utility>

#include "common/sha256.hpp"
#include "common/sqlstate.hpp"
#include "console/quote.hpp"
#include "proxy/net/address.hpp"
#include "settings/choices.hpp"
#include "web/api/api.hpp"
#include "web/api/json.hpp"
#include "web/api/table_drafts.hpp"

namespace pgveil::app {
namespace {

using net::HttpResponse;
namespace json = boost::json;

constexpr std::size_t kMostFileWords = 200;  // of the name of a file, for the record

Result<std::vector<std::uint64_t>> numbers_at(const json::object& body, std::string_view key) {
  const auto* list = body.at(key).if_array();
  std::vector<std::uint64_t> numbers;
  if (list != nullptr) {
    for (const auto& each : *list) {
      boost::system::error_code failed;
      const auto number = each.to_number<std::uint64_t>(failed);
      if (failed) break;
      numbers.push_back(number);
    }
  }
  if (list != nullptr && numbers.size() == list->size()) return numbers;
  return Error{ErrorKind::usage, std::string(sqlstate::kInvalidParameterValue),
               fmt::format("\"{}\" is no list of whole numbers of at least 0", key),
               "docs/openapi.yaml describes the requests"};
}

std::string_view word_of(ClientTls mode) {
  const auto found = std::ranges::find(kClientTls, mode, &std::pair<std::string_view, ClientTls>::second);
  return found == kClientTls.end() ? std::string_view() : found->first;
}

// What a client asks for so that it gets the best that pgveil has.
std::string_view sslmode_for(ClientTls mode) {
  switch (mode) {
    case ClientTls::disable: return "disable";
    case ClientTls::allow:
    case ClientTls::prefer: return "prefer";
    case ClientTls::require:
    case ClientTls::verify_ca: return "require";
  }
  return "require";
}

// Null: the address says nothing to people elsewhere, so they use the name by which they reach the page.
json::value told_host(const std::string& host) {
  const bool is_any = host.empty() || host == "*" || host == "0.0.0.0" || host == "::";
  return is_any || (net::is_address(host) && net::is_loopback(host)) ? json::value(nullptr)
                                                                     : json::value(host);
}

// Of a body with the keys file, yaml, seen and `more`.
Result<FileChange> change_in(const json::object& body) {
  FileChange change;
  const auto file = text_at(body, "file");
  if (!file) return file.error();
  const auto yaml = text_at(body, "yaml");
  if (!yaml) return yaml.error();
  change.file = *file;
  change.yaml = *yaml;
  if (body.at("seen").is_null()) return change;
  const auto seen = text_at(body, "seen");
  if (!seen) return seen.error();
  change.seen = *seen;
  return change;
}

}  // namespace

HttpResponse WebApi::list_tables_to_protect(const Visit& visit) {
  const auto now = serving_.present();
  const auto allowed =
      console::authorize(console::CheckPolicy{}, standing_of(now->config, visit.session.role));
  if (!allowed) return error_response(allowed.error());
  const auto texts = read_texts(visit.request.body, {"database"});
  if (!texts) return error_response(texts.error());
  return recorded(visit, "LOOK AT THE TABLES OF A DATABASE",
                  [&] { return tables_to_protect(*now, texts->front()); });
}

HttpResponse WebApi::draft_table(const Visit& visit) {
  const auto now = serving_.present();
  const auto allowed =
      console::authorize(console::CheckPolicy{}, standing_of(now->config, visit.session.role));
  if (!allowed) return error_response(allowed.error());
  const auto texts = read_texts(visit.request.body, {"database", "table"});
  if (!texts) return error_response(texts.error());
  const std::string &database = (*texts)[0], &table = (*texts)[1];
  return recorded(visit, "DRAFT A POLICY FOR A TABLE", [&] { return draft_of_table(*now, database, table); });
}

// ---- a file of policies

HttpResponse WebApi::check_file(const Visit& visit) {
  const auto allowed =
      console::authorize(console::CheckPolicy{}, standing_of(serving_.present()->config, visit.session.role));
  if (!allowed) return error_response(allowed.error());
  const auto body = read_body(visit.request.body, {"file", "yaml", "seen"});
  if (!body) return error_response(body.error());
  const auto change = change_in(*body);
  if (!change) return error_response(change.error());
  if (!keep(visit, session::AuditedCommand{kept_words("CHECK A POLICY FILE")})) return not_on_record();
  const auto outcome = authors_.check(*change);
  if (!keep(visit, session::AuditedCommandEnd{outcome.sqlstate})) return not_on_record();
  return json_response(outcome.status, outcome.body);
}

HttpResponse WebApi::apply_file(const Visit& visit) {
  const auto now = serving_.present();
  const std::string& role = visit.session.role;
  const auto allowed = check_listed(now->config, role, now->config.page.policy_authors, "policy_authors");
  if (!allowed) return error_response(allowed.error());
  const auto body = read_body(visit.request.body, {"file", "yaml", "seen", "password"});
  if (!body) return error_response(body.error());
  const auto change = change_in(*body);
  if (!change) return error_response(change.error());
  const auto password = text_at(*body, "password");
  if (!password) return error_response(password.error());
  const std::string words =
      fmt::format("APPLY POLICY FILE {} SHA256 {}",
                  console::shown_name(change->file.substr(0, kMostFileWords)), sha256_hex(change->yaml));
  return with_password(visit, words, *password, [&](const Say& say) {
    auto outcome = authors_.apply(role, *change, say);
    return Outcome{json_response(outcome.status, outcome.body), std::move(outcome.sqlstate)};
  });
}

HttpResponse WebApi::undo_file(const Visit& visit) {
  const auto now = serving_.present();
  const std::string& role = visit.session.role;
  const auto allowed = check_listed(now->config, role, now->config.page.policy_authors, "policy_authors");
  if (!allowed) return error_response(allowed.error());
  const auto texts = read_texts(visit.request.body, {"id", "password"});
  if (!texts) return error_response(texts.error());
  const std::string &id = (*texts)[0], &password = (*texts)[1];
  return with_password(visit, "UNDO A CHANGE OF A POLICY FILE", password, [&](const Say& say) {
    auto outcome = authors_.undo(role, id, say);
    return Outcome{json_response(outcome.status, outcome.body), std::move(outcome.sqlstate)};
  });
}

// ---- what a draft would disclose

HttpResponse WebApi::curve(const Visit& visit) {
  const auto now = serving_.present();
  const auto allowed =
      console::authorize(console::CheckPolicy{}, standing_of(now->config, visit.session.role));
  if (!allowed) return error_response(allowed.error());
  const auto body = read_body(visit.request.body, {"yaml", "policy", "ks"});
  if (!body) return error_response(body.error());
  const auto yaml = text_at(*body, "yaml");
  const auto policy = text_at(*body, "policy");
  const auto ks = numbers_at(*body, "ks");
  if (!yaml) return error_response(yaml.error());
  if (!policy) return error_response(policy.error());
  if (!ks) return error_response(ks.error());
  return asked(visit, fmt::format("WHAT IF K {} OF A DESIGN", fmt::join(*ks, ", ")),
               [&](const auto& is_abandoned) -> Result<json::object> {
                 const auto found = designs_.curve(now->config, *yaml, *policy, *ks, is_abandoned);
                 if (!found) return found.error();
                 return curve_json(*found);
               });
}

HttpResponse WebApi::cancel_question(const Visit& visit) {
  if (const auto empty = read_body(visit.request.body, {}); !empty) return error_response(empty.error());
  return recorded(visit, "CANCEL A QUESTION OF THIS SESSION", [&]() -> Result<json::object> {
    return json::object{{"was_running", questions_.cancel(visit.session.number)}};
  });
}

// The password and the records are those of raw rows, because these are raw rows.
HttpResponse WebApi::sample(const Visit& visit) {
  const auto now = serving_.present();
  const std::string& role = visit.session.role;
  const auto allowed = check_listed(now->config, role, now->config.page.raw_rows, "raw_rows");
  if (!allowed) return error_response(allowed.error());
  const auto texts = read_texts(visit.request.body, {"yaml", "policy", "password"});
  if (!texts) return error_response(texts.error());
  const std::string &yaml = (*texts)[0], &policy = (*texts)[1], &password = (*texts)[2];
  return with_password(
      visit, "SHOW RAW ROWS OF A DRAFT OF POLICY " + console::shown_name(policy.substr(0, 63)), password,
      [&](const Say& say) {
        const Questions::Question question(questions_, visit.session.number);
        const auto is_abandoned = [&] { return question.is_ended() || visit.request.is_abandoned(); };
        const auto draft = designs_.draft_version(now->config, yaml, policy, is_abandoned);
        if (!draft) return outcome_of(draft.error());
        return outcome_of(told(raw_.look_at_draft(now->config, *draft), say));
      });
}

HttpResponse WebApi::connection(const Visit& visit) {
  const auto now = serving_.present();
  const auto allowed =
      console::authorize(console::CheckPolicy{}, standing_of(now->config, visit.session.role));
  if (!allowed) return error_response(allowed.error());
  const Config& config = now->config;
  json::array databases;
  for (const auto& database : config.backend.databases) databases.push_back(json::string(database));
  const bool is_loopback = net::is_address(config.listen.host) && net::is_loopback(config.listen.host);
  return json_response(200, json::object{{"host", told_host(config.listen.host)},
                                         {"port", server_.port()},
                                         {"databases", std::move(databases)},
                                         {"tls", word_of(config.tls.clients)},
                                         {"sslmode", sslmode_for(config.tls.clients)},
                                         {"is_loopback", is_loopback}});
}

}  // namespace pgveil::app
