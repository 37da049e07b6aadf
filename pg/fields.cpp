#include "pg/fields.hpp"

namespace pgveil::pg {

int location_of(const ProtobufCMessage& message) {
  if (const auto* field = protobuf_c_message_descriptor_get_field_by_name(message.descriptor, "location");
      field != nullptr && field->type == PROTOBUF_C_TYPE_INT32) {
    return member_at<std::int32_t>(message, field->offset);
  }
  int found = -1;
  for_each_child(message, [&](const ProtobufCFieldDescriptor&, const ProtobufCMessage& child) {
    if (found < 0) found = location_of(child);
  });
  return found;
}

}  // namespace pgveil::pg
