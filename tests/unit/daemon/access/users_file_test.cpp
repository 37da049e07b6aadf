#include "daemon/access/users_file.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace pgveil::app {
namespace {

std::string verifier() {
  return session::to_string(session::make_verifier("secret", "0123456789abcdef", 4096));
}

std::string line(const std::string& user) {
  return "\"" + user + "\" \"" + verifier() + "\"\n";
}

// A users file of its own, removed at the end.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& text, mode_t mode) {
    std::string pattern = "/tmp/pgveil_users_XXXXXX";
    const int descriptor = ::mkstemp(pattern.data());
    REQUIRE(descriptor >= 0);
    ::close(descriptor);
    path_ = pattern;
    std::ofstream(path_) << text;
    REQUIRE(::chmod(path_.c_str(), mode) == 0);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { ::unlink(path_.c_str()); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

void check_fails(const Result<Users>& users, std::string_view part) {
  REQUIRE(users.has_error());
  CHECK(users.error().kind == ErrorKind::configuration);
  const std::string text = one_line(users.error());
  CAPTURE(text);
  CHECK(text.find(part) != std::string::npos);
}

}  // namespace

TEST_CASE("a users file is read as PgBouncer writes it") {
  const std::string text = "; comment\n# another\n\n" + line("analyst") + "  \t" + line("o\"\"brien") +
                           "\"last\"\t\"" + verifier() + "\"  ; trailing comment";
  const auto users = parse_users(text, "users.txt");
  REQUIRE(users.has_value());
  REQUIRE(users->size() == 3);
  CHECK(users->contains("analyst"));
  CHECK(users->contains("o\"brien"));
  CHECK(session::to_string(users->at("last")) == verifier());
}

TEST_CASE("a role that comes by certificate has a verifier that is nobody's") {
  const auto users = parse_users("\"ann\" \"certificate\"\n\"bob\" \"certificate\"", "users.txt");
  REQUIRE(users.has_value());
  const auto text = [&](const char* name) { return session::to_string(users->at(name)); };
  CHECK(text("ann") != text("bob"));
  for (const char* password : {"", "certificate", "ann"}) {
    const auto& of_ann = users->at("ann");
    CHECK(session::to_string(session::make_verifier(password, of_ann.salt, of_ann.iterations)) !=
          text("ann"));
  }
}

TEST_CASE("Windows line ends are accepted, an empty file has no users") {
  const auto users = parse_users("\"a\" \"" + verifier() + "\"\r\n\r\n", "users.txt");
  REQUIRE(users.has_value());
  CHECK(users->size() == 1);
  const auto nobody = parse_users("", "users.txt");
  REQUIRE(nobody.has_value());
  CHECK(nobody->empty());
}

TEST_CASE("what is wrong is told with file, line and column, and passwords are not quoted") {
  struct Row {
    std::string text, expected;
  };
  const std::vector<Row> rows = {
      {"\"a\" \"hunter2\"", "users.txt:1:5: plain passwords are not accepted"},
      {"\"a\" \"md5d6a35858d61d85e4a82ab1fb044aba9d\"", "users.txt:1:5: md5 passwords are not accepted"},
      {"\"a\" \"\"", "users.txt:1:5: the password is empty"},
      {"\"a\" \"SCRAM-SHA-256$hunter2\"", "users.txt:1:5: not a SCRAM-SHA-256 verifier"},
      {"; x\n\n  \"a\"", "users.txt:3:6: a password verifier in double quotes is expected"},
      {"a \"x\"", "users.txt:1:1: a user name in double quotes is expected"},
      {"\"a", "users.txt:1:1: the quote around a user name is not closed"},
      {"\"a\" \"SCRAM", "users.txt:1:5: the quote around a password verifier is not closed"},
      {"\"\" \"" + verifier() + "\"", "users.txt:1:1: the user name is empty"},
      {"\"" + std::string(64, 'x') + "\" \"" + verifier() + "\"", "longer than 63 bytes"},
      {std::string("\"a\x01\" \"") + verifier() + "\"", "control character"},
      {"\"a\" \"" + verifier() + "\" extra", "something follows the verifier"},
      {line("a") + line("b") + line("a"), "users.txt:3:1: user \"a\" is listed twice"},
      {line("a") + "  " + line("a"), "users.txt:2:3: user \"a\" is listed twice"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const auto users = parse_users(row.text, "users.txt");
    check_fails(users, row.expected);
    CHECK(one_line(users.error()).find("hunter2") == std::string::npos);
  }
  CHECK(parse_users("\"" + std::string(63, 'x') + "\" \"" + verifier() + "\"", "users.txt").has_value());
}

TEST_CASE("a plain password comes with the fix") {
  check_fails(parse_users("\"a\" \"hunter2\"", "users.txt"), "pgveil user add");
}

TEST_CASE("only a file that is closed to others is read") {
  for (const mode_t mode : {0600, 0400}) {
    CAPTURE(mode);
    CHECK(read_users_file(TemporaryFile(line("a"), mode).path()).has_value());
  }
  for (const mode_t mode : {0660, 0620, 0602}) {
    CAPTURE(mode);
    check_fails(read_users_file(TemporaryFile(line("a"), mode).path()), "others than its owner may write it");
  }
  check_fails(read_users_file(TemporaryFile(line("a"), 0644).path()), "others than its owner may read it");
}

TEST_CASE("a users file that is missing, no file or too large is an error") {
  check_fails(read_users_file("/nonexistent/users.txt"), "No such file");
  check_fails(read_users_file("/tmp"), "not a regular file");
  check_fails(read_users_file(TemporaryFile(std::string((16 << 20) + 1, '\n'), 0600).path()), "over 16 MiB");
}

}  // namespace pgveil::app
