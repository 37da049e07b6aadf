#include "jobs/check/fingerprint.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "common/assert.hpp"
#include "common/sha256.hpp"
#include "common/sqlstate.hpp"
#include "settings/values.hpp"

namespace pgveil::app {
namespace {

constexpr std::size_t kLeastKeyBytes = 16;

std::string digest_of(std::string_view bytes, std::string_view key) {
  return key.empty() ? sha256(bytes) : hmac_sha256(key, bytes);
}

// Writes each cell with its length, so that different rows have different texts.
std::string row_text(const std::vector<std::optional<std::string_view>>& row) {
  std::string text;
  for (const auto& cell : row) text += cell ? fmt::format("{};{}", cell->size(), *cell) : std::string("-;");
  return text;
}

}  // namespace

std::string fingerprint_of(std::string_view bytes) {
  return sha256_hex(bytes);
}

BytesFingerprint::BytesFingerprint() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
  const bool is_ready = context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1;
  PGVEIL_ASSERT(is_ready);
}

void BytesFingerprint::add(std::string_view bytes) {
  const bool is_taken = EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1;
  PGVEIL_ASSERT(is_taken);
}

std::string BytesFingerprint::finish() && {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  const bool is_done = EVP_DigestFinal_ex(context_.get(), digest.data(), &size) == 1;
  PGVEIL_ASSERT(is_done);
  return hex_of({reinterpret_cast<const char*>(digest.data()), size});
}

TableFingerprint::TableFingerprint(const std::vector<std::string>& columns, std::string key)
    : key_(std::move(key)) {
  header_ = row_text({columns.begin(), columns.end()});
}

void TableFingerprint::add(const std::vector<std::optional<std::string_view>>& row) {
  rows_.push_back(digest_of(row_text(row), key_));
}

std::string TableFingerprint::finish() && {
  std::ranges::sort(rows_);
  std::string all = digest_of(header_, key_);
  for (const auto& row : rows_) all += row;
  return hex_of(digest_of(all, key_));
}

Result<std::string> read_fingerprint_key(const std::string& path) {
  const auto written = yaml::parse(path, "--key-file");
  if (!written) return written.error();
  auto key = read_password_file(*written, {std::filesystem::current_path().string()});
  if (!key || key->size() >= kLeastKeyBytes) return key;
  return Error{ErrorKind::configuration, std::string(sqlstate::kInvalidParameterValue),
               fmt::format("the key has fewer than {} bytes", kLeastKeyBytes),
               "write a random text into the file: openssl rand -hex 32"};
}

}  // namespace pgveil::app
