#include "web/http/http_server.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <thread>

#include "proxy/net/tls_session.hpp"
#include "unit/net/certificate.hpp"

namespace pgveil::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

class Visitor {
 public:
  explicit Visitor(std::uint16_t port) : socket_(context_) {
    socket_.connect({asio::ip::make_address("127.0.0.1"), port});
  }
  Visitor& send(const std::string& text) {
    asio::write(socket_, asio::buffer(text));
    return *this;
  }
  // Until the server closes.
  std::string rest() {
    std::string text;
    boost::system::error_code error;
    asio::read(socket_, asio::dynamic_buffer(text), error);
    return text;
  }
  std::string until(const std::string& end) {
    std::string text;
    while (text.find(end) == std::string::npos) {
      char c = 0;
      boost::system::error_code error;
      if (asio::read(socket_, asio::buffer(&c, 1), error) == 0) break;
      text += c;
    }
    return text;
  }
  void stop_sending() { socket_.shutdown(tcp::socket::shutdown_send); }

 private:
  asio::io_context context_;
  tcp::socket socket_;
};

std::unique_ptr<HttpServer> serve(HttpServer::Handler handler) {
  auto server = HttpServer::start({"page", "127.0.0.1", 0}, std::move(handler));
  REQUIRE(server.has_value());
  return std::move(*server);
}

HttpResponse echo(const HttpRequest& request) {
  std::string text = request.method + " " + request.target + "\n";
  for (const auto& [name, value] : request.headers) text += name + "=" + value + "\n";
  return {200, {{"Content-Type", "text/plain"}}, text + request.body};
}

// What is answered over TLS; empty: nothing, the handshake failed.
std::string ask_encrypted(std::uint16_t port, const std::string& request) {
  const auto context = TlsContext::for_backend({}, ServerCheck::none, "localhost");
  REQUIRE(context.has_value());
  TlsSession session(**context);
  asio::io_context io;
  tcp::socket socket(io);
  socket.connect({asio::ip::make_address("127.0.0.1"), port});
  const auto send = [&](const std::string& bytes) { asio::write(socket, asio::buffer(bytes)); };
  const auto read = [&] {
    std::string bytes(4096, '\0');
    boost::system::error_code error;
    bytes.resize(socket.read_some(asio::buffer(bytes), error));
    return bytes;
  };
  auto shaken = session.shake_hands("");
  while (shaken.has_value() && !*shaken) {
    send(session.take_output());
    const std::string bytes = read();
    if (bytes.empty()) return {};
    shaken = session.shake_hands(bytes);
  }
  if (!shaken.has_value()) return {};
  send(session.take_output());
  send(session.seal(request));
  std::string answer;
  for (std::string bytes = read(); !bytes.empty(); bytes = read()) {
    const auto got = session.receive(bytes);
    if (!got.has_value()) break;
    answer += got->bytes;
    if (got->is_end) break;
  }
  return answer;
}

TEST_CASE("a request is handed on whole, its headers in small letters") {
  const auto server = serve(echo);
  const auto answer =
      Visitor(server->port())
          .send("POST /a?b=c HTTP/1.1\r\nHost: here\r\nX-Two: 1\r\nContent-Length: 4\r\n\r\nbo")
          .send("dy")
          .rest();
  CHECK(answer.starts_with("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: "));
  CHECK(answer.ends_with("\r\n\r\nPOST /a?b=c\ncontent-length=4\nhost=here\nx-two=1\nbody"));
}

TEST_CASE("a header that comes twice is none") {
  const auto server = serve(echo);
  const auto answer =
      Visitor(server->port()).send("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nhost: c\r\n\r\n").rest();
  CHECK(answer.ends_with("\r\n\r\nGET /\n"));
}

TEST_CASE("what is too long, no HTTP or cut off never reaches the handler") {
  std::atomic<int> calls = 0;
  const auto server = serve([&calls](const HttpRequest& request) {
    ++calls;
    return echo(request);
  });
  const auto first_line = [&](const std::string& text) {
    Visitor visitor(server->port());
    visitor.send(text);
    return visitor.until("\r\n");
  };
  CHECK(first_line("POST / HTTP/1.1\r\nContent-Length: 2097153\r\n\r\n").starts_with("HTTP/1.1 413 "));
  CHECK(first_line("GET / HTTP/1.1\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n")
            .starts_with("HTTP/1.1 431 "));
  CHECK(first_line("nonsense\r\n\r\n").starts_with("HTTP/1.1 400 "));
  Visitor cut_off(server->port());
  cut_off.send("POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\nhalf").stop_sending();
  CHECK_FALSE(cut_off.rest().starts_with("HTTP/1.1 200"));
  CHECK(calls == 0);
}

TEST_CASE("a body of the limit is taken") {
  const auto server = serve([](const HttpRequest& request) {
    return HttpResponse{200, {}, std::to_string(request.body.size())};
  });
  const std::string body(kMaxHttpBodyBytes, 'x');
  const auto answer =
      Visitor(server->port())
          .send("POST / HTTP/1.1\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body)
          .rest();
  CHECK(answer.ends_with("\r\n\r\n2097152"));
}

TEST_CASE("an answer can go on until it says that it ends") {
  const auto server = serve([](const HttpRequest&) {
    auto pieces = std::make_shared<int>(0);
    return HttpResponse{200, {}, "begin;", [pieces]() -> std::optional<std::string> {
                          return ++*pieces > 2 ? std::nullopt
                                               : std::optional("piece " + std::to_string(*pieces) + ";");
                        }};
  });
  const auto answer = Visitor(server->port()).send("GET / HTTP/1.1\r\n\r\n").rest();
  CHECK(answer.ends_with("\r\n\r\nbegin;piece 1;piece 2;"));
  CHECK(answer.find("Content-Length") == std::string::npos);
}

TEST_CASE("too many answers that go on are refused, and one that ends makes place") {
  const auto server = serve([](const HttpRequest&) {
    return HttpResponse{200, {}, "begin;", [] { return std::optional<std::string>("more;"); }};
  });
  std::vector<std::unique_ptr<Visitor>> visitors;
  for (int i = 0; i < 16; ++i) {
    visitors.push_back(std::make_unique<Visitor>(server->port()));
    CHECK(visitors.back()->send("GET / HTTP/1.1\r\n\r\n").until("more;").starts_with("HTTP/1.1 200 "));
  }
  CHECK(Visitor(server->port()).send("GET / HTTP/1.1\r\n\r\n").until("\r\n").starts_with("HTTP/1.1 503 "));
}

TEST_CASE("requests that are begun and left keep nobody away, without and with TLS") {
  const auto own = net_test::make_certificate("localhost");
  const auto context = TlsContext::for_clients({own.certificate, own.key, {}}, ClientCertificates::optional);
  REQUIRE(context.has_value());
  HttpConfig config{"page", "127.0.0.1", 0};
  bool is_encrypted = false;
  SUBCASE("without") {}
  SUBCASE("with") {
    is_encrypted = true;
  }
  if (is_encrypted) config.tls = [&context] { return *context; };
  const auto server = HttpServer::start(config, echo);
  REQUIRE(server.has_value());
  std::vector<std::unique_ptr<Visitor>> half;
  const auto is_answered = [&] {
    const std::string request = "GET / HTTP/1.1\r\n\r\n";
    const auto answer = is_encrypted ? ask_encrypted((*server)->port(), request)
                                     : Visitor((*server)->port()).send(request).rest();
    return answer.starts_with("HTTP/1.1 200 ");
  };
  for (int i = 0; i < 300; ++i) {
    half.push_back(std::make_unique<Visitor>((*server)->port()));
    if (i % 3 == 1)
      half.back()->send(is_encrypted ? "\x16\x03\x01" : "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n");
    if (i % 50 == 0) CHECK(is_answered());
  }
  CHECK(is_answered());
  CHECK(half.front()->rest().empty());  // its place went to another
}

TEST_CASE("a header that does not end is given up") {
  const auto server = serve(echo);
  CHECK(Visitor(server->port()).send("GET / HTTP/1.1\r\nX: ").rest().empty());
}

TEST_CASE("many visitors at once each get their own answer, and the server ends while some are there") {
  std::atomic<bool> is_slow = false;
  auto server = serve([&is_slow](const HttpRequest& request) {
    if (is_slow) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return echo(request);
  });
  std::vector<std::thread> threads;
  std::atomic<int> good = 0;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 25; ++i) {
        const std::string target = "/" + std::to_string(t) + "/" + std::to_string(i);
        if (Visitor(server->port())
                .send("GET " + target + " HTTP/1.1\r\n\r\n")
                .rest()
                .ends_with("GET " + target + "\n"))
          ++good;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(good == 200);
  is_slow = true;
  std::vector<std::unique_ptr<Visitor>> waiting;
  for (int i = 0; i < 8; ++i) {
    waiting.push_back(std::make_unique<Visitor>(server->port()));
    waiting.back()->send("GET / HTTP/1.1\r\n\r\n");
  }
  server.reset();
  for (auto& visitor : waiting) CHECK(visitor->rest().size() < 1000);
}

TEST_CASE("over TLS the same is answered, and nothing without it") {
  const auto own = net_test::make_certificate("localhost");
  const auto context = TlsContext::for_clients({own.certificate, own.key, {}}, ClientCertificates::optional);
  REQUIRE(context.has_value());
  HttpConfig config{"page", "127.0.0.1", 0};
  config.tls = [&context] { return *context; };
  const auto server = HttpServer::start(config, [](const HttpRequest& request) {
    return HttpResponse{
        200, {}, request.method + (request.is_encrypted ? " encrypted " : " clear ") + request.body};
  });
  REQUIRE(server.has_value());
  const std::string body(300'000, 'x');
  const auto answer =
      ask_encrypted((*server)->port(),
                    "POST / HTTP/1.1\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  CHECK(answer.starts_with("HTTP/1.1 200 OK\r\n"));
  CHECK(answer.ends_with("\r\n\r\nPOST encrypted " + body));
  const auto clear = Visitor((*server)->port()).send("GET / HTTP/1.1\r\n\r\n").rest();
  CHECK(clear.find("200") == std::string::npos);
  CHECK(clear.find("clear") == std::string::npos);
}

TEST_CASE("without a certificate nobody is served over TLS") {
  HttpConfig config{"page", "127.0.0.1", 0};
  config.tls = [] { return std::shared_ptr<const TlsContext>(); };
  const auto server = HttpServer::start(config, echo);
  REQUIRE(server.has_value());
  CHECK(ask_encrypted((*server)->port(), "GET / HTTP/1.1\r\n\r\n").empty());
}

TEST_CASE("an address that is taken or none is an error") {
  const auto server = serve(echo);
  const auto taken = HttpServer::start({"page", "127.0.0.1", server->port()}, echo);
  REQUIRE(taken.has_error());
  CHECK(taken.error().kind == ErrorKind::io);
  CHECK(HttpServer::start({"page", "no address", 0}, echo).has_error());
}

}  // namespace
}  // namespace pgveil::net
