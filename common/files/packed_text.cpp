#include "common/files/packed_text.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "common/ascii.hpp"
#include "common/assert.hpp"
#include "common/sqlstate.hpp"

namespace pgveil {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 16;
constexpr int kGzipWindow = 15 + 16;  // the largest window, and a gzip header
constexpr int kMemoryLevel = 8;

Error unreadable(std::string message, std::string hint) {
  return Error{.kind = ErrorKind::configuration,
               .sqlstate = std::string(sqlstate::kInvalidParameterValue),
               .public_message = std::move(message),
               .hint = std::move(hint)};
}

Error too_large(std::size_t limit_bytes) {
  return unreadable(fmt::format("the unpacked text is larger than {} bytes", limit_bytes),
                    "it does not fit into half of this machine's memory; publish it in parts");
}

Error ends_early() {
  return unreadable("the packed text ends early", "the file was cut off; copy it again");
}

Error damaged() {
  return unreadable("the packed text is damaged", "copy the file again");
}

// The allocators of both libraries return null when memory is out.
template <class Stream>
Stream checked(Stream stream) {
  if (stream == nullptr) throw std::bad_alloc();
  return stream;
}

struct Unreadable {
  std::string_view beginning, what, hint;
  bool is_word = false;  // a text may begin so, too
};
constexpr std::string_view kMakeText = "write it as CSV, which may be packed with gzip or zstd";
constexpr std::string_view kPackAgain = "pack it with gzip or zstd";
constexpr std::string_view kConvert = "convert it to UTF-8, for example with iconv";
constexpr std::array<Unreadable, 18> kUnreadable{
    {{"PAR1", "a Parquet file", kMakeText},
     {"ARROW1", "an Arrow file", kMakeText},
     {"\xFF\xFF\xFF\xFF", "an Arrow stream", kMakeText},
     {"PK\x03\x04", "a ZIP archive or a spreadsheet (.xlsx, .ods)", kMakeText},
     {"\xD0\xCF\x11\xE0", "an old spreadsheet (.xls)", kMakeText},
     {"FEA1", "a Feather file of version 1", "write it as CSV, or as Feather version 2", true},
     {"ORC", "an ORC file", kMakeText, true},
     {"Obj\x01", "an Avro file", kMakeText},
     {{"SQLite format 3\0", 16}, "a database of SQLite", kMakeText},
     {"%PDF-", "a PDF document", kMakeText},
     {"\xFD"
      "7zXZ",
      "packed with xz", kPackAgain},
     {"BZh", "packed with bzip2", kPackAgain},
     {"\x04\x22\x4D\x18", "packed with lz4", kPackAgain},
     {"7z\xBC\xAF\x27\x1C", "a 7z archive", kPackAgain},
     {{"\xFF\xFE\0\0", 4}, "text in UTF-32", kConvert},
     {{"\0\0\xFE\xFF", 4}, "text in UTF-32", kConvert},
     {"\xFF\xFE", "text in UTF-16", kConvert},
     {"\xFE\xFF", "text in UTF-16", kConvert}}};
constexpr Unreadable kWideText{"", "text in UTF-16 or UTF-32", kConvert};  // without a byte order mark

constexpr std::size_t kBeginningBytes = 64;  // tell what a file is
constexpr std::string_view kGzipBeginning = "\x1F\x8B";
constexpr std::string_view kZstdBeginning = "\x28\xB5\x2F\xFD";

bool has_byte_of_no_text(std::string_view bytes) {
  return std::ranges::any_of(
      bytes, [](unsigned char byte) { return byte < ' ' && byte != '\t' && byte != '\r' && byte != '\n'; });
}

// Whether every second byte is zero, as in wide text of Western languages.
bool is_wide_text(std::string_view bytes) {
  std::array<std::size_t, 2> zeros{};  // at even and at odd places
  for (std::size_t i = 0; i < bytes.size(); ++i) zeros[i % 2] += bytes[i] == '\0' ? 1 : 0;
  const bool are_all_zero = zeros[0] + zeros[1] == bytes.size();
  return bytes.size() >= 4 && !are_all_zero &&
         (zeros[0] == (bytes.size() + 1) / 2 || zeros[1] == bytes.size() / 2);
}

// Of the first kBeginningBytes; null: they may be text.
const Unreadable* find_unreadable(std::string_view beginning) {
  const auto is_it = [&](const Unreadable& kind) {
    return beginning.starts_with(kind.beginning) && (!kind.is_word || has_byte_of_no_text(beginning));
  };
  const auto kind = std::ranges::find_if(kUnreadable, is_it);
  if (kind != kUnreadable.end()) return &*kind;
  return is_wide_text(beginning) ? &kWideText : nullptr;
}

Result<void> check_unpacked(std::string_view beginning) {
  if (beginning.starts_with(kGzipBeginning) || beginning.starts_with(kZstdBeginning))
    return unreadable("the file is packed twice", "unpack it once");
  const auto* kind = find_unreadable(beginning);
  if (kind == nullptr) return {};
  return unreadable(fmt::format("the unpacked file is no readable text: it is {}", kind->what),
                    std::string(kind->hint == kConvert ? kConvert : "unpack it first"));
}

}  // namespace

Packing packing_of_name(std::string_view path) {
  const auto name = lower(path);
  if (name.ends_with(".gz")) return Packing::gzip;
  if (name.ends_with(".zst")) return Packing::zstd;
  return Packing::none;
}

class Unpacker::Codec {
 public:
  Codec() = default;
  Codec(const Codec&) = delete;
  Codec& operator=(const Codec&) = delete;
  virtual ~Codec() = default;
  // left: how many bytes may still be appended, of `limit` in all.
  virtual Result<void> take(std::string_view bytes, std::size_t& left, std::size_t limit,
                            std::string& out) = 0;
  // Whether what was taken is complete.
  [[nodiscard]] virtual bool is_complete() const = 0;

  class Gzip;
  class Zstd;
};

class Unpacker::Codec::Gzip : public Unpacker::Codec {
 public:
  Gzip() {
    if (inflateInit2(&stream_, kGzipWindow) != Z_OK) throw std::bad_alloc();
  }
  ~Gzip() override { inflateEnd(&stream_); }

  Result<void> take(std::string_view bytes, std::size_t& left, std::size_t limit, std::string& out) override {
    std::array<char, kPieceBytes> piece{};
    while (true) {
      if (is_complete_ && !bytes.empty()) {
        inflateReset(&stream_);
        is_complete_ = false;
      }
      // zlib counts bytes with 32 bits.
      const std::string_view some = bytes.substr(0, std::size_t{1} << 30);
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(some.data()));
      stream_.avail_in = static_cast<uInt>(some.size());
      stream_.next_out = reinterpret_cast<Bytef*>(piece.data());
      stream_.avail_out = static_cast<uInt>(piece.size());
      const int result = inflate(&stream_, Z_NO_FLUSH);
      if (result == Z_MEM_ERROR) throw std::bad_alloc();
      if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) return damaged();
      const std::size_t made = piece.size() - stream_.avail_out;
      bytes.remove_prefix(some.size() - stream_.avail_in);
      if (made > left) return too_large(limit);
      left -= made;
      out.append(piece.data(), made);
      is_complete_ = result == Z_STREAM_END;
      if (bytes.empty() && (is_complete_ || made < piece.size())) return {};
    }
  }
  [[nodiscard]] bool is_complete() const override { return is_complete_; }

 private:
  z_stream stream_{};
  bool is_complete_ = false;
};

class Unpacker::Codec::Zstd : public Unpacker::Codec {
 public:
  Result<void> take(std::string_view bytes, std::size_t& left, std::size_t limit, std::string& out) override {
    if (bytes.empty()) return {};
    std::array<char, kPieceBytes> piece{};
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    while (true) {
      ZSTD_outBuffer made{piece.data(), piece.size(), 0};
      const std::size_t result = ZSTD_decompressStream(stream_.get(), &made, &in);
      if (ZSTD_isError(result) != 0) return damaged();
      if (made.pos > left) return too_large(limit);
      left -= made.pos;
      out.append(piece.data(), made.pos);
      is_complete_ = result == 0;
      if (in.pos == in.size && (is_complete_ || made.pos < made.size)) return {};
    }
  }
  [[nodiscard]] bool is_complete() const override { return is_complete_; }

 private:
  std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream_{checked(ZSTD_createDStream()),
                                                                     ZSTD_freeDStream};
  bool is_complete_ = false;
};

Unpacker::Unpacker(std::size_t limit_bytes) : limit_bytes_(limit_bytes), left_bytes_(limit_bytes) {}
Unpacker::Unpacker(Unpacker&&) noexcept = default;
Unpacker& Unpacker::operator=(Unpacker&&) noexcept = default;
Unpacker::~Unpacker() = default;

Result<void> Unpacker::begin(std::string& out) {
  has_begun_ = true;
  const auto view = std::string_view(beginning_).substr(0, kBeginningBytes);
  if (const auto* kind = find_unreadable(view))
    return unreadable(fmt::format("the file is no readable text: it is {}", kind->what),
                      std::string(kind->hint));
  if (view.starts_with(kGzipBeginning)) codec_ = std::make_unique<Codec::Gzip>();
  if (view.starts_with(kZstdBeginning)) codec_ = std::make_unique<Codec::Zstd>();
  return take(std::exchange(beginning_, {}), out);
}

Result<void> Unpacker::take(std::string_view bytes, std::string& out) {
  if (codec_ == nullptr) {
    out += bytes;
    return {};
  }
  const std::size_t held = out.size();
  if (auto taken = codec_->take(bytes, left_bytes_, limit_bytes_, out); !taken) return taken;
  if (beginning_.size() == kBeginningBytes) return {};
  beginning_.append(out, held, kBeginningBytes - beginning_.size());
  return beginning_.size() == kBeginningBytes ? check_unpacked(beginning_) : Result<void>();
}

Result<void> Unpacker::add(std::string_view bytes, std::string& out) {
  if (has_begun_) return take(bytes, out);
  beginning_ += bytes;
  return beginning_.size() < kBeginningBytes ? Result<void>() : begin(out);
}

Result<void> Unpacker::finish(std::string& out) {
  if (!has_begun_) {
    if (auto begun = begin(out); !begun) return begun;
  }
  if (codec_ == nullptr) return {};
  if (!codec_->is_complete()) return ends_early();
  return beginning_.size() < kBeginningBytes ? check_unpacked(beginning_) : Result<void>();
}

Result<std::string> unpacked(std::string_view bytes, std::size_t limit_bytes) {
  Unpacker unpacker(limit_bytes);
  std::string out;
  auto done = unpacker.add(bytes, out);
  if (done) done = unpacker.finish(out);
  if (!done) return done.error();
  return out;
}

ReadPiece unpacked_pieces(ReadPiece read, std::size_t limit_bytes) {
  const auto unpacker = std::make_shared<Unpacker>(limit_bytes);
  return [unpacker, read = std::move(read), piece = std::string()](std::string& to) mutable -> Result<bool> {
    piece.clear();
    const auto more = read(piece);
    if (!more) return more;
    auto done = *more ? unpacker->add(piece, to) : unpacker->finish(to);
    if (!done) return done.error();
    return *more;
  };
}

std::size_t most_unpacked_bytes() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGESIZE);
  PGVEIL_ASSERT(pages > 0 && page_bytes > 0);
  return static_cast<std::size_t>(pages) * static_cast<std::size_t>(page_bytes) / 2;
}

class Packer::Codec {
 public:
  Codec() = default;
  Codec(const Codec&) = delete;
  Codec& operator=(const Codec&) = delete;
  virtual ~Codec() = default;
  enum class Last { no, yes };
  virtual std::string take(std::string_view text, Last last) = 0;

  class Gzip;
  class Zstd;
};

class Packer::Codec::Gzip : public Packer::Codec {
 public:
  Gzip() {
    if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, kMemoryLevel,
                     Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
  }
  ~Gzip() override { deflateEnd(&stream_); }

  std::string take(std::string_view text, Last last) override {
    PGVEIL_ASSERT(text.size() <= (std::size_t{1} << 30));
    std::string out;
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream_.avail_in = static_cast<uInt>(text.size());
    std::array<char, kPieceBytes> piece{};
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(piece.data());
      stream_.avail_out = static_cast<uInt>(piece.size());
      const int result = deflate(&stream_, last == Last::yes ? Z_FINISH : Z_NO_FLUSH);
      PGVEIL_ASSERT(result != Z_STREAM_ERROR);
      out.append(piece.data(), piece.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
    return out;
  }

 private:
  z_stream stream_{};
};

class Packer::Codec::Zstd : public Packer::Codec {
 public:
  std::string take(std::string_view text, Last last) override {
    std::string out;
    std::array<char, kPieceBytes> piece{};
    ZSTD_inBuffer in{text.data(), text.size(), 0};
    while (true) {
      ZSTD_outBuffer made{piece.data(), piece.size(), 0};
      const auto end = last == Last::yes ? ZSTD_e_end : ZSTD_e_continue;
      const std::size_t left = ZSTD_compressStream2(stream_.get(), &made, &in, end);
      PGVEIL_ASSERT(ZSTD_isError(left) == 0);
      out.append(piece.data(), made.pos);
      if (last == Last::yes ? left == 0 : in.pos == in.size) return out;
    }
  }

 private:
  std::unique_ptr<ZSTD_CStream, decltype(&ZSTD_freeCStream)> stream_{checked(ZSTD_createCStream()),
                                                                     ZSTD_freeCStream};
};

Packer::Packer(Packing packing) {
  switch (packing) {
    case Packing::none: break;
    case Packing::gzip: codec_ = std::make_unique<Codec::Gzip>(); break;
    case Packing::zstd: codec_ = std::make_unique<Codec::Zstd>(); break;
  }
}

Packer::Packer(Packer&&) noexcept = default;
Packer& Packer::operator=(Packer&&) noexcept = default;
Packer::~Packer() = default;

std::string Packer::add(std::string_view text) {
  return codec_ == nullptr ? std::string(text) : codec_->take(text, Codec::Last::no);
}

std::string Packer::finish() {
  return codec_ == nullptr ? std::string() : codec_->take({}, Codec::Last::yes);
}

}  // namespace pgveil
