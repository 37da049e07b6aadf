#include "cli/verb_record.hpp"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "cli/verb.hpp"
#include "daemon/audit/file.hpp"
#include "daemon/audit/line.hpp"
#include "daemon/audit/log.hpp"

namespace pgveil::app {
namespace {

// The name of the system account, or its number if it has no name.
std::string user_name() {
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 4096> buffer{};
  const bool is_found =
      ::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr;
  return is_found ? std::string(entry.pw_name) : std::to_string(::geteuid());
}

Result<void> keep(const AuditConfig& audit, const ProcessEvent& event) {
  auto file = AuditFile::open(audit.file, audit.key);
  if (!file) return file.error();
  return file->append(common_fields() + audit_fields(event));
}

}  // namespace

Result<VerbRecord> VerbRecord::begin(const std::string& config_path, std::string verb, std::string on) {
  const auto config = read_config(config_path);
  if (!config || config->audit.file.empty()) return VerbRecord(std::nullopt, std::move(verb));
  const ProcessEvent event{"verb", {{"verb", verb}, {"on", std::move(on)}, {"user", user_name()}}};
  if (auto kept = keep(config->audit, event); !kept) return kept.error();
  return VerbRecord(config->audit, std::move(verb));
}

void VerbRecord::end(int status) const {
  if (!audit_) return;
  const ProcessEvent event{"verb_end", {{"verb", verb_}, {"status", std::to_string(status)}}};
  if (const auto kept = keep(*audit_, event); !kept) static_cast<void>(report(kept.error()));
}

}  // namespace pgveil::app
