#include "web/api/guard.hpp"

#include <openssl/crypto.h>

#include <algorithm>
#include <span>

#include "proxy/net/address.hpp"

namespace pgveil::app {
namespace {

bool is_reading(const net::HttpRequest& request) {
  return request.method == "GET";
}

}  // namespace

std::string_view header(const net::HttpRequest& request, std::string_view name) {
  const auto found = request.headers.find(std::string(name));
  return found == request.headers.end() ? std::string_view() : std::string_view(found->second);
}

const char* wrong_host(const net::HttpRequest& request, const std::vector<std::string>& names) {
  const auto own =
      request.is_encrypted ? std::span<const std::string>(names) : std::span<const std::string>();
  const bool is_known = net::is_own_host(header(request, "host"), net::HostAddresses::loopback, own);
  return is_known ? nullptr : "the page is asked for under a name that is not its own";
}

const char* wrong_origin(const net::HttpRequest& request) {
  const auto site = header(request, "sec-fetch-site");
  if (!site.empty() && site != "same-origin") return "another site asks";
  const auto origin = header(request, "origin");
  const std::string own =
      (request.is_encrypted ? "https://" : "http://") + std::string(header(request, "host"));
  if (!origin.empty() && origin != own) return "another site asks";
  if (is_reading(request)) return nullptr;
  if (origin.empty()) return "it is not told which site asks";
  const auto type = header(request, "content-type");
  const bool has_type = type == "application/json" || type.starts_with("application/json;");
  if (!request.body.empty() && !has_type) return "the body is no application/json";
  return nullptr;
}

std::string_view cookie(const net::HttpRequest& request, std::string_view name) {
  std::string_view rest = header(request, "cookie");
  std::string_view found;
  while (!rest.empty()) {
    const auto end = rest.find(';');
    std::string_view part = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    while (part.starts_with(' ')) part.remove_prefix(1);
    if (part.size() <= name.size() || !part.starts_with(name) || part[name.size()] != '=') continue;
    if (!found.empty()) return {};
    found = part.substr(name.size() + 1);
  }
  return found;
}

bool is_same_secret(std::string_view a, std::string_view b) {
  return !a.empty() && a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace pgveil::app
