#pragma once
// Two policies over one table are two releases of the same people, and whoever has both answers sees the intersections
// of their classes. Pure: counts in, verdict out.
#include <cstdint>
#include <string>
#include <vector>

#include "policy/counts.hpp"
#include "policy/spec.hpp"
#include "policy/tree.hpp"

namespace pgveil::policy {

struct JointRelease {
  // Each class of one release is a union of classes of the other: together they show what the finer shows alone.
  bool is_nested = false;
  std::uint64_t smallest = 0;  // units of the smallest intersection that has rows; 0 when there are no rows
  std::string smallest_in_a;   // cohort labels of that intersection
  std::string smallest_in_b;
  std::uint64_t below = 0;  // intersections with fewer than `required` units
  std::uint64_t required = 0;

  [[nodiscard]] bool is_sound() const { return is_nested || below == 0; }
};

// REQUIRES: counts has the attributes of both trees. required: the larger k, in the units that counts has.
[[nodiscard]] JointRelease joint_release(const DisclosureTree& a, const DisclosureTree& b,
                                         const Counts& counts, std::uint64_t required);

// Columns that one policy shows as they are and the other hides, fully or in part: then the classes of the tree say
// nothing about the two together. In the order of `shows`.
[[nodiscard]] std::vector<std::string> shown_though_hidden(const PolicySpec& shows, const PolicySpec& hides);

}  // namespace pgveil::policy
