// pgveil user: adds, removes and lists those who may log in.
#include <fmt/format.h>

#include <cstdio>
#include <optional>

#include "cli/password_prompt.hpp"
#include "cli/verbs.hpp"
#include "common/files/trusted_file.hpp"
#include "common/text_table.hpp"
#include "daemon/access/users_edit.hpp"
#include "daemon/access/users_file.hpp"
#include "settings/config.hpp"

namespace pgveil::app {
namespace {

struct UserArguments {
  std::string name;
  std::optional<std::string> file;           // none: auth.users_file of the configuration
  std::optional<std::string> password_file;  // none: asked
  bool by_certificate = false;
  bool replaces = false;
};

Result<std::string> users_file_of(const UserArguments& arguments, const std::string& config_path) {
  if (arguments.file) return *arguments.file;
  const auto config = read_config(config_path, Passwords::left_out);
  if (!config) {
    Error error = config.error();
    error.hint += (error.hint.empty() ? "" : "; ") + std::string("--file names the users file itself");
    return error;
  }
  if (!config->auth.users_file.empty()) return config->auth.users_file;
  return invalid_input(fmt::format("{} has no auth.users_file", config_path), "name the file with --file");
}

Result<std::string> credential_of(const UserArguments& arguments) {
  if (arguments.by_certificate) return std::string(kByCertificate);
  const auto password =
      arguments.password_file ? password_in_file(*arguments.password_file) : ask_new_password(arguments.name);
  if (!password) return password.error();
  return new_verifier(*password);
}

Result<std::string> add_user(const UserArguments& arguments, const std::string& config_path) {
  const auto path = users_file_of(arguments, config_path);
  if (!path) return path.error();
  // A name that can't be added is told before anybody types a password.
  const IfListed if_listed = arguments.replaces ? IfListed::replace : IfListed::refuse;
  const auto change = [&](std::string_view credential) {
    return [&, credential](std::string_view text) {
      return with_user(text, *path, arguments.name, credential, if_listed);
    };
  };
  if (auto possible = check_users_change(*path, change(kByCertificate)); !possible) return possible.error();
  const auto credential = credential_of(arguments);
  if (!credential) return credential.error();
  if (auto changed = change_users_file(*path, change(*credential)); !changed) return changed.error();
  return *path;
}

int run_add(const UserArguments& arguments, const std::string& config_path) {
  const auto path = add_user(arguments, config_path);
  if (!path) return report(path.error());
  fmt::print("user {} may log in by {} ({}). A running pgveil applies this at RELOAD\n", arguments.name,
             arguments.by_certificate ? "certificate" : "password", *path);
  return kSuccess;
}

int run_remove(const UserArguments& arguments, const std::string& config_path) {
  const auto path = users_file_of(arguments, config_path);
  if (!path) return report(path.error());
  const auto changed = change_users_file(
      *path, [&](std::string_view text) { return without_user(text, *path, arguments.name); });
  if (!changed) return report(changed.error());
  fmt::print("user {} is removed ({}). A running pgveil ends the user's sessions at RELOAD\n", arguments.name,
             *path);
  return kSuccess;
}

int run_list(const UserArguments& arguments, const std::string& config_path) {
  const auto path = users_file_of(arguments, config_path);
  if (!path) return report(path.error());
  const auto text = read_trusted(*path, Secrecy::secret, kMaxUsersBytes);
  if (!text) return report(text.error());
  const auto lines = parse_user_lines(*text, *path);
  if (!lines) return report(lines.error());
  for (const auto& line : *lines)
    fmt::print("{}\t{}\n", line.name, line.credential == kByCertificate ? "certificate" : "password");
  return kSuccess;
}

}  // namespace

Verb add_user_add(CLI::App& parent, std::string& config) {
  const auto arguments = std::make_shared<UserArguments>();
  auto* verb = add_configured(parent, "add", "add a user who may log in, and ask for the password",
                              "  pgveil user add analyst\n"
                              "  pgveil user add analyst --file users.txt --password-file analyst.pw\n"
                              "  pgveil user add batch --certificate",
                              config);
  verb->add_option("name", arguments->name, "the name that clients log in with")->required();
  verb->add_option("--file", arguments->file, "the users file. The default is auth.users_file");
  auto* file = verb->add_option("--password-file", arguments->password_file,
                                "the password is the first line of this file (- for standard input)");
  verb->add_flag("--certificate", arguments->by_certificate,
                 "the user logs in with a certificate and has no password")
      ->excludes(file);
  verb->add_flag("--replace", arguments->replaces, "change the password of an existing user");
  return {verb, [=, &config] { return run_add(*arguments, config); }, [=] { return arguments->name; }};
}

Verb add_user_remove(CLI::App& parent, std::string& config) {
  const auto arguments = std::make_shared<UserArguments>();
  auto* verb = add_configured(parent, "remove", "remove a user, who then can no longer log in",
                              "  pgveil user remove analyst", config);
  verb->add_option("name", arguments->name, "the user")->required();
  verb->add_option("--file", arguments->file, "the users file. The default is auth.users_file");
  return {verb, [=, &config] { return run_remove(*arguments, config); }, [=] { return arguments->name; }};
}

Verb add_user_list(CLI::App& parent, std::string& config) {
  const auto arguments = std::make_shared<UserArguments>();
  auto* verb = add_configured(parent, "list", "list the users who may log in, and by which method",
                              "  pgveil user list", config);
  verb->add_option("--file", arguments->file, "the users file. The default is auth.users_file");
  return {verb, [=, &config] { return run_list(*arguments, config); }};
}

}  // namespace pgveil::app
