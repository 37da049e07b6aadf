#pragma once
// Reflection over protobuf-c messages: visits each set field of a message, so that code which must not miss a
// child (equality, the verifier) can't forget one.
#include <cstdint>
#include <span>
#include <string_view>

#include "common/assert.hpp"
#include "pg/ast.hpp"

namespace pgveil::pg {

template <class T>
[[nodiscard]] const T& member_at(const ProtobufCMessage& message, unsigned offset) {
  return *reinterpret_cast<const T*>(reinterpret_cast<const char*>(&message) + offset);
}

// Whether this field of the message is set. For a field of a oneof: whether it is the active member.
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

// The fields of this message that can be set: all of them, but of a Node only its kind. A Node has a field
// for each of some 270 kinds, and half of the messages of a tree are Nodes.
[[nodiscard]] inline std::span<const ProtobufCFieldDescriptor> fields_to_visit(
    const ProtobufCMessage& message) {
  const std::span all(message.descriptor->fields, message.descriptor->n_fields);
  if (message.descriptor != &pg_query__node__descriptor) return all;
  const auto kind = static_cast<std::uint32_t>(reinterpret_cast<const Node&>(message).node_case);
  // The fields are numbered from 1. If they were not, all of them would be visited.
  if (kind == 0 || kind > all.size() || all[kind - 1].id != kind) return all;
  return all.subspan(kind - 1, 1);
}

// Calls visit(child) for each message in this field.
template <class Visit>
void for_each_child_of(const ProtobufCMessage& message, const ProtobufCFieldDescriptor& field,
                       Visit&& visit) {
  if (field.type != PROTOBUF_C_TYPE_MESSAGE || !is_active(message, field)) return;
  if (is_repeated(field)) {
    const auto count = member_at<std::size_t>(message, field.quantifier_offset);
    const auto* const children = member_at<ProtobufCMessage**>(message, field.offset);
    for (std::size_t c = 0; c < count; ++c) visit(*children[c]);
  } else if (const auto* child = member_at<ProtobufCMessage*>(message, field.offset)) {
    visit(*child);
  }
}

// The source position of a node; without one of its own, the first of its children's; -1: none.
[[nodiscard]] int location_of(const ProtobufCMessage& message);
[[nodiscard]] inline int location_of(const Node* node) {
  return node == nullptr ? -1 : location_of(node->base);
}

// Calls visit(field, child) for each child message that is present, in field order.
template <class Visit>
void for_each_child(const ProtobufCMessage& message, Visit&& visit) {
  for (const ProtobufCFieldDescriptor& field : fields_to_visit(message)) {
    for_each_child_of(message, field, [&](const ProtobufCMessage& child) { visit(field, child); });
  }
}

// Whether nothing is set: zero, the empty text, no message, an empty list. False for a type that
// pg_query.proto does not have.
[[nodiscard]] inline bool is_default(const ProtobufCMessage& message, const ProtobufCFieldDescriptor& field) {
  if (!is_active(message, field)) return true;
  if (is_repeated(field)) return member_at<std::size_t>(message, field.quantifier_offset) == 0;
  switch (field.type) {
    case PROTOBUF_C_TYPE_MESSAGE: return member_at<const void*>(message, field.offset) == nullptr;
    case PROTOBUF_C_TYPE_STRING: return member_at<const char*>(message, field.offset)[0] == '\0';
    case PROTOBUF_C_TYPE_BOOL: return member_at<protobuf_c_boolean>(message, field.offset) == 0;
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_SINT32:
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_ENUM: return member_at<std::uint32_t>(message, field.offset) == 0;
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64: return member_at<std::uint64_t>(message, field.offset) == 0;
    case PROTOBUF_C_TYPE_FLOAT:
    case PROTOBUF_C_TYPE_DOUBLE:
    case PROTOBUF_C_TYPE_BYTES: break;
  }
  return false;
}

}  // namespace pgveil::pg
