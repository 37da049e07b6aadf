#include "proxy/net/link.hpp"

#include <utility>

#include "common/assert.hpp"

namespace pgveil::net {

void configure_socket(Socket& socket) {
  error_code ignored;  // a socket whose peer has just gone refuses options; the first read tells
  socket.set_option(tcp::no_delay(true), ignored);
  socket.set_option(asio::socket_base::keep_alive(true), ignored);
  socket.non_blocking(true, ignored);
}

void Link::open(Socket socket) {
  PGVEIL_ASSERT(!socket_.is_open() && queue_.is_empty());
  socket_ = std::move(socket);
  configure_socket(socket_);
}

Link::Sent Link::send(std::string bytes) {
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

Task<void> Link::write_front() {
  const auto [error, written] = co_await socket_.async_write_some(queue_.front(), kAsTuple);
  if (error) {
    break_off();
  } else {
    queue_.take(written);
  }
}

void Link::break_off() {
  is_broken_ = true;
  queue_.clear();
}

void Link::shut_down_sending() {
  error_code ignored;  // the peer may have gone first
  socket_.shutdown(tcp::socket::shutdown_send, ignored);
}

void Link::close() {
  error_code ignored;  // the descriptor is released in any case
  socket_.close(ignored);
  is_broken_ = true;
  if (!is_pumping_) queue_.clear();
}

}  // namespace pgveil::net
