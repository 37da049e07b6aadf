#include "cli/password_prompt.hpp"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/ui.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <iostream>
#include <memory>
#include <string_view>
#include <vector>

#include "common/files/trusted_file.hpp"

namespace pgveil::app {
namespace {

constexpr std::size_t kMaxPasswordFile = 65'536;
constexpr int kLongestTyped = 1024;

std::string first_line_of(std::string text) {
  text.resize(std::min(text.find('\n'), text.size()));
  if (text.ends_with('\r')) text.pop_back();
  return text;
}

std::string line_of_standard_input() {
  std::string line;
  std::getline(std::cin, line);
  return first_line_of(std::move(line));
}

Error unasked() {
  return usage_error("no password was typed", "type one, or name a file with --password-file");
}

// Switches the echo of the terminal off while it lives. OpenSSL does so only after it has asked, and would
// show what is typed before.
class Unechoed {
 public:
  Unechoed() : is_terminal_(::tcgetattr(STDIN_FILENO, &before_) == 0) {
    if (!is_terminal_) return;
    termios silent = before_;
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent);
  }
  Unechoed(const Unechoed&) = delete;
  Unechoed& operator=(const Unechoed&) = delete;
  ~Unechoed() {
    if (is_terminal_) ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
  }

 private:
  termios before_{};
  bool is_terminal_;
};

// One typed answer for each question, which are wiped from memory at the end.
class Answers {
 public:
  explicit Answers(const std::vector<std::string>& questions) : typed_(questions.size()) {
    const Unechoed unechoed;  // OpenSSL's prompt returns after an interrupt, too
    const std::unique_ptr<UI, decltype(&UI_free)> prompt(UI_new_method(UI_OpenSSL()), &UI_free);
    if (!prompt) return;
    for (std::size_t i = 0; i < questions.size(); ++i) {
      if (UI_add_input_string(prompt.get(), questions[i].c_str(), 0, typed_[i].data(), 0, kLongestTyped) < 0)
        return;
    }
    is_complete_ = UI_process(prompt.get()) == 0;
  }
  Answers(const Answers&) = delete;
  Answers& operator=(const Answers&) = delete;
  ~Answers() {
    for (auto& typed : typed_) OPENSSL_cleanse(typed.data(), typed.size());
  }

  [[nodiscard]] bool is_complete() const { return is_complete_; }
  [[nodiscard]] std::string_view operator[](std::size_t i) const { return typed_[i].data(); }

 private:
  std::vector<std::array<char, kLongestTyped + 1>> typed_;
  bool is_complete_ = false;
};

}  // namespace

Result<std::string> ask_new_password(const std::string& user) {
  if (::isatty(STDIN_FILENO) == 0) return line_of_standard_input();
  const Answers answers({fmt::format("New password of {}: ", user), "The same again: "});
  if (!answers.is_complete()) return unasked();
  if (answers[0] != answers[1]) return usage_error("the two passwords differ", "type the same one twice");
  return std::string(answers[0]);
}

Result<std::string> ask_password(const std::string& prompt) {
  const Answers answers({prompt});
  if (!answers.is_complete()) return unasked();
  return std::string(answers[0]);
}

Result<std::string> password_in_file(const std::string& path) {
  if (path == "-") return line_of_standard_input();
  auto text = read_trusted(path, Secrecy::secret, kMaxPasswordFile);
  if (!text) return text.error();
  return first_line_of(std::move(*text));
}

}  // namespace pgveil::app
