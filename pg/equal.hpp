#pragma once
// Structural equality of parse trees by the protobuf descriptors: every field of every message is compared,
// except source positions. A field that a new libpg_query adds is compared too.
#include "pg/ast.hpp"

namespace pgveil::pg {

[[nodiscard]] bool equal(const ProtobufCMessage& a, const ProtobufCMessage& b);
[[nodiscard]] inline bool equal(const Node* a, const Node* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return equal(a->base, b->base);
}

}  // namespace pgveil::pg
