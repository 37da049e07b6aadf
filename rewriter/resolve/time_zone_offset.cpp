#include "rewriter/resolve/time_zone_offset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "common/ascii.hpp"
#include "pg/fields.hpp"

namespace pgveil::rewriter {
namespace {

// "+05:30": the only form of the text whose meaning does not depend on the fields of the interval.
bool is_offset(std::string_view text) {
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) text.remove_prefix(1);
  const auto colon = text.find(':');
  return (colon == 1 || colon == 2) && text.size() == colon + 3 && are_digits(text.substr(0, colon)) &&
         are_digits(text.substr(colon + 1));
}

}  // namespace

pg::Node* time_zone_offset(const PgQuery__VariableSetStmt& set, const pg::Node& value, pg::Builder& build) {
  constexpr int kHourToMinute = (1 << 10) | (1 << 11);
  if (std::string_view(set.name) != "timezone" || !pg::is_kind(&value, PG_QUERY__NODE__NODE_TYPE_CAST))
    return nullptr;
  const PgQuery__TypeCast& cast = *value.type_cast;
  const PgQuery__TypeName& type = *cast.type_name;
  const bool is_interval = type.n_names == 2 && pg::string_of(type.names[0]) == "pg_catalog" &&
                           pg::string_of(type.names[1]) == "interval" && type.n_typmods == 1;
  if (!is_interval || !pg::is_kind(type.typmods[0], PG_QUERY__NODE__NODE_A_CONST) ||
      type.typmods[0]->a_const->val_case != PG_QUERY__A__CONST__VAL_IVAL ||
      type.typmods[0]->a_const->ival->ival != kHourToMinute ||
      !pg::is_kind(cast.arg, PG_QUERY__NODE__NODE_A_CONST) ||
      cast.arg->a_const->val_case != PG_QUERY__A__CONST__VAL_SVAL) {
    return nullptr;
  }
  const std::string_view text(cast.arg->a_const->sval->sval);
  return is_offset(text) ? build.string_constant(fmt::format("INTERVAL '{}'", text)) : nullptr;
}

}  // namespace pgveil::rewriter
