#pragma once
// Tables in Parquet files and in Arrow's IPC format, as a file or as a stream. This is the one door to the
// library that reads and writes them (arrow_reader.cpp, arrow_writer.cpp). A build without the library
// refuses both (columnar_file_absent.cpp).
//
// Values become texts in one way, that of the Python package: whole numbers with their digits, booleans as
// true and false, decimals with all digits of their scale, dates as 2024-02-29, timestamps as
// 2024-02-29 10:00:00 and in UTC with +00:00 if they have a time zone, fractions of seconds with 6 or 9
// digits, a timestamp without a time zone at midnight as its date. Timestamps of 96 bits, which old Parquet
// files have, are cut to microseconds. Floating-point numbers get the shortest digits that give the same
// number again, without an exponent, and NaN is NULL.
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "common/files/descriptor.hpp"
#include "common/read_piece.hpp"
#include "engine/data/table.hpp"
#include "engine/publish/publication.hpp"

namespace pgveil::app {

enum class ColumnarFormat { parquet, arrow_file, arrow_stream };

// "Parquet file", "Arrow file", "Arrow stream".
[[nodiscard]] std::string_view words(ColumnarFormat format);

// bytes: the first 8 of a file, or all that it has.
[[nodiscard]] std::optional<ColumnarFormat> columnar_format_of_beginning(std::string_view bytes);

// By the end of a name: .parquet; .arrow or .feather; .arrows for a stream. Errors: such a name with .gz or
// .zst behind it, because these formats are packed within.
[[nodiscard]] Result<std::optional<ColumnarFormat>> columnar_format_of_name(std::string_view path);

struct ColumnarBytes {
  ReadPiece read;                          // from the beginning
  std::shared_ptr<const Descriptor> file;  // a regular file with the same bytes; null: there is only `read`
};

// With only the wanted columns, in the file's order; none wanted: all. The others are not decoded (unless a
// stream has none of the wanted ones), and `others` gets their names unless it is null. null_text: what
// stands for NULL in the table; nullopt: NULL is refused. types: unless it is null, gets PostgreSQL's name
// for the type of each kept column that is a number, a boolean or a date. limit_bytes: the most memory that
// the library may hold, and the most cells. Errors: those of `read`; a file that is damaged, encrypted,
// ends early or needs what the library does not have; kept columns that are nested, binary or of another
// type that has no text here, or that have a name twice; a NULL without a null_text; of ErrorKind::limit:
// what is larger than the limit. They quote no value.
[[nodiscard]] Result<engine::Table> read_columnar(const ColumnarBytes& bytes, ColumnarFormat format,
                                                  const std::optional<std::string>& null_text,
                                                  std::span<const std::string> wanted,
                                                  std::size_t limit_bytes,
                                                  std::vector<std::string>* others = nullptr,
                                                  std::map<std::string, std::string>* types = nullptr);

// Writes the rows. Quasi-identifiers are strings. Another column has its type in `types` (as read_columnar
// gives it) if each of its values is a text of this type, and otherwise is a string, too. Texts of
// floating-point numbers may have exponents, and be Infinity, -Infinity and NaN. The strings of a column come
// from a dictionary of those that are published. Nothing is said about the input. The same publication always
// gives the same bytes with one release of the library. Errors: those of `append`; a text that is not UTF-8.
[[nodiscard]] Result<void> write_columnar(const engine::Publication& publication, ColumnarFormat format,
                                          const std::map<std::string, std::string>& types,
                                          const std::function<Result<void>(std::string_view bytes)>& append);

// "Apache Arrow 26.0.1"; empty: this build has no library.
[[nodiscard]] std::string columnar_library();
// Errors: this build has no library, which the format needs.
[[nodiscard]] Result<void> check_columnar_library(ColumnarFormat format);

}  // namespace pgveil::app
