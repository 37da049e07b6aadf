#pragma once
// Reflection over protobuf-c messages: visits each set field of a message, so that code which must not miss a child
// (equality, the verifier) can't forget one.
#include <cstdint>
#include <string_view>

#include "common/assert.hpp"
#include "rewriter/pg/ast.hpp"

namespace pgveil::rewriter::pg {

template <class T>
[[nodiscard]] const T& member_at(const ProtobufCMessage& message, unsigned offset) {
  return *reinterpret_cast<const T*>(reinterpret_cast<const char*>(&message) + offset);
}

// Is this field of the message set? For fields of a oneof: is it the active member.
[[nodiscard]] inline bool is_active(const ProtobufCMessage& message, const ProtobufCFieldDescriptor& field) {
  if ((field.flags & PROTOBUF_C_FIELD_FLAG_ONEOF) == 0) return true;
  return member_at<std::uint32_t>(message, field.quantifier_offset) == field.id;
}

[[nodiscard]] inline bool is_repeated(const ProtobufCFieldDescriptor& field) {
  return field.label == PROTOBUF_C_LABEL_REPEATED;
}

[[nodiscard]] inline bool is_source_position(const ProtobufCFieldDescriptor& field) {
  // Asked for every field of every node compared: most names are told by their first letter.
  if (field.type != PROTOBUF_C_TYPE_INT32 || (field.name[0] != 'l' && field.name[0] != 's')) return false;
  const std::string_view name(field.name);
  return name == "location" || name == "stmt_location" || name == "stmt_len";
}

// Calls visit(field, child) for each child message that is present, in field order.
template <class Visit>
void for_each_child(const ProtobufCMessage& message, Visit&& visit) {
  for (unsigned i = 0; i < message.descriptor->n_fields; ++i) {
    const ProtobufCFieldDescriptor& field = message.descriptor->fields[i];
    if (field.type != PROTOBUF_C_TYPE_MESSAGE || !is_active(message, field)) continue;
    if (is_repeated(field)) {
      const auto count = member_at<std::size_t>(message, field.quantifier_offset);
      const auto* const children = member_at<ProtobufCMessage**>(message, field.offset);
      for (std::size_t c = 0; c < count; ++c) visit(field, *children[c]);
    } else if (const auto* child = member_at<ProtobufCMessage*>(message, field.offset)) {
      visit(field, *child);
    }
  }
}

}  // namespace pgveil::rewriter::pg
