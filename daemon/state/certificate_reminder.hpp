#pragma once
// Reminds the operator of a certificate that is over, not valid yet, or ends soon: when that begins, and then
// once a day. A certificate that was not there before is not told about, because the start or RELOAD has just
// logged it.
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "daemon/access/tls_certificates.hpp"

namespace pgveil::app {

class CertificateReminder {
 public:
  using Clock = std::chrono::steady_clock;

  // The lines to log now. now: in seconds since 1970; at: the same time.
  [[nodiscard]] std::vector<std::string> due(const std::vector<ShownCertificate>& certificates,
                                             std::int64_t now, Clock::time_point at);

 private:
  struct Told {
    net::Validity validity;
    CertificateState state = CertificateState::valid;
    Clock::time_point at;
  };
  std::map<std::string, Told, std::less<>> told_;  // by listener
};

}  // namespace pgveil::app
