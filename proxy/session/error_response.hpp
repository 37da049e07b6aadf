#pragma once
// ErrorResponse and NoticeResponse in pgveil's own words. For text that came from a server, use error_filter.
#include <string_view>

#include "common/error.hpp"
#include "common/refusal.hpp"
#include "proxy/wire/backend.hpp"

namespace pgveil::session {

enum class Severity { error, fatal, notice };

// Message, hint and position of the error; never its private detail.
[[nodiscard]] wire::ErrorResponse error_response(const Error& error, Severity severity);
// ERROR 42501.
[[nodiscard]] wire::ErrorResponse error_response(const Refusal& refusal);

// The fields of one of our own messages. message and hint are cut at a NUL.
[[nodiscard]] wire::Diagnostics diagnostics(std::string_view severity, std::string_view sqlstate,
                                            std::string_view message, std::string_view hint = {},
                                            int position = 0);

// An Error of kind server for answers that have no better kind.
[[nodiscard]] Error client_error(std::string_view sqlstate, std::string_view message,
                                 std::string_view hint = {});

}  // namespace pgveil::session
