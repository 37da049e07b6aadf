#pragma once
// Caches verdicts on clients' SQL, bounded by bytes; the least recently used one is dropped first.
// Thread-safe: it has shards with one mutex each. A verdict depends only on (sql, role, its search path,
// database, generation of the snapshot). The whole of that is the key; the hash only finds the place.
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rewriter/pipeline/pipeline.hpp"

namespace pgveil::app {

struct VerdictKeyView {  // valid as long as the caller's texts
  std::string_view sql;
  std::string_view role;
  std::string_view path;  // rewriter::SearchPath::key(), and whether the text is written in ASCII
  std::string_view database;
  std::uint64_t generation = 0;
};

class VerdictCache {
 public:
  using Entry = std::shared_ptr<const rewriter::Verdict>;

  // 0: nothing is kept.
  explicit VerdictCache(std::size_t limit_bytes);

  // Null: not in the cache.
  [[nodiscard]] Entry find(const VerdictKeyView& key);
  // A verdict larger than a shard's share is not kept. An existing entry stays.
  void insert(const VerdictKeyView& key, Entry verdict);

  [[nodiscard]] std::size_t size_bytes() const;
  [[nodiscard]] std::size_t entry_count() const;

 private:
  struct Item {
    std::string sql;
    std::string role;
    std::string path;
    std::string database;
    std::uint64_t generation;
    std::uint64_t hash;
    std::size_t bytes;
    Entry verdict;
  };
  struct Shard {
    mutable std::mutex mutex;
    std::list<Item> recent;  // most recent first
    std::unordered_multimap<std::uint64_t, std::list<Item>::iterator> places;
    std::size_t bytes = 0;
  };
  static constexpr std::size_t kShards = 16;

  [[nodiscard]] Shard& shard_of(std::uint64_t hash) { return shards_[hash >> 60]; }
  [[nodiscard]] static std::list<Item>::iterator* place_of(Shard& shard, std::uint64_t hash,
                                                           const VerdictKeyView& key);
  static void drop_oldest(Shard& shard);

  std::size_t shard_limit_bytes_;
  std::vector<Shard> shards_;
};

// The memory that this verdict takes in addition to its key, in bytes.
[[nodiscard]] std::size_t verdict_bytes(const rewriter::Verdict& verdict);

}  // namespace pgveil::app
