#include "proxy/net/address.hpp"

#include <algorithm>
#include <optional>

#include "common/ascii.hpp"

namespace pgveil::net {
namespace {

constexpr std::size_t kNetworkBytes = 8;  // of an IPv6 address: the network

std::optional<asio::ip::address> address_in(std::string_view text) {
  error_code error;
  const auto address = asio::ip::make_address(std::string(text), error);
  if (error) return std::nullopt;
  return address;
}

asio::ip::address plain(const asio::ip::address& address) {
  if (!address.is_v6() || !address.to_v6().is_v4_mapped()) return address;
  return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
}

bool is_port(std::string_view text) {
  return text.size() <= 5 && are_digits(text);
}

std::string_view without_brackets(std::string_view name) {
  return name.starts_with('[') ? name.substr(1, name.size() - 2) : name;
}

}  // namespace

bool is_address(std::string_view text) {
  return address_in(text).has_value();
}

bool is_loopback(std::string_view text) {
  const auto address = address_in(text);
  return address && is_loopback(*address);
}

bool is_loopback(const asio::ip::address& address) {
  return plain(address).is_loopback();
}

std::string neighbourhood_of(const asio::ip::address& address) {
  const auto it = plain(address);
  if (it.is_v4()) return it.to_string();
  auto bytes = it.to_v6().to_bytes();
  std::fill(bytes.begin() + kNetworkBytes, bytes.end(), std::uint8_t{0});
  return asio::ip::address_v6(bytes).to_string();
}

std::string_view name_in_host(std::string_view host) {
  const bool is_bracketed = host.starts_with('[');
  const auto end = is_bracketed ? host.find(']') : host.find(':');
  if (is_bracketed && end == std::string_view::npos) return {};
  const auto name = host.substr(0, is_bracketed ? end + 1 : end);
  const auto port = host.substr(name.size());
  if (port.empty() || (port.front() == ':' && is_port(port.substr(1)))) return name;
  return {};
}

bool is_own_host(std::string_view host, HostAddresses addresses, std::span<const std::string> names) {
  const auto name = name_in_host(host);
  if (name.empty()) return false;
  if (name == "localhost" || std::ranges::find(names, name) != names.end()) return true;
  const auto address = address_in(without_brackets(name));
  if (!address || name.starts_with('[') != address->is_v6()) return false;
  switch (addresses) {
    case HostAddresses::loopback: return is_loopback(*address);
    case HostAddresses::any: return true;
  }
  return false;
}

}  // namespace pgveil::net
