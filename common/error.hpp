#pragma once
// Expected failures. Three kinds of "no" are three types: a bug (common/assert.hpp), an expected failure
// (Error, here) and a refusal (common/refusal.hpp). There is no conversion between them.
#include <boost/system/result.hpp>
#include <string>
#include <string_view>

namespace pgveil {

// What failed. Each enumerator has at least one test.
enum class ErrorKind {
  usage,          // the command line is wrong: exit status 2
  configuration,  // a configuration or policy file is wrong: names file, line, column and the fix
  policy,  // a policy can't be applied to this table: no such column, too few units, type not comparable
  syntax,  // the client's SQL does not parse
  unknown_object,  // the client's SQL names something that a listed table does not have
  protocol,        // a peer broke the wire protocol; the session ends
  authentication,  // a login failed, either side
  connection,      // a peer is down or went away
  limit,           // a configured limit was crossed
  server,          // PostgreSQL answered a query of ours with an error
  io               // a file could not be read or written
};

struct Error {
  ErrorKind kind;
  std::string sqlstate;             // five characters; see common/sqlstate.hpp
  std::string public_message;       // for clients: lower case, no full stop, NO data value, literal or row
  std::string hint = {};            // for clients: what to do; same rule
  std::string private_detail = {};  // for the operator's log only, and only with log_private
  int position = 0;                 // 1-based character in the client's SQL, 0 = none
};

template <class T>
using Result = boost::system::result<T, Error>;

// Called by boost::system::result when value() is called on an error, which is a bug of the caller.
[[noreturn]] void throw_exception_from_error(const Error& error, const boost::source_location& where);

// Errors that are made in many places. Message and hint are public: they have no data value.
[[nodiscard]] Error usage_error(std::string message, std::string hint);  // ErrorKind::usage, 22023
// ErrorKind::configuration, 22023: a file, a key or a value of the owner's that can't be used.
[[nodiscard]] Error invalid_input(std::string message, std::string hint, std::string private_detail = {});
[[nodiscard]] Error not_permitted(std::string message, std::string hint);  // ErrorKind::policy, 42501
// 54000 for ErrorKind::limit, 22023 for every other kind.
[[nodiscard]] Error error_of_kind(ErrorKind kind, std::string message, std::string hint);

// "message (hint)", for one line on a terminal.
[[nodiscard]] std::string one_line(const Error& error);

}  // namespace pgveil
