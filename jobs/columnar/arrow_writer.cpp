#include <arrow/io/api.h>
#include <arrow/ipc/api.h>
#include <fmt/format.h>
#include <parquet/arrow/writer.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <type_traits>
#include <utility>

#include "common/sqlstate.hpp"
#include "jobs/columnar/arrow_cells.hpp"
#include "jobs/columnar/arrow_errors.hpp"

namespace pgveil::app {
namespace {

using engine::Code;
using engine::kNullCode;
using engine::PublishedColumn;

constexpr std::int64_t kRowsOfBatch = std::int64_t{1} << 16;
constexpr std::int64_t kRowsOfGroup = std::int64_t{1} << 20;

class AppendStream final : public arrow::io::OutputStream {
 public:
  explicit AppendStream(const std::function<Result<void>(std::string_view)>& append) : append_(append) {}

  arrow::Status Write(const void* data, std::int64_t size) override {
    const auto done = append_({static_cast<const char*>(data), static_cast<std::size_t>(size)});
    if (!done) {
      error_ = done.error();
      return arrow::Status::IOError("");
    }
    position_ += size;
    return arrow::Status::OK();
  }
  using Writable::Write;
  arrow::Status Close() override { return arrow::Status::OK(); }
  bool closed() const override { return false; }
  arrow::Result<std::int64_t> Tell() const override { return position_; }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  const std::function<Result<void>(std::string_view)>& append_;
  std::int64_t position_ = 0;
  std::optional<Error> error_;
};

// Each returns nullopt if the text is not exactly that of the value. But floating-point numbers may be
// written in any way, such as 1e-05 or Infinity: the column's type must not depend on how PostgreSQL writes
// them.
template <class Number>
std::optional<Number> number_of(const std::string& text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if constexpr (std::is_floating_point_v<Number>) {
    return number;
  } else {
    std::string again;
    const auto made = add_number(number, again);
    return made && *made && again == text ? std::optional(number) : std::nullopt;
  }
}

std::optional<bool> boolean_of(const std::string& text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return std::nullopt;
}

std::optional<std::int32_t> date_of(const std::string& text) {
  if (text.size() != 10) return std::nullopt;
  const auto part = [&](std::size_t at, std::size_t size) {
    unsigned number = 0;
    std::from_chars(text.data() + at, text.data() + at + size, number);
    return number;
  };
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(part(0, 4))),
                                         std::chrono::month(part(5, 2)), std::chrono::day(part(8, 2))};
  if (!date.ok()) return std::nullopt;
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  std::string again;
  const auto made = add_date(days, again);
  return made && again == text ? std::optional(static_cast<std::int32_t>(days)) : std::nullopt;
}

// A column as the library takes it, some rows at a time.
struct WrittenColumn {
  std::shared_ptr<arrow::DataType> type;
  std::function<arrow::Result<std::shared_ptr<arrow::Array>>(std::int64_t from, std::int64_t to)> rows;
};

// The values that the rows show, in the order in which they come: nothing else may be written.
struct ShownValues {
  std::vector<std::int32_t> at;  // [code]; −1: no row shows it
  std::vector<const std::string*> values;
};

ShownValues shown_values(const PublishedColumn& column) {
  ShownValues shown{std::vector<std::int32_t>(column.values.size(), -1), {}};
  for (std::size_t row = 0; row < column.codes.size(); ++row) {
    const Code code = column.codes[row];
    if (code == kNullCode || shown.at[code] >= 0) continue;
    shown.at[code] = static_cast<std::int32_t>(shown.values.size());
    shown.values.push_back(&column.values[code]);
  }
  return shown;
}

template <class Builder, class Value>
arrow::Result<std::shared_ptr<arrow::Array>> rows_of(const PublishedColumn& column, const ShownValues& shown,
                                                     std::span<const Value> values, std::int64_t from,
                                                     std::int64_t to) {
  Builder builder;
  ARROW_RETURN_NOT_OK(builder.Reserve(to - from));
  for (std::int64_t row = from; row < to; ++row) {
    const Code code = column.codes[static_cast<std::size_t>(row)];
    if (code == kNullCode) {
      builder.UnsafeAppendNull();
    } else {
      builder.UnsafeAppend(values[static_cast<std::size_t>(shown.at[code])]);
    }
  }
  return builder.Finish();
}

// nullopt: a value has no such text.
template <class Type, class ValueOf>
std::optional<WrittenColumn> typed(const PublishedColumn& column, ValueOf value_of) {
  using Builder = typename arrow::TypeTraits<Type>::BuilderType;
  using Value =
      std::conditional_t<std::is_same_v<Type, arrow::BooleanType>, std::uint8_t, typename Type::c_type>;
  auto shown = shown_values(column);
  std::vector<Value> values;
  for (const auto* text : shown.values) {
    const auto value = value_of(*text);
    if (!value) return std::nullopt;
    values.push_back(static_cast<Value>(*value));
  }
  return WrittenColumn{
      arrow::TypeTraits<Type>::type_singleton(),
      [&column, shown = std::move(shown), values = std::move(values)](std::int64_t from, std::int64_t to) {
        return rows_of<Builder, Value>(column, shown, values, from, to);
      }};
}

std::optional<WrittenColumn> typed_as(const PublishedColumn& column, std::string_view type) {
  if (type == "smallint") return typed<arrow::Int16Type>(column, number_of<std::int16_t>);
  if (type == "integer") return typed<arrow::Int32Type>(column, number_of<std::int32_t>);
  if (type == "bigint") return typed<arrow::Int64Type>(column, number_of<std::int64_t>);
  if (type == "real") return typed<arrow::FloatType>(column, number_of<float>);
  if (type == "double precision") return typed<arrow::DoubleType>(column, number_of<double>);
  if (type == "boolean") return typed<arrow::BooleanType>(column, boolean_of);
  if (type == "date") return typed<arrow::Date32Type>(column, date_of);
  return std::nullopt;
}

arrow::Result<WrittenColumn> strings(const PublishedColumn& column) {
  auto shown = shown_values(column);
  arrow::StringBuilder builder;
  for (const auto* value : shown.values) ARROW_RETURN_NOT_OK(builder.Append(*value));
  ARROW_ASSIGN_OR_RAISE(auto dictionary, builder.Finish());
  std::vector<std::int32_t> places(shown.values.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<std::int32_t>(i);
  auto type = arrow::dictionary(arrow::int32(), arrow::utf8());
  return WrittenColumn{
      type,
      [&column, shown = std::move(shown), places = std::move(places), dictionary, type](
          std::int64_t from, std::int64_t to) -> arrow::Result<std::shared_ptr<arrow::Array>> {
        ARROW_ASSIGN_OR_RAISE(const auto indices,
                              (rows_of<arrow::Int32Builder, std::int32_t>(column, shown, places, from, to)));
        return arrow::DictionaryArray::FromArrays(type, indices, dictionary);
      }};
}

using Rows = std::function<arrow::Status(const std::shared_ptr<arrow::RecordBatch>&)>;

arrow::Status write_rows(const engine::Publication& publication, std::span<const WrittenColumn> columns,
                         const std::shared_ptr<arrow::Schema>& schema, std::int64_t rows_at_once,
                         const Rows& write) {
  const auto rows = static_cast<std::int64_t>(publication.rows);
  for (std::int64_t from = 0; from < rows; from += rows_at_once) {
    const std::int64_t to = std::min(rows, from + rows_at_once);
    std::vector<std::shared_ptr<arrow::Array>> arrays;
    for (const auto& column : columns) {
      ARROW_ASSIGN_OR_RAISE(auto array, column.rows(from, to));
      arrays.push_back(std::move(array));
    }
    ARROW_RETURN_NOT_OK(write(arrow::RecordBatch::Make(schema, to - from, std::move(arrays))));
  }
  return arrow::Status::OK();
}

arrow::Status write_parquet(const engine::Publication& publication, std::span<const WrittenColumn> columns,
                            const std::shared_ptr<arrow::Schema>& schema,
                            const std::shared_ptr<AppendStream>& stream) {
  parquet::WriterProperties::Builder properties;
  properties.compression(parquet::Compression::ZSTD);
  ARROW_ASSIGN_OR_RAISE(
      const auto writer,
      parquet::arrow::FileWriter::Open(*schema, arrow::default_memory_pool(), stream, properties.build()));
  ARROW_RETURN_NOT_OK(write_rows(publication, columns, schema, kRowsOfGroup, [&](const auto& batch) {
    ARROW_ASSIGN_OR_RAISE(const auto table, arrow::Table::FromRecordBatches(schema, {batch}));
    return writer->WriteTable(*table, kRowsOfGroup);
  }));
  return writer->Close();
}

arrow::Status write_ipc(const engine::Publication& publication, std::span<const WrittenColumn> columns,
                        const std::shared_ptr<arrow::Schema>& schema, ColumnarFormat format,
                        AppendStream& stream) {
  auto options = arrow::ipc::IpcWriteOptions::Defaults();
  options.use_threads = false;
  ARROW_ASSIGN_OR_RAISE(const auto writer, format == ColumnarFormat::arrow_file
                                               ? arrow::ipc::MakeFileWriter(&stream, schema, options)
                                               : arrow::ipc::MakeStreamWriter(&stream, schema, options));
  ARROW_RETURN_NOT_OK(write_rows(publication, columns, schema, kRowsOfBatch,
                                 [&](const auto& batch) { return writer->WriteRecordBatch(*batch); }));
  return writer->Close();
}

arrow::Status write_any(const engine::Publication& publication, ColumnarFormat format,
                        const std::map<std::string, std::string>& types,
                        const std::shared_ptr<AppendStream>& stream) {
  std::vector<WrittenColumn> columns;
  arrow::FieldVector fields;
  for (const auto& column : publication.columns) {
    const auto type = types.find(column.name);
    std::optional<WrittenColumn> written;
    if (!column.is_quasi_identifier && type != types.end()) written = typed_as(column, type->second);
    if (!written) {
      ARROW_ASSIGN_OR_RAISE(written, strings(column));
    }
    fields.push_back(arrow::field(column.name, written->type));
    columns.push_back(std::move(*written));
  }
  const auto schema = arrow::schema(std::move(fields));
  return format == ColumnarFormat::parquet ? write_parquet(publication, columns, schema, stream)
                                           : write_ipc(publication, columns, schema, format, *stream);
}

Error not_written(const arrow::Status& status, ColumnarFormat format) {
  if (status.IsOutOfMemory()) return needs_too_much();
  return {.kind = ErrorKind::io,
          .sqlstate = std::string(sqlstate::kInternalError),
          .public_message = fmt::format("{} could not write the {}", columnar_library(), words(format)),
          .hint = "nothing was published; publish CSV",
          .private_detail = status.ToString()};
}

}  // namespace

Result<void> write_columnar(const engine::Publication& publication, ColumnarFormat format,
                            const std::map<std::string, std::string>& types,
                            const std::function<Result<void>(std::string_view bytes)>& append) {
  if (auto checked = engine::check_utf8(publication); !checked) return checked;
  const auto to_error = [&](const arrow::Status& status) { return not_written(status, format); };
  return without_exceptions(to_error, [&]() -> Result<void> {
    const auto stream = std::make_shared<AppendStream>(append);
    const auto written = write_any(publication, format, types, stream);
    if (stream->error()) return *stream->error();
    return written.ok() ? Result<void>() : Result<void>(to_error(written));
  });
}

std::string columnar_library() {
  return fmt::format("Apache Arrow {}", arrow::GetBuildInfo().version_string);
}

}  // namespace pgveil::app
