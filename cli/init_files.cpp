#include "cli/init_files.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "cli/password_prompt.hpp"
#include "common/files/whole_file.hpp"
#include "daemon/access/users_edit.hpp"
#include "daemon/access/users_file.hpp"
#include "proxy/net/random.hpp"

namespace pgveil::app {
namespace {

// What init would have to replace.
std::string existing_in(const std::filesystem::path& folder) {
  std::error_code ignored;
  for (const char* name : {"pgveil.yaml", "setup.sql"}) {
    if (std::filesystem::exists(folder / name, ignored)) return (folder / name).string();
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder / "policies", ignored)) {
    if (entry.path().extension() == ".yaml") return entry.path().string();
  }
  return "";
}

}  // namespace

Result<void> InitFolder::check(const std::string& path, ExistingFiles existing) {
  const auto folder = std::filesystem::path(path).lexically_normal();
  if (const std::string found = existing_in(folder); !found.empty() && existing == ExistingFiles::keep) {
    return usage_error(fmt::format("{} exists", found),
                       "name another --folder, or replace the files with --force (passwords and users "
                       "are kept)");
  }
  return {};
}

Result<InitFolder> InitFolder::open(const std::string& path, ExistingFiles existing) {
  if (auto checked = check(path, existing); !checked) return checked.error();
  const auto folder = std::filesystem::path(path).lexically_normal();
  for (const auto& part : {folder, folder / "policies", folder / "state"}) {
    if (auto made = make_private_folder(part.string()); !made) return made.error();
  }
  return InitFolder(folder.string());
}

bool InitFolder::has(const std::string& name) const {
  std::error_code ignored;
  return std::filesystem::exists(path(name), ignored);
}

Result<InitFolder::Password> InitFolder::password(const std::string& name) const {
  if (has(name)) {
    auto text = password_in_file(path(name));
    if (!text) return text.error();
    return Password{std::move(*text), false};
  }
  const std::string made = net::random_nonce();
  if (auto written = write(name, made + "\n"); !written) return written.error();
  return Password{made, true};
}

Result<void> InitFolder::write(const std::string& name, const std::string& text) const {
  return replace_whole(path(name), text);
}

Result<InitFolder::UserState> InitFolder::add_user(const std::string& name,
                                                   const std::string& password) const {
  const auto verifier = new_verifier(password);
  if (!verifier) return verifier.error();
  UserState state = UserState::added;
  const auto changed =
      change_users_file(path("users.txt"), [&](std::string_view text) -> Result<std::string> {
        const auto lines = parse_user_lines(text, path("users.txt"));
        if (!lines) return lines.error();
        for (const auto& line : *lines) {
          if (line.name != name) continue;
          state = UserState::kept;
          return std::string(text);
        }
        return with_user(text, path("users.txt"), name, *verifier, IfListed::refuse);
      });
  if (!changed) return changed.error();
  return state;
}

}  // namespace pgveil::app
