#include "daemon/access/users_edit.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "daemon/access/users_file.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace pgveil::app {
namespace {

std::string made_verifier(std::string_view password = "secret") {
  const auto made = new_verifier(password);
  REQUIRE(made.has_value());
  return *made;
}

void check_unchanged(const Result<std::string>& text, std::string_view part) {
  REQUIRE(text.has_error());
  const std::string said = one_line(text.error());
  CAPTURE(said);
  CHECK(said.find(part) != std::string::npos);
}

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

unsigned mode_of(const std::string& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777U;
}

}  // namespace

TEST_CASE("a user is added below the others, and comments stay") {
  const std::string before = "; ours\n\"bi\" \"" + made_verifier() + "\" ; tool\n# no line end";
  const std::string verifier = made_verifier();
  const auto text = with_user(before, "users.txt", "o\"brien", verifier, IfListed::refuse);
  REQUIRE(text.has_value());
  CHECK(*text == before + "\n\"o\"\"brien\" \"" + verifier + "\"\n");
  const auto users = parse_users(*text, "users.txt");
  REQUIRE(users.has_value());
  CHECK(users->contains("o\"brien"));
  CHECK(users->contains("bi"));
}

TEST_CASE("a user who is there keeps the password unless a new one is asked for") {
  const std::string other = "\"bi\" \"" + made_verifier() + "\"\n";
  const std::string before = "\"ann\" \"" + made_verifier() + "\"\n" + other;
  check_unchanged(with_user(before, "users.txt", "ann", made_verifier(), IfListed::refuse),
                  "user \"ann\" already exists in users.txt (to change the password, use --replace)");
  const std::string verifier = made_verifier("another");
  const auto text = with_user(before, "users.txt", "ann", verifier, IfListed::replace);
  REQUIRE(text.has_value());
  CHECK(*text == "\"ann\" \"" + verifier + "\"\n" + other);
}

TEST_CASE("only the named user is removed") {
  const std::string ann = "\"ann\" \"certificate\"\n";
  const std::string text = "; x\n" + ann + "\"bi\" \"certificate\"";
  const auto left = without_user(text, "users.txt", "ann");
  REQUIRE(left.has_value());
  CHECK(*left == "; x\n\"bi\" \"certificate\"");
  const auto last = without_user(text, "users.txt", "bi");
  REQUIRE(last.has_value());
  CHECK(*last == "; x\n" + ann);
  check_unchanged(without_user(text, "users.txt", "an"), "user \"an\" is not in users.txt");
}

TEST_CASE("names and files that can't be used are refused") {
  for (const std::string& name : {std::string(), std::string(64, 'x'), std::string("a\nb")})
    CHECK(with_user("", "users.txt", name, made_verifier(), IfListed::replace).has_error());
  check_unchanged(with_user("\"a\" \"plain\"\n", "users.txt", "b", made_verifier(), IfListed::refuse),
                  "users.txt:1:5: plain passwords");
  check_unchanged(without_user("nonsense", "users.txt", "b"), "users.txt:1:1");
}

TEST_CASE("a verifier fits its password, and none is made twice") {
  const auto parsed = session::parse_verifier(made_verifier("p4 ss~"));
  REQUIRE(parsed.has_value());
  CHECK(parsed->iterations == 4096);
  CHECK(parsed->salt.size() == 16);
  CHECK(session::to_string(session::make_verifier("p4 ss~", parsed->salt, 4096)) ==
        session::to_string(*parsed));
  CHECK(made_verifier("same") != made_verifier("same"));
}

TEST_CASE("passwords that clients could write in several ways are refused, and never quoted") {
  for (const std::string& password : {std::string(), std::string("h\xc3\xb6lle"), std::string("a\tb"),
                                      std::string("a\0b", 3), std::string(1001, 'x'), std::string("\x7f")}) {
    const auto made = new_verifier(password);
    REQUIRE(made.has_error());
    if (!password.empty()) CHECK(one_line(made.error()).find(password) == std::string::npos);
  }
  CHECK(new_verifier(std::string(1000, 'x')).has_value());
}

TEST_CASE("the file is made for its owner alone, and keeps the mode that it has") {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/users.txt";
  const auto add = [&](const std::string& name) {
    return change_users_file(path, [&](std::string_view text) {
      return with_user(text, path, name, made_verifier(), IfListed::refuse);
    });
  };
  REQUIRE(add("ann").has_value());
  CHECK(mode_of(path) == 0600);
  REQUIRE(::chmod(path.c_str(), 0400) == 0);
  REQUIRE(add("bob").has_value());
  CHECK(mode_of(path) == 0400);
  const auto users = read_users_file(path);
  REQUIRE(users.has_value());
  CHECK(users->size() == 2);
  // A change that fails leaves the file and nothing else.
  const std::string before = content_of(path);
  CHECK(add("bob").has_error());
  CHECK(content_of(path) == before);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
  // A path below the current folder names the same file.
  const auto before_all = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const auto relative = change_users_file("others.txt", [&](std::string_view text) {
    return with_user(text, "others.txt", "ann", made_verifier(), IfListed::refuse);
  });
  std::filesystem::current_path(before_all);
  REQUIRE(relative.has_value());
  CHECK(mode_of(folder.path() + "/others.txt") == 0600);
  // A link stays one.
  const std::string link = folder.path() + "/link.txt";
  std::filesystem::create_symlink(path, link);
  REQUIRE(change_users_file(link, [&](std::string_view text) {
            return without_user(text, link, "ann");
          }).has_value());
  CHECK(std::filesystem::is_symlink(link));
  CHECK(content_of(path).find("ann") == std::string::npos);
}

TEST_CASE("a file that others may read, and a folder that is missing, are errors") {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/users.txt";
  std::ofstream(path) << "\"ann\" \"certificate\"\n";
  REQUIRE(::chmod(path.c_str(), 0644) == 0);
  const auto keep = [](std::string_view text) { return Result<std::string>(std::string(text)); };
  CHECK(change_users_file(path, keep).has_error());
  CHECK(check_users_change(path, keep).has_error());
  CHECK(change_users_file(folder.path() + "/none/users.txt", keep).has_error());
}

}  // namespace pgveil::app
