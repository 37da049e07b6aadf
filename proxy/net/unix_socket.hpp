#pragma once
// The file of a Unix socket that clients connect to, named as libpq looks for it: directory/.s.PGSQL.port.
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/error.hpp"

namespace pgveil::net {

inline constexpr std::size_t kMaxSocketPathBytes = 107;  // of sockaddr_un

[[nodiscard]] std::string unix_socket_path(const std::string& directory, std::uint16_t port);

// A listening socket under a name, which is taken away again with it. A lock file beside it (….lock) tells a
// socket that a crashed process left, which is replaced, from one that somebody listens on.
class UnixListener {
 public:
  // mode: of the file. Errors (ErrorKind::io): the path is too long; somebody listens there; what is there is
  // no socket.
  [[nodiscard]] static Result<UnixListener> open(std::string path, ::mode_t mode);
  UnixListener(UnixListener&& other) noexcept;
  UnixListener& operator=(UnixListener&&) = delete;
  ~UnixListener();

  // Listening and not blocking; for the caller to close, once.
  [[nodiscard]] int release();

 private:
  UnixListener(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}
  [[nodiscard]] Result<void> listen(::mode_t mode);

  std::string path_;  // empty: moved from
  int lock_ = -1;
  int socket_ = -1;
  ::ino_t file_ = 0;  // of our socket; 0: none
};

}  // namespace pgveil::net
