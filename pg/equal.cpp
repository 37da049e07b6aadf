#include "pg/equal.hpp"

#include <cstring>

#include "pg/fields.hpp"

namespace pgveil::pg {
namespace {

bool equal_values(const ProtobufCFieldDescriptor& field, const char* a, const char* b) {
  switch (field.type) {
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_SINT32:
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_ENUM:
      return *reinterpret_cast<const std::uint32_t*>(a) == *reinterpret_cast<const std::uint32_t*>(b);
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
      return *reinterpret_cast<const std::uint64_t*>(a) == *reinterpret_cast<const std::uint64_t*>(b);
    case PROTOBUF_C_TYPE_BOOL:
      return *reinterpret_cast<const protobuf_c_boolean*>(a) ==
             *reinterpret_cast<const protobuf_c_boolean*>(b);
    case PROTOBUF_C_TYPE_STRING:
      return std::strcmp(*reinterpret_cast<const char* const*>(a),
                         *reinterpret_cast<const char* const*>(b)) == 0;
    case PROTOBUF_C_TYPE_MESSAGE: {
      const auto* left = *reinterpret_cast<const ProtobufCMessage* const*>(a);
      const auto* right = *reinterpret_cast<const ProtobufCMessage* const*>(b);
      return left == nullptr || right == nullptr ? left == right : equal(*left, *right);
    }
    case PROTOBUF_C_TYPE_FLOAT:
    case PROTOBUF_C_TYPE_DOUBLE:
    case PROTOBUF_C_TYPE_BYTES: break;  // pg_query.proto has none; never call such trees equal
  }
  return false;
}

std::size_t size_of(const ProtobufCFieldDescriptor& field) {
  switch (field.type) {
    case PROTOBUF_C_TYPE_MESSAGE:
    case PROTOBUF_C_TYPE_STRING: return sizeof(void*);
    case PROTOBUF_C_TYPE_BOOL: return sizeof(protobuf_c_boolean);
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_DOUBLE: return sizeof(std::uint64_t);
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_SINT32:
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_ENUM:
    case PROTOBUF_C_TYPE_FLOAT: return sizeof(std::uint32_t);
    case PROTOBUF_C_TYPE_BYTES: return sizeof(ProtobufCBinaryData);
  }
  return 0;
}

bool equal_repeated(const ProtobufCMessage& a, const ProtobufCMessage& b,
                    const ProtobufCFieldDescriptor& field) {
  const auto count = member_at<std::size_t>(a, field.quantifier_offset);
  if (count != member_at<std::size_t>(b, field.quantifier_offset)) return false;
  const char* left = member_at<const char*>(a, field.offset);
  const char* right = member_at<const char*>(b, field.offset);
  const std::size_t step = size_of(field);
  for (std::size_t i = 0; i < count; ++i, left += step, right += step) {
    if (!equal_values(field, left, right)) return false;
  }
  return true;
}

}  // namespace

bool equal(const ProtobufCMessage& a, const ProtobufCMessage& b) {
  if (&a == &b) return true;
  if (a.descriptor != b.descriptor) return false;
  // If a and b were Nodes of two kinds, the kind of a would not be active in b.
  for (const ProtobufCFieldDescriptor& field : fields_to_visit(a)) {
    if (is_source_position(field)) continue;
    if (is_active(a, field) != is_active(b, field)) return false;
    if (!is_active(a, field)) continue;
    const bool same = is_repeated(field) ? equal_repeated(a, b, field)
                                         : equal_values(field, &member_at<char>(a, field.offset),
                                                        &member_at<char>(b, field.offset));
    if (!same) return false;
  }
  return true;
}

}  // namespace pgveil::pg
