#include "proxy/net/unix_socket.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "common/sqlstate.hpp"

namespace pgveil::net {
namespace {

Error not_listening(const std::string& path, std::string_view why, std::string_view fix) {
  return {ErrorKind::io, std::string(sqlstate::kInternalError),
          fmt::format("can't listen on {}: {}", path, why), std::string(fix)};
}

Error system_error(const std::string& path) {
  return not_listening(path, std::strerror(errno), "check listen.socket_dir and who may write there");
}

}  // namespace

std::string unix_socket_path(const std::string& directory, std::uint16_t port) {
  return fmt::format("{}/.s.PGSQL.{}", directory, port);
}

Result<UnixListener> UnixListener::open(std::string path, ::mode_t mode) {
  const std::string lock_path = path + ".lock";
  const int lock = ::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (lock < 0) return system_error(path);
  UnixListener listener(std::move(path), lock);
  if (::flock(lock, LOCK_EX | LOCK_NB) != 0)
    return not_listening(listener.path_, "another process listens there", "use another port or directory");
  if (auto listening = listener.listen(mode); !listening) return listening.error();
  return listener;
}

// The name exists only while nobody else may use it: the socket is bound without any permission and then gets
// its mode.
Result<void> UnixListener::listen(::mode_t mode) {
  sockaddr_un address{};
  if (path_.size() > kMaxSocketPathBytes)
    return not_listening(path_, "the path is too long", "use a shorter listen.socket_dir");
  struct stat status {};
  if (::lstat(path_.c_str(), &status) == 0) {
    if (!S_ISSOCK(status.st_mode))
      return not_listening(path_, "something that is no socket is there", "remove it");
    if (::unlink(path_.c_str()) != 0) return system_error(path_);
  }
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path_.data(), path_.size());
  socket_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (socket_ < 0 || ::fchmod(socket_, 0) != 0) return system_error(path_);
  if (::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return system_error(path_);
  if (::lstat(path_.c_str(), &status) != 0) return system_error(path_);
  file_ = status.st_ino;
  if (::chmod(path_.c_str(), mode) != 0 || ::listen(socket_, SOMAXCONN) != 0) return system_error(path_);
  return {};
}

UnixListener::UnixListener(UnixListener&& other) noexcept
    : path_(std::exchange(other.path_, {})),
      lock_(std::exchange(other.lock_, -1)),
      socket_(std::exchange(other.socket_, -1)),
      file_(std::exchange(other.file_, 0)) {}

// The lock file stays. If it were removed while another process waits to open it, two processes could each
// hold a lock.
UnixListener::~UnixListener() {
  struct stat status {};
  if (file_ != 0 && ::lstat(path_.c_str(), &status) == 0 && status.st_ino == file_) ::unlink(path_.c_str());
  if (socket_ >= 0) ::close(socket_);
  if (lock_ >= 0) ::close(lock_);
}

int UnixListener::release() {
  return std::exchange(socket_, -1);
}

}  // namespace pgveil::net
