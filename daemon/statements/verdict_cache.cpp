#include "daemon/statements/verdict_cache.hpp"

#include <xxhash.h>

#include <utility>

namespace pgveil::app {
namespace {

constexpr std::size_t kItemBytes =
    400;  // list node, hash node, control block, small strings; a round estimate

std::uint64_t hash_of(const VerdictKeyView& key) {
  std::uint64_t hash = XXH3_64bits_withSeed(key.sql.data(), key.sql.size(), key.generation);
  hash = XXH3_64bits_withSeed(key.role.data(), key.role.size(), hash);
  hash = XXH3_64bits_withSeed(key.path.data(), key.path.size(), hash);
  return XXH3_64bits_withSeed(key.database.data(), key.database.size(), hash);
}

std::size_t bytes_of(const rewriter::PathEffect& effect) {
  std::size_t bytes = sizeof effect + effect.savepoint.capacity();
  if (effect.schemas == nullptr) return bytes;
  for (const auto& name : *effect.schemas) bytes += sizeof name + name.capacity();
  return bytes;
}

// The notices of tables are the snapshot's own.
std::size_t bytes_of(const rewriter::Notices& notices) {
  std::size_t bytes = 0;
  for (const auto& table : notices.tables) bytes += sizeof table + table.policy.capacity();
  for (const auto& notice : notices.conditions)
    bytes += sizeof notice + notice.message.capacity() + notice.hint.capacity();
  return bytes;
}

std::size_t bytes_of(const std::vector<rewriter::Origin>& origins) {
  return sizeof origins + origins.capacity() * sizeof(rewriter::Origin);
}
std::size_t bytes_of(const std::vector<std::string>& names) {
  std::size_t bytes = sizeof names + names.capacity() * sizeof(std::string);
  for (const std::string& name : names) bytes += name.capacity();
  return bytes;
}

std::size_t bytes_of(const rewriter::Rewritten& rewritten) {
  std::size_t bytes = 0;
  for (const auto& statement : rewritten.statements) {
    bytes += sizeof statement + statement.sql.capacity() + statement.name.capacity();
    if (statement.path_effect != nullptr) bytes += bytes_of(*statement.path_effect);
    bytes += bytes_of(statement.notices);
    if (statement.origins != nullptr) bytes += bytes_of(*statement.origins);
    if (statement.columns != nullptr) bytes += bytes_of(*statement.columns);
  }
  for (const auto& version : rewritten.versions) bytes += sizeof version + version.policy.capacity();
  return bytes;
}
std::size_t bytes_of(const Refusal& refusal) {
  return refusal.message.capacity() + refusal.hint.capacity() + refusal.detail.capacity();
}
std::size_t bytes_of(const Error& error) {
  return error.public_message.capacity() + error.hint.capacity() + error.private_detail.capacity();
}

std::size_t bytes_of(const rewriter::Verdict& verdict) {
  return std::visit([](const auto& it) { return bytes_of(it); }, verdict);
}
std::size_t bytes_of(SeenShape) {
  return 0;
}
std::size_t bytes_of(NoTemplate) {
  return 0;
}
std::size_t bytes_of(const rewriter::OpaqueLiterals& opaque) {
  return opaque.capacity() / 8;
}
std::size_t bytes_of(const rewriter::VerdictTemplate& made) {
  return made.text.capacity() + made.places.capacity() * sizeof(rewriter::VerdictTemplate::Place) +
         bytes_of(made.opaque) + bytes_of(made.rewritten);
}

}  // namespace

std::size_t entry_bytes(const CachedVerdict& entry) {
  return sizeof entry + std::visit([](const auto& it) { return bytes_of(it); }, entry);
}

VerdictCache::VerdictCache(std::size_t limit_bytes)
    : shard_limit_bytes_(limit_bytes / kShards), shards_(kShards) {}

std::list<VerdictCache::Item>::iterator* VerdictCache::place_of(Shard& shard, std::uint64_t hash,
                                                                const VerdictKeyView& key) {
  const auto [first, last] = shard.places.equal_range(hash);
  for (auto at = first; at != last; ++at) {
    const Item& item = *at->second;
    if (item.generation == key.generation && item.sql == key.sql && item.role == key.role &&
        item.path == key.path && item.database == key.database) {
      return &at->second;
    }
  }
  return nullptr;
}

VerdictCache::Entry VerdictCache::find(const VerdictKeyView& key) {
  const std::uint64_t hash = hash_of(key);
  Shard& shard = shard_of(hash);
  const std::lock_guard guard(shard.mutex);
  auto* place = place_of(shard, hash, key);
  if (place == nullptr) return nullptr;
  shard.recent.splice(shard.recent.begin(), shard.recent, *place);
  return (*place)->entry;
}

void VerdictCache::insert(const VerdictKeyView& key, Entry entry) {
  const std::size_t bytes = kItemBytes + key.sql.size() + key.role.size() + key.path.size() +
                            key.database.size() + entry_bytes(*entry);
  const std::uint64_t hash = hash_of(key);
  Shard& shard = shard_of(hash);
  const std::lock_guard guard(shard.mutex);
  if (auto* place = place_of(shard, hash, key)) drop(shard, *place);
  if (bytes > shard_limit_bytes_) return;
  shard.recent.push_front({std::string(key.sql), std::string(key.role), std::string(key.path),
                           std::string(key.database), key.generation, hash, bytes, std::move(entry)});
  shard.places.emplace(hash, shard.recent.begin());
  shard.bytes += bytes;
  while (shard.bytes > shard_limit_bytes_) drop(shard, std::prev(shard.recent.end()));
}

void VerdictCache::drop(Shard& shard, std::list<Item>::iterator item) {
  const auto [first, last] = shard.places.equal_range(item->hash);
  for (auto at = first; at != last; ++at) {
    if (at->second != item) continue;
    shard.places.erase(at);
    break;
  }
  shard.bytes -= item->bytes;
  shard.recent.erase(item);
}

std::size_t VerdictCache::size_bytes() const {
  std::size_t bytes = 0;
  for (const auto& shard : shards_) {
    const std::lock_guard guard(shard.mutex);
    bytes += shard.bytes;
  }
  return bytes;
}

std::size_t VerdictCache::entry_count() const {
  std::size_t count = 0;
  for (const auto& shard : shards_) {
    const std::lock_guard guard(shard.mutex);
    count += shard.recent.size();
  }
  return count;
}

}  // namespace pgveil::app
