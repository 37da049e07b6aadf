// pgveil audit-verify: is the chain of these files whole?
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <fstream>

#include "cli/audit/file.hpp"
#include "cli/config/config.hpp"
#include "cli/files/whole_file.hpp"
#include "cli/subcommands.hpp"

namespace pgveil::cli {
namespace {

constexpr std::string_view kPrevious = R"(,"prev":")";
constexpr std::size_t kHashDigits = 64;

// What the line says the hash of the one before it is; empty: it is none of ours.
std::string_view previous_of(std::string_view line) {
  const std::size_t tail_size = kPrevious.size() + kHashDigits + 2;
  if (line.size() < tail_size || !line.ends_with("\"}")) return {};
  const std::string_view tail = line.substr(line.size() - tail_size);
  return tail.starts_with(kPrevious) ? tail.substr(kPrevious.size(), kHashDigits) : std::string_view();
}

struct Chain {
  std::string key;
  std::string expected;  // empty: nothing is known of what was before
  std::uint64_t lines = 0;
  std::uint64_t breaks = 0;

  void broken(const std::string& path, std::uint64_t line, std::string_view why) {
    ++breaks;
    std::printf("%s:%llu: %s\n", path.c_str(), static_cast<unsigned long long>(line),
                std::string(why).c_str());
  }

  Result<void> read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return io_error("open", path, errno);
    std::uint64_t number = 0;
    for (std::string line; std::getline(file, line);) {
      ++number;
      const std::string_view previous = previous_of(line);
      if (previous.empty()) {
        broken(path, number, "no whole line of an audit log");
      } else if (!expected.empty() && previous != expected) {
        broken(path, number, "the line before it was changed, or lines are missing between them");
      }
      expected = chain_hash(line, key);
    }
    lines += number;
    if (file.bad()) return io_error("read", path, errno);
    return {};
  }
};

}  // namespace

int run_audit_verify(const AuditVerifyArguments& arguments) {
  Chain chain;
  if (arguments.config) {
    auto config = read_config(*arguments.config);
    if (!config) return report(config.error());
    chain.key = config->audit.key;
  }
  for (const std::string& path : arguments.files) {
    if (auto read = chain.read(path); !read) return report(read.error());
  }
  std::printf("%llu lines, %llu breaks; hash of the last line: %s\n",
              static_cast<unsigned long long>(chain.lines), static_cast<unsigned long long>(chain.breaks),
              chain.expected.c_str());
  return chain.breaks == 0 ? kSuccess : kMistake;
}

}  // namespace pgveil::cli
