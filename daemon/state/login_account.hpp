#pragma once
// Decides which account a login is checked against: the one in the users file, or else the one in PostgreSQL
// if a rule of auth_query.let_in lets that role in. Pure, except that it logs a line when a role is not let
// in.
#include <optional>
#include <string_view>

#include "daemon/access/auth_query.hpp"
#include "daemon/state/present.hpp"
#include "proxy/session/gate.hpp"

namespace pgveil::app {

// found: the result of auth_query for this name; nullopt: the query did not run. A role in the users file
// always has that account, whatever PostgreSQL says of the role.
[[nodiscard]] session::LookUp login_account(const Present& present, std::string_view role,
                                            const std::optional<AuthQuery::Found>& found);

// True for an admin, a stats user, a bypass role and a role that a policy exempts. Such a role can log in
// only with an account in the users file.
[[nodiscard]] bool gets_more_than_masks(const Present& present, std::string_view role);

// Whether some policy exempts this role from its masks.
[[nodiscard]] bool is_exempt_somewhere(const Specs& specs, std::string_view role);

}  // namespace pgveil::app
