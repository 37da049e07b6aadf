#pragma once
// An HTTP/1.1 server, for the page and for monitoring, with or without TLS. It takes one request per
// connection and bodies up to a limit. Answers are made on worker threads; an answer may continue for a long
// time (server-sent events). The server does not look at what is asked. It limits sizes, times and the number
// of visitors, whose places are shared fairly (fair_places.hpp).
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/error.hpp"
#include "console/session_info.hpp"
#include "proxy/net/tls_context.hpp"

namespace pgveil::net {

struct HttpRequest {
  std::string method;
  std::string target;                          // path and query, as sent
  std::map<std::string, std::string> headers;  // names in small letters; not those in `repeated`
  std::string body;
  console::Address visitor;
  bool is_encrypted = false;
  std::set<std::string> repeated = {};  // headers that were sent more than once
  // Set when the visitor has gone, within a second or so: nobody waits for the answer. Null: nobody looks.
  std::shared_ptr<const std::atomic<bool>> gone = nullptr;
  [[nodiscard]] bool is_abandoned() const { return gone && gone->load(std::memory_order_relaxed); }
};

struct HttpResponse {
  unsigned status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  // The server leaves the body of an answer to HEAD away. If `more` is set, `body` is only the beginning. The
  // function is called on a worker every two seconds, and what it returns is sent too, until it returns
  // nullopt.
  std::function<std::optional<std::string>()> more = {};
};

inline constexpr std::size_t kMaxHttpBodyBytes = std::size_t{2} << 20;

struct HttpConfig {
  std::string section;  // of the configuration, for messages: "metrics", "admin.http"
  std::string host;     // an address
  std::uint16_t port = 0;
  std::size_t threads = 6;  // builds and checks hold one each while they run
  std::size_t thread_stack_bytes = 1 << 20;
  // Gives the TLS settings for each visitor, so that a reload can change them. Empty: the server speaks HTTP
  // without TLS. Set: it answers nothing without TLS; while the function returns null, nobody is served.
  std::function<std::shared_ptr<const TlsContext>()> tls = {};
  // If another process has the port, the server starts all the same and takes the port when it is free. For a
  // process that takes another one's place. REQUIRES: port is not 0.
  bool waits_for_port = false;
};

class HttpServer {
 public:
  using Handler = std::function<HttpResponse(HttpRequest)>;

  // handler is called on the workers, several at a time; it must not throw. Errors: ErrorKind::io when the
  // address can't be listened on; ErrorKind::limit when there are no threads.
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
