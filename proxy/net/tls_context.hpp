#pragma once
// What all TLS connections of one kind share: our certificate and key, the authorities that we trust, and
// what is checked about the other side. TLS 1.2 and up. Sessions are not resumed, and there are no tickets,
// no renegotiation and no compression. Immutable and thread-safe; a reload makes new contexts.
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/error.hpp"

using SSL_CTX = struct ssl_ctx_st;
using X509 = struct x509_st;

namespace pgveil::net {

// PEM texts.
struct TlsMaterial {
  std::string certificates;  // ours, then the intermediate ones; empty: none is shown
  std::string key;           // of our certificate, without a pass phrase
  std::string authorities;   // that may sign the peer's certificate; empty: it is not checked
  std::string revoked = {};  // revocation lists of the authorities; empty: revocation is not checked
};

// For listeners: if there are authorities, a certificate that a client shows must be signed by one of them.
enum class ClientCertificates { optional, required };
// For our connections to PostgreSQL: what is checked, like libpq's sslmode.
enum class ServerCheck { none, authority, authority_and_name };

// Whether the handshake says that PostgreSQL's protocol follows (ALPN "postgresql").
enum class Alpn {
  none,     // it is another protocol: nothing is said
  offered,  // as after SSLRequest: a side may say nothing, but it may not name other protocols only
  required  // as for direct TLS: a side that does not say it is refused, with no_application_protocol
};
// As the handshake has it: the length comes first.
inline constexpr std::array<unsigned char, 11> kAlpnList{10,  'p', 'o', 's', 't', 'g',
                                                         'r', 'e', 's', 'q', 'l'};

// For our connections to PostgreSQL: how TLS begins, like libpq's sslnegotiation. direct: without SSLRequest,
// which PostgreSQL understands from 17 on.
enum class TlsNegotiation { postgres, direct };

// When a certificate is valid, in seconds since 1970.
struct Validity {
  std::int64_t from = 0;
  std::int64_t until = 0;
  bool operator==(const Validity&) const = default;
};

class TlsContext {
 public:
  // With `revoked`, each authority in a certificate's chain needs a list that is not out of date, or no
  // handshake succeeds. Errors: ErrorKind::configuration, with what is wrong: no certificate in the text, a
  // key that has a pass phrase or does not fit, `required` or `revoked` without authorities.
  [[nodiscard]] static Result<std::shared_ptr<const TlsContext>> for_clients(
      const TlsMaterial& material, ClientCertificates client_certificates);
  // host: the name or address that authority_and_name expects; also sent as SNI. Errors as above, and for a
  // check without authorities.
  [[nodiscard]] static Result<std::shared_ptr<const TlsContext>> for_backend(
      const TlsMaterial& material, ServerCheck check, std::string host,
      TlsNegotiation negotiation = TlsNegotiation::postgres);
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;
  ~TlsContext();

  [[nodiscard]] SSL_CTX* native() const { return context_; }
  [[nodiscard]] bool is_listener() const { return is_listener_; }
  [[nodiscard]] ServerCheck check() const { return check_; }
  [[nodiscard]] const std::string& host() const { return host_; }
  [[nodiscard]] bool is_direct() const { return negotiation_ == TlsNegotiation::direct; }
  // Until when our own certificate is valid, "Nov 21 20:30:00 2026 GMT"; empty: there is none.
  [[nodiscard]] std::string valid_until() const;
  [[nodiscard]] bool is_expired() const;
  // Of our own certificate; nullopt: there is none.
  [[nodiscard]] std::optional<Validity> validity() const;

 private:
  explicit TlsContext(bool is_listener);
  [[nodiscard]] Result<void> load(const TlsMaterial& material);

  SSL_CTX* context_;
  bool is_listener_;
  ServerCheck check_ = ServerCheck::none;
  std::string host_;
  TlsNegotiation negotiation_ = TlsNegotiation::postgres;
};

// The tls-server-end-point of a certificate (RFC 5929): its hash by the algorithm of its signature, or by
// SHA-256 for older algorithms. Empty if its signature has no hash of its own (Ed25519): then there is no
// such binding.
[[nodiscard]] std::string end_point_of(X509* certificate);

// OpenSSL's text for the last failure on this thread, which is then forgotten.
[[nodiscard]] std::string tls_failure();

}  // namespace pgveil::net
