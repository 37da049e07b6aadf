#include "jobs/run/publication_json_lines.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <optional>
#include <vector>

#include "common/ascii.hpp"
#include "common/sqlstate.hpp"
#include "engine/publish/recount.hpp"
#include "jobs/input/json_lines.hpp"

namespace pgveil::app {
namespace {

std::size_t digits_at(std::string_view text, std::size_t at) {
  std::size_t count = 0;
  while (at + count < text.size() && is_digit(text[at + count])) ++count;
  return count;
}

// RFC 8259, section 6.
bool is_json_number(std::string_view text) {
  std::size_t at = text.starts_with('-') ? 1 : 0;
  const std::size_t whole = digits_at(text, at);
  if (whole == 0 || (whole > 1 && text[at] == '0')) return false;
  at += whole;
  if (at < text.size() && text[at] == '.') {
    const std::size_t digits = digits_at(text, at + 1);
    if (digits == 0) return false;
    at += 1 + digits;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    const std::size_t digits = digits_at(text, at);
    if (digits == 0) return false;
    at += digits;
  }
  return at == text.size();
}

// "\"age\":34" for each value, made once. The last one is for NULL.
std::vector<std::string> members_of(const engine::PublishedColumn& column) {
  const bool is_numeric = !column.values.empty() && std::ranges::all_of(column.values, is_json_number);
  const std::string key = boost::json::serialize(boost::json::string(column.name)) + ":";
  std::vector<std::string> made;
  for (const auto& value : column.values)
    made.push_back(key + (is_numeric ? value : boost::json::serialize(boost::json::string(value))));
  made.push_back(key + "null");
  return made;
}

Error unreadable_lines() {
  return {ErrorKind::policy, std::string(sqlstate::kInternalError),
          "the output differs when it is read again", "nothing was published"};
}

bool has_columns_of(const engine::Publication& publication, const std::vector<JsonField>& fields) {
  return std::ranges::equal(publication.columns, fields, {}, &engine::PublishedColumn::name,
                            &JsonField::name) &&
         std::ranges::none_of(fields, &JsonField::is_nested);
}

}  // namespace

Result<void> write_json_lines(const engine::Publication& publication,
                              const std::function<Result<void>(std::string_view line)>& append) {
  if (auto checked = engine::check_utf8(publication); !checked) return checked;
  std::vector<std::vector<std::string>> members;
  for (const auto& column : publication.columns) members.push_back(members_of(column));
  std::string line;
  for (std::uint64_t row = 0; row < publication.rows; ++row) {
    line.assign(1, '{');
    for (std::size_t i = 0; i < members.size(); ++i) {
      const auto code = publication.columns[i].codes[row];
      if (i > 0) line += ',';
      line += code == engine::kNullCode ? members[i].back() : members[i][code];
    }
    line += "}\n";
    if (auto written = append(line); !written) return written;
  }
  return {};
}

Result<void> recount_json_lines(ReadPiece text, const engine::Publication& publication, std::uint64_t k,
                                engine::SuppressedRecords suppressed_records) {
  JsonLineReader reader(std::move(text));
  engine::Recount counted;
  std::vector<JsonField> fields;
  std::vector<std::optional<std::string_view>> shown;
  while (true) {
    const auto more = reader.next(fields);
    if (!more) return more.error().kind == ErrorKind::io ? more.error() : unreadable_lines();
    if (!*more) break;
    if (!has_columns_of(publication, fields)) return unreadable_lines();
    shown.clear();
    bool shows_more = false;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (publication.columns[i].is_quasi_identifier) {
        shown.emplace_back(fields[i].text ? std::optional<std::string_view>(*fields[i].text) : std::nullopt);
      } else {
        shows_more = shows_more || fields[i].text.has_value();
      }
    }
    counted.add(shown, shows_more);
  }
  return counted.check(k, suppressed_records, publication.rows);
}

}  // namespace pgveil::app
