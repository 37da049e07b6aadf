#pragma once
// Tells whether an address is one of this machine's own, and whom it is counted with. No name is ever
// resolved here: what a name stands for can change, and "127.example.org" is a name.
#include <span>
#include <string>
#include <string_view>

#include "proxy/net/asio_types.hpp"

namespace pgveil::net {

// Whether the text is an address as a configuration writes it: "127.0.0.1", "::1". False for a name and for a
// short form ("127.1").
[[nodiscard]] bool is_address(std::string_view text);
// Whether only this machine reaches the address: 127.0.0.0/8, ::1, and the former written as IPv6. False for
// names.
[[nodiscard]] bool is_loopback(std::string_view text);
[[nodiscard]] bool is_loopback(const asio::ip::address& address);

// Clients that share a neighbourhood are counted together where places are few. It is an IPv4 address, or the
// 64 bits of an IPv6 address that name a network, because whoever has one such address has all in it.
[[nodiscard]] std::string neighbourhood_of(const asio::ip::address& address);

// The host in an HTTP Host header, without its port and without an IPv6 address's brackets: "127.0.0.1:80" →
// "127.0.0.1". Empty: the text is no such header.
[[nodiscard]] std::string_view name_in_host(std::string_view host);

// Which addresses the Host of a browser's request may name. A name that somebody else points at us (DNS
// rebinding) is not ours; an address cannot be pointed anywhere.
enum class HostAddresses { loopback, any };
// Whether the host is "localhost", an address of that kind, or one of `names`.
[[nodiscard]] bool is_own_host(std::string_view host, HostAddresses addresses,
                               std::span<const std::string> names);

}  // namespace pgveil::net
