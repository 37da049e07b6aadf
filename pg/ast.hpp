#pragma once
// The parse tree of PostgreSQL as libpg_query hands it over: plain protobuf-c structs that live in an Arena.
// This is the only header that includes libpg_query's; everything under rewriter/ that works on trees
// includes this one. The distribution decides which major's parser it is; pgveil is tried with 15 and 17.
#include <pg_query.h>
#include <pg_query/pg_query.pb-c.h>

#include <span>
#include <string_view>

namespace pgveil::pg {

using Node = PgQuery__Node;

// The major of PostgreSQL whose parser this is. It may differ from the server's.
inline constexpr int kParserMajor = PG_VERSION_NUM / 10000;

// The elements of a repeated field, e.g. nodes(select->target_list, select->n_target_list). Lives as long as
// the arena.
[[nodiscard]] inline std::span<Node*> nodes(Node** first, std::size_t count) {
  return {first, count};
}

// The text of a String node; empty for any other kind.
[[nodiscard]] inline std::string_view string_of(const Node* node) {
  return node != nullptr && node->node_case == PG_QUERY__NODE__NODE_STRING
             ? std::string_view(node->string->sval)
             : std::string_view();
}

[[nodiscard]] inline bool is_kind(const Node* node, PgQuery__Node__NodeCase kind) {
  return node != nullptr && node->node_case == kind;
}

}  // namespace pgveil::pg
