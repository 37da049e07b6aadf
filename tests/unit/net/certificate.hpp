#pragma once
// Keys and certificates made on the spot, as PEM.
#include <string>

namespace pgveil::net_test {

struct Certificate {
  std::string certificate;
  std::string key;
};

enum class KeyKind { p256, ed25519 };

// Signed by itself; name: common name and, unless it is an address, DNS name.
[[nodiscard]] Certificate make_certificate(const std::string& name, KeyKind kind = KeyKind::p256);
// Signed by `authority`; `alternatives` as in a configuration of OpenSSL: "DNS:db.example,IP:127.0.0.1".
[[nodiscard]] Certificate make_certificate(const std::string& name, const std::string& alternatives,
                                           const Certificate& authority, long serial = 7);

// What `authority` has revoked, which is this certificate of its own or nothing; valid for an hour.
[[nodiscard]] std::string make_revocation_list(const Certificate& authority,
                                               const std::string& revoked_certificate = {});

}  // namespace pgveil::net_test
