#include "web/api/page_place.hpp"

#include <fmt/format.h>

namespace pgveil::app {
namespace {

std::string address_of(const PageConfig& page, std::uint16_t port) {
  const bool has_tls = !page.tls.certificate.empty();
  const std::string& host = page.names.empty() ? page.host : page.names.front();
  const bool is_v6 = host.find(':') != std::string::npos;
  return fmt::format("{}://{}:{}/", has_tls ? "https" : "http", is_v6 ? "[" + host + "]" : host, port);
}

}  // namespace

PagePlace page_place(const PageConfig& page, std::uint16_t port, Build build) {
  switch (build) {
    case Build::with_page: {
      std::string address = address_of(page, port);
      return {address, address};
    }
    case Build::without_page:
      return {"",
              fmt::format("this build has no page; only its API answers, on port {}, because the page was "
                          "not there when pgveil was built (docs/web.md)",
                          port)};
  }
  return {};
}

}  // namespace pgveil::app
