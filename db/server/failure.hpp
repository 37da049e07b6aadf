#pragma once
// What a query of pgveil's own may throw, and guarded(), which turns that into Errors. Only db/ includes
// this.
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

#include "common/error.hpp"

namespace pgveil::db {

// The server refused a statement. what(): its message with severity and details, which may quote values.
class SqlFailure : public std::runtime_error {
 public:
  SqlFailure(const std::string& message, std::string sqlstate)
      : std::runtime_error(message), sqlstate_(std::move(sqlstate)) {}
  [[nodiscard]] const std::string& sqlstate() const { return sqlstate_; }

 private:
  std::string sqlstate_;
};

// The connection could not be made, or is gone. what(): libpq's message.
class LostConnection : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// what: what pgveil was about to do ("reading the catalog of database demo"); it begins the public message.
// The server's own words become public only for SQLSTATEs whose texts quote names but never values; otherwise
// they go into private_detail.
[[nodiscard]] Error server_failure(std::string_view what, const SqlFailure& failure);
[[nodiscard]] Error connection_failure(std::string_view what, const std::exception& failure);
[[nodiscard]] Error other_failure(std::string_view what, const std::exception& failure);

// Thrown inside a guarded body to leave it with one of pgveil's own Errors.
struct Abandon {
  Error error;
};

template <class T, class Body>
[[nodiscard]] Result<T> guarded(std::string_view what, Body body) {
  try {
    return body();
  } catch (const Abandon& abandon) {
    return abandon.error;
  } catch (const LostConnection& failure) {
    return connection_failure(what, failure);
  } catch (const SqlFailure& failure) {
    return server_failure(what, failure);
  } catch (const std::exception& failure) {
    return other_failure(what, failure);
  }
}

}  // namespace pgveil::db
