#pragma once
// JSON of the page's API: the console's tables and errors, and bodies of requests, read strictly. Pure.
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "console/console.hpp"
#include "web/http/http_server.hpp"

namespace pgveil::app {

[[nodiscard]] boost::json::object json_of(const console::Table& table);
[[nodiscard]] unsigned http_status_of(const Error& error);

[[nodiscard]] net::HttpResponse json_response(unsigned status, const boost::json::value& value);
// `text` is JSON already.
[[nodiscard]] net::HttpResponse json_text_response(std::string text);
[[nodiscard]] net::HttpResponse error_response(const Error& error);
[[nodiscard]] net::HttpResponse error_response(unsigned status, std::string_view message,
                                               std::string_view hint = {});

[[nodiscard]] net::HttpResponse not_there();
[[nodiscard]] Error unrecorded();  // the audit log cannot be written
[[nodiscard]] net::HttpResponse not_on_record();

// An object with these keys, perhaps with some of the optional ones, and no others. Errors: ErrorKind::usage,
// quoting nothing of the body.
[[nodiscard]] Result<boost::json::object> read_body(std::string_view text,
                                                    const std::vector<std::string_view>& keys,
                                                    const std::vector<std::string_view>& optional = {});
// The texts of a body that has exactly these keys. Errors: those of read_body and text_at.
[[nodiscard]] Result<std::vector<std::string>> read_texts(std::string_view text,
                                                          const std::vector<std::string_view>& keys);
// Errors: the member is of another type.
[[nodiscard]] Result<std::string> text_at(const boost::json::object& body, std::string_view key);
[[nodiscard]] Result<std::vector<std::string>> texts_at(const boost::json::object& body,
                                                        std::string_view key);
[[nodiscard]] Result<std::uint64_t> number_at(const boost::json::object& body, std::string_view key);

}  // namespace pgveil::app
