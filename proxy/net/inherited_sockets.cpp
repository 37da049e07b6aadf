#include "proxy/net/inherited_sockets.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "common/sqlstate.hpp"

namespace pgveil::net {
namespace {

constexpr int kFirst = 3;  // SD_LISTEN_FDS_START

Error unusable(std::string what) {
  return {ErrorKind::configuration, std::string(sqlstate::kInvalidParameterValue), std::move(what),
          "hand over one TCP socket, one Unix socket, or both, that listen (ListenStream=)"};
}

std::optional<long> number_in(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  const std::string_view digits(text);
  long number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

int option_of(int fd, int option) {
  int value = 0;
  socklen_t size = sizeof value;
  return ::getsockopt(fd, SOL_SOCKET, option, &value, &size) == 0 ? value : -1;
}

Result<void> take(int fd, InheritedSockets& taken) {
  const bool is_listening = option_of(fd, SO_TYPE) == SOCK_STREAM && option_of(fd, SO_ACCEPTCONN) == 1;
  if (!is_listening || ::fcntl(fd, F_SETFD, FD_CLOEXEC) != 0)
    return unusable(fmt::format("LISTEN_FDS: descriptor {} is no socket that listens", fd));
  const int family = option_of(fd, SO_DOMAIN);
  const bool is_tcp = family == AF_INET || family == AF_INET6;
  if (!is_tcp && family != AF_UNIX)
    return unusable(fmt::format("LISTEN_FDS: descriptor {} is neither TCP nor a Unix socket", fd));
  std::optional<int>& place = is_tcp ? taken.tcp : taken.local;
  if (place) return unusable(fmt::format("LISTEN_FDS: two {} sockets", is_tcp ? "TCP" : "Unix"));
  place = fd;
  if (is_tcp) taken.tcp_is_v6 = family == AF_INET6;
  return {};
}

}  // namespace

Result<InheritedSockets> take_inherited_sockets() {
  const auto process = number_in("LISTEN_PID");
  const auto count = number_in("LISTEN_FDS");
  ::unsetenv("LISTEN_PID");
  ::unsetenv("LISTEN_FDS");
  ::unsetenv("LISTEN_FDNAMES");
  InheritedSockets taken;
  if (process != ::getpid() || !count) return taken;
  for (long i = 0; i < *count; ++i) {
    if (auto took = take(kFirst + static_cast<int>(i), taken); !took) return took.error();
  }
  return taken;
}

}  // namespace pgveil::net
