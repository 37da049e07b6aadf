#pragma once
// Who may log in from where: a file in the syntax of pg_hba.conf, of which a part is known. One rule a line,
// TYPE DATABASE USER [ADDRESS] METHOD; the first that fits decides, and without one that fits nobody is let
// in.
//   TYPE      local (Unix socket), host, hostssl, hostnossl
//   DATABASE  all, sameuser, names with commas between them
//   USER      all, names with commas between them
//   ADDRESS   all, an address, address/bits, or address and mask; not with local
//   METHOD    scram-sha-256 (as auth.method says), also with the option clientcert=verify-ca or
//             clientcert=verify-full; cert, with hostssl only: the certificate instead of the password; or
//             reject
// Names may be in double quotes, and then mean themselves; # begins a comment.
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
  bool is_same_user = false;  // of databases: the one that is called as the role
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

// Errors: name file and line, and what is known. file_name is only used in them.
[[nodiscard]] Result<HbaRules> parse_hba(std::string_view text, const std::string& file_name);
// Errors beside those of parse_hba: no trusted file (common/files/trusted_file.hpp), over 1 MiB.
[[nodiscard]] Result<HbaRules> read_hba_file(const std::string& path);

// The rule that decides; null: none fits.
[[nodiscard]] const HbaRule* find_rule(const HbaRules& rules, std::string_view role,
                                       std::string_view database, const session::ClientOrigin& origin);

// Has a rule whose logins need no password.
[[nodiscard]] bool lets_in_by_certificate(const HbaRules& rules);
// Has a rule that asks for a certificate.
[[nodiscard]] bool asks_for_certificates(const HbaRules& rules);

}  // namespace pgveil::app
