#pragma once
// Verdicts on clients' SQL, least recently used out first, bounded by bytes. Thread-safe: shards with a mutex
// each. A verdict depends on (sql, role, its search path, database, generation of the snapshot) and on
// nothing else, so that is the key, whole: the hash only finds the place.
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

struct VerdictKeyView {  // valid while the caller's texts are
  std::string_view sql;
  std::string_view role;
  std::string_view path;  // rewriter::SearchPath::key()
  std::string_view database;
  std::uint64_t generation = 0;
};

class VerdictCache {
 public:
  using Entry = std::shared_ptr<const rewriter::Verdict>;

  // 0: nothing is kept.
  explicit VerdictCache(std::size_t limit_bytes);

  // Null: not there.
  [[nodiscard]] Entry find(const VerdictKeyView& key);
  // A verdict larger than a shard's share is not kept. An entry that is there stays.
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

// What keeping this verdict costs beside its key, in bytes.
[[nodiscard]] std::size_t verdict_bytes(const rewriter::Verdict& verdict);

}  // namespace pgveil::app
