#include "daemon/access/sign_in_links.hpp"

#include <fmt/format.h>

#include <utility>

#include "common/sha256.hpp"
#include "common/sqlstate.hpp"

namespace pgveil::app {

void SignInLinks::open(std::string page_address) {
  const std::lock_guard lock(mutex_);
  page_address_ = std::move(page_address);
}

void SignInLinks::close() {
  const std::lock_guard lock(mutex_);
  page_address_.clear();
  links_.clear();
}

Result<std::string> SignInLinks::make(const std::string& role, std::string verifier, std::string_view token,
                                      Time now) {
  const std::lock_guard lock(mutex_);
  if (page_address_.empty()) {
    return Error{ErrorKind::usage, std::string(sqlstate::kObjectNotInPrerequisiteState),
                 "this pgveil serves no page",
                 "set admin.http.port and restart pgveil; a build that was made without npm has no page"};
  }
  std::erase_if(
      links_, [&](const auto& it) { return it.second.holder.role == role || now - it.second.made >= kLife; });
  links_.insert_or_assign(sha256(token), Link{{role, std::move(verifier)}, now});
  return fmt::format("{}#sign-in={}", page_address_, token);
}

std::optional<SignInLinks::Holder> SignInLinks::take(std::string_view token, Time now) {
  const std::lock_guard lock(mutex_);
  const auto found = links_.find(sha256(token));
  if (found == links_.end()) return std::nullopt;
  const Link link = std::move(found->second);
  links_.erase(found);
  if (now - link.made >= kLife) return std::nullopt;
  return link.holder;
}

}  // namespace pgveil::app
