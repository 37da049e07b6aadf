#pragma once
// Caches verdicts on clients' SQL, and templates for texts of one shape, bounded by bytes; the least recently
// used one is dropped first. Thread-safe: it has shards with one mutex each. A verdict depends only on (sql,
// role, its search path, database, generation of the snapshot). The whole of that is the key; the hash only
// finds the place. find_verdict.hpp says what is kept under which key.
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "rewriter/pipeline/pipeline.hpp"
#include "rewriter/shape/verdict_template.hpp"

namespace pgveil::app {

struct VerdictKeyView {  // valid as long as the caller's texts
  std::string_view sql;  // or a shape_key
  std::string_view role;
  std::string_view path;  // rewriter::SearchPath::key(), and whether the text is written in ASCII
  std::string_view database;
  std::uint64_t generation = 0;
};

// Of a shape that was met once.
struct SeenShape {};
// Of a shape whose texts are judged one by one.
struct NoTemplate {};

// OpaqueLiterals: which literals of a shape may differ within one template.
using CachedVerdict = std::variant<rewriter::Verdict, SeenShape, NoTemplate, rewriter::OpaqueLiterals,
                                   rewriter::VerdictTemplate>;

class VerdictCache {
 public:
  using Entry = std::shared_ptr<const CachedVerdict>;

  // 0: nothing is kept.
  explicit VerdictCache(std::size_t limit_bytes);

  // Null: not in the cache.
  [[nodiscard]] Entry find(const VerdictKeyView& key);
  // Takes the place of an existing entry. One that is larger than a shard's share is not kept.
  void insert(const VerdictKeyView& key, Entry entry);

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
    Entry entry;
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
  static void drop(Shard& shard, std::list<Item>::iterator item);

  std::size_t shard_limit_bytes_;
  std::vector<Shard> shards_;
};

// The memory that this entry takes in addition to its key, in bytes.
[[nodiscard]] std::size_t entry_bytes(const CachedVerdict& entry);

}  // namespace pgveil::app
