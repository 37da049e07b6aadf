#include "daemon/access/tls_certificates.hpp"

#include <fmt/format.h>

#include <array>
#include <ctime>
#include <utility>

#include "common/assert.hpp"

namespace pgveil::app {
namespace {

constexpr std::int64_t kDaySeconds = 24 * 60 * 60;
constexpr std::int64_t kSoonSeconds = 14 * kDaySeconds;  // a renewal that works by itself comes earlier

std::string time_text(std::int64_t seconds) {
  const std::time_t time = seconds;
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  std::array<char, 32> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &parts);
  return {text.data(), size};
}

std::string in_days(std::int64_t seconds) {
  const std::int64_t days = seconds / kDaySeconds;
  if (days == 0) return "in less than a day";
  return fmt::format("in {} {}", days, days == 1 ? "day" : "days");
}

}  // namespace

std::vector<ShownCertificate> shown_certificates(const Config& config, const net::TlsSettings* clients,
                                                 const net::TlsContext* page) {
  std::vector<ShownCertificate> out;
  const auto add = [&](std::string_view listener, std::string_view key, const TlsFiles& files,
                       const net::TlsContext* context) {
    const auto validity = context != nullptr ? context->validity() : std::nullopt;
    if (validity) out.push_back({listener, key, files.certificate, *validity});
  };
  add("clients", "tls.clients.cert_file", config.tls.client_files,
      clients != nullptr ? clients->clients.get() : nullptr);
  if (config.page.port) add("page", "admin.http.tls.cert_file", config.page.tls, page);
  return out;
}

CertificateState state_of(const ShownCertificate& certificate, std::int64_t now) {
  const auto& validity = certificate.validity;
  if (now > validity.until) return CertificateState::over;
  if (now < validity.from) return CertificateState::not_yet_valid;
  return validity.until - now < kSoonSeconds ? CertificateState::ends_soon : CertificateState::valid;
}

std::string warning_about(const ShownCertificate& certificate, std::int64_t now) {
  const auto& [listener, key, file, validity] = certificate;
  switch (state_of(certificate, now)) {
    case CertificateState::valid: return {};
    case CertificateState::over:
      return fmt::format(
          "{}: the certificate in {} was valid until {}, and everybody who checks it refuses to connect; "
          "replace the file, then RELOAD",
          key, file, time_text(validity.until));
    case CertificateState::not_yet_valid:
      return fmt::format(
          "{}: the certificate in {} is not valid before {}, and everybody who checks it refuses to connect; "
          "check the clock of this machine, or replace the file, then RELOAD",
          key, file, time_text(validity.from));
    case CertificateState::ends_soon:
      return fmt::format(
          "{}: the certificate in {} is valid until {}, which is {}; replace the file, then RELOAD", key,
          file, time_text(validity.until), in_days(validity.until - now));
  }
  PGVEIL_ASSERT(false);
}

std::vector<std::string> certificate_warnings(const std::vector<ShownCertificate>& certificates,
                                              std::int64_t now) {
  std::vector<std::string> out;
  for (const auto& certificate : certificates) {
    if (auto warning = warning_about(certificate, now); !warning.empty()) out.push_back(std::move(warning));
  }
  return out;
}

}  // namespace pgveil::app
