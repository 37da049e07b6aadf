#pragma once
// Whether what pgveil sends or receives could cross a network without TLS.
#include <string>
#include <vector>

#include "settings/config.hpp"

namespace pgveil::app {

// Whether the access file lets clients of other machines log in without TLS. Without a file it does.
enum class RemotePlaintext { allowed, refused };

// One line each, with the fix, for clients of other machines that may connect without TLS, and for servers on
// other machines that pgveil connects to without TLS. Loopback addresses, "localhost" and Unix sockets are
// on this machine. A name is never resolved, so any other name counts as another machine.
[[nodiscard]] std::vector<std::string> plaintext_warnings(const Config& config, RemotePlaintext logins);

}  // namespace pgveil::app
