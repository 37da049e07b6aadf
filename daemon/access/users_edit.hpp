#pragma once
// Changes the users file (users_file.hpp) for `pgveil user`. Comments, and the lines of other users, stay as
// they are.
#include <functional>
#include <string>
#include <string_view>

#include "common/error.hpp"

namespace pgveil::app {

enum class IfListed { refuse, replace };

// The text with a line for this user. credential: a verifier, or kByCertificate. Errors: those of
// parse_user_lines and check_user_name; the user is listed (IfListed::refuse).
[[nodiscard]] Result<std::string> with_user(std::string_view text, const std::string& file_name,
                                            std::string_view name, std::string_view credential,
                                            IfListed if_listed);
// The text without this user's line. Errors: the user is not listed.
[[nodiscard]] Result<std::string> without_user(std::string_view text, const std::string& file_name,
                                               std::string_view name);

// The verifier of a password, with a new salt and PostgreSQL's number of iterations. Errors: the password is
// empty, over 1,000 bytes, or has characters other than printable ASCII. Other ones would need SASLprep, in
// which PostgreSQL and its clients differ.
[[nodiscard]] Result<std::string> new_verifier(std::string_view password);

// Changes the file while no other process does; `change` gets its text, empty if there is no file yet. A new
// file has mode 0600, an existing one keeps its owner and mode. Errors: those of the change; the file is not
// trusted and secret (common/files/trusted_file.hpp); ErrorKind::io.
using UsersChange = std::function<Result<std::string>(std::string_view text)>;
[[nodiscard]] Result<void> change_users_file(const std::string& path, const UsersChange& change);
// Whether this change would work, without making it.
[[nodiscard]] Result<void> check_users_change(const std::string& path, const UsersChange& change);

}  // namespace pgveil::app
