// The job reader on arbitrary bytes: it answers, and each error is one line with a place and a fix.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "jobs/language/job.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pgveil;
  const auto job = app::read_job_text({reinterpret_cast<const char*>(data), size}, "/f");
  if (job) {
    if (job->k < 1 || job->attributes.empty() || job->suppression < 0 || job->suppression > 1) std::abort();
    if (!job->output.file && !job->output.table) std::abort();
    return 0;
  }
  const auto& message = job.error().public_message;
  if (!message.starts_with("/f:") || message.find("; ") == std::string::npos) std::abort();
  if (message.find('\n') != std::string::npos) std::abort();
  return 0;
}
