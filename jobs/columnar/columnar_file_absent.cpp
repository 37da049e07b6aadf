// In place of arrow_reader.cpp and arrow_writer.cpp where the library is not installed.
#include "jobs/columnar/columnar_file.hpp"

namespace pgveil::app {

Result<engine::Table> read_columnar(const ColumnarBytes&, ColumnarFormat format,
                                    const std::optional<std::string>&, std::span<const std::string>,
                                    std::size_t, std::vector<std::string>*,
                                    std::map<std::string, std::string>*) {
  return check_columnar_library(format).error();
}

Result<void> write_columnar(const engine::Publication&, ColumnarFormat format,
                            const std::map<std::string, std::string>&,
                            const std::function<Result<void>(std::string_view bytes)>&) {
  return check_columnar_library(format).error();
}

std::string columnar_library() {
  return "";
}

}  // namespace pgveil::app
