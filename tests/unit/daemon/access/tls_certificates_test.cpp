#include "daemon/access/tls_certificates.hpp"

#include <doctest/doctest.h>

namespace pgveil::app {
namespace {

constexpr std::int64_t kDayLong = 24 * 60 * 60;
constexpr std::int64_t kValidFrom = 1'769'860'800;  // 2026-01-31 12:00:00 UTC
constexpr std::int64_t kValidUntil = kValidFrom + 90 * kDayLong;

const ShownCertificate kForClients{
    "clients", "tls.clients.cert_file", "/etc/pgveil/server.crt", {kValidFrom, kValidUntil}};

}  // namespace

TEST_CASE("a certificate is warned of 14 days before it is over") {
  struct Row {
    std::int64_t now;
    CertificateState state;
  };
  for (const auto& row :
       {Row{kValidFrom - 1, CertificateState::not_yet_valid}, Row{kValidFrom, CertificateState::valid},
        Row{kValidUntil - 14 * kDayLong, CertificateState::valid},
        Row{kValidUntil - 14 * kDayLong + 1, CertificateState::ends_soon},
        Row{kValidUntil, CertificateState::ends_soon}, Row{kValidUntil + 1, CertificateState::over}}) {
    CAPTURE(row.now);
    CHECK(state_of(kForClients, row.now) == row.state);
    CHECK(warning_about(kForClients, row.now).empty() == (row.state == CertificateState::valid));
  }
}

TEST_CASE("a warning names the key, the file, the time and what to do") {
  CHECK(
      warning_about(kForClients, kValidUntil + 1) ==
      "tls.clients.cert_file: the certificate in /etc/pgveil/server.crt was valid until 2026-05-01 12:00:00 "
      "UTC, and everybody who checks it refuses to connect; replace the file, then RELOAD");
  CHECK(warning_about(kForClients, kValidFrom - 1) ==
        "tls.clients.cert_file: the certificate in /etc/pgveil/server.crt is not valid before 2026-01-31 "
        "12:00:00 UTC, and everybody who checks it refuses to connect; check the clock of this machine, or "
        "replace the file, then RELOAD");
  CHECK(warning_about(kForClients, kValidUntil - 9 * kDayLong - 1) ==
        "tls.clients.cert_file: the certificate in /etc/pgveil/server.crt is valid until 2026-05-01 12:00:00 "
        "UTC, which is in 9 days; replace the file, then RELOAD");
  CHECK(warning_about(kForClients, kValidUntil - kDayLong).find("which is in 1 day;") != std::string::npos);
  CHECK(warning_about(kForClients, kValidUntil - 1).find("which is in less than a day;") !=
        std::string::npos);
}

TEST_CASE("only certificates with something to say have a warning") {
  const ShownCertificate page{
      "page", "admin.http.tls.cert_file", "page.crt", {kValidFrom, kValidFrom + kDayLong}};
  CHECK(certificate_warnings({kForClients, page}, kValidFrom + 2 * kDayLong) ==
        std::vector<std::string>{warning_about(page, kValidFrom + 2 * kDayLong)});
  CHECK(certificate_warnings({}, kValidFrom).empty());
  CHECK(shown_certificates({}, nullptr, nullptr).empty());
}

}  // namespace pgveil::app
