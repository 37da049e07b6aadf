#pragma once
// Decides whether a request comes from our own page. Any web site can make a browser send requests to any
// address, so each request is judged before anything else is done. Three things are judged: the Host that it
// asks for, because somebody may have pointed their own name at us (DNS rebinding); the site that it comes
// from, because forms and scripts of other sites can send requests too; and the token of its session. Pure.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "web/http/http_server.hpp"

namespace pgveil::app {

// Empty when absent.
[[nodiscard]] std::string_view header(const net::HttpRequest& request, std::string_view name);

// Why the request is refused; nullptr: it is not.
//
// Host must name a loopback address or localhost, with any port, because tunnels have their own. Over TLS, it
// may also be one of `names`. To change something, Origin must be that same host. A request that the browser
// marks as coming from another site is always refused. The body must be application/json, which no form can
// send.
[[nodiscard]] const char* wrong_host(const net::HttpRequest& request,
                                     const std::vector<std::string>& names = {});
[[nodiscard]] const char* wrong_origin(const net::HttpRequest& request);

// The value of this cookie. Empty when it is absent or was sent twice.
[[nodiscard]] std::string_view cookie(const net::HttpRequest& request, std::string_view name);

// Compares in a time that does not depend on where the two differ.
[[nodiscard]] bool is_same_secret(std::string_view a, std::string_view b);

}  // namespace pgveil::app
