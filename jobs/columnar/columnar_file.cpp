#include "jobs/columnar/columnar_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "common/ascii.hpp"
#include "common/files/packed_text.hpp"

namespace pgveil::app {
namespace {

std::optional<ColumnarFormat> format_of_end(std::string_view path) {
  const auto name = lower(path);
  if (name.ends_with(".parquet")) return ColumnarFormat::parquet;
  if (name.ends_with(".arrow") || name.ends_with(".feather")) return ColumnarFormat::arrow_file;
  if (name.ends_with(".arrows")) return ColumnarFormat::arrow_stream;
  return std::nullopt;
}

// A column of a text may be named PARENT. In a file with an encrypted footer, a length of less than 16 MiB or
// a header of Thrift comes next, and both have bytes that no text has.
bool is_encrypted_parquet(std::string_view beginning) {
  constexpr std::string_view kMark = "PARE";
  return beginning.starts_with(kMark) &&
         std::ranges::any_of(beginning.substr(kMark.size()), [](unsigned char byte) {
           return byte < ' ' && byte != '\t' && byte != '\r' && byte != '\n';
         });
}

}  // namespace

std::string_view words(ColumnarFormat format) {
  switch (format) {
    case ColumnarFormat::parquet: return "Parquet file";
    case ColumnarFormat::arrow_file: return "Arrow file";
    case ColumnarFormat::arrow_stream: return "Arrow stream";
  }
  return "";
}

std::optional<ColumnarFormat> columnar_format_of_beginning(std::string_view bytes) {
  // A stream begins with the mark of its first message. Text in UTF-8 has no such byte.
  constexpr std::array<std::pair<std::string_view, ColumnarFormat>, 3> kBeginnings{
      {{"PAR1", ColumnarFormat::parquet},
       {{"ARROW1\0\0", 8}, ColumnarFormat::arrow_file},
       {"\xFF\xFF\xFF\xFF", ColumnarFormat::arrow_stream}}};
  const auto found = std::ranges::find_if(
      kBeginnings, [&](const auto& beginning) { return bytes.starts_with(beginning.first); });
  if (found != kBeginnings.end()) return found->second;
  return is_encrypted_parquet(bytes) ? std::optional(ColumnarFormat::parquet) : std::nullopt;
}

Result<std::optional<ColumnarFormat>> columnar_format_of_name(std::string_view path) {
  if (packing_of_name(path) == Packing::none) return format_of_end(path);
  const auto format = format_of_end(path.substr(0, path.rfind('.')));
  if (!format) return std::optional<ColumnarFormat>();
  return invalid_input(
      fmt::format("the name of the {} ends with {}", words(*format), path.substr(path.rfind('.'))),
      "leave this ending out: the format packs its columns itself");
}

Result<void> check_columnar_library(ColumnarFormat format) {
  if (!columnar_library().empty()) return {};
  return not_permitted(
      fmt::format("this pgveil was built without Apache Arrow, which the {} needs", words(format)),
      "build pgveil from source with Apache Arrow (docs/install.md), or use CSV");
}

}  // namespace pgveil::app
