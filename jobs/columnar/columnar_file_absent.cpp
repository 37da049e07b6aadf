// In place of arrow_reader.cpp and arrow_writer.cpp where the library is not installed.
#include <fmt/format.h>

#include "jobs/columnar/columnar_file.hpp"

namespace pgveil::app {
namespace {

Error built_without(ColumnarFormat format) {
  return not_permitted(
      fmt::format("this pgveil was built without Apache Arrow, which the {} needs", words(format)),
      "run ./run deps arrow and build pgveil again, or use CSV");
}

}  // namespace

Result<engine::Table> read_columnar(const ColumnarBytes&, ColumnarFormat format,
                                    const std::optional<std::string>&, std::span<const std::string>,
                                    std::size_t, std::vector<std::string>*,
                                    std::map<std::string, std::string>*) {
  return built_without(format);
}

Result<void> write_columnar(const engine::Publication&, ColumnarFormat format,
                            const std::map<std::string, std::string>&,
                            const std::function<Result<void>(std::string_view bytes)>&) {
  return built_without(format);
}

std::string columnar_library() {
  return "";
}

}  // namespace pgveil::app
