#include "rewriter/mask/version_guard.hpp"

#include <string>

namespace pgveil::rewriter {

pg::Node* version_guard(std::string_view policy, std::uint64_t number, pg::Builder& build) {
  constexpr std::string_view kAlias = "c";
  const auto name = [&] {
    return build.cast(build.string_constant(policy), build.type_name("pg_catalog", "text"));
  };
  const auto version = [&] {
    return build.cast(build.string_constant(std::to_string(number)), build.type_name("pg_catalog", "int8"));
  };
  pg::Node* const target[] = {build.target(build.column({kAlias, "number"}), "")};
  pg::Node* current =
      build.scalar_subquery(build.select(target, build.relation(kOwnSchema, kCurrentView, kAlias),
                                         build.equals(build.column({kAlias, "policy"}), name())));
  pg::Node* const arguments[] = {name(), version()};
  const pg::Builder::When is_current[] = {{build.equals(current, version()), build.true_constant()}};
  return build.searched_case(is_current, build.call_in(kOwnSchema, kGuardFunction, arguments));
}

}  // namespace pgveil::rewriter
