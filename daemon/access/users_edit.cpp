#include "daemon/access/users_edit.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "common/files/descriptor.hpp"
#include "common/files/trusted_file.hpp"
#include "common/files/whole_file.hpp"
#include "daemon/access/users_file.hpp"
#include "proxy/net/random.hpp"

namespace pgveil::app {
namespace {

constexpr int kIterations = 4096;               // PostgreSQL 15's number
constexpr std::size_t kSaltBytes = 16;          // PostgreSQL's size
constexpr std::size_t kLongestPassword = 1000;  // a longer one is a mistake, such as the wrong file

std::string in_user_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + '"';
}

std::string user_line(std::string_view name, std::string_view credential) {
  return in_user_quotes(name) + " " + in_user_quotes(credential) + "\n";
}

Error listed(std::string_view name, const std::string& file_name) {
  return invalid_input(fmt::format("user \"{}\" already exists in {}", name, file_name),
                       "to change the password, use --replace");
}

// Released when the folder is closed.
Result<Descriptor> locked_folder(const std::string& path) {
  std::error_code failed;
  const std::string name =
      std::filesystem::weakly_canonical(std::filesystem::absolute(path), failed).parent_path().string();
  if (failed) return io_error("open", path, failed.value());
  Descriptor folder(::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open()) return io_error("open folder", name, errno);
  if (::flock(folder.get(), LOCK_EX) != 0) return io_error("lock folder", name, errno);
  return folder;
}

Result<std::string> changed_text(const std::string& path, const UsersChange& change) {
  std::error_code failed;
  const bool is_there = std::filesystem::exists(path, failed);
  if (failed) return io_error("open", path, failed.value());
  if (!is_there) return change("");
  const auto text = read_trusted(path, Secrecy::secret, kMaxUsersBytes);
  if (!text) return text.error();
  return change(*text);
}

}  // namespace

Result<std::string> with_user(std::string_view text, const std::string& file_name, std::string_view name,
                              std::string_view credential, IfListed if_listed) {
  if (auto checked = check_user_name(name); !checked) return checked.error();
  const auto lines = parse_user_lines(text, file_name);
  if (!lines) return lines.error();
  std::string out(text);
  const auto found = std::ranges::find(*lines, name, &UserLine::name);
  if (found != lines->end()) {
    if (if_listed == IfListed::refuse) return listed(name, file_name);
    return out.replace(found->begin, found->end - found->begin, user_line(name, credential));
  }
  if (!out.empty() && !out.ends_with('\n')) out += '\n';
  return out + user_line(name, credential);
}

Result<std::string> without_user(std::string_view text, const std::string& file_name, std::string_view name) {
  const auto lines = parse_user_lines(text, file_name);
  if (!lines) return lines.error();
  const auto found = std::ranges::find(*lines, name, &UserLine::name);
  if (found == lines->end()) {
    return invalid_input(fmt::format("user \"{}\" is not in {}", name, file_name),
                         "pgveil user list shows the users");
  }
  return std::string(text).erase(found->begin, found->end - found->begin);
}

Result<std::string> new_verifier(std::string_view password) {
  if (password.empty()) return invalid_input("the password is empty", "write one");
  if (password.size() > kLongestPassword) {
    return invalid_input(fmt::format("the password is over {} bytes", kLongestPassword),
                         "shorten it. Only the first line of a file counts");
  }
  if (!std::ranges::all_of(password, [](char c) { return c >= 0x20 && c <= 0x7e; })) {
    return invalid_input("the password has characters other than printable ASCII",
                         "clients encode other characters in different ways. Use letters, digits and "
                         "punctuation of ASCII");
  }
  return session::to_string(session::make_verifier(password, net::random_bytes(kSaltBytes), kIterations));
}

Result<void> change_users_file(const std::string& path, const UsersChange& change) {
  const auto folder = locked_folder(path);
  if (!folder) return folder.error();
  const auto changed = changed_text(path, change);
  if (!changed) return changed.error();
  return replace_keeping_rights(path, *changed);
}

Result<void> check_users_change(const std::string& path, const UsersChange& change) {
  const auto changed = changed_text(path, change);
  if (!changed) return changed.error();
  return {};
}

}  // namespace pgveil::app
