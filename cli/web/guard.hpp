#pragma once
// Is this request one that our own page made? Browsers carry requests of any site to any address, so each one is judged before
// anything is done: the Host that was asked for (against names that are pointed at us: DNS rebinding), where it comes from
// (against other sites' forms and scripts), and the session's token. Pure.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/net/http_server.hpp"

namespace pgveil::cli {

// Empty when absent.
[[nodiscard]] std::string_view header(const net::HttpRequest& request, std::string_view name);

// Why it is not let through; nullptr: it may.
// Host must name a loopback address or localhost (any port: tunnels have their own), or, over TLS, one of `names`. To change something, Origin must be that very host; what a browser
// says to come from another site is never let through. The body must be application/json, which no form can send.
[[nodiscard]] const char* wrong_host(const net::HttpRequest& request,
                                     const std::vector<std::string>& names = {});
[[nodiscard]] const char* wrong_origin(const net::HttpRequest& request);

// The value of this cookie, empty when it is absent or sent twice.
[[nodiscard]] std::string_view cookie(const net::HttpRequest& request, std::string_view name);

// In a time that does not depend on where they differ.
[[nodiscard]] bool is_same_secret(std::string_view a, std::string_view b);

}  // namespace pgveil::cli
