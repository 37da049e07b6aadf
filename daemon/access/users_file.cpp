#include "daemon/access/users_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "common/files/trusted_file.hpp"
#include "common/yaml.hpp"

namespace pgveil::app {
namespace {

constexpr std::size_t kMaxUserNameBytes = 63;  // PostgreSQL's NAMEDATALEN - 1
constexpr std::string_view kWhereVerifiers = "write the line with `pgveil user add`";

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

std::string why_not_a_verifier(std::string_view password, const Error& error) {
  if (password.empty()) return "the password is empty";
  if (password.starts_with("md5")) return "md5 passwords are not accepted";
  if (!password.starts_with("SCRAM-SHA-256$")) return "plain passwords are not accepted";
  return error.public_message;
}

// nullopt: the line names nobody.
Result<std::optional<UserLine>> read_line(UserLineReader line) {
  line.skip_blanks();
  if (line.is_at_end()) return std::optional<UserLine>();
  const yaml::Position name_position = line.position();
  auto name = line.read_quoted("a user name");
  if (name.has_error()) return name.error();
  if (auto checked = check_user_name(*name); !checked)
    return yaml::error_at(name_position, checked.error().public_message, checked.error().hint);

  line.skip_blanks();
  const yaml::Position password_position = line.position();
  auto password = line.read_quoted("a password verifier");
  if (password.has_error()) return password.error();
  // Nobody knows a password for such a verifier, not even somebody who knows how it was made.
  auto verifier = *password == kByCertificate
                      ? Result<session::ScramVerifier>(session::mock_verifier(*name, kByCertificate))
                      : session::parse_verifier(*password);
  if (verifier.has_error()) {
    return yaml::error_at(password_position, why_not_a_verifier(*password, verifier.error()),
                          kWhereVerifiers);
  }

  line.skip_blanks();
  if (!line.is_at_end()) {
    return yaml::error_at(line.position(), "something follows the verifier",
                          "write one user per line. Comments begin with ;");
  }
  return std::optional(UserLine{std::move(*name), std::move(*password), std::move(*verifier)});
}

}  // namespace

Result<void> check_user_name(std::string_view name) {
  if (name.empty()) return invalid_input("the user name is empty", "name a user");
  if (name.size() > kMaxUserNameBytes)
    return invalid_input("the user name is longer than 63 bytes", "PostgreSQL does not support longer names");
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::ranges::any_of(name, is_control))
    return invalid_input("the user name has a control character", "remove it");
  return {};
}

Result<std::vector<UserLine>> parse_user_lines(std::string_view text, const std::string& file_name) {
  std::vector<UserLine> lines;
  std::set<std::string, std::less<>> names;
  std::size_t begin = 0;
  for (int number = 1; begin < text.size(); ++number) {
    const std::size_t line_end = std::min(text.find('\n', begin), text.size());
    auto read = read_line(UserLineReader(text.substr(begin, line_end - begin), file_name, number));
    if (read.has_error()) return read.error();
    const std::size_t end = std::min(line_end + 1, text.size());
    if (auto& line = *read; line) {
      if (!names.insert(line->name).second) {
        const std::size_t indent = text.find_first_not_of(" \t\r", begin) - begin;
        return yaml::error_at({file_name, number, static_cast<int>(indent) + 1},
                              fmt::format("user \"{}\" is listed twice", line->name),
                              "keep one of the lines");
      }
      line->begin = begin;
      line->end = end;
      lines.push_back(std::move(*line));
    }
    begin = end;
  }
  return lines;
}

Result<Users> parse_users(std::string_view text, const std::string& file_name) {
  auto lines = parse_user_lines(text, file_name);
  if (!lines) return lines.error();
  Users users;
  for (auto& line : *lines) users.emplace(std::move(line.name), std::move(line.verifier));
  return users;
}

Result<Users> read_users_file(const std::string& path) {
  const auto text = read_trusted(path, Secrecy::secret, kMaxUsersBytes);
  if (!text) return text.error();
  return parse_users(*text, path);
}

}  // namespace pgveil::app
