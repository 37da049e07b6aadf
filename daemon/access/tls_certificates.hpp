#pragma once
// The certificates that pgveil shows to clients and to browsers, and whether they are valid. A certificate
// that is over keeps out everybody who checks it, so the operator is warned before that.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/net/tls_settings.hpp"
#include "settings/config.hpp"

namespace pgveil::app {

struct ShownCertificate {
  std::string_view listener;  // "clients" or "page"
  std::string_view key;       // of the configuration: "tls.clients.cert_file"
  std::string file;
  net::Validity validity;
};

enum class CertificateState { not_yet_valid, valid, ends_soon, over };

// clients, page: what was read from the files of `config`; null: there is none.
[[nodiscard]] std::vector<ShownCertificate> shown_certificates(const Config& config,
                                                               const net::TlsSettings* clients,
                                                               const net::TlsContext* page);

// now: in seconds since 1970. ends_soon: within 14 days.
[[nodiscard]] CertificateState state_of(const ShownCertificate& certificate, std::int64_t now);

// One line for the operator, with the file and what to do. Empty: the certificate is valid for long.
[[nodiscard]] std::string warning_about(const ShownCertificate& certificate, std::int64_t now);

// The lines about those that have one.
[[nodiscard]] std::vector<std::string> certificate_warnings(const std::vector<ShownCertificate>& certificates,
                                                            std::int64_t now);

}  // namespace pgveil::app
