// Parquet and Arrow in, from files that pyarrow wrote (columnar/make_files.py), and out.
#include "jobs/columnar/columnar_file.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>

#include "jobs/input/table_file.hpp"
#include "jobs/run/anonymize.hpp"
#include "jobs/run/publication_columnar.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace pgveil::app::columnar_test {
namespace {

constexpr std::size_t kLimit = std::size_t{1} << 30;
constexpr std::array kFormats{ColumnarFormat::parquet, ColumnarFormat::arrow_file,
                              ColumnarFormat::arrow_stream};

bool has_library() {
  return !columnar_library().empty();
}

std::string place(const std::string& name) {
  return std::string(PGVEIL_SOURCE_DIR) + "/tests/unit/jobs/columnar/files/" + name;
}

std::string content(const std::string& name) {
  std::ifstream file(place(name), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

ReadPiece pieces_of(const std::string& text, std::size_t size) {
  return [text, size, at = std::size_t{0}](std::string& to) mutable -> Result<bool> {
    if (at >= text.size()) return false;
    to += text.substr(at, size);
    at += size;
    return true;
  };
}

std::string shown(const engine::Table& table) {
  std::string out;
  for (const auto& column : table.columns) {
    out += column.name + ":";
    for (std::size_t row = 0; row < column.codes.size(); ++row)
      out += " [" + column.values[column.codes.at(row)] + "]";
    out += "\n";
  }
  return out;
}

std::string read(const std::string& bytes, const std::optional<std::string>& null_text = "NULL",
                 const std::vector<std::string>& wanted = {}, std::vector<std::string>* others = nullptr,
                 std::map<std::string, std::string>* types = nullptr, std::size_t limit = kLimit) {
  const auto format = columnar_format_of_beginning(bytes);
  if (!format) return "no format";
  const auto table =
      read_columnar({pieces_of(bytes, 1'000), nullptr}, *format, null_text, wanted, limit, others, types);
  return table ? shown(*table) : one_line(table.error());
}

const std::string kTypes =
    "i8: [-128] [127] [NULL]\n"
    "i16: [-32768] [0] [NULL]\n"
    "i32: [-2147483648] [1] [NULL]\n"
    "i64: [-9223372036854775808] [2] [NULL]\n"
    "u8: [0] [255] [NULL]\n"
    "u16: [0] [65535] [NULL]\n"
    "u32: [0] [4294967295] [NULL]\n"
    "u64: [0] [18446744073709551615] [NULL]\n"
    "f32: [0.1] [-2] [NULL]\n"
    "f64: [0.0000001] [NULL] [NULL]\n"
    "ok: [true] [false] [NULL]\n"
    "text: [] [Ünder\n\"q\"] [NULL]\n"
    "large: [a] [b] [NULL]\n"
    "day: [0001-01-01] [9999-12-31] [NULL]\n"
    "local: [2024-02-29 23:05:07.120000] [1969-12-31] [NULL]\n"
    "zoned: [2024-02-29 23:05:07.120000+00:00] [1970-01-01 00:00:00+00:00] [NULL]\n"
    "nanos: [1970-01-01 00:00:00.000000001] [1969-12-31 23:59:59.999999999] [NULL]\n"
    "clock: [23:59:59] [00:00:00.000001] [NULL]\n"
    "money: [-0.05] [12345678901234567890.10] [NULL]\n"
    "wide: [1000000000000000000000000000000000000000000000000000000000000] [-1] [NULL]\n"
    "kind: [x] [y] [NULL]\n"
    "none: [NULL] [NULL] [NULL]\n";

TEST_CASE("each type of Parquet and Arrow becomes texts in one way") {
  if (!has_library()) return;
  CHECK(read(content("types.parquet")) == kTypes);
  CHECK(read(content("types.feather")) == kTypes);
  // The stream has the same rows twice.
  CHECK(read(content("types.arrows"), "-", {"i8", "kind"}) ==
        "i8: [-128] [127] [-] [-128] [127] [-]\nkind: [x] [y] [-] [x] [y] [-]\n");
  std::map<std::string, std::string> types;
  read(content("types.parquet"), "NULL", {"i8", "u32", "u64", "f32", "f64", "ok", "day", "local", "text"},
       nullptr, &types);
  CHECK(types == std::map<std::string, std::string>{{"i8", "smallint"},
                                                    {"u32", "bigint"},
                                                    {"f32", "real"},
                                                    {"f64", "double precision"},
                                                    {"ok", "boolean"},
                                                    {"day", "date"}});
}

TEST_CASE("timestamps of 96 bits have all years from 1 to 9999") {
  if (!has_library()) return;
  CHECK(read(content("int96.parquet")) ==
        "at: [1600-01-01] [9999-12-31 23:59:59.999999] [2024-02-29 10:00:00]\n");
}

TEST_CASE("texts may be encoded as differences, of which no dictionary can be made") {
  if (!has_library()) return;
  CHECK(read(content("delta.parquet")) == "age: [1] [2] [3]\ntown: [x] [y] [z]\n");
}

TEST_CASE("the first and the last nanosecond of 64 bits are timestamps") {
  if (!has_library()) return;
  CHECK(read(content("nanos.feather")) ==
        "at: [1677-09-21 00:12:43.145224192] [1677-09-21 00:12:43.145224193] "
        "[2262-04-11 23:47:16.854775807]\n");
}

TEST_CASE("only wanted columns are decoded, and nested ones are refused where they are wanted") {
  if (!has_library()) return;
  const auto people = content("people.parquet");
  std::vector<std::string> others;
  const auto text = read(people, "-", {"age", "id", "gone"}, &others);
  CHECK(text.starts_with("id: [0] [1] [2] "));
  CHECK(text.find("[999]\nage: [-] [1] [2] ") != std::string::npos);
  CHECK(others == std::vector<std::string>{"town", "tags", "raw", "place"});
  CHECK(read(people, "-", {"gone"}) == "");
  CHECK(read(people, "-", {"id", "tags"}).starts_with("column 3 (tags) is of the type list"));
  CHECK(read(people, "-", {"raw"}).starts_with("column 4 (raw) is of the type binary"));
  CHECK(read(people).starts_with("column 3 (tags) is of the type list"));
  CHECK(read(people, "-", {"place"}).find("columns of their own") != std::string::npos);
  CHECK(read(people, "-", {"raw"}).find("write its values as texts or numbers") != std::string::npos);
  CHECK(read(people, std::nullopt, {"age"}).starts_with("record 1: age has no value"));
  CHECK(read(content("types.parquet"), std::nullopt, {"kind"}).starts_with("record 3: kind has no value"));
  CHECK(read(content("twice.feather")).starts_with("column 1 (a) has the name of another column"));
  CHECK(read(content("twice.feather"), "-", {"b"}) == "");
}

TEST_CASE("the other columns of a stream are not decoded either") {
  if (!has_library()) return;
  const auto packed = content("packed.arrows");
  std::string ids = "id:";
  for (int i = 0; i < 1000; ++i) ids += fmt::format(" [{}]", i);
  // A column's values are one frame of zstd, which begins with these bytes.
  const std::string_view frame = "\x28\xB5\x2F\xFD";
  auto damaged = packed;
  damaged.replace(damaged.rfind(frame), 12, 12, '\xFF');
  std::vector<std::string> others;
  CHECK(read(damaged, "-", {"id"}, &others) == ids + "\n");
  CHECK(others == std::vector<std::string>{"town"});
  CHECK(read(damaged, "-", {"town"}).starts_with("the Arrow stream is damaged"));
  CHECK(read(damaged).starts_with("the Arrow stream is damaged"));
  CHECK(read(packed).starts_with(ids + "\ntown: [0] [1] [2] [3] [4] [5] [6] [0] "));
  // However the bytes come, they are read from the beginning again.
  for (const std::size_t size : {std::size_t{1}, std::size_t{7}, packed.size() - 1, packed.size()}) {
    const auto table = read_columnar({pieces_of(packed, size), nullptr}, ColumnarFormat::arrow_stream,
                                     std::nullopt, std::vector<std::string>{"id"}, kLimit);
    REQUIRE(table.has_value());
    CHECK(shown(*table) == ids + "\n");
  }
}

TEST_CASE("files that are cut off, damaged or too large are refused") {
  if (!has_library()) return;
  for (const char* name : {"types.parquet", "types.feather", "types.arrows"}) {
    CAPTURE(name);
    const auto bytes = content(name);
    for (std::size_t size = 8; size < bytes.size(); size += size < bytes.size() - 40 ? 37 : 1) {
      CAPTURE(size);
      CHECK(read(bytes.substr(0, size)).find(" ends early (it was cut off; copy it again)") !=
            std::string::npos);
    }
  }
  CHECK(read(content("types.arrows") + "x").starts_with("something follows the Arrow stream"));
  const auto encrypted = content("encrypted.parquet");
  CHECK(read(encrypted).starts_with("the Parquet file is encrypted"));
  CHECK(read(encrypted.substr(0, encrypted.size() - 1)).starts_with("the Parquet file ends early"));
  CHECK(read(content("encrypted_column.parquet")).starts_with("the Parquet file is encrypted"));
  CHECK(read(content("encrypted_column.parquet"), "-", {"age"}).starts_with("the Parquet file is encrypted"));
  CHECK(read(content("people.parquet"), "-", {"id", "age"}, nullptr, nullptr, 1'500)
            .starts_with("the table needs more than half of this machine's memory"));
  const auto gone =
      read_columnar({[](std::string&) -> Result<bool> {
                       return Error{.kind = ErrorKind::io, .sqlstate = "XX000", .public_message = "gone"};
                     },
                     nullptr},
                    ColumnarFormat::arrow_stream, std::nullopt, {}, kLimit);
  CHECK(gone.error().public_message == "gone");
}

// Whatever the bytes are, the columns of a table that is read are equally long.
std::ptrdiff_t threads() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

// A thread of the library that still ran after the end of a reading would use memory that is gone.
TEST_CASE("a file is read on the caller's thread alone") {
  if (!has_library()) return;
  const auto before = threads();
  for (const std::string name : {"types.parquet", "types.feather"}) {
    const auto file = std::make_shared<const Descriptor>(::open(place(name).c_str(), O_RDONLY | O_CLOEXEC));
    const auto format = columnar_format_of_beginning(content(name));
    const auto table = read_columnar({pieces_of("", 1), file}, *format, "NULL", {}, kLimit);
    REQUIRE(table.has_value());
    CHECK(shown(*table) == kTypes);
  }
  CHECK(threads() == before);
}

TEST_CASE("a changed byte gives a table or an error") {
  if (!has_library()) return;
  for (const char* name : {"types.parquet", "types.feather", "types.arrows", "codec.parquet"}) {
    CAPTURE(name);
    const auto bytes = content(name);
    for (std::size_t at = 8; at < bytes.size(); at += 29) {
      CAPTURE(at);
      auto changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ (1 << at % 8));
      const auto table =
          read_columnar({pieces_of(changed, 999), nullptr}, *columnar_format_of_beginning(changed), "NULL",
                        {}, std::size_t{1} << 22);
      if (!table) {
        CHECK_FALSE(table.error().public_message.empty());
        continue;
      }
      for (const auto& column : table->columns) CHECK(column.codes.size() == table->rows());
    }
  }
}

engine::Publication some_publication() {
  engine::Publication publication;
  publication.columns = {{"age", true, {"never shown", "[20, 40)", "*"}, {1, 1, 2, 2}},
                         {"pay", false, {"0.5", "-12", "9999"}, {0, 1, engine::kNullCode, 0}},
                         {"born", false, {"2000-02-29", "1999-01-01"}, {0, 0, 1, 1}},
                         {"zip", false, {"01", "7"}, {0, 1, 0, 1}},
                         {"ok", false, {"false", "true"}, {1, 0, 1, 0}},
                         {"n", false, {"5"}, {0, 0, 0, 0}}};
  publication.rows = 4;
  return publication;
}

const std::map<std::string, std::string> kSomeTypes{{"age", "integer"}, {"pay", "double precision"},
                                                    {"born", "date"},   {"zip", "smallint"},
                                                    {"ok", "boolean"},  {"n", "bigint"}};

std::string written(const engine::Publication& publication, ColumnarFormat format) {
  std::string bytes;
  const auto done =
      write_columnar(publication, format, kSomeTypes, [&](std::string_view more) -> Result<void> {
        bytes += more;
        return {};
      });
  REQUIRE_MESSAGE(done.has_value(), one_line(done.error()));
  return bytes;
}

TEST_CASE("a publication is read again as it was written, with types, and without what no row shows") {
  if (!has_library()) return;
  for (const auto format : kFormats) {
    CAPTURE(words(format));
    const auto bytes = written(some_publication(), format);
    CHECK(columnar_format_of_beginning(bytes) == format);
    std::map<std::string, std::string> types;
    CHECK(read(bytes, "-", {}, nullptr, &types) ==
          "age: [[20, 40)] [[20, 40)] [*] [*]\npay: [0.5] [-12] [-] [0.5]\nborn: [2000-02-29] [2000-02-29] "
          "[1999-01-01] [1999-01-01]\nzip: [01] [7] [01] [7]\nok: [true] [false] [true] [false]\nn: [5] [5] "
          "[5] "
          "[5]\n");
    CHECK(types == std::map<std::string, std::string>{
                       {"pay", "double precision"}, {"born", "date"}, {"ok", "boolean"}, {"n", "bigint"}});
    CHECK(bytes == written(some_publication(), format));
    // The library would pack a long text, but not the dictionary of an Arrow file.
    auto other = some_publication();
    other.columns[0].values[0] = "something else";
    other.columns[1].values[2] = "1234";
    CHECK(bytes == written(other, format));
  }
}

TEST_CASE("floating-point numbers keep their type however PostgreSQL writes them") {
  if (!has_library()) return;
  engine::Publication publication;
  publication.columns = {
      {"pay", false, {"1e-05", "1e+15", "-0", "Infinity", "-Infinity", "NaN", "-1.5"}, {0, 1, 2, 3, 4, 5, 6}},
      {"zip", false, {"1e-05", "07", "-0", "1 ", "0x1", "", "1e400"}, {0, 1, 2, 3, 4, 5, 6}}};
  publication.rows = 7;
  for (const auto format : kFormats) {
    CAPTURE(words(format));
    const auto bytes = written(publication, format);
    std::map<std::string, std::string> types;
    CHECK(read(bytes, "NULL", {}, nullptr, &types) ==
          "pay: [0.00001] [1000000000000000] [0] [inf] [-inf] [NULL] [-1.5]\n"
          "zip: [1e-05] [07] [-0] [1 ] [0x1] [] [1e400]\n");
    CHECK(types == std::map<std::string, std::string>{{"pay", "double precision"}});
    for (const char* text : {"1 ", "0x1", "", "1e400", "one", "1,5"}) {
      auto other = publication;
      other.columns[0].values[6] = text;
      types.clear();
      read(written(other, format), "NULL", {}, nullptr, &types);
      CHECK(types.empty());
    }
  }
}

TEST_CASE("several batches and row groups of a publication are read again") {
  if (!has_library()) return;
  engine::Publication publication;
  publication.columns = {{"a", true, {"x", "y"}, {}}, {"n", false, {}, {}}};
  for (int i = 0; i < 1'000; ++i) publication.columns[1].values.push_back(std::to_string(i));
  for (std::uint64_t row = 0; row < (1 << 20) + 1; ++row) {
    publication.columns[0].codes.push_back(static_cast<engine::Code>(row / 3 % 2));
    publication.columns[1].codes.push_back(static_cast<engine::Code>(row * row % 1'000));
  }
  for (const auto format : kFormats) {
    CAPTURE(words(format));
    publication.rows = (format == ColumnarFormat::parquet ? 1 << 20 : 1 << 16) + 1;
    const auto bytes = written(publication, format);
    const auto table = read_columnar({pieces_of(bytes, 1 << 16), nullptr}, format, std::nullopt, {}, kLimit);
    REQUIRE(table.has_value());
    REQUIRE(table->rows() == publication.rows);
    std::uint64_t differing = 0;
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t row = 0; row < table->rows(); ++row)
        differing += table->columns[i].values[table->columns[i].codes.at(row)] !=
                             publication.columns[i].values[publication.columns[i].codes[row]]
                         ? 1U
                         : 0U;
    }
    CHECK(differing == 0);
  }
}

TEST_CASE("the recount sees what was changed in a columnar file") {
  if (!has_library()) return;
  const auto publication = some_publication();
  const auto recount = [&](const engine::Publication& shown, std::uint64_t k) {
    const auto bytes = written(shown, ColumnarFormat::parquet);
    return recount_columnar({pieces_of(bytes, 99), nullptr}, ColumnarFormat::parquet, publication,
                            std::nullopt, k, engine::SuppressedRecords::keep_or_drop);
  };
  CHECK(recount(publication, 2).has_value());
  CHECK(recount(publication, 3).has_error());
  auto other = publication;
  other.columns[0].codes = {1, 1, 1, 2};
  CHECK(recount(other, 2).has_error());
  other = publication;
  other.columns[1].name = "wage";
  CHECK(recount(other, 2).error().public_message == "the output differs when it is read again");
  other = publication;
  other.rows = 2;
  CHECK(recount(other, 2).has_error());
  const std::string cut = written(publication, ColumnarFormat::parquet).substr(0, 50);
  CHECK(recount_columnar({pieces_of(cut, 99), nullptr}, ColumnarFormat::parquet, publication, std::nullopt, 2,
                         engine::SuppressedRecords::keep_or_drop)
            .error()
            .public_message == "the output differs when it is read again");
  const auto without_memory = [](std::string&) -> Result<bool> { throw std::bad_alloc(); };
  CHECK(recount_columnar({without_memory, nullptr}, ColumnarFormat::parquet, publication, std::nullopt, 2,
                         engine::SuppressedRecords::keep_or_drop)
            .error()
            .public_message == "the table needs more than half of this machine's memory");
}

TEST_CASE("a text that is not UTF-8 and an output that fails are errors") {
  if (!has_library()) return;
  auto publication = some_publication();
  publication.columns[3].values[0] = "\xFF";
  const auto to_nowhere = [](std::string_view) -> Result<void> {
    return Error{.kind = ErrorKind::io, .sqlstate = "XX000", .public_message = "full"};
  };
  CHECK(write_columnar(publication, ColumnarFormat::parquet, {}, to_nowhere)
            .error()
            .public_message.starts_with("a text of column zip is not UTF-8"));
  for (const auto format : kFormats)
    CHECK(write_columnar(some_publication(), format, {}, to_nowhere).error().public_message == "full");
}

TEST_CASE("names tell the format of a file that is written, and its first bytes that of one that is read") {
  CHECK(*columnar_format_of_name("a.parquet") == ColumnarFormat::parquet);
  CHECK(*columnar_format_of_name("a.arrow") == ColumnarFormat::arrow_file);
  CHECK(*columnar_format_of_name("a.feather") == ColumnarFormat::arrow_file);
  CHECK(*columnar_format_of_name("a.arrows") == ColumnarFormat::arrow_stream);
  for (const char* name : {"a.csv", "a.csv.gz", "parquet", "a.parquet.csv", "-"})
    CHECK(*columnar_format_of_name(name) == std::nullopt);
  CHECK(columnar_format_of_name("a.parquet.gz").error().public_message ==
        "the name of the Parquet file ends with .gz");
  CHECK(columnar_format_of_name("a.arrows.zst").has_error());
  CHECK(columnar_format_of_beginning("PAR") == std::nullopt);
  CHECK(columnar_format_of_beginning("") == std::nullopt);
  CHECK(columnar_format_of_beginning("ARROW1,age") == std::nullopt);  // the header of a CSV
  CHECK(columnar_format_of_beginning("ARROW1") == std::nullopt);
  CHECK(columnar_format_of_beginning(content("encrypted.parquet").substr(0, 8)) == ColumnarFormat::parquet);
  for (const char* text : {"PARE", "PARENT,A", "PARE\r\n1\r\n", "PARE\tAGE"})
    CHECK(columnar_format_of_beginning(text) == std::nullopt);
}

TEST_CASE("a file is read by its first bytes, and a wrong name is an error") {
  TemporaryFolder folder;
  folder.write("a.parquet", "age,zip\n1,2\n");
  CHECK(one_line(read_table_file({folder.path("a.parquet")}, std::nullopt, {}).error())
            .find("the file has the name of a Parquet file, and does not begin like one") !=
        std::string::npos);
  folder.write("a.csv", content("codec.parquet"));
  const auto table = read_table_file({folder.path("a.csv")}, std::nullopt, {});
  if (has_library()) {
    REQUIRE_MESSAGE(table.has_value(), one_line(table.error()));
    CHECK(shown(*table) == "n: [1] [2] [3]\n");
  } else {
    CHECK(one_line(table.error())
              .find("built without Apache Arrow, which the Parquet file needs (build pgveil from source with "
                    "Apache Arrow (docs/install.md), or use CSV)") != std::string::npos);
    CHECK(write_columnar({}, ColumnarFormat::arrow_stream, {}, {}).has_error());
  }
}

TEST_CASE("keys that have no meaning for columnar files are refused") {
  const auto refusal = [](const std::string& input, const std::string& hierarchy, const std::string& output) {
    const auto job =
        read_job_text("version: 1\nname: j\ninput: {file: " + input +
                          "}\nattributes:\n  a: {class: quasi_identifier, hierarchy: {file: " + hierarchy +
                          "}}\nk: 2\noutput: {file: " + output + "}\n",
                      "/x/job.yaml");
    return job ? "" : job.error().public_message;
  };
  CHECK(refusal("a.parquet", "h.csv", "b.arrow") == "");
  CHECK(refusal("a.parquet, separator: ;", "h.csv", "b.csv").find("the Parquet file has no separator") !=
        std::string::npos);
  CHECK(refusal("a.csv", "h.csv", "b.arrows, separator: ;").find("the Arrow stream has no separator") !=
        std::string::npos);
  CHECK(refusal("a.csv", "h.csv", "b.feather.gz").find("the name of the Arrow file ends with .gz") !=
        std::string::npos);
  CHECK(refusal("a.csv", "h.parquet", "b.csv").find("a hierarchy is delimited text") != std::string::npos);
}

TEST_CASE("a job publishes from each format what it does from CSV") {
  if (!has_library()) return;
  TemporaryFolder folder;
  const auto publish = [&](const std::string& input, const std::string& output) {
    AnonymizeRequest request;
    const auto job = read_job_text(
        "version: 1\nname: j\ninput: {file: " + input +
            ", \"null\": none}\nattributes:\n  id: {class: identifier}\n  age: {class: quasi_identifier, "
            "hierarchy: {intervals: {widths: [30]}}}\n  town: {class: sensitive}\nk: 50\nseed: 1\n"
            "output: {file: " +
            output + "}\n",
        folder.path("job.yaml"));
    REQUIRE_MESSAGE(job.has_value(), one_line(job.error()));
    request.job = *job;
    const auto made = anonymize(request, {});
    REQUIRE_MESSAGE(made.has_value(), one_line(made.error()));
  };
  const auto people =
      read_table_file({place("people.parquet")}, "none", std::vector<std::string>{"town", "age"});
  REQUIRE(people.has_value());
  std::string csv = "town,age\r\n";
  for (std::size_t row = 0; row < people->rows(); ++row)
    csv += people->columns[0].values[people->columns[0].codes.at(row)] + "," +
           people->columns[1].values[people->columns[1].codes.at(row)] + "\r\n";
  folder.write("in.csv", csv);
  publish("in.csv", "a.csv");
  publish(place("people.parquet"), "b.csv");
  CHECK(folder.read("a.csv") == folder.read("b.csv"));
  publish(place("people.parquet"), "c.parquet");
  publish("in.csv", "d.arrow");
  publish("in.csv", "e.arrows");
  const auto shown_in = [&](const std::string& name) { return read(folder.read(name), "none"); };
  CHECK(shown_in("c.parquet").starts_with("age: ["));
  CHECK(shown_in("c.parquet") == shown_in("d.arrow"));
  CHECK(shown_in("c.parquet") == shown_in("e.arrows"));
  const auto again = folder.read("c.parquet");
  publish(place("people.parquet"), "f.parquet");
  CHECK(again == folder.read("f.parquet"));
}

}  // namespace
}  // namespace pgveil::app::columnar_test
