#pragma once
// Listening sockets that whoever started us has made, as systemd does it (sd_listen_fds(3)): LISTEN_PID is
// this process, and LISTEN_FDS descriptors follow the standard ones. They stay open while one process takes
// another's place, so that no client is turned away.
#include <optional>

#include "common/error.hpp"

namespace pgveil::net {

struct InheritedSockets {
  std::optional<int> tcp, local;  // listening; the caller's to close, once
  bool tcp_is_v6 = false;

  [[nodiscard]] bool has_any() const { return tcp || local; }
};

// Forgets the variables, so that it gives them once. Errors (ErrorKind::configuration): one that is no
// listening stream socket, or of another kind than TCP and Unix; two of a kind.
[[nodiscard]] Result<InheritedSockets> take_inherited_sockets();

}  // namespace pgveil::net
