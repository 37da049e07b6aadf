#pragma once
// Memory of one parse tree. Nodes are never freed one by one; they die with the arena. Not thread-safe while
// it grows.
#include <pg_query/pg_query.pb-c.h>

#include <memory_resource>
#include <string_view>

namespace pgveil::pg {

class Arena {
 public:
  Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  [[nodiscard]] void* allocate(std::size_t bytes);  // aligned for any node
  [[nodiscard]] char* copy(std::string_view text);  // NUL-terminated
  // For protobuf-c; owned by the arena.
  [[nodiscard]] ProtobufCAllocator* allocator() { return &allocator_; }

 private:
  std::pmr::monotonic_buffer_resource memory_{16 * 1024};
  ProtobufCAllocator allocator_;
};

}  // namespace pgveil::pg
