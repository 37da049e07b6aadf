#include "web/http/monitoring.hpp"

#include <string_view>
#include <utility>

#include "proxy/net/address.hpp"

namespace pgveil::net {
namespace {

HttpResponse answer(unsigned status, std::string text, std::string type = "text/plain; charset=utf-8") {
  return {status, {{"Content-Type", std::move(type)}, {"Cache-Control", "no-store"}}, std::move(text)};
}

HttpResponse page(const MonitoringPages& pages, std::string_view target) {
  target = target.substr(0, target.find('?'));
  if (target == "/metrics") return answer(200, pages.metrics(), "text/plain; version=0.0.4; charset=utf-8");
  if (target == "/healthz") return answer(200, "ok\n");
  if (target == "/readyz") {
    const std::string why = pages.not_ready();
    return why.empty() ? answer(200, "ready\n") : answer(503, why + "\n");
  }
  return answer(404, "there are /metrics, /healthz and /readyz\n");
}

// A browser that was sent here under another site's name must not be able to read the page.
bool is_misdirected(const HttpRequest& request, const std::vector<std::string>& names) {
  if (request.repeated.contains("host")) return true;
  const auto host = request.headers.find("host");
  return host != request.headers.end() && !is_own_host(host->second, HostAddresses::any, names);
}

}  // namespace

HttpServer::Handler monitoring_handler(MonitoringPages pages, std::vector<std::string> host_names) {
  return [pages = std::move(pages), names = std::move(host_names)](const HttpRequest& request) {
    if (is_misdirected(request, names)) return answer(421, "metrics.names does not list this Host\n");
    if (request.method != "GET" && request.method != "HEAD") {
      HttpResponse refused = answer(405, "GET only\n");
      refused.headers.emplace_back("Allow", "GET, HEAD");
      return refused;
    }
    return page(pages, request.target);
  };
}

}  // namespace pgveil::net
