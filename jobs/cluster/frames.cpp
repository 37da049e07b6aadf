#include "jobs/cluster/frames.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "common/sqlstate.hpp"

namespace pgveil::app {
namespace {

constexpr std::string_view kMagic = "PGVM";
constexpr std::size_t kPieceBytes = std::size_t{1} << 16U;
constexpr std::uint32_t kMostLevels = 128;  // the value itself, and the levels above it

}  // namespace

Error broken_frames(std::string_view what) {
  return {ErrorKind::protocol, std::string(sqlstate::kProtocolViolation),
          fmt::format("not what a worker is sent: {}", what),
          "are the package and the binary of one version?"};
}

void FrameReader::fail(Error error) {
  if (!error_) error_ = std::move(error);
}

bool FrameReader::bytes(char* to, std::size_t size) {
  if (error_) return false;
  const auto got = read_(to, size);
  if (!got) {
    fail(got.error());
  } else if (*got != size) {
    fail("it ends too early");
  }
  return is_good();
}

void FrameReader::begin() {
  std::array<char, 4> magic{};
  if (bytes(magic.data(), magic.size()) && std::string_view(magic.data(), magic.size()) != kMagic)
    fail("it begins otherwise");
  if (number() != kFramesVersion) fail("another version of the protocol");
}

void FrameReader::end() {
  char more = 0;
  if (!is_good()) return;
  const auto got = read_(&more, 1);
  if (!got) {
    fail(got.error());
  } else if (*got != 0) {
    fail("something follows its end");
  }
}

std::uint32_t FrameReader::number() {
  std::array<unsigned char, 4> raw{};
  return bytes(reinterpret_cast<char*>(raw.data()), raw.size()) ? little_endian(raw.data()) : 0;
}

std::string FrameReader::text() {
  return text_of(number());
}

std::string FrameReader::text_of(std::uint32_t size) {
  if (size > kMostTextBytes) fail("a text is too long");
  std::string out(is_good() ? size : 0, '\0');
  if (!bytes(out.data(), out.size())) out.clear();
  return out;
}

std::vector<std::string> FrameReader::texts() {
  std::vector<std::uint32_t> sizes;
  numbers(number(), [&](std::uint32_t size) { sizes.push_back(size); });
  std::vector<std::string> out;
  for (auto size = sizes.begin(); size != sizes.end() && is_good(); ++size) out.push_back(text_of(*size));
  return out;
}

engine::Hierarchy FrameReader::hierarchy() {
  engine::Hierarchy out;
  const auto width = number();
  auto cells = texts();
  if (width == 0 || width > kMostLevels || cells.size() % width != 0)
    fail("a hierarchy without levels, with too many, or with a row that is too short");
  if (!is_good()) return out;
  for (auto row = cells.begin(); row != cells.end(); row += width)
    out.rows.emplace_back(std::move_iterator(row), std::move_iterator(row + width));
  return out;
}

std::uint32_t FrameReader::little_endian(const unsigned char* raw) {
  return std::uint32_t{raw[0]} | std::uint32_t{raw[1]} << 8U | std::uint32_t{raw[2]} << 16U |
         std::uint32_t{raw[3]} << 24U;
}

std::span<const unsigned char> FrameReader::next_piece(std::uint64_t numbers) {
  piece_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(numbers, kPieceBytes / 4)) * 4);
  if (!bytes(reinterpret_cast<char*>(piece_.data()), piece_.size())) piece_.clear();
  return piece_;
}

FrameWriter::FrameWriter(const WriteBytes& write) : write_(write), buffer_(kMagic) {
  number(kFramesVersion);
}

void FrameWriter::number(std::uint32_t value) {
  for (unsigned shift = 0; shift < 32; shift += 8) buffer_ += static_cast<char>(value >> shift & 0xFFU);
  if (buffer_.size() >= kPieceBytes) flush();
}

void FrameWriter::text(std::string_view value) {
  number(static_cast<std::uint32_t>(value.size()));
  buffer_ += value;
}

void FrameWriter::texts(std::span<const std::string> values) {
  number(static_cast<std::uint32_t>(values.size()));
  for (const auto& value : values) number(static_cast<std::uint32_t>(value.size()));
  for (const auto& value : values) {
    buffer_ += value;
    if (buffer_.size() >= kPieceBytes) flush();
  }
}

void FrameWriter::hierarchy(const engine::Hierarchy& hierarchy) {
  std::vector<std::string> cells;
  for (const auto& row : hierarchy.rows) cells.insert(cells.end(), row.begin(), row.end());
  number(hierarchy.rows.empty() ? 0 : static_cast<std::uint32_t>(hierarchy.rows.front().size()));
  texts(cells);
}

Result<void> FrameWriter::finish() {
  flush();
  return result_;
}

void FrameWriter::flush() {
  if (result_) result_ = write_(buffer_);
  buffer_.clear();
}

}  // namespace pgveil::app
