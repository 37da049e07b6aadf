// SCRAM messages of a hostile peer, and verifiers of a hostile file: no crash, and no login without the
// password. Input: lines; the first is tried as a verifier, as client-first and as server-first, the second
// as the final message.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "proxy/session/scram.hpp"

using namespace pgveil::session;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::string_view first = input.substr(0, input.find('\n'));
  const std::string_view rest =
      first.size() < input.size() ? input.substr(first.size() + 1) : std::string_view{};
  const std::string_view second = rest.substr(0, rest.find('\n'));

  if (const auto verifier = parse_verifier(first); verifier.has_value()) {
    const std::string printed = to_string(*verifier);
    const auto again = parse_verifier(printed);
    if (again.has_error() || to_string(*again) != printed) std::abort();
  }

  static const ScramVerifier secret = mock_verifier("fuzz", "no password fits");
  ScramServer server(secret, "servernonceservernonce", false);
  if (server.on_client_first(first).has_value() && server.on_client_final(second).has_value()) std::abort();

  if (first.ends_with("i=1") || first.ends_with("i=0")) {  // few iterations keep the target quick
    ScramClient client("password", "clientnonceclientnonce");
    static_cast<void>(client.client_first());
    if (client.on_server_first(first).has_value() && client.on_server_final(second).has_value()) std::abort();
  }
  return 0;
}
