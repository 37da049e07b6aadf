#pragma once
// Groups equal keys into equivalence classes. This is the loop where most of the time goes. Keys are numbers
// below a known domain. If the domain is small, a key is its own place in a table of counts; otherwise it is
// hashed. Both loops have no branch that depends on whether a class is new, allocate before they start, and
// leave all slots empty by visiting only those that they used.
#include <cstdint>
#include <span>
#include <vector>

namespace pgveil::engine {

// Equivalence classes, in order of first appearance. Class i stands for counts[i] records; one of its rows is
// rows[i].
struct Classes {
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> counts;
  [[nodiscard]] std::size_t size() const { return rows.size(); }
  [[nodiscard]] std::size_t bytes() const {
    return (rows.capacity() + counts.capacity()) * sizeof(std::uint32_t);
  }
};
inline constexpr std::size_t kBytesPerClass = 2 * sizeof(std::uint32_t);

class Grouper {
 public:
  // For at most `rows` keys between begin() and finish().
  explicit Grouper(std::size_t rows);

  // REQUIRES: all following keys are below `domain`, and at most `classes` of them are different.
  void begin(std::uint64_t domain, std::size_t classes);
  // Ends a window: later keys never join a class of an earlier window.
  void next_window();
  // keys[i] belongs to rows[i], which stands for counts[i] records. REQUIRES: all three have the same length.
  void add(std::span<const std::uint32_t> keys, std::span<const std::uint32_t> rows,
           std::span<const std::uint32_t> counts);
  void add(std::span<const std::uint64_t> keys, std::span<const std::uint32_t> rows,
           std::span<const std::uint32_t> counts);
  void finish(Classes& into);
  // The same in two steps: returns the number of classes; write() then writes them to arrays of that length.
  [[nodiscard]] std::size_t finish();
  void write(std::uint32_t* rows, std::uint32_t* counts) const;

  // Called between begin() and end_numbers(), in place of add(): sets the number of each key's class, from 0
  // in order of first appearance.
  void number(std::span<const std::uint64_t> keys, std::uint32_t* numbers);
  // Returns the number of classes.
  [[nodiscard]] std::size_t end_numbers();

  // Replaces each key by the number of its class, from 0 in order of first appearance. Returns the number of
  // classes.
  [[nodiscard]] std::uint64_t number(std::span<std::uint64_t> keys);

  [[nodiscard]] std::size_t capacity() const { return used_.size() - 1; }  // rows, as constructed
  [[nodiscard]] std::size_t slots() const { return slots_.size(); }
  [[nodiscard]] std::size_t bytes() const;

 private:
  template <class Key>
  void add_direct(std::span<const Key> keys, const std::uint32_t* rows, const std::uint32_t* counts);
  template <class Key>
  void add_hashed(std::span<const Key> keys, const std::uint32_t* rows, const std::uint32_t* counts);
  [[nodiscard]] std::size_t first_slot(std::uint64_t key) const {
    return static_cast<std::size_t>(key * 0x9E3779B97F4A7C15 >> shift_);
  }

  bool is_direct_ = false;
  unsigned shift_ = 63;
  std::size_t mask_ = 1;
  std::size_t classes_ = 0;
  std::size_t window_ = 0;            // first class of the window
  std::vector<std::uint32_t> slots_;  // direct: records of the key; hashed: number of the class + 1; 0: empty
  std::vector<std::uint32_t> used_;   // [class]: its slot
  std::vector<std::uint64_t> keys_;   // [class], if hashed
  std::vector<std::uint32_t> rows_;   // [class]
  std::vector<std::uint32_t> counts_;  // [class]
};

}  // namespace pgveil::engine
