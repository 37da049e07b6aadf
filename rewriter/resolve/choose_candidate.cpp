#include "rewriter/resolve/choose_candidate.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "pg/fields.hpp"

namespace pgveil::rewriter {
namespace {

constexpr auto kNumberTypes =
    std::to_array<std::string_view>({"float4", "float8", "int2", "int4", "int8", "numeric"});

bool is_number_argument(const pg::Node* node) {
  if (pg::is_kind(node, PG_QUERY__NODE__NODE_A_CONST)) {
    const auto kind = node->a_const->val_case;
    return kind == PG_QUERY__A__CONST__VAL_IVAL || kind == PG_QUERY__A__CONST__VAL_FVAL;
  }
  if (!pg::is_kind(node, PG_QUERY__NODE__NODE_TYPE_CAST)) return false;
  const PgQuery__TypeName& type = *node->type_cast->type_name;
  return type.n_names == 2 && type.n_array_bounds == 0 && pg::string_of(type.names[0]) == "pg_catalog" &&
         std::ranges::find(kNumberTypes, pg::string_of(type.names[1])) != kNumberTypes.end();
}

// PostgreSQL's own hides a candidate with the same arguments where pg_catalog comes first.
bool is_found_on(const Candidate& candidate, std::span<const std::string> path, const CallShape& shape) {
  const auto at = std::ranges::find(path, candidate.schema);
  const auto ours = std::ranges::find(path, "pg_catalog");
  return at != path.end() && !(candidate.has_twin && !shape.has_names && ours < at);
}

using Found = std::vector<const Candidate*>;

// In the order of the path, because a candidate hides later ones with the same arguments.
Found found_in(std::span<const Candidate> candidates, std::span<const std::string> path,
               const CallShape& shape, const std::function<bool(const Candidate&)>& is_possible) {
  Found out;
  for (const std::string& schema : path) {
    for (const Candidate& candidate : candidates) {
      if (candidate.schema == schema && is_found_on(candidate, path, shape) && is_possible(candidate))
        out.push_back(&candidate);
    }
  }
  return out;
}

}  // namespace

CallShape shape_of(const PgQuery__FuncCall& call) {
  const auto arguments = pg::nodes(call.args, call.n_args);
  const bool has_names = std::ranges::any_of(
      arguments, [](const pg::Node* it) { return pg::is_kind(it, PG_QUERY__NODE__NODE_NAMED_ARG_EXPR); });
  if (has_names || call.func_variadic != 0 || call.agg_within_group != 0)
    return {.count = std::nullopt, .has_names = has_names, .is_number = {}};
  CallShape shape{.count = arguments.size(), .has_names = false, .is_number = {}};
  for (const pg::Node* argument : arguments) shape.is_number.push_back(is_number_argument(argument));
  return shape;
}

bool fits(const Candidate& candidate, const CallShape& shape) {
  if (!shape.count) return true;
  const std::size_t most = candidate.arguments.size();
  const std::size_t fixed = candidate.is_variadic ? most - 1 : most;
  if (*shape.count + candidate.defaults < fixed || (!candidate.is_variadic && *shape.count > most))
    return false;
  for (std::size_t i = 0; i < std::min(fixed, shape.is_number.size()); ++i) {
    // Numbers, pseudo-types, types outside pg_catalog: PostgreSQL converts a number to no other by itself.
    const bool takes_numbers = std::string_view("NP?").find(candidate.arguments[i]) != std::string_view::npos;
    if (shape.is_number[i] && !takes_numbers) return false;
  }
  return true;
}

Choice choose(std::span<const Candidate> candidates, std::span<const std::string> server_path,
              std::span<const std::string> client_path, const CallShape& shape,
              const std::function<bool(const Candidate&)>& is_possible) {
  const Found client = found_in(candidates, client_path, shape, is_possible);
  const auto unsafe = std::ranges::find(client, false, &Candidate::is_safe);
  if (unsafe != client.end()) return {Choice::Kind::unsafe, *unsafe};
  if (client.empty()) return {};
  const Found server = found_in(candidates, server_path, shape, is_possible);
  if (client == server) return {Choice::Kind::servers, client.front()};
  const auto differs = [](const Found& some, const Found& others) {
    return std::ranges::find_if(
        some, [&](const Candidate* it) { return std::ranges::find(others, it) == others.end(); });
  };
  if (const auto more = differs(server, client); more != server.end()) return {Choice::Kind::path, *more};
  const auto other = differs(client, server);
  return {Choice::Kind::path, other == client.end() ? client.front() : *other};
}

}  // namespace pgveil::rewriter
