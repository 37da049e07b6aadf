#pragma once
// Reads JSON objects strictly: every key must be known, and none may be there twice. Folders that may use
// Boost.JSON are listed in tests/architecture/include_graph_test.py (DOORS).
#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/first_error.hpp"

namespace pgveil {

// Reads members by key and remembers which; finish() refuses all others. The first error is kept in `errors`;
// after it every read gives a default value. The value and `errors` must outlive it.
class JsonObjectView {
 public:
  // path: where the object is, for messages: "versions/p.1.json: tree.nodes[3]". The separator comes between
  // it and the keys of the object.
  JsonObjectView(const boost::json::value& value, std::string path, FirstError& errors,
                 std::string_view separator = ".");
  JsonObjectView(const boost::json::object& object, std::string path, FirstError& errors);

  [[nodiscard]] bool has(std::string_view key) const;
  [[nodiscard]] std::int64_t integer(std::string_view key, std::int64_t min, std::int64_t max);
  [[nodiscard]] std::uint64_t count(std::string_view key);  // 0 to 2^63 - 1
  [[nodiscard]] bool flag(std::string_view key);
  [[nodiscard]] std::string text(std::string_view key);  // without NUL, which PostgreSQL's texts can't have
  [[nodiscard]] std::optional<std::string> text_or_null(std::string_view key);
  [[nodiscard]] const boost::json::array& array(std::string_view key);
  // Lists of what text(), integer() and a number from min to max are.
  [[nodiscard]] std::vector<std::string> texts(std::string_view key);
  [[nodiscard]] std::vector<std::int64_t> integers(std::string_view key, std::int64_t min, std::int64_t max);
  [[nodiscard]] std::vector<double> numbers(std::string_view key, double min, double max);
  [[nodiscard]] JsonObjectView object(std::string_view key);
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string path_of(std::string_view key) const;
  // Of a key that may be missing or null: is there a value to read?
  [[nodiscard]] bool has_value(std::string_view key);
  [[nodiscard]] bool is_list(std::string_view key) const;
  void skip(std::string_view key);  // known, whether it is there or not, and not read
  void finish();

 private:
  [[nodiscard]] const boost::json::value* take(std::string_view key);
  void fail(std::string_view key, std::string_view what);

  const boost::json::object* object_ = nullptr;
  std::string path_;
  FirstError& errors_;
  std::string_view separator_;
  std::set<std::string, std::less<>> taken_;
};

[[nodiscard]] Error broken_json(std::string_view path, std::string_view what);

// Null if there is no number, or if it is infinite or not a number, which JSON cannot express.
[[nodiscard]] boost::json::value number_or_null(std::optional<double> value);
[[nodiscard]] boost::json::value text_or_null(const std::optional<std::string>& text);

// JSON in which no object has a key twice; nullopt: it is not.
[[nodiscard]] std::optional<boost::json::value> parse_json(std::string_view text, std::size_t max_depth = 32);

// Boost.JSON silently keeps the last of two members with the same key. In valid JSON each member has one
// colon outside of strings, so more colons than members means that some were dropped.
[[nodiscard]] bool has_duplicate_keys(std::string_view text, const boost::json::value& parsed);

}  // namespace pgveil
