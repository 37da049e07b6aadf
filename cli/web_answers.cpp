// What the API answers that is no command of the console.
#include <fmt/format.h>

#include <utility>

#include "cli/web_api.hpp"
#include "cli/web_audit.hpp"
#include "cli/web_desk.hpp"
#include "cli/web_json.hpp"
#include "cli/web_routes.hpp"

namespace pgveil::cli {
namespace {

using net::HttpResponse;

}  // namespace

// ---- designs: they say sizes of cohorts, as CHECK POLICY does

HttpResponse WebApi::design_check(const Visit& visit) {
  const auto allowed =
      admin::authorize(admin::CheckPolicy{}, standing_of(world_.present()->config, visit.session.role));
  if (!allowed) return error_response(allowed.error());
  const auto texts = read_texts(visit.request.body, {"yaml"});
  return texts ? json_text_response(design_check_json(texts->front())) : error_response(texts.error());
}

HttpResponse WebApi::what_if(const Visit& visit) {
  const auto now = world_.present();
  const auto allowed = admin::authorize(admin::CheckPolicy{}, standing_of(now->config, visit.session.role));
  if (!allowed) return error_response(allowed.error());
  const auto body = read_body(visit.request.body, {"yaml", "policy", "k"});
  if (!body) return error_response(body.error());
  const auto yaml = text_at(*body, "yaml");
  const auto policy = text_at(*body, "policy");
  const auto k = number_at(*body, "k");
  if (!yaml) return error_response(yaml.error());
  if (!policy) return error_response(policy.error());
  if (!k) return error_response(k.error());
  const auto text = std::make_shared<const std::string>(fmt::format("WHAT IF K {} OF A DESIGN", *k));
  if (!keep(visit, session::AuditedCommand{text})) return not_on_record();
  const auto result = designs_.what_if(now->config, *yaml, *policy, *k);
  if (!keep(visit, session::AuditedCommandEnd{result ? std::string() : result.error().sqlstate}))
    return not_on_record();
  return result ? json_text_response(what_if_json(*result)) : error_response(result.error());
}

// ---- jobs that are set up here

HttpResponse WebApi::at_desk(const Visit& visit, std::string_view path) {
  const auto now = world_.present();
  const auto allowed = admin::authorize(admin::AnonymizeJob{}, standing_of(now->config, visit.session.role));
  if (!allowed) return error_response(allowed.error());
  if (desk_ == nullptr) return not_there();
  const auto begin = [&](const std::string& words) {
    return keep(visit, session::AuditedCommand{kept_words(words)});
  };
  const auto end = [&](const std::string& sqlstate) {
    return keep(visit, session::AuditedCommandEnd{sqlstate});
  };
  auto answer = answer_desk(
      *desk_, {visit.request.method, path, visit.request.body, visit.session.role, now, begin, end});
  return answer ? std::move(*answer) : not_there();
}

// ---- rows, as a role would be given them

HttpResponse WebApi::masked_rows(const Visit& visit) {
  const auto now = world_.present();
  const auto allowed = admin::authorize(admin::ExplainPolicy{}, standing_of(now->config, visit.session.role));
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
  const auto now = world_.present();
  const auto allowed = admin::authorize(admin::ShowCohorts{}, standing_of(now->config, visit.session.role));
  if (!allowed) return error_response(allowed.error());
  const auto texts = read_texts(visit.request.body, {"policy", "saved"});
  if (!texts) return error_response(texts.error());
  const std::string &policy = (*texts)[0], &saved = (*texts)[1];
  return recorded(visit, fmt::format("DIFFERENCE OF POLICY {}", console_name(policy)),
                  [&] { return differences_.compare(*now, policy, saved); });
}

// ---- the audit log

HttpResponse WebApi::audit_log(const Visit& visit) {
  const auto now = world_.present();
  const auto allowed = admin::authorize(admin::ShowConfig{}, standing_of(now->config, visit.session.role));
  if (!allowed) return error_response(allowed.error());
  const auto texts = read_texts(visit.request.body, {"event", "role", "verdict", "text"});
  if (!texts) return error_response(texts.error());
  const AuditFilter filter{(*texts)[0], (*texts)[1], (*texts)[2], (*texts)[3]};
  if (audit_ == nullptr)
    return error_response(404, "there is no audit log", "audit.file in the configuration says where it is");
  return recorded(visit, "LOOK AT THE AUDIT LOG",
                  [&] { return look_at_audit(now->config.audit.file, filter); });
}

}  // namespace pgveil::cli
