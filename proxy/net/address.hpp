#pragma once
// What an address is: one of this machine's own, and whom it is counted with. Names are never asked for here:
// what a name stands for can change, and "127.example.org" is one.
#include <span>
#include <string>
#include <string_view>

#include "proxy/net/asio_types.hpp"

namespace pgveil::net {

// "127.0.0.1", "::1": as it is written in a configuration. No name, and no short form ("127.1").
[[nodiscard]] bool is_address(std::string_view text);
// An address that only this machine reaches: 127.0.0.0/8, ::1, and the former written as IPv6. False of
// names.
[[nodiscard]] bool is_loopback(std::string_view text);
[[nodiscard]] bool is_loopback(const asio::ip::address& address);

// Those who share one are counted together where places are few: an IPv4 address, or the 64 bits of an IPv6
// address that name a network, since whoever has one has all addresses in it.
[[nodiscard]] std::string neighbourhood_of(const asio::ip::address& address);

// The Host of an HTTP request without its port, an IPv6 address in brackets; empty: it is none.
// "127.0.0.1:80" → "127.0.0.1".
[[nodiscard]] std::string_view name_in_host(std::string_view host);

// Which addresses a browser may be shown in Host. A name that somebody else points at us (DNS rebinding) is
// not ours; an address can't be pointed anywhere.
enum class HostAddresses { loopback, any };
// Is it "localhost", an address of that kind, or one of `names`?
[[nodiscard]] bool is_own_host(std::string_view host, HostAddresses addresses,
                               std::span<const std::string> names);

}  // namespace pgveil::net
