// Any conversation: each chunk is a side, a length and bytes. Nothing that the gate did not make may reach
// the server.
#include <cstdint>
#include <cstdlib>

#include "tests/fuzz/session_driver.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pgveil::session;
  pgveil::fuzz::SessionDriver driver;
  std::string_view left(reinterpret_cast<const char*>(data), size);
  while (left.size() >= 2) {
    const char side = left[0];
    const std::string_view bytes = left.substr(2, static_cast<unsigned char>(left[1]));
    left.remove_prefix(2 + bytes.size());
    switch (side) {
      case 'c': driver.step(ClientBytes{bytes}); break;
      case 'b': driver.from_backend(bytes); break;
      case 'n': driver.connected(); break;
      case 'f': driver.not_connected(); break;
      case 'a': driver.console_answers(); break;
      case 'p': driver.policy_changes(); break;
      case 'x': driver.step(CancelRequested{}); break;
      case 't': driver.step(LoginTimedOut{}); break;
      case 'l': driver.backend_leaves(); break;
      default: return 0;
    }
  }
  driver.step(ClientClosed{});
  if (!driver.is_closed()) std::abort();
  return 0;
}
