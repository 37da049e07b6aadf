// pgveil audit-verify: checks that the chain of these files is complete.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <optional>
#include <utility>

#include "cli/verbs.hpp"
#include "common/files/whole_file.hpp"
#include "daemon/audit/file.hpp"
#include "settings/config.hpp"

namespace pgveil::app {
namespace {

struct AuditVerifyArguments {
  std::vector<std::string> files;     // in the order in which they were written
  std::optional<std::string> config;  // names the key; none: the chain has no key
  // Hashes of lines, noted elsewhere.
  std::optional<std::string> after;     // of the line before the first one; none: there is no such line
  std::optional<std::string> includes;  // of a line that must be present
};

constexpr std::string_view kPrevious = R"(,"prev":")";
constexpr std::size_t kHashDigits = 64;

// The hash of the previous line according to this line; empty: it is no line of ours.
std::string_view previous_of(std::string_view line) {
  const std::size_t tail_size = kPrevious.size() + kHashDigits + 2;
  if (line.size() < tail_size || !line.ends_with("\"}")) return {};
  const std::string_view tail = line.substr(line.size() - tail_size);
  return tail.starts_with(kPrevious) ? tail.substr(kPrevious.size(), kHashDigits) : std::string_view();
}

bool is_hash(std::string_view text) {
  return text.size() == kHashDigits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

class Chain {
 public:
  Chain(std::string key, const AuditVerifyArguments& arguments)
      : key_(std::move(key)), after_(arguments.after), includes_(arguments.includes) {
    if (after_) last_ = *after_;
    is_included_ = !includes_ || includes_ == after_;
  }

  Result<void> read(const std::string& path);
  // Reports what can be said after all files were read. True: the chain is complete.
  bool conclude();

 private:
  void broken(const std::string& where, std::string_view why) {
    ++breaks_;
    std::printf("%s: %s\n", where.c_str(), std::string(why).c_str());
  }
  // Begins where there is no earlier line to compare with.
  void begin(const std::string& where, std::string_view previous);

  std::string key_;
  std::optional<std::string> after_, includes_;
  std::string last_;  // hash of the previous line; empty: unknown
  bool is_included_ = true;
  std::uint64_t lines_ = 0;
  std::uint64_t breaks_ = 0;
};

void Chain::begin(const std::string& where, std::string_view previous) {
  if (previous == kNoLineBefore) return;
  broken(where, fmt::format("begins in the middle of a chain, after {}: also name the file before it. If you "
                            "kept the hash of that line, give it with --after instead",
                            previous));
}

Result<void> Chain::read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return io_error("open", path, errno);
  std::uint64_t number = 0;
  for (std::string line; std::getline(file, line);) {
    const std::string where = fmt::format("{}:{}", path, ++number);
    const std::string_view previous = previous_of(line);
    if (previous.empty()) {
      broken(where, "not a complete line of an audit log");
    } else if (last_.empty()) {
      begin(where, previous);
    } else if (previous != last_) {
      broken(where, "the line before it was changed, or lines are missing between them");
    }
    last_ = chain_hash(line, key_);
    is_included_ = is_included_ || last_ == includes_;
  }
  lines_ += number;
  if (file.bad()) return io_error("read", path, errno);
  // A log file always has a line, so lines may have been removed from this one.
  if (number == 0)
    broken(path, "has no line. If no line was written since the file was created, leave it out");
  return {};
}

bool Chain::conclude() {
  if (!is_included_)
    broken("the log",
           fmt::format("no line has the hash {}: lines are missing at the end, or a new chain was made",
                       *includes_));
  std::printf("%llu lines, %llu breaks; hash of the last line: %s\n", static_cast<unsigned long long>(lines_),
              static_cast<unsigned long long>(breaks_), lines_ == 0 ? "none" : last_.c_str());
  return breaks_ == 0;
}

int run_audit_verify(const AuditVerifyArguments& arguments) {
  for (const auto& hash : {arguments.after, arguments.includes}) {
    if (hash && !is_hash(*hash))
      return report({ErrorKind::usage, "", "a hash has 64 digits, 0 to 9 and a to f",
                     "copy it as audit-verify printed it"});
  }
  std::string key;
  if (arguments.config) {
    auto config = read_config(*arguments.config);
    if (!config) return report(config.error());
    key = config->audit.key;
  }
  Chain chain(std::move(key), arguments);
  for (const std::string& path : arguments.files) {
    if (auto read = chain.read(path); !read) return report(read.error());
  }
  return chain.conclude() ? kSuccess : kMistake;
}

}  // namespace

// The option -c is this verb's own: a log without a key needs no configuration.
Verb add_audit_verify(CLI::App& parent, std::string&) {
  const auto arguments = std::make_shared<AuditVerifyArguments>();
  auto* verb = parent.add_subcommand("audit-verify",
                                     "check whether lines of an audit log were changed or are missing");
  verb->add_option("file", arguments->files, "the log's files, the oldest first")->required();
  verb->add_option("-c,--config", arguments->config,
                   "configuration that names audit.key_file, if there is a key");
  verb->add_option("--after", arguments->after,
                   "hash of the line before the first one, if the files before it are not given");
  verb->add_option("--includes", arguments->includes,
                   "a hash that an earlier run printed. The line with this hash must be in the files");
  verb->footer(
      "A log is whole if it begins with the very first line, or with the line after that of --after. Lines "
      "that are missing at its end are noticed only with --includes.\n\nExamples:\n  pgveil audit-verify "
      "audit.log.1 audit.log");
  return {verb, [=] { return run_audit_verify(*arguments); }};
}

}  // namespace pgveil::app
