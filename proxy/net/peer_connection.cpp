#include "proxy/net/peer_connection.hpp"

#include <unistd.h>

#include <utility>

#include "common/assert.hpp"

namespace pgveil::net {

void configure_socket(Socket& socket) {
  error_code ignored;  // a socket whose peer has just gone refuses options; the first read reports it
  socket.set_option(tcp::no_delay(true), ignored);
  socket.set_option(asio::socket_base::keep_alive(true), ignored);
  socket.non_blocking(true, ignored);
}

void PeerConnection::open(Socket socket, std::unique_ptr<TlsSession> tls) {
  PGVEIL_ASSERT(!socket_.is_open() && queue_.is_empty());
  socket_ = std::move(socket);
  tls_ = std::move(tls);
  configure_socket(socket_);
}

void PeerConnection::secure(std::unique_ptr<TlsSession> tls) {
  PGVEIL_ASSERT(!tls_);
  tls_ = std::move(tls);
}

// The last bytes of the handshake and the first ones after it may arrive in the same read.
Result<PeerConnection::Received> PeerConnection::receive(std::string_view raw) {
  if (!tls_) return Received{raw};
  Received out;
  if (!tls_->is_established()) {
    const auto is_done = tls_->shake_hands(raw);
    send_raw(tls_->take_output());
    if (!is_done) return is_done.error();
    if (!*is_done) return out;
    out.is_newly_secured = true;
    raw = {};
  }
  auto got = tls_->receive(raw);
  send_raw(tls_->take_output());
  if (!got) return got.error();
  received_ = std::move(got->bytes);
  out.bytes = received_;
  out.is_end = got->is_end;
  return out;
}

PeerConnection::Sent PeerConnection::send(std::string bytes) {
  if (is_broken_ || !socket_.is_open()) return Sent::all;  // dropped: nobody is there to read it
  if (!tls_) return send_raw(std::move(bytes));
  // During a handshake nothing can be sent.
  return tls_->is_established() ? send_raw(tls_->seal(bytes)) : Sent::all;
}

PeerConnection::Sent PeerConnection::send_raw(std::string bytes) {
  if (bytes.empty()) return queue_.is_empty() ? Sent::all : Sent::queued;
  if (is_broken_ || !socket_.is_open()) return Sent::all;  // dropped: nobody is there to read it
  std::size_t written = 0;
  if (queue_.is_empty()) {
    error_code error;
    written = socket_.write_some(asio::buffer(bytes), error);
    if (error && error != asio::error::would_block && error != asio::error::try_again) {
      break_off();
      return Sent::all;
    }
    if (written == bytes.size()) return Sent::all;
  }
  queue_.push(written == 0 ? std::move(bytes) : bytes.substr(written));
  return Sent::queued;
}

Task<void> PeerConnection::write_front() {
  const auto [error, written] = co_await socket_.async_write_some(queue_.front(), kAwaited);
  if (error) {
    break_off();
  } else {
    queue_.take(written);
  }
}

void PeerConnection::break_off() {
  is_broken_ = true;
  queue_.clear();
}

// If this fails, it leaves a closed link, which its new holder notices at once.
void PeerConnection::move_to(const Executor& executor) {
  if (socket_.get_executor() == executor) return;
  PGVEIL_ASSERT(queue_.is_empty() && !is_pumping_);
  error_code error;
  const auto endpoint = socket_.local_endpoint(error);
  const auto handle = error ? -1 : socket_.release(error);
  if (error) return close();
  Socket moved(executor);
  moved.assign(endpoint.protocol(), handle, error);
  if (error) {
    ::close(handle);
    return close();
  }
  socket_ = std::move(moved);
  socket_.non_blocking(true, error);
}

void PeerConnection::shut_down_sending() {
  if (tls_) send_raw(tls_->seal_goodbye());  // what the socket does not accept of it is no loss
  error_code ignored;                        // the peer may have gone first
  socket_.shutdown(tcp::socket::shutdown_send, ignored);
}

void PeerConnection::close() {
  error_code ignored;  // the descriptor is released in any case
  socket_.close(ignored);
  is_broken_ = true;
  if (!is_pumping_) queue_.clear();
}

}  // namespace pgveil::net
