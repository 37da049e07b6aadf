#include "proxy/net/web.hpp"

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <exception>
#include <utility>

#include "common/log.hpp"
#include "common/sqlstate.hpp"
#include "proxy/net/asio_types.hpp"
#include "proxy/net/thread_group.hpp"

namespace pgveil::net {
namespace {

using namespace asio::experimental::awaitable_operators;
namespace http = boost::beast::http;

constexpr std::size_t kMaxHeaderBytes = 8 * 1024;
constexpr std::chrono::seconds kRequestTime{10};  // from connect to the last byte
constexpr std::size_t kStackBytes = 1 << 20;
constexpr int kMaxVisitors = 32;
constexpr std::chrono::milliseconds kAcceptRetry{100};

using Response = http::response<http::string_body>;

Response answer(http::status status, std::string text, std::string_view type = "text/plain; charset=utf-8") {
  Response response(status, 11);
  response.set(http::field::content_type, boost::beast::string_view(type.data(), type.size()));
  response.set(http::field::cache_control, "no-store");
  response.body() = std::move(text);
  response.keep_alive(false);
  return response;
}

Response page(const WebPages& pages, std::string_view target) {
  target = target.substr(0, target.find('?'));
  if (target == "/metrics")
    return answer(http::status::ok, pages.metrics(), "text/plain; version=0.0.4; charset=utf-8");
  if (target == "/healthz") return answer(http::status::ok, "ok\n");
  if (target == "/readyz") {
    const std::string why = pages.not_ready();
    return why.empty() ? answer(http::status::ok, "ready\n")
                       : answer(http::status::service_unavailable, why + "\n");
  }
  return answer(http::status::not_found, "there are /metrics, /healthz and /readyz\n");
}

Response respond(const WebPages& pages, const http::request<http::empty_body>& request) {
  const bool is_head = request.method() == http::verb::head;
  if (!is_head && request.method() != http::verb::get) {
    Response refused = answer(http::status::method_not_allowed, "GET only\n");
    refused.set(http::field::allow, "GET, HEAD");
    refused.prepare_payload();
    return refused;
  }
  const auto target = request.target();
  Response response = page(pages, {target.data(), target.size()});
  response.prepare_payload();
  if (is_head) response.body().clear();
  return response;
}

Task<void> converse(TcpSocket& visitor, const WebPages& pages) {
  boost::beast::flat_buffer buffer(kMaxHeaderBytes);
  http::request_parser<http::empty_body> parser;
  parser.header_limit(static_cast<std::uint32_t>(kMaxHeaderBytes));
  const auto [unread, count] = co_await http::async_read_header(visitor, buffer, parser, kAsTuple);
  if (unread) co_return;
  const Response response = respond(pages, parser.get());
  static_cast<void>(co_await http::async_write(visitor, response, kAsTuple));
  error_code ignored;
  visitor.shutdown(tcp::socket::shutdown_send, ignored);
}

}  // namespace

class Web::Impl {
 public:
  explicit Impl(WebPages pages) : pages_(std::move(pages)), acceptor_(context_) {}

  [[nodiscard]] Result<void> start(const std::string& host, std::uint16_t port);
  void stop();
  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  [[nodiscard]] Task<void> accept_visitors();
  [[nodiscard]] Task<void> serve(TcpSocket visitor);

  const WebPages pages_;
  asio::io_context context_{1};
  asio::basic_socket_acceptor<tcp, Executor> acceptor_;
  std::uint16_t port_ = 0;
  int visitors_ = 0;
  ThreadGroup thread_;
};

Result<void> Web::Impl::start(const std::string& host, std::uint16_t port) {
  error_code error;
  const auto address = asio::ip::make_address(host, error);
  const tcp::endpoint endpoint(address, port);
  if (!error) acceptor_.open(endpoint.protocol(), error);
  if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
  if (error) {
    return Error{ErrorKind::io, std::string(sqlstate::kInternalError),
                 fmt::format("can't listen on {}:{} for metrics: {}", host, port, error.message()),
                 "choose another address for metrics, or stop what uses it"};
  }
  port_ = acceptor_.local_endpoint(error).port();
  asio::co_spawn(context_.get_executor(), accept_visitors(), asio::detached);
  return thread_.add("pgveil-web", kStackBytes, [this] { context_.run(); });
}

void Web::Impl::stop() {
  context_.stop();
  thread_.join();
}

Task<void> Web::Impl::accept_visitors() {
  Timer retry(context_.get_executor());
  for (;;) {
    auto [error, visitor] = co_await acceptor_.async_accept(kAsTuple);
    if (error) {
      retry.expires_after(kAcceptRetry);
      static_cast<void>(co_await retry.async_wait(kAsTuple));
    } else if (visitors_ < kMaxVisitors) {
      ++visitors_;
      asio::co_spawn(context_.get_executor(), serve(std::move(visitor)),
                     [this](const std::exception_ptr& thrown) {
                       --visitors_;
                       if (thrown) log::error("metrics", "a page met an unexpected exception");
                     });
    }
  }
}

Task<void> Web::Impl::serve(TcpSocket visitor) {
  Timer timer(context_.get_executor(), kRequestTime);
  static_cast<void>(co_await (converse(visitor, pages_) || timer.async_wait(kAsTuple)));
}

Web::Web(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Web::~Web() {
  impl_->stop();
}

std::uint16_t Web::port() const {
  return impl_->port();
}

Result<std::unique_ptr<Web>> Web::start(const std::string& host, std::uint16_t port, WebPages pages) {
  std::unique_ptr<Web> web(new Web(std::make_unique<Impl>(std::move(pages))));
  if (auto started = web->impl_->start(host, port); started.has_error()) return started.error();
  return web;
}

}  // namespace pgveil::net
