#include "unit/net/peer.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <utility>

namespace pgveil::net_test {
namespace {

constexpr int kPatienceMs = static_cast<int>(std::chrono::milliseconds(kPatience).count());
constexpr int kStuckMs = 700;  // nothing moved for so long: the other side has stopped reading

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int listen_on_any_port(std::uint16_t& port) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  if (::bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener, 100) != 0 ||
      ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    throw std::runtime_error("no listener");
  }
  port = ntohs(address.sin_port);
  return listener;
}

std::uint32_t length_of(const std::string& four_bytes) {
  std::uint32_t length = 0;
  for (const char c : four_bytes) length = (length << 8) | static_cast<unsigned char>(c);
  return length;
}

}  // namespace

Peer::Peer(int descriptor) : descriptor_(descriptor) {
  if (descriptor < 0) throw std::runtime_error("no connection");
}
Peer::Peer(Peer&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
Peer::~Peer() {
  close();
}

void Peer::close() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

Peer Peer::connect_to(std::uint16_t port, const std::string& from) {
  Peer peer(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!from.empty()) {
    sockaddr_in own = loopback(0);
    ::inet_pton(AF_INET, from.c_str(), &own.sin_addr);
    if (::bind(peer.descriptor_, reinterpret_cast<const sockaddr*>(&own), sizeof own) != 0)
      throw std::runtime_error("no such address here");
  }
  const sockaddr_in address = loopback(port);
  if (::connect(peer.descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw std::runtime_error("connection refused");
  }
  return peer;
}

void Peer::wait_for(short events) const {
  pollfd entry{descriptor_, events, 0};
  if (::poll(&entry, 1, kPatienceMs) <= 0) throw std::runtime_error("waited too long");
}

void Peer::send_bytes(std::string_view bytes) const {
  while (!bytes.empty()) {
    wait_for(POLLOUT);
    const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN) throw std::runtime_error("the other side went while it was sent to");
    if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::size_t Peer::send_until_stuck(std::string_view bytes) const {
  std::size_t total = 0;
  while (total < bytes.size()) {
    pollfd entry{descriptor_, POLLOUT, 0};
    if (::poll(&entry, 1, kStuckMs) <= 0) return total;
    const ssize_t sent =
        ::send(descriptor_, bytes.data() + total, bytes.size() - total, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) throw std::runtime_error("the other side went while it was sent to");
    total += static_cast<std::size_t>(sent);
  }
  return total;
}

std::string Peer::receive(std::size_t size_bytes) const {
  std::string bytes(size_bytes, '\0');
  for (std::size_t at = 0; at < size_bytes;) {
    wait_for(POLLIN);
    const ssize_t count = ::recv(descriptor_, bytes.data() + at, size_bytes - at, 0);
    if (count <= 0) throw std::runtime_error("the other side went while it was read from");
    at += static_cast<std::size_t>(count);
  }
  return bytes;
}

bool Peer::is_at_end() const {
  wait_for(POLLIN);
  char byte = 0;
  return ::recv(descriptor_, &byte, 1, 0) <= 0;
}

Frame Peer::frame() const {
  const std::string head = receive(5);
  return {head[0], receive(length_of(head.substr(1)) - 4)};
}

Frame Peer::frame_until(char tag) const {
  for (;;) {
    Frame next = frame();
    if (next.tag == tag) return next;
  }
}

wire::StartupPacket Peer::startup_packet() const {
  const auto packet = wire::decode_startup(receive(length_of(receive(4)) - 4));
  if (packet.has_error()) throw std::runtime_error("no start-up packet");
  return *packet;
}

// ---- clients

Peer connect_raw(std::uint16_t port, const std::string& database, std::uint16_t minor) {
  Peer peer = Peer::connect_to(port);
  wire::StartupMessage startup{.minor = minor};
  startup.parameters = {{"user", "bench"}, {"database", database}};
  std::string out;
  wire::encode(startup, out);
  peer.send_bytes(out);
  return peer;
}

Client log_in(std::uint16_t port, const std::string& database, std::uint16_t minor) {
  Client client{connect_raw(port, database, minor), {}};
  client.keys =
      *wire::decode_as<wire::BackendKeyData>(client.peer.frame_until(wire::BackendKeyData::tag).body);
  static_cast<void>(client.peer.frame_until(wire::ReadyForQuery::tag));
  return client;
}

std::string Client::error() const {
  const Frame frame = peer.frame_until(wire::ErrorResponse::tag);
  const auto response = wire::decode_as<wire::ErrorResponse>(frame.body);
  if (response.has_error()) throw std::runtime_error("malformed ErrorResponse");
  const std::string* code = response->diagnostics.find('C');
  return code != nullptr ? *code : "";
}

// ---- servers

FakeBackend::FakeBackend(std::function<void(Peer&)> serve, std::function<void()> on_cancel)
    : serve_(std::move(serve)),
      on_cancel_(std::move(on_cancel)),
      listener_(listen_on_any_port(port_)),
      acceptor_([this] { accept_all(); }) {}

FakeBackend::~FakeBackend() {
  ::shutdown(listener_, SHUT_RDWR);  // wakes accept()
  acceptor_.join();
  ::close(listener_);
  for (std::thread& thread : threads_) thread.join();
}

void FakeBackend::accept_all() {
  for (;;) {
    const int descriptor = ::accept(listener_, nullptr, nullptr);
    if (descriptor < 0) return;
    threads_.emplace_back([this, descriptor] { serve_one(descriptor); });
  }
}

void FakeBackend::serve_one(int descriptor) {
  try {
    Peer peer(descriptor);
    const wire::StartupPacket packet = peer.startup_packet();
    if (const auto* cancel = std::get_if<wire::CancelRequest>(&packet)) {
      {
        const std::scoped_lock lock(mutex_);
        cancels_.push_back(*cancel);
        changed_.notify_all();
      }
      return on_cancel_();
    }
    peer.send(wire::AuthenticationOk{});
    peer.send(wire::ParameterStatus{"server_version", "15.0"});
    peer.send(wire::BackendKeyData{kPid, secret()});
    peer.send(wire::ReadyForQuery{wire::TransactionStatus::idle});
    serve_(peer);
  } catch (const std::exception&) {  // the proxy went; the test looks at its own end
  }
  const std::scoped_lock lock(mutex_);
  ++ended_;
  changed_.notify_all();
}

std::vector<wire::CancelRequest> FakeBackend::wait_for_cancels(std::size_t count) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kPatience, [&] { return cancels_.size() >= count; });
  return cancels_;
}

std::size_t FakeBackend::cancel_count() {
  const std::scoped_lock lock(mutex_);
  return cancels_.size();
}

void FakeBackend::wait_for_ended(std::size_t count) {
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, kPatience, [&] { return ended_ >= count; })) {
    throw std::runtime_error("the proxy kept its connection");
  }
}

void answer_one_row(const Peer& client, const std::string& value) {
  wire::ColumnDescription column;
  column.name = "value";
  column.type_oid = 25;
  column.type_size = -1;
  client.send(wire::RowDescription{{column}});
  client.send(wire::DataRow{{wire::Value(value)}});
  client.send(wire::CommandComplete{"SELECT 1"});
  client.send(wire::ReadyForQuery{wire::TransactionStatus::idle});
}

void answer_all(Peer& proxy) {
  for (;;) {
    if (proxy.frame().tag == wire::Query::tag) answer_one_row(proxy, "42");
  }
}

std::uint16_t dead_port() {
  std::uint16_t port = 0;
  ::close(listen_on_any_port(port));
  return port;
}

}  // namespace pgveil::net_test
