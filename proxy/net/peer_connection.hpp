#pragma once
// One connection of a session, to the client or the backend: its socket, its TLS if it has any, and the bytes
// that are still to be written. The driver that owns it reads from the socket and runs the pump. Used only on
// the session's own context.
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

  // Takes over a connected socket and the TLS session already begun on it.
  void open(Socket socket, std::unique_ptr<TlsSession> tls = nullptr);
  // From now on everything sent and received is TLS, which begins with a handshake.
  void secure(std::unique_ptr<TlsSession> tls);
  [[nodiscard]] const TlsSession* tls() const { return tls_.get(); }

  // What was received from the socket, decrypted if there is TLS. Errors: the connection is no longer usable;
  // pending bytes may still tell the peer why.
  struct Received {
    std::string_view bytes;         // valid until the next call
    bool is_end = false;            // the peer closed TLS properly
    bool is_newly_secured = false;  // these bytes completed the handshake
  };
  [[nodiscard]] Result<Received> receive(std::string_view raw);

  [[nodiscard]] Socket& socket() { return socket_; }
  [[nodiscard]] bool is_open() const { return socket_.is_open(); }
  [[nodiscard]] bool is_broken() const { return is_broken_; }  // a write failed: everything sent is dropped
  [[nodiscard]] bool is_pumping() const { return is_pumping_; }
  [[nodiscard]] std::size_t pending_bytes() const { return queue_.size_bytes(); }

  // Gives the kernel what it accepts at once and queues the rest.
  enum class Sent { all, queued };
  Sent send(std::string bytes);

  // Writes the front of the queue once. After an error the link is broken. REQUIRES: something is pending.
  [[nodiscard]] Task<void> write_front();
  void set_pumping(bool is_pumping) { is_pumping_ = is_pumping; }

  // Moves the socket to another thread's context. REQUIRES: nothing is pending, and no operation waits on the
  // socket.
  void move_to(const Executor& executor);

  void shut_down_sending();
  void close();

 private:
  Sent send_raw(std::string bytes);
  void break_off();

  Socket socket_;
  std::unique_ptr<TlsSession> tls_;
  std::string received_;  // decrypted
  WriteQueue queue_;
  bool is_pumping_ = false;
  bool is_broken_ = false;
};

// Sets the options of every socket: nothing is held back to wait for more bytes, dead peers are noticed, and
// reads and writes never block.
void configure_socket(Socket& socket);

}  // namespace pgveil::net
