#pragma once
// SCRAM-SHA-256 (RFC 5802, RFC 7677), both sides, as state machines over message texts. Primitives (HMAC,
// SHA-256, PBKDF2, constant-time comparison) are OpenSSL's. Channel binding is not offered. Nonces are passed
// in.
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/error.hpp"

namespace pgveil::session {

using Sha256 = std::array<unsigned char, 32>;

// What PostgreSQL keeps in pg_authid.rolpassword: SCRAM-SHA-256$<iterations>:<salt>$<StoredKey>:<ServerKey>,
// base64.
struct ScramVerifier {
  int iterations = 4096;
  std::string salt;  // raw bytes
  Sha256 stored_key{};
  Sha256 server_key{};
};
// Errors: not in that format (md5 and plain text included); iterations outside [1, 10,000,000].
[[nodiscard]] Result<ScramVerifier> parse_verifier(std::string_view text);
[[nodiscard]] std::string to_string(const ScramVerifier& verifier);
// For `pgveil` users who want to make one, and for tests.
[[nodiscard]] ScramVerifier make_verifier(std::string_view password, std::string_view salt, int iterations);
// A verifier no password fits, stable per (role, secret), so that missing roles can't be told from existing
// ones.
[[nodiscard]] ScramVerifier mock_verifier(std::string_view role, std::string_view process_secret);

// Server side: client-first → server-first; client-final → server-final.
class ScramServer {
 public:
  // nonce: at least 18 random bytes in base64. is_mock: the exchange runs to its end and then fails.
  ScramServer(ScramVerifier verifier, std::string nonce, bool is_mock);
  // Errors: ErrorKind::protocol (08P01) for malformed messages; ErrorKind::authentication (28P01) for a wrong
  // proof.
  [[nodiscard]] Result<std::string> on_client_first(std::string_view message);
  [[nodiscard]] Result<std::string> on_client_final(std::string_view message);

 private:
  ScramVerifier verifier_;
  std::string nonce_;
  bool is_mock_;
  std::string gs2_header_;
  std::string client_first_bare_;
  std::string server_first_;
};

// Client side, for the proxy's own login to PostgreSQL.
class ScramClient {
 public:
  // nonce: at least 18 random bytes in base64. password: UTF-8; used as is (ASCII needs no SASLprep).
  ScramClient(std::string password, std::string nonce);
  [[nodiscard]] std::string client_first();
  [[nodiscard]] Result<std::string> on_server_first(std::string_view message);  // → client-final
  // Errors: the server did not prove that it knows the verifier.
  [[nodiscard]] Result<void> on_server_final(std::string_view message);

 private:
  std::string password_;
  std::string nonce_;
  std::string client_first_bare_;
  std::string auth_message_;
  Sha256 salted_password_{};
};

}  // namespace pgveil::session
