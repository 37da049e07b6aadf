#pragma once
// What a query of pgveil's own answered. Answers, rows and fields are cheap to copy; a field must not outlive
// its row. Only db/ includes this.
#include <charconv>
#include <cstddef>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

struct pg_result;  // libpq's

namespace pgveil::db {

// An answer that is not what the query asks for: a NULL or a text that is no number.
class UnexpectedAnswer : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Field {
 public:
  Field(const char* text, std::size_t size, bool is_null) : text_(text), size_(size), is_null_(is_null) {}

  [[nodiscard]] bool is_null() const { return is_null_; }
  // Ends with a NUL. Empty if the field is NULL.
  [[nodiscard]] const char* c_str() const { return text_; }
  [[nodiscard]] std::string_view view() const { return {text_, size_}; }
  // In bytes.
  [[nodiscard]] std::size_t size() const { return size_; }
  // T: std::string, bool, an integer or double. Throws UnexpectedAnswer for NULL and for what is no T.
  template <class T>
  [[nodiscard]] T as() const {
    if (is_null_) throw UnexpectedAnswer("a NULL where there must be a value");
    if constexpr (std::is_same_v<T, std::string>) {
      return std::string(view());
    } else if constexpr (std::is_same_v<T, bool>) {
      if (view() != "t" && view() != "f") throw UnexpectedAnswer("no truth value where there must be one");
      return view() == "t";
    } else {
      static_assert(std::is_arithmetic_v<T>);
      T value{};
      const auto [end, error] = std::from_chars(text_, text_ + size_, value);
      if (error != std::errc{} || end != text_ + size_ || size_ == 0)
        throw UnexpectedAnswer("no number where there must be one");
      return value;
    }
  }
  template <class T>
  [[nodiscard]] T as(const T& instead_of_null) const {
    return is_null_ ? instead_of_null : as<T>();
  }
  [[nodiscard]] std::string as(const char* instead_of_null) const {
    return is_null_ ? std::string(instead_of_null) : as<std::string>();
  }

 private:
  const char* text_;
  std::size_t size_;
  bool is_null_;
};

using SharedResult = std::shared_ptr<const pg_result>;

class Row {
 public:
  using size_type = std::size_t;
  Row(SharedResult rows, std::size_t number) : rows_(std::move(rows)), number_(number) {}

  // REQUIRES: the query has this column; throws UnexpectedAnswer otherwise.
  [[nodiscard]] Field operator[](size_type column) const;
  [[nodiscard]] size_type size() const;

 private:
  SharedResult rows_;
  std::size_t number_;
};

class Rows {
 public:
  using size_type = std::size_t;
  class Iterator {
   public:
    using value_type = Row;
    using difference_type = std::ptrdiff_t;
    Iterator(SharedResult rows, std::size_t number) : rows_(std::move(rows)), number_(number) {}
    [[nodiscard]] Row operator*() const { return {rows_, number_}; }
    Iterator& operator++() {
      ++number_;
      return *this;
    }
    [[nodiscard]] bool operator==(const Iterator& other) const { return number_ == other.number_; }

   private:
    SharedResult rows_;
    std::size_t number_;
  };

  explicit Rows(SharedResult rows) : rows_(std::move(rows)) {}

  [[nodiscard]] size_type size() const;
  [[nodiscard]] bool empty() const { return size() == 0; }
  // Throws UnexpectedAnswer if there is no such row.
  [[nodiscard]] Row operator[](size_type number) const;
  [[nodiscard]] Iterator begin() const { return {rows_, 0}; }
  [[nodiscard]] Iterator end() const { return {rows_, size()}; }
  [[nodiscard]] size_type columns() const;
  // How many rows a statement without an answer inserted, updated or deleted.
  [[nodiscard]] size_type affected_rows() const;

 private:
  SharedResult rows_;
};

}  // namespace pgveil::db
