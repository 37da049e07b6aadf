#include "jobs/input/table_file.hpp"

#include <fmt/format.h>

#include <utility>

#include "common/files/packed_text.hpp"
#include "jobs/columnar/columnar_file.hpp"
#include "jobs/input/input_text.hpp"
#include "jobs/input/json_lines.hpp"
#include "jobs/language/values.hpp"

namespace pgveil::app {

Result<engine::Table> read_table_file(const JobFile& file, const std::optional<std::string>& null_text,
                                      std::span<const std::string> wanted, std::vector<std::string>* others,
                                      std::map<std::string, std::string>* types) {
  const auto named = columnar_format_of_name(file.path);
  if (!named) return in_input(named.error(), file.path);
  auto bytes = input_bytes(file.path);
  if (!bytes) return bytes.error();
  const auto read = [&]() -> Result<engine::Table> {
    if (const auto format = columnar_format_of_beginning(bytes->beginning))
      return read_columnar({bytes->read, bytes->file}, *format, null_text, wanted, most_unpacked_bytes(),
                           others, types);
    if (*named)
      return invalid_input(
          fmt::format("the file has the name of a {}, and does not begin like one", words(**named)),
          "is it empty, or does it hold something else?");
    auto text = unpacked_pieces(bytes->read, most_unpacked_bytes());
    return is_json_lines(file.path) ? read_json_lines(std::move(text), null_text, wanted, others)
                                    : engine::read_table(std::move(text), file.separator, wanted, others);
  };
  auto table = read();
  if (!table) return in_input(table.error(), file.path);
  return table;
}

}  // namespace pgveil::app
