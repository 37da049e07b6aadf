#pragma once
// Listening sockets that the parent process made for us, as systemd does (sd_listen_fds(3)): LISTEN_PID is
// this process, and LISTEN_FDS descriptors follow the standard ones. They stay open while one process
// replaces another, so no client is turned away.
#include <optional>

#include "common/error.hpp"

namespace pgveil::net {

struct InheritedSockets {
  std::optional<int> tcp, local;  // listening; the caller must close each once
  bool tcp_is_v6 = false;

  [[nodiscard]] bool has_any() const { return tcp || local; }
};

// Takes the sockets and clears the variables, so that they are returned only once. Errors
// (ErrorKind::configuration): a descriptor is no listening stream socket, or is neither TCP nor Unix; there
// are two of a kind.
[[nodiscard]] Result<InheritedSockets> take_inherited_sockets();

}  // namespace pgveil::net
