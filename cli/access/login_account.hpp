#pragma once
// Whose account a login goes by: the users file's, or else the one that PostgreSQL has, if a rule of auth_query.let_in
// lets that role in. Pure, but for a line in the log that says why not.
#include <optional>
#include <string_view>

#include "cli/access/auth_query.hpp"
#include "cli/present.hpp"
#include "proxy/session/gate.hpp"

namespace pgveil::cli {

// found: what auth_query said of this name; nullopt: it was not asked. A role of the users file is that file's, whatever
// PostgreSQL says of it.
[[nodiscard]] session::LookUp login_account(const Present& present, std::string_view role,
                                            const std::optional<AuthQuery::Found>& found);

// A policy exempts this role from its masks.
[[nodiscard]] bool is_exempt_somewhere(const Specs& specs, std::string_view role);

}  // namespace pgveil::cli
