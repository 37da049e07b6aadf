#include "rewriter/version_guard.hpp"

#include <string>

namespace pgveil::rewriter {

pg::Node* version_guard(std::string_view policy, std::uint64_t number, pg::Builder& build) {
  pg::Node* const arguments[] = {
      build.cast(build.string_constant(policy), build.type_name("pg_catalog", "text")),
      build.cast(build.string_constant(std::to_string(number)), build.type_name("pg_catalog", "int8"))};
  pg::Node* const target[] = {build.target(build.call_in(kOwnSchema, kGuardFunction, arguments), "")};
  return build.scalar_subquery(build.select(target, nullptr, nullptr));
}

}  // namespace pgveil::rewriter
