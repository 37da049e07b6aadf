#pragma once
// What all TLS connections of one kind share: our certificate and key, whom we believe, and what is checked
// of the other side. TLS 1.2 and up. No sessions are resumed, no tickets given, nothing renegotiated or
// compressed. Immutable and thread-safe; a reload makes new ones.
#include <memory>
#include <string>
#include <string_view>

#include "common/error.hpp"

using SSL_CTX = struct ssl_ctx_st;
using X509 = struct x509_st;

namespace pgveil::net {

// PEM texts.
struct TlsMaterial {
  std::string certificates;  // ours, then those between it and its authority; empty: none is shown
  std::string key;           // of ours, without a pass phrase
  std::string authorities;   // who may have signed the other side's; empty: it is not looked at
  std::string revoked = {};  // lists of what authorities have revoked; empty: that is not looked at
};

// As a listener: with authorities, a certificate that a client shows has to be signed by one of them.
enum class ClientCertificates { optional, required };
// As a client of PostgreSQL, as libpq's sslmode.
enum class ServerCheck { none, authority, authority_and_name };

class TlsContext {
 public:
  // With revoked, each authority in a certificate's chain needs a list that is not out of date, or no
  // handshake succeeds. Errors: ErrorKind::configuration, with what is wrong: no certificate in the text, a
  // key that has a pass phrase or does not fit, required or revoked without authorities.
  [[nodiscard]] static Result<std::shared_ptr<const TlsContext>> for_clients(
      const TlsMaterial& material, ClientCertificates client_certificates);
  // host: what authority_and_name looks for, a name or an address; also sent as SNI. Errors as above; a check
  // without authorities.
  [[nodiscard]] static Result<std::shared_ptr<const TlsContext>> for_backend(const TlsMaterial& material,
                                                                             ServerCheck check,
                                                                             std::string host);
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;
  ~TlsContext();

  [[nodiscard]] SSL_CTX* native() const { return context_; }
  [[nodiscard]] bool is_listener() const { return is_listener_; }
  [[nodiscard]] ServerCheck check() const { return check_; }
  [[nodiscard]] const std::string& host() const { return host_; }
  // Of our own certificate, "Nov 21 20:30:00 2026 GMT"; empty: there is none.
  [[nodiscard]] std::string valid_until() const;
  [[nodiscard]] bool is_expired() const;

 private:
  explicit TlsContext(bool is_listener);
  [[nodiscard]] Result<void> load(const TlsMaterial& material);

  SSL_CTX* context_;
  bool is_listener_;
  ServerCheck check_ = ServerCheck::none;
  std::string host_;
};

// tls-server-end-point of a certificate (RFC 5929): its hash by the algorithm of its signature, SHA-256 for
// older ones. Empty when its signature has no hash of its own (Ed25519): then there is no such binding.
[[nodiscard]] std::string end_point_of(X509* certificate);

// What OpenSSL says of the last failure on this thread; forgets it.
[[nodiscard]] std::string tls_failure();

}  // namespace pgveil::net
