#pragma once
// Keeps the first of several errors, so that a reader can list its fields without a return after each.
#include <optional>
#include <utility>

#include "common/error.hpp"

namespace pgveil {

class FirstError {
 public:
  // The value, or a default-constructed one if there was an error.
  template <class T>
  [[nodiscard]] T take(Result<T> result) {
    if (result) return std::move(*result);
    add(result.error());
    return T{};
  }
  void check(const Result<void>& result) {
    if (!result) add(result.error());
  }
  void add(const Error& error) {
    if (!error_) error_ = error;
  }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  std::optional<Error> error_;
};

}  // namespace pgveil
