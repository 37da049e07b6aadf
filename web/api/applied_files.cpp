#include "web/api/applied_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <filesystem>
#include <utility>
#include <vector>

#include "common/ascii.hpp"
#include "common/files/whole_file.hpp"
#include "common/json_object.hpp"
#include "common/sha256.hpp"
#include "common/sqlstate.hpp"
#include "proxy/net/random.hpp"

namespace pgveil::app {
namespace {

namespace json = boost::json;
namespace fs = std::filesystem;

constexpr std::size_t kIdDigits = 32;
constexpr std::size_t kMostRecordBytes = std::size_t{16} << 20;
constexpr std::string_view kRecordEnd = ".json";

bool is_record_id(std::string_view id) {
  return id.size() == kIdDigits &&
         std::ranges::all_of(id, [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

json::value text_json(const std::optional<std::string>& text) {
  return text ? json::value(*text) : json::value(nullptr);
}

Error no_record() {
  return error_of_kind(ErrorKind::unknown_object, "there is no such change to undo",
                       fmt::format("each can be undone once, and the last {} are kept", AppliedFiles::kMost));
}

}  // namespace

std::string applied_file_text(const AppliedFile& applied) {
  return json::serialize(json::object{{"file", applied.file},
                                      {"path", applied.path},
                                      {"former", text_json(applied.former)},
                                      {"applied", text_json(applied.applied)}});
}

Result<AppliedFile> read_applied_file(std::string_view text, const std::string& source) {
  const auto value = parse_json(text);
  if (!value) return broken_json(source, "it is no JSON");
  FirstError errors;
  JsonObjectView view(*value, source, errors);
  AppliedFile applied;
  applied.file = view.text("file");
  applied.path = view.text("path");
  applied.former = view.text_or_null("former");
  applied.applied = view.text_or_null("applied");
  view.finish();
  if (errors.error()) return *errors.error();
  return applied;
}

std::string AppliedFiles::path_of(std::string_view id) const {
  return fmt::format("{}/{}{}", folder_, id, kRecordEnd);
}

Result<std::string> AppliedFiles::keep(const AppliedFile& applied) const {
  if (auto made = make_private_folder(folder_); !made) return made.error();
  const std::string id = sha256_hex(net::random_nonce()).substr(0, kIdDigits);
  if (auto written = replace_whole(path_of(id), applied_file_text(applied)); !written) return written.error();
  remove_oldest();
  return id;
}

Result<AppliedFile> AppliedFiles::find(std::string_view id) const {
  if (!is_record_id(id)) return no_record();
  const auto text = read_whole(path_of(id), kMostRecordBytes);
  if (!text) return text.error();
  if (!*text) return no_record();
  return read_applied_file(**text, path_of(id));
}

void AppliedFiles::remove(std::string_view id) const {
  std::error_code ignored;
  if (is_record_id(id)) fs::remove(path_of(id), ignored);
}

void AppliedFiles::remove_oldest() const {
  std::error_code failed;
  std::vector<std::pair<fs::file_time_type, fs::path>> records;
  for (const auto& entry : fs::directory_iterator(folder_, failed)) {
    const auto time = entry.last_write_time(failed);
    if (!failed && entry.path().extension() == kRecordEnd) records.emplace_back(time, entry.path());
  }
  std::ranges::sort(records);
  for (std::size_t i = 0; i + kMost < records.size(); ++i) fs::remove(records[i].second, failed);
}

}  // namespace pgveil::app
