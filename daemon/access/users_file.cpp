#include "daemon/access/users_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "common/files/trusted_file.hpp"
#include "common/yaml.hpp"

namespace pgveil::app {
namespace {

constexpr std::size_t kMaxUsersBytes = 16 << 20;  // 100,000 users
constexpr std::size_t kMaxUserNameBytes = 63;     // PostgreSQL's NAMEDATALEN - 1
constexpr std::string_view kByCertificate = "certificate";
constexpr std::string_view kWhereVerifiers =
    "copy rolpassword from pg_authid of a server with password_encryption = scram-sha-256";

// ---- one line

class UserLineReader {
 public:
  UserLineReader(std::string_view line, std::string file, int number)
      : line_(line), position_{std::move(file), number, 1} {}

  [[nodiscard]] yaml::Position position() const {
    return {position_.file, position_.line, static_cast<int>(at_) + 1};
  }

  void skip_blanks() { at_ = std::min(line_.find_first_not_of(" \t\r", at_), line_.size()); }

  [[nodiscard]] bool is_at_end() const {
    return at_ == line_.size() || line_[at_] == ';' || line_[at_] == '#';
  }

  // Errors: no quote here, or none that ends it.
  [[nodiscard]] Result<std::string> read_quoted(std::string_view what) {
    const yaml::Position start = position();
    if (is_at_end() || line_[at_] != '"') {
      return yaml::error_at(start, fmt::format("{} in double quotes is expected", what),
                            "write \"user\" \"SCRAM-SHA-256$…\"");
    }
    std::string text;
    for (++at_; at_ < line_.size(); ++at_) {
      if (line_[at_] != '"') {
        text += line_[at_];
      } else if (at_ + 1 < line_.size() && line_[at_ + 1] == '"') {
        text += line_[at_++];
      } else {
        ++at_;
        return text;
      }
    }
    return yaml::error_at(start, fmt::format("the quote around {} is not closed", what),
                          "close it on the same line");
  }

 private:
  std::string_view line_;
  yaml::Position position_;
  std::size_t at_ = 0;
};

Result<void> check_name(const std::string& name, const yaml::Position& position) {
  if (name.empty())
    return yaml::error_at(position, "the user name is empty", "name a user, or remove the line");
  if (name.size() > kMaxUserNameBytes) {
    return yaml::error_at(position, "the user name is longer than 63 bytes", "PostgreSQL has no longer ones");
  }
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::any_of(name.begin(), name.end(), is_control)) {
    return yaml::error_at(position, "the user name has a control character", "remove it");
  }
  return {};
}

std::string why_not_a_verifier(std::string_view password, const Error& error) {
  if (password.empty()) return "the password is empty";
  if (password.starts_with("md5")) return "md5 passwords are not accepted";
  if (!password.starts_with("SCRAM-SHA-256$")) return "plain passwords are not accepted";
  return error.public_message;
}

Result<void> read_line(UserLineReader line, Users& users) {
  line.skip_blanks();
  if (line.is_at_end()) return {};
  const yaml::Position name_position = line.position();
  auto name = line.read_quoted("a user name");
  if (name.has_error()) return name.error();
  if (auto checked = check_name(*name, name_position); checked.has_error()) return checked;

  line.skip_blanks();
  const yaml::Position password_position = line.position();
  const auto password = line.read_quoted("a password verifier");
  if (password.has_error()) return password.error();
  // Nobody knows a password for such a verifier, not even somebody who knows how it was made.
  const auto verifier = *password == kByCertificate
                            ? Result<session::ScramVerifier>(session::mock_verifier(*name, kByCertificate))
                            : session::parse_verifier(*password);
  if (verifier.has_error()) {
    return yaml::error_at(password_position, why_not_a_verifier(*password, verifier.error()),
                          kWhereVerifiers);
  }

  line.skip_blanks();
  if (!line.is_at_end()) {
    return yaml::error_at(line.position(), "something follows the verifier",
                          "one user a line; comments begin with ;");
  }
  if (!users.emplace(*name, *verifier).second) {
    return yaml::error_at(name_position, fmt::format("user \"{}\" is listed twice", *name),
                          "keep one of the lines");
  }
  return {};
}

}  // namespace

Result<Users> parse_users(std::string_view text, const std::string& file_name) {
  Users users;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (auto read = read_line(UserLineReader(text.substr(0, end), file_name, number), users);
        read.has_error()) {
      return read.error();
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return users;
}

Result<Users> read_users_file(const std::string& path) {
  const auto text = read_trusted(path, Secrecy::secret, kMaxUsersBytes);
  if (!text) return text.error();
  return parse_users(*text, path);
}

}  // namespace pgveil::app
