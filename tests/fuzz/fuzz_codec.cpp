// Any bytes as frames and start-up packets: what is accepted is written back as exactly the bytes it was read
// from.
#include <cstdint>
#include <cstdlib>

#include "proxy/wire/codec.hpp"
#include "proxy/wire/startup.hpp"

using namespace pgveil::wire;

namespace {

template <class Decoded>
void must_write_back(const Decoded& decoded, std::string_view whole) {
  if (!decoded) return;
  std::string again;
  std::visit([&](const auto& kind) { encode(kind, again); }, *decoded);
  if (again != whole) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  Framer framer(1 << 20);
  framer.feed(bytes);
  for (auto frame = framer.peek(); frame && *frame; frame = framer.peek()) {
    must_write_back(decode_frontend(**frame), (*frame)->whole);
    must_write_back(decode_backend(**frame), (*frame)->whole);
    framer.pop(**frame);
  }
  Framer startup(10'000);
  startup.feed(bytes);
  const auto packet = startup.peek_startup();
  if (!packet || !*packet) return 0;
  const auto decoded = decode_startup((*packet)->body);
  const auto* message = decoded ? std::get_if<StartupMessage>(&*decoded) : nullptr;
  const bool is_readable = message == nullptr || message->major == 3;  // others are not read any further
  if (is_readable) must_write_back(decoded, (*packet)->whole);
  return 0;
}
