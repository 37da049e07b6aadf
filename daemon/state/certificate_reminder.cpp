#include "daemon/state/certificate_reminder.hpp"

namespace pgveil::app {
namespace {

constexpr std::chrono::hours kReminderPause{24};

}  // namespace

std::vector<std::string> CertificateReminder::due(const std::vector<ShownCertificate>& certificates,
                                                  std::int64_t now, Clock::time_point at) {
  std::vector<std::string> out;
  for (const auto& certificate : certificates) {
    const Told next{certificate.validity, state_of(certificate, now), at};
    auto& told = told_.try_emplace(std::string(certificate.listener), next).first->second;
    const bool is_new = told.validity != next.validity;
    const bool is_due = told.state != next.state || at - told.at >= kReminderPause;
    if (!is_new && !is_due) continue;
    told = next;
    if (is_new || next.state == CertificateState::valid) continue;
    out.push_back(warning_about(certificate, now));
  }
  return out;
}

}  // namespace pgveil::app
