#pragma once
// A small HTTP/1.1 server for machines that watch pgveil: GET and HEAD of /metrics, /healthz and /readyz, and nothing else. On a
// thread of its own, so that a page never waits for a session nor a session for a page.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "common/error.hpp"

namespace pgveil::net {

struct WebPages {
  std::function<std::string()> metrics;    // Prometheus text
  std::function<std::string()> not_ready;  // why; empty: it is ready
};

class Web {
 public:
  // host: an address. port 0: any free one. pages are called on the web's thread. Errors: ErrorKind::io when the address
  // can't be listened on; ErrorKind::limit when there is no thread.
  [[nodiscard]] static Result<std::unique_ptr<Web>> start(const std::string& host, std::uint16_t port,
                                                          WebPages pages);
  Web(const Web&) = delete;
  Web& operator=(const Web&) = delete;
  ~Web();  // ends what is under way

  [[nodiscard]] std::uint16_t port() const;

 private:
  class Impl;
  explicit Web(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace pgveil::net
