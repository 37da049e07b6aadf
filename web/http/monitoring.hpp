#pragma once
// What monitoring asks: GET and HEAD of /metrics, /healthz and /readyz, and nothing else. It is a handler for
// an HttpServer of its own, so monitoring never waits for the page or for sessions, and they never wait for
// it.
#include <functional>
#include <string>
#include <vector>

#include "web/http/http_server.hpp"

namespace pgveil::net {

struct MonitoringPages {
  std::function<std::string()> metrics;    // Prometheus text
  std::function<std::string()> not_ready;  // why; empty: it is ready
};

// host_names: names that the Host header of a request may have beside localhost and addresses (421
// otherwise). A request without Host does not come from a browser and is answered. pages are called on the
// server's worker, and what they refer to outlives the server.
[[nodiscard]] HttpServer::Handler monitoring_handler(MonitoringPages pages,
                                                     std::vector<std::string> host_names);

}  // namespace pgveil::net
