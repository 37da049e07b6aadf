#pragma once
// Decides who may log in from where. The rules are in a file with a subset of the syntax of pg_hba.conf, one
// rule per line: TYPE DATABASE USER [ADDRESS] METHOD. The first rule that fits decides; if none fits, the
// login is refused.
//   TYPE      local (Unix socket), host, hostssl, hostnossl
//   DATABASE  all, sameuser, names with commas between them
//   USER      all, names with commas between them
//   ADDRESS   all, an address, address/bits, or address and mask; not with local
//   METHOD    scram-sha-256 (as auth.method says), also with the option clientcert=verify-ca or
//             clientcert=verify-full; cert, with hostssl only: the certificate instead of the password; or
//             reject
// Names may be in double quotes, which takes away any special meaning; # begins a comment.
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "proxy/session/gate.hpp"

namespace pgveil::app {

struct HbaNames {
  bool is_all = false;
  bool is_same_user = false;  // for databases: the database named like the role
  std::vector<std::string> names;
};

// 16 bytes; IPv4 as ::ffff:a.b.c.d.
using HbaAddress = std::array<std::uint8_t, 16>;
struct HbaNetwork {
  HbaAddress address{};
  HbaAddress mask{};
  bool is_ipv4 = false;
};

struct HbaRule {
  enum class Type { local, host, hostssl, hostnossl };
  Type type = Type::host;
  HbaNames databases, roles;
  std::optional<HbaNetwork> network;           // nullopt: any
  std::optional<session::LoginDemand> demand;  // nullopt: reject
};
using HbaRules = std::vector<HbaRule>;

// Errors name file and line, and the values that are allowed there. file_name is only used in them.
[[nodiscard]] Result<HbaRules> parse_hba(std::string_view text, const std::string& file_name);
// Errors in addition to those of parse_hba: the file is not trusted (common/files/trusted_file.hpp) or over 1
// MiB.
[[nodiscard]] Result<HbaRules> read_hba_file(const std::string& path);

// The rule that decides; null: none fits.
[[nodiscard]] const HbaRule* find_rule(const HbaRules& rules, std::string_view role,
                                       std::string_view database, const session::ClientOrigin& origin);

// Whether some rule lets clients log in without a password.
[[nodiscard]] bool lets_in_by_certificate(const HbaRules& rules);
// Whether some rule requires a certificate.
[[nodiscard]] bool asks_for_certificates(const HbaRules& rules);
// Whether clients of other machines may log in without TLS. True also if earlier rules reject only some of
// the clients that a rule lets in.
[[nodiscard]] bool lets_in_remote_plaintext(const HbaRules& rules);

}  // namespace pgveil::app
