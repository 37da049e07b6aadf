#include "web/http/http_server.hpp"

#include <fmt/format.h>
#include <openssl/ssl.h>
#include <poll.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/ssl/stream_base.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <exception>
#include <unordered_map>

#include "common/ascii.hpp"
#include "common/log.hpp"
#include "common/sqlstate.hpp"
#include "proxy/net/address.hpp"
#include "proxy/net/asio_types.hpp"
#include "proxy/net/fair_places.hpp"
#include "proxy/net/thread_group.hpp"

namespace pgveil::net {
namespace {

using namespace asio::experimental::awaitable_operators;
namespace http = boost::beast::http;

constexpr std::chrono::milliseconds kLookPeriod{250};
constexpr std::size_t kMaxHeaderBytes = 16 * 1024;
constexpr std::chrono::seconds kHandshakeTime{10};
constexpr std::chrono::seconds kHeaderTime{5};  // from the handshake to the end of the request's header
constexpr std::chrono::seconds kReadTime{20};   // from there to the last byte of the request
constexpr std::chrono::seconds kWriteTime{20};  // for an answer, or for one piece of it
constexpr std::chrono::seconds kGoodbyeTime{5};
constexpr std::chrono::seconds kMorePeriod{2};
constexpr std::chrono::milliseconds kAcceptRetry{100};
constexpr std::chrono::milliseconds kPortRetry{500};
constexpr std::size_t kIoStackBytes = 1 << 20;
constexpr std::size_t kMaxReading = 64;    // requests that have not fully arrived
constexpr std::size_t kMaxAnswering = 64;  // requests that have
constexpr std::size_t kMaxAlive = 256;     // including those without a place whose work goes on
constexpr int kMaxStreams = 16;            // answers that continue

using TlsStream = asio::ssl::stream<TcpSocket&>;
enum class Wire { clear, encrypted };

HttpRequest request_of(http::request<http::string_body>&& from, const tcp::endpoint& visitor, Wire wire) {
  HttpRequest request;
  request.is_encrypted = wire == Wire::encrypted;
  request.method = std::string(from.method_string());
  request.target = std::string(from.target());
  for (const auto& field : from) {
    const std::string name = lower(std::string(field.name_string()));
    if (!request.headers.emplace(name, std::string(field.value())).second) request.repeated.insert(name);
  }
  for (const auto& name : request.repeated) request.headers.erase(name);
  request.body = std::move(from.body());
  request.visitor = {visitor.address().to_string(), visitor.port()};
  return request;
}

std::string head_of(const HttpResponse& response) {
  const auto status = http::obsolete_reason(static_cast<http::status>(response.status));
  std::string head = fmt::format("HTTP/1.1 {} {}\r\n", response.status, std::string(status));
  for (const auto& [name, value] : response.headers) head += fmt::format("{}: {}\r\n", name, value);
  if (!response.more) head += fmt::format("Content-Length: {}\r\n", response.body.size());
  return head + "Connection: close\r\n\r\n";
}

HttpResponse plain(unsigned status, std::string text) {
  return {status,
          {{"Content-Type", "text/plain; charset=utf-8"}, {"Cache-Control", "no-store"}},
          std::move(text)};
}

// Whether the visitor has closed the connection, in both directions or in theirs. Browsers close both.
bool has_closed(TcpSocket& socket) {
  if (!socket.is_open()) return true;
  pollfd look{socket.native_handle(), POLLRDHUP, 0};
  return ::poll(&look, 1, 0) > 0 && (look.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) != 0;
}

// The status for a request that could not be read; 0: there is nobody to tell.
unsigned status_of(const error_code& error) {
  if (error == http::error::body_limit) return 413;
  if (error == http::error::header_limit) return 431;
  if (error == http::error::end_of_stream ||
      error.category() != http::make_error_code(http::error::bad_target).category())
    return 0;
  return 400;
}

}  // namespace

class HttpServer::Impl {
 public:
  Impl(const HttpConfig& config, Handler handler)
      : section_(config.section), handler_(std::move(handler)), tls_(config.tls), acceptor_(context_) {}

  [[nodiscard]] Result<void> start(const HttpConfig& config);
  void stop();
  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  [[nodiscard]] error_code listen_on(const tcp::endpoint& endpoint);
  [[nodiscard]] Result<void> listen(const HttpConfig& config);
  [[nodiscard]] Task<void> wait_for_port(tcp::endpoint endpoint);
  [[nodiscard]] Task<void> accept_visitors();
  // A visitor, as long as it has a place.
  struct Guest {
    std::uint64_t number = 0;
    tcp::endpoint from;
    TcpSocket socket;
  };
  using GuestPtr = std::shared_ptr<Guest>;
  void take_in(TcpSocket socket);
  void enter(FairPlaces& places, const GuestPtr& guest);
  [[nodiscard]] Task<void> serve(GuestPtr guest);
  [[nodiscard]] Task<void> serve_encrypted(GuestPtr guest);
  // What these functions take must outlive them.
  template <class Stream>
  [[nodiscard]] Task<void> converse(Stream& visitor, GuestPtr guest, Wire wire);
  [[nodiscard]] Task<void> look_after(GuestPtr guest, std::shared_ptr<std::atomic<bool>> gone);
  template <class Stream>
  [[nodiscard]] Task<bool> write(Stream& visitor, const std::string& text);
  template <class Stream>
  [[nodiscard]] Task<void> go_on(Stream& visitor, const std::function<std::optional<std::string>()>& more);
  template <class T>
  [[nodiscard]] Task<std::optional<T>> on_worker(const std::function<T()>& work);

  const std::string section_;
  const Handler handler_;
  const std::function<std::shared_ptr<const TlsContext>()> tls_;
  asio::io_context context_{1};
  asio::io_context workers_;
  asio::executor_work_guard<asio::io_context::executor_type> busy_{workers_.get_executor()};
  asio::basic_socket_acceptor<tcp, Executor> acceptor_;
  std::uint16_t port_ = 0;
  std::uint64_t arrivals_ = 0;
  std::size_t alive_ = 0;
  FairPlaces reading_{kMaxReading};
  FairPlaces answering_{kMaxAnswering};
  std::unordered_map<std::uint64_t, GuestPtr> guests_;  // visitors that have a place
  int streams_ = 0;
  ThreadGroup threads_;
};

error_code HttpServer::Impl::listen_on(const tcp::endpoint& endpoint) {
  error_code error;
  acceptor_.open(endpoint.protocol(), error);
  if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
  error_code ignored;
  if (error) acceptor_.close(ignored);
  return error;
}

Result<void> HttpServer::Impl::listen(const HttpConfig& config) {
  error_code error;
  const auto address = asio::ip::make_address(config.host, error);
  const tcp::endpoint endpoint(address, config.port);
  if (!error) error = listen_on(endpoint);
  if (error == asio::error::address_in_use && config.waits_for_port) {
    log::info(config.section, fmt::format("another process listens on {}:{}; this one takes over when that "
                                          "one has stopped listening",
                                          config.host, config.port));
    port_ = config.port;
    asio::co_spawn(context_.get_executor(), wait_for_port(endpoint), asio::detached);
    return {};
  }
  if (!error) port_ = acceptor_.local_endpoint(error).port();
  if (!error) {
    asio::co_spawn(context_.get_executor(), accept_visitors(), asio::detached);
    return {};
  }
  return Error{ErrorKind::io, std::string(sqlstate::kInternalError),
               fmt::format("can't listen on {}:{} for {}: {}", config.host, config.port, config.section,
                           error.message()),
               fmt::format("choose another address for {}, or stop what uses it", config.section)};
}

Result<void> HttpServer::Impl::start(const HttpConfig& config) {
  if (auto listening = listen(config); !listening) return listening;
  for (std::size_t i = 0; i < std::max<std::size_t>(config.threads, 1); ++i) {
    auto added =
        threads_.add(fmt::format("pgveil-web-{}", i), config.thread_stack_bytes, [this] { workers_.run(); });
    if (!added) return added;
  }
  return threads_.add("pgveil-http", kIoStackBytes, [this] { context_.run(); });
}

void HttpServer::Impl::stop() {
  context_.stop();
  workers_.stop();
  threads_.join();
}

Task<void> HttpServer::Impl::wait_for_port(tcp::endpoint endpoint) {
  Timer retry(context_.get_executor());
  do {
    retry.expires_after(kPortRetry);
    const auto [ended] = co_await retry.async_wait(kAsTuple);
    if (ended) co_return;
  } while (listen_on(endpoint));
  log::info(section_, fmt::format("listening on port {}", port_));
  co_await accept_visitors();
}

Task<void> HttpServer::Impl::accept_visitors() {
  Timer retry(context_.get_executor());
  for (;;) {
    auto [error, visitor] = co_await acceptor_.async_accept(kAsTuple);
    if (error) {
      retry.expires_after(kAcceptRetry);
      static_cast<void>(co_await retry.async_wait(kAsTuple));
    } else {
      take_in(std::move(visitor));
    }
  }
}

// Takes a place of this kind; the guest that has to leave for it is cut off.
void HttpServer::Impl::enter(FairPlaces& places, const GuestPtr& guest) {
  guests_.emplace(guest->number, guest);
  const auto goes = places.enter(guest->number, neighbourhood_of(guest->from.address()));
  if (!goes) return;
  error_code ignored;
  guests_.at(*goes)->socket.close(ignored);
  guests_.erase(*goes);
}

void HttpServer::Impl::take_in(TcpSocket socket) {
  error_code gone;
  const tcp::endpoint from = socket.remote_endpoint(gone);
  if (gone || alive_ >= kMaxAlive) return;  // closes
  const auto guest = std::make_shared<Guest>(Guest{++arrivals_, from, std::move(socket)});
  ++alive_;
  enter(reading_, guest);
  asio::co_spawn(context_.get_executor(), serve(guest),
                 [this, number = guest->number](const std::exception_ptr& thrown) {
                   --alive_;
                   reading_.leave(number);
                   answering_.leave(number);
                   guests_.erase(number);
                   if (thrown) log::error(section_, "a request met an unexpected exception");
                 });
}

// The work may outlive a coroutine that has gone, so everything that both need is shared. nullopt: the server
// ends.
template <class T>
Task<std::optional<T>> HttpServer::Impl::on_worker(const std::function<T()>& work) {
  struct Shared {
    explicit Shared(asio::io_context& context) : done(context.get_executor(), Timer::time_point::max()) {}
    Timer done;
    std::optional<T> result;
  };
  auto shared = std::make_shared<Shared>(context_);
  asio::post(workers_, [this, shared, copy = work] {
    auto result = std::make_shared<T>(copy());
    asio::post(context_, [shared, result] {
      shared->result = std::move(*result);
      shared->done.cancel();
    });
  });
  static_cast<void>(co_await shared->done.async_wait(kAsTuple));
  co_return std::move(shared->result);
}

// Looks now and then whether the visitor has closed the connection. Does not end by itself: the answer is
// given all the same, to whoever reads it.
Task<void> HttpServer::Impl::look_after(GuestPtr guest, std::shared_ptr<std::atomic<bool>> gone) {
  Timer pause(context_.get_executor());
  for (;;) {
    pause.expires_after(kLookPeriod);
    const auto [ended] = co_await pause.async_wait(kAsTuple);
    if (ended) co_return;  // the answer is there
    if (has_closed(guest->socket)) gone->store(true, std::memory_order_relaxed);
  }
}

template <class Stream>
Task<bool> HttpServer::Impl::write(Stream& visitor, const std::string& text) {
  Timer timer(context_.get_executor(), kWriteTime);
  const auto written =
      co_await (asio::async_write(visitor, asio::buffer(text), kAsTuple) || timer.async_wait(kAsTuple));
  co_return written.index() == 0 && !std::get<0>(std::get<0>(written));
}

template <class Stream>
Task<void> HttpServer::Impl::go_on(Stream& visitor, const std::function<std::optional<std::string>()>& more) {
  Timer pause(context_.get_executor());
  for (;;) {
    auto piece = co_await on_worker<std::optional<std::string>>(more);
    if (!piece || !*piece) co_return;
    const bool is_written = co_await write(visitor, **piece);
    if (!is_written) co_return;
    pause.expires_after(kMorePeriod);
    static_cast<void>(co_await pause.async_wait(kAsTuple));
  }
}

Task<void> HttpServer::Impl::serve(GuestPtr guest) {
  if (tls_) {
    co_await serve_encrypted(guest);
    co_return;
  }
  co_await converse(guest->socket, guest, Wire::clear);
  error_code ignored;
  guest->socket.shutdown(tcp::socket::shutdown_send, ignored);
}

Task<void> HttpServer::Impl::serve_encrypted(GuestPtr guest) {
  const auto context = tls_();
  SSL* session = context ? SSL_new(context->native()) : nullptr;
  if (session == nullptr) co_return;
  TlsStream stream(guest->socket, session);  // the stream owns the session from here on
  Timer timer(context_.get_executor(), kHandshakeTime);
  const auto shaken = co_await (stream.async_handshake(asio::ssl::stream_base::server, kAsTuple) ||
                                timer.async_wait(kAsTuple));
  if (shaken.index() != 0 || std::get<0>(std::get<0>(shaken))) co_return;
  co_await converse(stream, guest, Wire::encrypted);
  timer.expires_after(kGoodbyeTime);
  static_cast<void>(co_await (stream.async_shutdown(kAsTuple) || timer.async_wait(kAsTuple)));
}

template <class Stream>
Task<void> HttpServer::Impl::converse(Stream& visitor, GuestPtr guest, Wire wire) {
  boost::beast::flat_buffer buffer(kMaxHeaderBytes + kMaxHttpBodyBytes);
  http::request_parser<http::string_body> parser;
  parser.header_limit(static_cast<std::uint32_t>(kMaxHeaderBytes));
  parser.body_limit(kMaxHttpBodyBytes);
  Timer timer(context_.get_executor(), kHeaderTime);
  auto read =
      co_await (http::async_read_header(visitor, buffer, parser, kAsTuple) || timer.async_wait(kAsTuple));
  if (read.index() == 0 && !std::get<0>(std::get<0>(read)) && !parser.is_done()) {
    timer.expires_after(kReadTime);
    read = co_await (http::async_read(visitor, buffer, parser, kAsTuple) || timer.async_wait(kAsTuple));
  }
  if (read.index() != 0 || !reading_.leave(guest->number)) co_return;  // too slow, or it lost its place
  enter(answering_, guest);
  std::optional<HttpResponse> response;
  bool is_head = false;
  if (const error_code unread = std::get<0>(std::get<0>(read))) {
    const unsigned status = status_of(unread);
    if (status == 0) co_return;
    response = plain(status, "the request can't be read, or is too long\n");
  } else {
    auto request = std::make_shared<HttpRequest>(request_of(parser.release(), guest->from, wire));
    is_head = request->method == "HEAD";
    const auto gone = std::make_shared<std::atomic<bool>>(false);
    request->gone = gone;
    // This variable is named because GCC 12 destroys the captures of a temporary in a co_await twice.
    const std::function<HttpResponse()> work = [this, request] { return handler_(std::move(*request)); };
    auto done = co_await (on_worker<HttpResponse>(work) || look_after(guest, gone));
    if (done.index() == 0) response = std::move(std::get<0>(done));
  }
  if (!response) co_return;
  if (response->more && streams_ >= kMaxStreams) response = plain(503, "too many pages are open\n");
  std::string text = head_of(*response);  // a variable, so that it outlives the wait
  if (!is_head) text += response->body;
  const bool is_written = co_await write(visitor, text);
  if (!is_written || is_head) co_return;
  if (response->more) {
    struct Counted {
      int& count;
      explicit Counted(int& it) : count(it) { ++count; }
      ~Counted() { --count; }
      Counted(const Counted&) = delete;
      Counted& operator=(const Counted&) = delete;
    } const counted(streams_);
    co_await go_on(visitor, response->more);
  }
}

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

HttpServer::~HttpServer() {
  impl_->stop();
}

std::uint16_t HttpServer::port() const {
  return impl_->port();
}

Result<std::unique_ptr<HttpServer>> HttpServer::start(const HttpConfig& config, Handler handler) {
  std::unique_ptr<HttpServer> server(new HttpServer(std::make_unique<Impl>(config, std::move(handler))));
  if (auto started = server->impl_->start(config); !started) return started.error();
  return server;
}

}  // namespace pgveil::net
