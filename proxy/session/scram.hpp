#pragma once
// SCRAM-SHA-256 (RFC 5802, RFC 7677), both sides, as state machines over message texts. Primitives (HMAC,
// SHA-256, PBKDF2, constant-time comparison) are OpenSSL's. Nonces are passed in. Channel binding is
// tls-server-end-point (RFC 5929): the hash of the server's certificate, so that a man in the middle with
// another certificate is noticed.
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/error.hpp"

namespace pgveil::session {

using Sha256 = std::array<unsigned char, 32>;

// The content of pg_authid.rolpassword: SCRAM-SHA-256$<iterations>:<salt>$<StoredKey>:<ServerKey>, in base64.
struct ScramVerifier {
  int iterations = 4096;
  std::string salt;  // raw bytes
  Sha256 stored_key{};
  Sha256 server_key{};
};
// Errors: the text is not in that format (including md5 and plain text); iterations outside [1, 10,000,000].
[[nodiscard]] Result<ScramVerifier> parse_verifier(std::string_view text);
[[nodiscard]] std::string to_string(const ScramVerifier& verifier);
// For users of `pgveil` who want to make a verifier, and for tests.
[[nodiscard]] ScramVerifier make_verifier(std::string_view password, std::string_view salt, int iterations);
// A verifier that no password fits, stable per (role, secret), so that missing roles cannot be told from
// existing ones.
[[nodiscard]] ScramVerifier mock_verifier(std::string_view role, std::string_view process_secret);

enum class ScramMechanism { plain, plus };  // SCRAM-SHA-256, SCRAM-SHA-256-PLUS
[[nodiscard]] std::string_view name(ScramMechanism mechanism);

// Server side: client-first → server-first; client-final → server-final.
class ScramServer {
 public:
  // nonce: at least 18 random bytes in base64. is_mock: the exchange runs to its end and then fails.
  // end_point: the hash of our certificate if PLUS was offered, else empty. REQUIRES: end_point is not empty
  // with `plus`.
  ScramServer(ScramVerifier verifier, std::string nonce, bool is_mock, std::string end_point = {},
              ScramMechanism mechanism = ScramMechanism::plain);
  // Errors: ErrorKind::protocol (08P01) for malformed messages; ErrorKind::authentication (28P01) for a wrong
  // proof; 28000 if the client did not see our offer of PLUS or binds to another certificate.
  [[nodiscard]] Result<std::string> on_client_first(std::string_view message);
  [[nodiscard]] Result<std::string> on_client_final(std::string_view message);

 private:
  ScramVerifier verifier_;
  std::string nonce_;
  bool is_mock_;
  std::string end_point_;
  ScramMechanism mechanism_;
  std::string gs2_header_;
  std::string client_first_bare_;
  std::string server_first_;
};

// What the client states about channel binding.
struct ScramBinding {
  enum class Kind {
    unsupported,  // no TLS
    not_offered,  // we support it, but the server did not offer it; if it did, the login fails
    bound         // PLUS
  };
  Kind kind = Kind::unsupported;
  std::string end_point;  // set if bound: hash of the server's certificate
};

// Client side, for the proxy's own login to PostgreSQL.
class ScramClient {
 public:
  // nonce: at least 18 random bytes in base64. password: UTF-8; used as is (ASCII needs no SASLprep).
  ScramClient(std::string password, std::string nonce, ScramBinding binding = {});
  [[nodiscard]] std::string client_first();
  [[nodiscard]] Result<std::string> on_server_first(std::string_view message);  // → client-final
  // Errors: the server did not prove that it knows the verifier.
  [[nodiscard]] Result<void> on_server_final(std::string_view message);

 private:
  [[nodiscard]] std::string gs2_header() const;

  std::string password_;
  std::string nonce_;
  ScramBinding binding_;
  std::string client_first_bare_;
  std::string auth_message_;
  Sha256 salted_password_{};
};

}  // namespace pgveil::session
