#include "rewriter/mask/mask_view.hpp"

#include <fmt/format.h>

#include <vector>

#include "pg/build.hpp"
#include "pg/print.hpp"
#include "rewriter/catalog/own_schema.hpp"

namespace pgveil::rewriter {
namespace {

using pg::Node;

constexpr std::size_t kNameBytes = 24;  // together with a number of 20 digits: 62 in all
constexpr std::string_view kViewAlias = "t";
constexpr std::string_view kMaskFunction = "is_mask";

// FNV-1a. It only keeps names apart; whether a view has the right text is checked on the text itself.
std::uint64_t checksum(std::string_view text) {
  std::uint64_t sum = 14695981039346656037U;
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return sum;
}

Node* view_guard(const std::string& view, pg::Builder& build) {
  Node* const name[] = {build.cast(build.string_constant(view), build.type_name("pg_catalog", "text"))};
  const pg::Builder::When is_ours[] = {
      {build.call_in(kOwnSchema, kMaskFunction, name), build.true_constant()}};
  // concat() is not folded at planning time, so the cast only fails when this arm is evaluated.
  Node* const marker[] = {build.string_constant(kViewMarker)};
  Node* raise =
      build.is_null(build.cast(build.call("concat", marker), build.type_name("pg_catalog", "int4")));
  Node* const targets[] = {build.target(build.searched_case(is_ours, raise), "")};
  return build.scalar_subquery(build.select(targets, nullptr, nullptr));
}

}  // namespace

std::string mask_view_name(std::string_view policy, std::uint64_t number) {
  return fmt::format("{}.{}.{:016x}", policy.substr(0, kNameBytes), number,
                     checksum(fmt::format("{} {}", PGVEIL_VERSION, policy)));
}

std::string select_from_view(const Mask& mask) {
  pg::Arena arena;
  pg::Builder build(arena);
  std::vector<Node*> targets;
  for (const MaskText::Column& column : mask.parts.columns)
    targets.push_back(build.target(build.column({kViewAlias, column.name}), ""));
  PgQuery__SelectStmt* select =
      build.select(targets, build.relation(kOwnSchema, mask.view, kViewAlias), view_guard(mask.view, build));
  return pg::print_statement(*build.select_node(select));
}

}  // namespace pgveil::rewriter
