#include <arrow/io/api.h>
#include <arrow/ipc/api.h>
#include <arrow/util/future.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "common/files/whole_file.hpp"
#include "jobs/columnar/arrow_cells.hpp"
#include "jobs/columnar/arrow_errors.hpp"

namespace pgveil::app {
namespace {

constexpr std::int64_t kRowsReadAtOnce = std::int64_t{1} << 16;
constexpr std::string_view kEndOfStream{"\xFF\xFF\xFF\xFF\0\0\0\0", 8};

// Bytes in the order in which they come. An error of theirs is kept aside, because the library has its own.
class PieceStream final : public arrow::io::InputStream {
 public:
  PieceStream(ReadPiece read, arrow::MemoryPool& pool) : read_(std::move(read)), pool_(pool) {}

  arrow::Result<std::int64_t> Read(std::int64_t size, void* out) override {
    while (std::ssize(held_) - at_ < size && !is_over_) {
      if (!keeps_all_) held_.erase(0, static_cast<std::size_t>(std::exchange(at_, 0)));
      const auto more = read_(held_);
      if (!more) {
        error_ = more.error();
        return arrow::Status::IOError("");
      }
      is_over_ = !*more;
    }
    const std::int64_t given = std::min(size, std::ssize(held_) - at_);
    std::memcpy(out, held_.data() + at_, static_cast<std::size_t>(given));
    last_.append(held_, static_cast<std::size_t>(at_), static_cast<std::size_t>(given));
    if (last_.size() > kEndOfStream.size()) last_.erase(0, last_.size() - kEndOfStream.size());
    at_ += given;
    position_ += given;
    return given;
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(std::int64_t size) override {
    ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateResizableBuffer(size, &pool_));
    ARROW_ASSIGN_OR_RAISE(const auto given, Read(size, buffer->mutable_data()));
    ARROW_RETURN_NOT_OK(buffer->Resize(given));
    return std::shared_ptr<arrow::Buffer>(std::move(buffer));
  }
  // Gives the bytes from the beginning again, once.
  void begin_again() {
    keeps_all_ = false;
    at_ = position_ = 0;
    last_.clear();
  }

  arrow::Status Close() override { return arrow::Status::OK(); }
  bool closed() const override { return false; }
  arrow::Result<std::int64_t> Tell() const override { return position_; }

  // Whether more was asked for than there is.
  [[nodiscard]] bool is_over() const { return is_over_; }
  // Whether what was read last is the mark of a stream's end.
  [[nodiscard]] bool has_ended() const { return last_ == kEndOfStream; }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  ReadPiece read_;
  arrow::MemoryPool& pool_;
  std::string held_, last_;
  std::int64_t at_ = 0, position_ = 0;
  bool keeps_all_ = true;  // until it has begun again
  bool is_over_ = false;
  std::optional<Error> error_;
};

// Reads only when it is asked to, and on the caller's thread. The library's own file reads ahead on threads,
// which can hold what they have read, and the pool that it is from, after the reader is gone.
class SynchronousFile final : public arrow::io::RandomAccessFile {
 public:
  using Bytes = std::shared_ptr<arrow::Buffer>;
  explicit SynchronousFile(std::shared_ptr<arrow::io::ReadableFile> file) : file_(std::move(file)) {}

  arrow::Status Close() override { return file_->Close(); }
  bool closed() const override { return file_->closed(); }
  arrow::Result<std::int64_t> Tell() const override { return file_->Tell(); }
  arrow::Status Seek(std::int64_t position) override { return file_->Seek(position); }
  arrow::Result<std::int64_t> GetSize() override { return file_->GetSize(); }
  arrow::Result<std::int64_t> Read(std::int64_t size, void* out) override { return file_->Read(size, out); }
  arrow::Result<Bytes> Read(std::int64_t size) override { return file_->Read(size); }
  arrow::Result<std::int64_t> ReadAt(std::int64_t position, std::int64_t size, void* out) override {
    return file_->ReadAt(position, size, out);
  }
  arrow::Result<Bytes> ReadAt(std::int64_t position, std::int64_t size) override {
    return file_->ReadAt(position, size);
  }
  arrow::Future<Bytes> ReadAsync(const arrow::io::IOContext&, std::int64_t position, std::int64_t size,
                                 bool allow_short_read) override {
    return arrow::Future<Bytes>::MakeFinished(file_->ReadAt(position, size, allow_short_read));
  }
  arrow::Future<Bytes> ReadAsync(const arrow::io::IOContext&, std::int64_t position,
                                 std::int64_t size) override {
    return arrow::Future<Bytes>::MakeFinished(file_->ReadAt(position, size));
  }

 private:
  std::shared_ptr<arrow::io::ReadableFile> file_;
};

// A column of the table while its arrays come.
class ReadColumn {
 public:
  ReadColumn(std::string name, const std::optional<std::string>& null_text)
      : name_(name), null_text_(null_text), encoder_(std::move(name)) {}

  Result<void> add(const arrow::Array& array) {
    if (array.type_id() == arrow::Type::DICTIONARY)
      return add_dictionary(static_cast<const arrow::DictionaryArray&>(array));
    Result<void> done;
    with_texts(array, [&](auto text_of) {
      for (std::int64_t row = 0; row < array.length() && done; ++row) {
        const auto code = add_cell(array, row, text_of);
        if (!code) done = code.error();
      }
    });
    return done;
  }
  engine::Column finish() && { return std::move(encoder_).finish(); }

 private:
  // A value becomes a text once, when a row first has it.
  Result<void> add_dictionary(const arrow::DictionaryArray& array) {
    const auto& values = *array.dictionary();
    std::vector<std::optional<engine::Code>> codes(static_cast<std::size_t>(values.length()));
    std::optional<engine::Code> null_code;
    Result<void> done;
    with_texts(values, [&](auto text_of) {
      for (std::int64_t row = 0; row < array.length() && done; ++row) {
        const bool is_null = array.IsNull(row);
        auto& code = is_null ? null_code : codes[static_cast<std::size_t>(array.GetValueIndex(row))];
        if (code) {
          encoder_.repeat(*code);
          ++rows_;
          continue;
        }
        const auto made = is_null ? add_null() : add_cell(values, array.GetValueIndex(row), text_of);
        if (made) code = *made;
        if (!made) done = made.error();
      }
    });
    return done;
  }

  template <class TextOf>
  Result<engine::Code> add_cell(const arrow::Array& array, std::int64_t row, const TextOf& text_of) {
    if (array.IsNull(row)) return add_null();
    text_.clear();
    const Text made = text_of(row, text_);
    if (!made) return in_row(made.error());
    if (!*made) return add_null();
    ++rows_;
    return encoder_.add(text_);
  }

  Result<engine::Code> add_null() {
    if (!null_text_)
      return in_row(invalid_input(
          "has no value", "name the text that stands for NULL: \"null\": \"NULL\" below input, or --null"));
    ++rows_;
    return encoder_.add(*null_text_);
  }

  // error: what the column has in this row.
  [[nodiscard]] Error in_row(Error error) const {
    error.public_message = fmt::format("record {}: {} {}", rows_ + 1, name_, error.public_message);
    return error;
  }

  std::string name_;
  const std::optional<std::string>& null_text_;
  engine::ColumnEncoder encoder_;
  std::uint64_t rows_ = 0;
  std::string text_;
};

// PostgreSQL's name for a type; empty: the values stay texts.
std::string postgres_type(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::BOOL: return "boolean";
    case arrow::Type::INT8:
    case arrow::Type::UINT8:
    case arrow::Type::INT16: return "smallint";
    case arrow::Type::UINT16:
    case arrow::Type::INT32: return "integer";
    case arrow::Type::UINT32:
    case arrow::Type::INT64: return "bigint";
    case arrow::Type::FLOAT: return "real";
    case arrow::Type::DOUBLE: return "double precision";
    case arrow::Type::DATE32:
    case arrow::Type::DATE64: return "date";
    default: return "";
  }
}

// Strings and bytes of Parquet come as dictionaries.
std::string type_name(const arrow::DataType& type) {
  if (type.id() != arrow::Type::DICTIONARY) return type.name();
  return static_cast<const arrow::DictionaryType&>(type).value_type()->name();
}

std::string hint_without_texts(const arrow::DataType& type) {
  return arrow::is_nested(type.id()) ? "write its parts as columns of their own, or leave the column out"
                                     : "write its values as texts or numbers, or leave the column out";
}

// The kept columns, whatever the file's format.
class KeptColumns {
 public:
  KeptColumns(ColumnarFormat format, const std::optional<std::string>& null_text, std::size_t limit_bytes)
      : format_(format), null_text_(null_text), limit_(limit_bytes) {}

  Result<void> choose(const arrow::Schema& schema, std::span<const std::string> wanted,
                      std::vector<std::string>* others, std::map<std::string, std::string>* types) {
    for (int i = 0; i < schema.num_fields(); ++i) {
      const auto& field = *schema.field(i);
      if (!wanted.empty() && std::ranges::find(wanted, field.name()) == wanted.end()) {
        if (others != nullptr) others->push_back(field.name());
        continue;
      }
      if (auto kept = keep(schema, i); !kept) return kept;
      const auto type = postgres_type(*field.type());
      if (types != nullptr && !type.empty()) types->emplace(field.name(), type);
    }
    return {};
  }
  // Their places in the schema.
  [[nodiscard]] const std::vector<int>& fields() const { return fields_; }

  // The batch has only the kept columns, or all of them.
  Result<void> add(const arrow::RecordBatch& batch) {
    if (!has_room_for(batch.num_rows())) return needs_too_much();
    const bool has_all = batch.num_columns() != static_cast<int>(fields_.size());
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      const auto array = batch.column(has_all ? fields_[i] : static_cast<int>(i));
      // Offsets and indices come from the file and may point anywhere.
      if (const auto valid = array->ValidateFull(); !valid.ok()) return error_of(valid, format_);
      if (auto added = columns_[i].add(*array); !added) return added;
    }
    return {};
  }

  engine::Table finish() && {
    engine::Table table;
    for (auto& column : columns_) table.columns.push_back(std::move(column).finish());
    return table;
  }

 private:
  Result<void> keep(const arrow::Schema& schema, int index) {
    const auto& field = *schema.field(index);
    const auto where = fmt::format("column {} ({})", index + 1, field.name());
    if (field.name().empty()) return invalid_input(where + " has no name", "name every column");
    if (schema.GetAllFieldIndices(field.name()).size() > 1)
      return invalid_input(where + " has the name of another column", "names must differ");
    if (!has_texts(*field.type()))
      return invalid_input(fmt::format("{} is of the type {}, and its values can't become texts", where,
                                       type_name(*field.type())),
                           hint_without_texts(*field.type()));
    fields_.push_back(index);
    columns_.emplace_back(field.name(), null_text_);
    return {};
  }

  // A file of a few bytes can have very many rows with one value. Each of their cells takes at least a byte.
  bool has_room_for(std::int64_t rows) {
    const std::size_t left = limit_ - cells_;
    if (rows < 0 || static_cast<std::size_t>(rows) > left / std::max(fields_.size(), std::size_t{1}))
      return false;
    cells_ += static_cast<std::size_t>(rows) * fields_.size();
    return true;
  }

  ColumnarFormat format_;
  const std::optional<std::string>& null_text_;
  std::size_t limit_, cells_ = 0;
  std::vector<int> fields_;
  std::vector<ReadColumn> columns_;
};

struct Wanted {
  std::span<const std::string> columns;
  std::vector<std::string>* others;
  std::map<std::string, std::string>* types;
};

Result<void> add_all(arrow::RecordBatchReader& batches, ColumnarFormat format, KeptColumns& kept) {
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    if (const auto read = batches.ReadNext(&batch); !read.ok()) return error_of(read, format);
    if (batch == nullptr) return {};
    if (auto added = kept.add(*batch); !added) return added;
  }
}

using RandomAccessFile = std::shared_ptr<arrow::io::RandomAccessFile>;

Result<RandomAccessFile> in_memory(const ReadPiece& read, std::size_t limit_bytes) {
  std::string bytes;
  while (true) {
    const auto more = read(bytes);
    if (!more) return more.error();
    if (bytes.size() > limit_bytes) return needs_too_much();
    if (!*more) return std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(std::move(bytes)));
  }
}

// The library closes what it is given, so it gets a descriptor of its own.
Result<RandomAccessFile> random_access(const ColumnarBytes& bytes, ColumnarFormat format,
                                       arrow::MemoryPool& pool, std::size_t limit_bytes) {
  if (bytes.file == nullptr) return in_memory(bytes.read, limit_bytes);
  const int fd = ::fcntl(bytes.file->get(), F_DUPFD_CLOEXEC, 0);
  if (fd < 0) return io_error("read", std::string(words(format)), errno);
  auto file = arrow::io::ReadableFile::Open(fd, &pool);
  if (!file.ok()) return error_of(file.status(), format);
  return std::make_shared<SynchronousFile>(std::move(*file));
}

Error is_encrypted() {
  return invalid_input("the Parquet file is encrypted", "write it without encryption");
}

// Both formats of files repeat their first bytes at the end. A Parquet file with an encrypted footer has PARE
// in both places.
Result<void> check_end(arrow::io::RandomAccessFile& file, ColumnarFormat format) {
  const std::string_view end = format == ColumnarFormat::parquet ? "PAR1" : "ARROW1";
  const auto size = file.GetSize();
  if (!size.ok()) return error_of(size.status(), format);
  const auto length = static_cast<std::int64_t>(end.size());
  if (*size < 2 * length) return ends_early(format);
  const auto last = file.ReadAt(*size - length, length);
  if (!last.ok()) return error_of(last.status(), format);
  const auto text = static_cast<std::string_view>(**last);
  if (format == ColumnarFormat::parquet && text == "PARE") return is_encrypted();
  return text == end ? Result<void>() : Result<void>(ends_early(format));
}

// The library makes dictionaries only of columns with these encodings. leaf: the number of a column of
// values.
bool can_be_dictionary(const parquet::FileMetaData& metadata, int leaf) {
  constexpr std::array kPossible = {parquet::Encoding::PLAIN, parquet::Encoding::PLAIN_DICTIONARY,
                                    parquet::Encoding::RLE_DICTIONARY, parquet::Encoding::RLE,
                                    parquet::Encoding::BIT_PACKED};
  for (int group = 0; group < metadata.num_row_groups(); ++group) {
    const auto encodings = metadata.RowGroup(group)->ColumnChunk(leaf)->encodings();
    if (!std::ranges::all_of(encodings,
                             [&](auto it) { return std::ranges::find(kPossible, it) != kPossible.end(); }))
      return false;
  }
  return true;
}

Result<void> read_parquet(const RandomAccessFile& file, arrow::MemoryPool& pool, const Wanted& wanted,
                          KeptColumns& kept) {
  constexpr auto kFormat = ColumnarFormat::parquet;
  parquet::arrow::FileReaderBuilder builder;
  parquet::ReaderProperties properties(&pool);
  properties.enable_buffered_stream();
  if (const auto opened = builder.Open(file, properties); !opened.ok()) return error_of(opened, kFormat);
  const auto metadata = builder.raw_reader()->metadata();
  // The footer of a file with encrypted columns may be plain.
  if (metadata->is_encryption_algorithm_set()) return is_encrypted();
  parquet::ArrowReaderProperties how(false);
  how.set_pre_buffer(false);
  how.set_batch_size(kRowsReadAtOnce);
  // 64 bits of nanoseconds hold the years 1677 to 2262 only, and other years would become wrong ones.
  how.set_coerce_int96_timestamp_unit(arrow::TimeUnit::MICRO);
  for (int i = 0; i < metadata->num_columns(); ++i)
    how.set_read_dictionary(i, can_be_dictionary(*metadata, i));
  const auto reader = builder.memory_pool(&pool)->properties(how)->Build();
  if (!reader.ok()) return error_of(reader.status(), kFormat);
  std::shared_ptr<arrow::Schema> schema;
  if (const auto got = (*reader)->GetSchema(&schema); !got.ok()) return error_of(got, kFormat);
  if (auto chosen = kept.choose(*schema, wanted.columns, wanted.others, wanted.types); !chosen) return chosen;
  std::vector<int> groups, leaves;
  for (int i = 0; i < metadata->num_row_groups(); ++i) groups.push_back(i);
  for (const int field : kept.fields())
    leaves.push_back((*reader)->manifest().schema_fields[static_cast<std::size_t>(field)].column_index);
  if (leaves.empty()) return {};
  const auto batches = (*reader)->GetRecordBatchReader(groups, leaves);
  if (!batches.ok()) return error_of(batches.status(), kFormat);
  return add_all(**batches, kFormat, kept);
}

arrow::ipc::IpcReadOptions options_with(arrow::MemoryPool& pool) {
  auto options = arrow::ipc::IpcReadOptions::Defaults();
  options.memory_pool = &pool;
  options.use_threads = false;
  options.ensure_alignment = arrow::ipc::Alignment::kDataTypeSpecificAlignment;
  return options;
}

Result<void> read_arrow_file(const RandomAccessFile& file, arrow::MemoryPool& pool, const Wanted& wanted,
                             KeptColumns& kept) {
  constexpr auto kFormat = ColumnarFormat::arrow_file;
  auto options = options_with(pool);
  auto reader = arrow::ipc::RecordBatchFileReader::Open(file, options);
  if (!reader.ok()) return error_of(reader.status(), kFormat);
  if (auto chosen = kept.choose(*(*reader)->schema(), wanted.columns, wanted.others, wanted.types); !chosen)
    return chosen;
  if (kept.fields().empty()) return {};
  options.included_fields = kept.fields();
  reader = arrow::ipc::RecordBatchFileReader::Open(file, options);
  if (!reader.ok()) return error_of(reader.status(), kFormat);
  for (int i = 0; i < (*reader)->num_record_batches(); ++i) {
    const auto batch = (*reader)->ReadRecordBatch(i);
    if (!batch.ok()) return error_of(batch.status(), kFormat);
    if (auto added = kept.add(**batch); !added) return added;
  }
  return {};
}

Result<void> read_arrow_stream(PieceStream& stream, arrow::MemoryPool& pool, const Wanted& wanted,
                               KeptColumns& kept) {
  constexpr auto kFormat = ColumnarFormat::arrow_stream;
  auto options = options_with(pool);
  auto reader = arrow::ipc::RecordBatchStreamReader::Open(&stream, options);
  if (!reader.ok()) return error_of(reader.status(), kFormat);
  if (auto chosen = kept.choose(*(*reader)->schema(), wanted.columns, wanted.others, wanted.types); !chosen)
    return chosen;
  // Which columns are decoded has to be said before the schema is read.
  options.included_fields = kept.fields();
  stream.begin_again();
  reader = arrow::ipc::RecordBatchStreamReader::Open(&stream, options);
  if (!reader.ok()) return error_of(reader.status(), kFormat);
  return add_all(**reader, kFormat, kept);
}

// A stream may be cut between two of its parts, which only the missing mark of its end tells.
Result<void> check_end(PieceStream& stream, const Result<void>& read) {
  if (stream.error()) return *stream.error();
  if (stream.is_over() && !stream.has_ended()) return ends_early(ColumnarFormat::arrow_stream);
  if (!read) return read;
  char more = 0;
  const auto rest = stream.Read(1, &more);
  if (stream.error()) return *stream.error();
  if (rest.ok() && *rest > 0)
    return invalid_input("something follows the Arrow stream", "give one stream at a time");
  return {};
}

Result<void> read_any(const ColumnarBytes& bytes, ColumnarFormat format, arrow::MemoryPool& pool,
                      std::size_t limit_bytes, const Wanted& wanted, KeptColumns& kept) {
  if (format == ColumnarFormat::arrow_stream) {
    PieceStream stream(bytes.read, pool);
    return check_end(stream, read_arrow_stream(stream, pool, wanted, kept));
  }
  const auto file = random_access(bytes, format, pool, limit_bytes);
  if (!file) return file.error();
  if (auto ended = check_end(**file, format); !ended) return ended;
  return format == ColumnarFormat::parquet ? read_parquet(*file, pool, wanted, kept)
                                           : read_arrow_file(*file, pool, wanted, kept);
}

}  // namespace

Result<engine::Table> read_columnar(const ColumnarBytes& bytes, ColumnarFormat format,
                                    const std::optional<std::string>& null_text,
                                    std::span<const std::string> wanted, std::size_t limit_bytes,
                                    std::vector<std::string>* others,
                                    std::map<std::string, std::string>* types) {
  const auto to_error = [&](const arrow::Status& status) { return error_of(status, format); };
  return without_exceptions(to_error, [&]() -> Result<engine::Table> {
    arrow::CappedMemoryPool pool(arrow::default_memory_pool(), static_cast<std::int64_t>(limit_bytes));
    KeptColumns kept(format, null_text, limit_bytes);
    if (auto read = read_any(bytes, format, pool, limit_bytes, {wanted, others, types}, kept); !read)
      return read.error();
    return std::move(kept).finish();
  });
}

}  // namespace pgveil::app
