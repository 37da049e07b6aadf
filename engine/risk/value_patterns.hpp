#pragma once
// Tells what the text of a value looks like. These are guesses for hints (safe_harbor.hpp): ASCII forms that
// are common in the United States and Europe, without validation.
#include <string_view>

namespace pgveil::engine {

[[nodiscard]] bool looks_like_email(std::string_view value);
[[nodiscard]] bool looks_like_url(std::string_view value);              // http://, https://, ftp://, www.
[[nodiscard]] bool looks_like_ip_address(std::string_view value);       // v4, v6
[[nodiscard]] bool looks_like_mac_address(std::string_view value);      // 00:1b:44:11:3a:b7
[[nodiscard]] bool looks_like_social_security(std::string_view value);  // 123-45-6789
// 7 to 15 digits with a character that plain numbers do not have: (212) 555-0100, +49 30 1234567.
[[nodiscard]] bool looks_like_telephone(std::string_view value);
// Card numbers with their check digit, IBANs.
[[nodiscard]] bool looks_like_account(std::string_view value);
// 2024-02-29 with or without a time, 29.02.2024, 2/29/2024.
[[nodiscard]] bool looks_like_date(std::string_view value);
[[nodiscard]] bool looks_like_postcode(std::string_view value);  // 12345, 12345-6789
[[nodiscard]] bool looks_like_age_above_89(std::string_view value);

}  // namespace pgveil::engine
