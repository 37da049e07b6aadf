#pragma once
// The two ends of the proxy as a test plays them: plain blocking sockets that speak frames. Every wait ends
// after kPatience with an exception, so that a fault is a failed test and not a hang.
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "proxy/wire/codec.hpp"
#include "proxy/wire/startup.hpp"

namespace pgveil::net_test {

inline constexpr std::chrono::seconds kPatience{30};

struct Frame {
  char tag = '\0';
  std::string body;
};

class Peer {
 public:
  explicit Peer(int descriptor);  // takes it over
  // from: one of this machine's addresses; empty: any.
  static Peer connect_to(std::uint16_t port, const std::string& from = {});
  Peer(Peer&& other) noexcept;
  Peer& operator=(Peer&&) = delete;
  ~Peer();

  void send_bytes(std::string_view bytes) const;
  template <class Message>
  void send(const Message& message) const {
    std::string out;
    wire::encode(message, out);
    send_bytes(out);
  }

  [[nodiscard]] std::string receive(std::size_t size_bytes) const;
  [[nodiscard]] Frame frame() const;                // the next one
  [[nodiscard]] Frame frame_until(char tag) const;  // the next one with this tag; others are dropped
  [[nodiscard]] wire::StartupPacket startup_packet() const;
  [[nodiscard]] bool is_at_end() const;  // waits for a byte (false) or the end (true)

  // Sends as much of `bytes` as is taken before nothing moves for a while; returns how much.
  [[nodiscard]] std::size_t send_until_stuck(std::string_view bytes) const;

  void close();

 private:
  void wait_for(short events) const;
  int descriptor_;
};

// A client that has said who it is.
struct Client {
  Peer peer;
  wire::BackendKeyData keys;

  void query(const std::string& sql) const { peer.send(wire::Query{sql}); }
  // The SQLSTATE of the next ErrorResponse.
  [[nodiscard]] std::string error() const;
};
[[nodiscard]] Peer connect_raw(std::uint16_t port, const std::string& database = "bench",
                               std::uint16_t minor = 0);
[[nodiscard]] Client log_in(std::uint16_t port, const std::string& database = "bench",
                            std::uint16_t minor = 0);

// A server of protocol 3.2 that lets everybody in and then does what `serve` says, on a thread for each
// connection.
class FakeBackend {
 public:
  static constexpr std::uint32_t kPid = 4711;
  static wire::CancelSecret secret() { return {std::string(32, 's')}; }

  // on_cancel: runs before the connection of a CancelRequest is closed.
  explicit FakeBackend(
      std::function<void(Peer&)> serve, std::function<void()> on_cancel = [] {});
  FakeBackend(const FakeBackend&) = delete;
  FakeBackend& operator=(const FakeBackend&) = delete;
  ~FakeBackend();

  [[nodiscard]] std::uint16_t port() const { return port_; }
  // Waits until that many CancelRequests, or ended connections, have been seen.
  [[nodiscard]] std::vector<wire::CancelRequest> wait_for_cancels(std::size_t count);
  void wait_for_ended(std::size_t count);
  [[nodiscard]] std::size_t cancel_count();

 private:
  void accept_all();
  void serve_one(int descriptor);

  std::function<void(Peer&)> serve_;
  std::function<void()> on_cancel_;
  std::uint16_t port_ = 0;  // before the listener, which sets it
  int listener_ = -1;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<wire::CancelRequest> cancels_;
  std::size_t ended_ = 0;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

// What a server answers to "SELECT …" with one row of one column.
void answer_one_row(const Peer& client, const std::string& value);
// `serve` for a server that answers every query with one row, until the proxy goes.
void answer_all(Peer& proxy);

// A port that nobody listens on.
[[nodiscard]] std::uint16_t dead_port();

}  // namespace pgveil::net_test
