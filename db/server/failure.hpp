#pragma once
// Exceptions of libpqxx end here: guarded() turns them into Errors. Only db/*.cpp includes this.
#include <exception>
#include <new>
#include <pqxx/pqxx>
#include <string>
#include <string_view>

#include "common/error.hpp"

namespace pgveil::db {

// what: what pgveil was about to do ("reading the catalog of database demo"); it begins the public message.
// The server's own words become public only for SQLSTATEs whose texts quote names but never values; otherwise
// they go into private_detail.
[[nodiscard]] Error server_failure(std::string_view what, const pqxx::sql_error& failure);
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
  } catch (const pqxx::broken_connection& failure) {
    return connection_failure(what, failure);
  } catch (const pqxx::sql_error& failure) {
    return server_failure(what, failure);
  } catch (const std::exception& failure) {
    return other_failure(what, failure);
  }
}

}  // namespace pgveil::db
