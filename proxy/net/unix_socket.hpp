#pragma once
// The file of a Unix socket that clients connect to, named as libpq looks for it: directory/.s.PGSQL.port.
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/error.hpp"

namespace pgveil::net {

inline constexpr std::size_t kMaxSocketPathBytes = 107;  // the limit of sockaddr_un

[[nodiscard]] std::string unix_socket_path(const std::string& directory, std::uint16_t port);

// A listening socket with a file name, which the destructor removes. A lock file beside it (….lock)
// distinguishes a socket left by a crashed process, which is replaced, from one that another process listens
// on.
class UnixListener {
 public:
  // mode: that of the file. Errors (ErrorKind::io): the path is too long; another process listens there; the
  // file there is no socket.
  [[nodiscard]] static Result<UnixListener> open(std::string path, ::mode_t mode);
  UnixListener(UnixListener&& other) noexcept;
  UnixListener& operator=(UnixListener&&) = delete;
  ~UnixListener();

  // Listening and non-blocking. The caller must close it, once.
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
