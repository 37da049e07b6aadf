#pragma once
// One connection of a session, client's or backend's: its socket, its TLS if it has any, and what still has
// to be written to it. The driver that owns it reads from the socket and runs pump(). Used on the session's
// own context only.
#include <string>

#include <memory>
#include <string_view>

#include "common/error.hpp"
#include "proxy/net/asio_types.hpp"
#include "proxy/net/tls_session.hpp"
#include "proxy/net/write_queue.hpp"

namespace pgveil::net {

class PeerConnection {
 public:
  explicit PeerConnection(const Executor& executor) : socket_(executor) {}

  // Takes over a connected socket, and the TLS that was begun on it.
  void open(Socket socket, std::unique_ptr<TlsSession> tls = nullptr);
  // All that comes and goes from now on is TLS, which begins with a handshake.
  void secure(std::unique_ptr<TlsSession> tls);
  [[nodiscard]] const TlsSession* tls() const { return tls_.get(); }

  // What the socket gave, without its TLS. Errors: the connection can't be used any more; the peer may be
  // told by what is pending.
  struct Received {
    std::string_view bytes;         // valid until the next call
    bool is_end = false;            // the peer said goodbye
    bool is_newly_secured = false;  // the handshake was done with these bytes
  };
  [[nodiscard]] Result<Received> receive(std::string_view raw);

  [[nodiscard]] Socket& socket() { return socket_; }
  [[nodiscard]] bool is_open() const { return socket_.is_open(); }
  [[nodiscard]] bool is_broken() const { return is_broken_; }  // a write failed: everything sent is dropped
  [[nodiscard]] bool is_pumping() const { return is_pumping_; }
  [[nodiscard]] std::size_t pending_bytes() const { return queue_.size_bytes(); }

  // Gives the kernel what it takes at once and queues the rest.
  enum class Sent { all, queued };
  Sent send(std::string bytes);

  // Writes the front of the queue once. REQUIRES: something is pending. Returns with the link broken on an
  // error.
  [[nodiscard]] Task<void> write_front();
  void set_pumping(bool is_pumping) { is_pumping_ = is_pumping; }

  // To another thread's context. REQUIRES: nothing is pending, and nobody waits for it.
  void move_to(const Executor& executor);

  void shut_down_sending();
  void close();

 private:
  Sent send_raw(std::string bytes);
  void break_off();

  Socket socket_;
  std::unique_ptr<TlsSession> tls_;
  std::string received_;  // over TLS
  WriteQueue queue_;
  bool is_pumping_ = false;
  bool is_broken_ = false;
};

// Options of every socket: nothing waits for more bytes, dead peers are noticed, reads and writes never
// block.
void configure_socket(Socket& socket);

}  // namespace pgveil::net
