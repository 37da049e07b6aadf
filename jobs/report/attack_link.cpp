#include "jobs/report/attack_link.hpp"

#include <boost/json/value.hpp>

#include "common/json_object.hpp"

namespace pgveil::app {
namespace {

Error no_report() {
  return error_of_kind(ErrorKind::configuration, "this is no report of pgveil attack",
                       "name a file that pgveil attack --format json wrote");
}

}  // namespace

bool AttackLink::is_about(const Certificate& certificate) const {
  if (!certificate.policy.empty())
    return policy_print == certificate.policy_print && policy_version == certificate.policy_version;
  return policy_print.empty() && ((file_print && file_print == certificate.file_print) ||
                                  (table_print && table_print == certificate.table_print));
}

Result<AttackLink> read_attack_link(std::string_view json) {
  const auto value = parse_json(json);
  if (!value || !value->is_object()) return no_report();
  FirstError errors;
  JsonObjectView fields(*value, "report", errors);  // other keys of the report are not read
  AttackLink made;
  if (fields.has("policy_sha256")) {
    made.policy_print = fields.text("policy_sha256");
    made.policy_version = fields.count("version");
    made.is_anything_learnt = fields.flag("is_anything_computable");
  } else {
    made.file_print = fields.text_or_null("file_sha256");
    made.table_print = fields.text_or_null("table_sha256");
    made.is_anything_learnt = fields.flag("is_anything_found");
  }
  if (errors.error()) return no_report();
  return made;
}

}  // namespace pgveil::app
