#pragma once
// An HTTP/1.1 server for the page, over TLS or not: one request per connection, bodies up to a limit, answers made on worker threads, and answers
// that go on (server-sent events). It knows nothing of what is asked; it bounds sizes, times and how many visitors there are.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/error.hpp"
#include "proxy/admin/session_info.hpp"
#include "proxy/net/tls_context.hpp"

namespace pgveil::net {

struct HttpRequest {
  std::string method;
  std::string target;  // path and query, as sent
  std::map<std::string, std::string>
      headers;  // names in small letters; of those that came twice none is here
  std::string body;
  admin::Address visitor;
  bool is_encrypted = false;
};

struct HttpResponse {
  unsigned status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  // Set: `body` is the beginning, and what this returns follows, asked on a worker every two seconds until it returns nullopt.
  std::function<std::optional<std::string>()> more = {};
};

inline constexpr std::size_t kMaxHttpBodyBytes = std::size_t{2} << 20;

struct HttpConfig {
  std::string host;  // an address
  std::uint16_t port = 0;
  std::size_t threads = 6;  // builds and checks hold one each while they run
  std::size_t thread_stack_bytes = 1 << 20;
  // What TLS is spoken with, asked for each visitor: a reload gives another. Empty: it is HTTP; set: nothing is answered without
  // TLS. Null from it: nobody is served.
  std::function<std::shared_ptr<const TlsContext>()> tls = {};
};

class HttpServer {
 public:
  using Handler = std::function<HttpResponse(HttpRequest)>;

  // handler is called on the workers, several at a time; it must not throw. Errors: ErrorKind::io when the address can't be listened
  // on; ErrorKind::limit when there are no threads.
  [[nodiscard]] static Result<std::unique_ptr<HttpServer>> start(const HttpConfig& config, Handler handler);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();  // waits for handlers that run

  [[nodiscard]] std::uint16_t port() const;

 private:
  class Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace pgveil::net
