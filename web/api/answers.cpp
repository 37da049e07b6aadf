// The answers of the API that are no commands of the console.
#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "common/sqlstate.hpp"
#include "console/quote.hpp"
#include "web/api/api.hpp"
#include "web/api/audit.hpp"
#include "web/api/columns.hpp"
#include "web/api/json.hpp"
#include "web/api/page_job_routes.hpp"
#include "web/api/routes.hpp"

namespace pgveil::app {
namespace {

using net::HttpResponse;

// The thing has changed since the visitor looked at it, or somebody else is changing it.
HttpResponse conflict(unsigned status, const Error& error, const boost::json::object& now) {
  return json_response(
      status, boost::json::object{{"message", error.public_message}, {"hint", error.hint}, {"now", now}});
}

Error is_being_built() {
  return {ErrorKind::usage, std::string(sqlstate::kObjectNotInPrerequisiteState),
          "somebody else is building this policy", "wait for it, and look at what it made"};
}

Error has_changed() {
  return {ErrorKind::usage, std::string(sqlstate::kSerializationFailure),
          "the policy has changed since you looked at it", "see what is there now, then build or leave it"};
}

}  // namespace

// ---- what several may change

HttpResponse WebApi::state(const Visit& visit) {
  const auto now = serving_.present();
  const auto allowed =
      console::authorize(console::CheckPolicy{}, standing_of(now->config, visit.session.role));
  if (!allowed) return error_response(allowed.error());
  const auto texts = read_texts(visit.request.body, {"policy"});
  if (!texts) return error_response(texts.error());
  const auto state = policy_now(*now, serving_.running_builds(), texts->front());
  return state ? json_response(200, *state) : error_response(state.error());
}

HttpResponse WebApi::build(const Visit& visit) {
  const auto allowed =
      console::authorize(console::BuildPolicy{}, standing_of(serving_.present()->config, visit.session.role));
  if (!allowed) return error_response(allowed.error());
  const auto texts = read_texts(visit.request.body, {"policy", "tag"});
  if (!texts) return error_response(texts.error());
  const std::string &policy = (*texts)[0], &tag = (*texts)[1];
  return build_if_same(visit, policy, tag);
}

// Takes the turn before it compares the tag, so that of two visitors who saw the same state only one builds.
HttpResponse WebApi::build_if_same(const Visit& visit, const std::string& policy, const std::string& tag) {
  const std::string command = "BUILD POLICY " + console_name(policy);
  const auto text = serving_.audited_text(command, session::Gate::TextOf::command);
  if (!keep(visit, session::AuditedCommand{text})) return not_on_record();
  const BuildTurns::Turn turn(build_turns_, policy);
  const auto now = policy_now(*serving_.present(), serving_.running_builds(), policy);
  const auto end = [&](const std::string& sqlstate) {
    return keep(visit, session::AuditedCommandEnd{sqlstate});
  };
  const auto ended = [&](const Error& error, HttpResponse response) {
    return end(error.sqlstate) ? std::move(response) : not_on_record();
  };
  if (!now) return ended(now.error(), error_response(now.error()));
  if (!turn.is_taken() || !now->at("building").is_null())
    return ended(is_being_built(), conflict(409, is_being_built(), *now));
  if (now->at("tag").as_string() != tag) return ended(has_changed(), conflict(412, has_changed(), *now));
  const auto answer = console_.run({visit.session.role, command});
  if (!answer) return ended(answer.error(), error_response(answer.error()));
  return end("") ? json_response(200, json_of(*answer)) : not_on_record();
}

HttpResponse WebApi::list_design_files(const Visit& visit) {
  const auto now = serving_.present();
  const auto allowed =
      console::authorize(console::CheckPolicy{}, standing_of(now->config, visit.session.role));
  if (!allowed) return error_response(allowed.error());
  if (const auto empty = read_body(visit.request.body, {}); !empty) return error_response(empty.error());
  const auto files = design_files(now->config);
  return files ? json_response(200, *files) : error_response(files.error());
}

HttpResponse WebApi::read_design_file(const Visit& visit) {
  const auto now = serving_.present();
  const auto allowed =
      console::authorize(console::CheckPolicy{}, standing_of(now->config, visit.session.role));
  if (!allowed) return error_response(allowed.error());
  const auto texts = read_texts(visit.request.body, {"name"});
  if (!texts) return error_response(texts.error());
  return recorded(visit, "LOOK AT A POLICY FILE", [&] { return design_file(now->config, texts->front()); });
}

// ---- tables: names, columns, hints; no value

HttpResponse WebApi::list_tables(const Visit& visit) {
  const auto now = serving_.present();
  const auto allowed =
      console::authorize(console::CheckPolicy{}, standing_of(now->config, visit.session.role));
  if (!allowed) return error_response(allowed.error());
  const auto texts = read_texts(visit.request.body, {"database"});
  if (!texts) return error_response(texts.error());
  const auto tables = tables_of(*now, texts->front());
  return tables ? json_response(200, *tables) : error_response(tables.error());
}

HttpResponse WebApi::table_columns(const Visit& visit) {
  const auto now = serving_.present();
  const auto allowed =
      console::authorize(console::CheckPolicy{}, standing_of(now->config, visit.session.role));
  if (!allowed) return error_response(allowed.error());
  const auto texts = read_texts(visit.request.body, {"database", "table"});
  if (!texts) return error_response(texts.error());
  const std::string &database = (*texts)[0], &table = (*texts)[1];
  return recorded(visit, "LOOK AT THE COLUMNS OF A TABLE", [&] { return columns_of(*now, database, table); });
}

// ---- jobs over tables, with the password: a session that was stolen has none

HttpResponse WebApi::prove(const Visit& visit) {
  const auto now = serving_.present();
  const std::string& role = visit.session.role;
  const auto allowed = check_listed(now->config, role, now->config.page.table_jobs, "table_jobs");
  if (!allowed) return error_response(allowed.error());
  const auto texts = read_texts(visit.request.body, {"password"});
  if (!texts) return error_response(texts.error());
  const auto time = std::chrono::steady_clock::now();
  if (!limit_.may_try(role, time)) return too_many_tries();
  if (!keep(visit, session::AuditedCommand{kept_words("GIVE THE PASSWORD FOR JOBS OVER TABLES")}))
    return not_on_record();
  const auto proved = check_password(visit.request, role, texts->front());
  if (!keep(visit, session::AuditedCommandEnd{proved ? std::string() : proved.error().sqlstate}))
    return not_on_record();
  if (!proved) return error_response(403, "the password is wrong", "it is asked for jobs over tables");
  limit_.take_back(role, time);
  sessions_.prove(visit.token, time);
  return json_response(200, boost::json::object());
}

// ---- raw rows, each look with the password and on record

HttpResponse WebApi::raw_rows(const Visit& visit) {
  const auto now = serving_.present();
  const std::string& role = visit.session.role;
  const auto allowed = check_listed(now->config, role, now->config.page.raw_rows, "raw_rows");
  if (!allowed) return error_response(allowed.error());
  const auto texts = read_texts(visit.request.body, {"policy", "password"});
  if (!texts) return error_response(texts.error());
  const std::string &policy = (*texts)[0], &password = (*texts)[1];
  return with_password(visit, "SHOW RAW ROWS OF POLICY " + console::shown_name(policy.substr(0, 63)),
                       password,
                       [&](const Say& say) { return outcome_of(told(raw_.look(*now, policy), say)); });
}

// ---- designs: they say sizes of cohorts, as CHECK POLICY does

HttpResponse WebApi::design_check(const Visit& visit) {
  const auto allowed =
      console::authorize(console::CheckPolicy{}, standing_of(serving_.present()->config, visit.session.role));
  if (!allowed) return error_response(allowed.error());
  const auto texts = read_texts(visit.request.body, {"yaml"});
  return texts ? json_text_response(design_check_json(texts->front())) : error_response(texts.error());
}

HttpResponse WebApi::asked(const Visit& visit, const std::string& words, const Ask& ask) {
  if (!keep(visit, session::AuditedCommand{kept_words(words)})) return not_on_record();
  const Questions::Question question(questions_, visit.session.number);
  const auto answer = ask([&] { return question.is_ended() || visit.request.is_abandoned(); });
  if (!keep(visit, session::AuditedCommandEnd{answer ? std::string() : answer.error().sqlstate}))
    return not_on_record();
  if (answer) return json_response(200, *answer);
  const bool is_replaced = question.is_ended() && answer.error().sqlstate == sqlstate::kQueryCanceled;
  return is_replaced
             ? json_response(409, {{"message", "the question was cancelled, or a newer one was asked"},
                                   {"sqlstate", answer.error().sqlstate}})
             : error_response(answer.error());
}

// ---- jobs that are set up here

HttpResponse WebApi::answer_for_page_jobs(const Visit& visit, std::string_view path) {
  const auto now = serving_.present();
  const auto allowed =
      console::authorize(console::AnonymizeJob{}, standing_of(now->config, visit.session.role));
  if (!allowed) return error_response(allowed.error());
  if (page_jobs_ == nullptr) return not_there();
  const auto begin = [&](const std::string& words) {
    return keep(visit, session::AuditedCommand{kept_words(words)});
  };
  const auto end = [&](const std::string& sqlstate) {
    return keep(visit, session::AuditedCommandEnd{sqlstate});
  };
  const auto take_proof = [&] { return sessions_.take_proof(visit.token, std::chrono::steady_clock::now()); };
  auto answer = answer_page_job(*page_jobs_, {visit.request.method, path, visit.request.body,
                                              visit.session.role, now, begin, end, take_proof});
  return answer ? std::move(*answer) : not_there();
}

// ---- rows, as a role would be given them

HttpResponse WebApi::masked_rows(const Visit& visit) {
  const auto now = serving_.present();
  const auto allowed =
      console::authorize(console::ExplainPolicy{}, standing_of(now->config, visit.session.role));
  if (!allowed) return error_response(allowed.error());
  const auto texts = read_texts(visit.request.body, {"role", "database", "sql"});
  if (!texts) return error_response(texts.error());
  const RowsQuestion question{(*texts)[0], (*texts)[1], (*texts)[2]};
  return recorded(visit, audited_words(question), [&]() -> Result<boost::json::object> {
    const auto answer = rows_.ask(*now, question);
    if (!answer) return answer.error();
    return json_of(*answer);
  });
}

// ---- differences of versions, which quote values as trees do

HttpResponse WebApi::difference(const Visit& visit) {
  const auto now = serving_.present();
  const auto allowed =
      console::authorize(console::ShowCohorts{}, standing_of(now->config, visit.session.role));
  if (!allowed) return error_response(allowed.error());
  const auto texts = read_texts(visit.request.body, {"policy", "saved"});
  if (!texts) return error_response(texts.error());
  const std::string &policy = (*texts)[0], &saved = (*texts)[1];
  return recorded(visit, fmt::format("DIFFERENCE OF POLICY {}", console_name(policy)),
                  [&] { return differences_.compare(*now, policy, saved); });
}

// ---- values of a table and how often they occur, as far as trees may quote them

HttpResponse WebApi::distribution(const Visit& visit) {
  const auto now = serving_.present();
  const auto allowed =
      console::authorize(console::ShowCohorts{}, standing_of(now->config, visit.session.role));
  if (!allowed) return error_response(allowed.error());
  const auto texts = read_texts(visit.request.body, {"policy", "column"});
  if (!texts) return error_response(texts.error());
  const std::string &policy = (*texts)[0], &column = (*texts)[1];
  return recorded(
      visit,
      fmt::format("DISTRIBUTION OF COLUMN {} OF POLICY {}", console_name(column), console_name(policy)),
      [&] { return distributions_.count(*now, policy, column); });
}

// ---- the audit log

HttpResponse WebApi::on_audit_log(const Visit& visit, const std::string& words,
                                  Result<boost::json::object> (*work)(const std::string& file,
                                                                      const AuditQuestion& question)) {
  const auto now = serving_.present();
  const auto allowed =
      console::authorize(console::ShowConfig{}, standing_of(now->config, visit.session.role));
  if (!allowed) return error_response(allowed.error());
  const auto question = read_audit_question(visit.request.body);
  if (!question) return error_response(question.error());
  if (audit_ == nullptr)
    return error_response(404, "there is no audit log", "audit.file in the configuration says where it is");
  return recorded(visit, words, [&] { return work(now->config.audit.file, *question); });
}

HttpResponse WebApi::audit_log(const Visit& visit) {
  return on_audit_log(visit, std::string(kLookAtAudit), look_at_audit);
}

HttpResponse WebApi::audit_groups(const Visit& visit) {
  return on_audit_log(visit, std::string(kLookAtAudit), count_audit);
}

}  // namespace pgveil::app
