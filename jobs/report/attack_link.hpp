#pragma once
// What a report of `pgveil attack` (JSON) says about the release that was attacked, as far as a certificate
// of that release is compared with it.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/error.hpp"
#include "jobs/report/certificate.hpp"

namespace pgveil::app {

struct AttackLink {
  std::optional<std::string> file_print, table_print;  // of a job's release, as in its certificate
  std::string policy_print;                            // empty: a job's release
  std::uint64_t policy_version = 0;
  bool is_anything_learnt = false;

  // Whether the report is about the release that was certified. Of an export: about the version that was
  // exported, because the rows of an export are not attacked on their own.
  [[nodiscard]] bool is_about(const Certificate& certificate) const;
};

// Errors, kind configuration: the text is no such report.
[[nodiscard]] Result<AttackLink> read_attack_link(std::string_view json);

}  // namespace pgveil::app
