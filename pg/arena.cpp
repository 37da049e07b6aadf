#include "pg/arena.hpp"

#include <cstddef>
#include <cstring>

namespace pgveil::pg {

Arena::Arena() {
  allocator_.alloc = [](void* self, std::size_t bytes) { return static_cast<Arena*>(self)->allocate(bytes); };
  allocator_.free = [](void*, void*) {};
  allocator_.allocator_data = this;
}

void* Arena::allocate(std::size_t bytes) {
  return memory_.allocate(bytes == 0 ? 1 : bytes, alignof(std::max_align_t));
}

char* Arena::copy(std::string_view text) {
  char* out = static_cast<char*>(allocate(text.size() + 1));
  std::memcpy(out, text.data(), text.size());
  out[text.size()] = '\0';
  return out;
}

}  // namespace pgveil::pg
