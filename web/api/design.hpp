#pragma once
// Helps somebody who is writing a policy: tells whether its text is right, and what it would disclose. The
// answers are sizes and shares, never a value, and nothing is changed. Counting blocks on PostgreSQL. The
// counts of the last table are kept for a few minutes.
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "policy/counts/counts.hpp"
#include "policy/spec/spec.hpp"
#include "policy/tree/disclosure.hpp"
#include "policy/version/version.hpp"
#include "rewriter/catalog/catalog.hpp"
#include "settings/config.hpp"

namespace pgveil::app {

// As the policy language spells it.
[[nodiscard]] std::string_view class_word(policy::ColumnClass column_class);

// [{"name", "class"}], in the order of the file.
[[nodiscard]] boost::json::array classes_json(const policy::PolicySpec& spec);

// {"policies": […], "error": null or {"line", "column", "message"}} of docs/openapi.yaml.
[[nodiscard]] std::string design_check_json(std::string_view yaml);

// What the tree of a build with one k would disclose.
struct Prospect {
  std::vector<std::string> attributes;
  policy::Disclosure disclosure;
  boost::json::value utility;  // as in a version
};

// What a policy would disclose with each of several k.
struct Curve {
  std::string policy;
  std::string counted_at;
  std::vector<std::string> attributes;
  // Errors: those of BUILD for this k alone, such as fewer persons than k.
  struct Point {
    std::uint64_t k = 0;
    Result<Prospect> found;
  };
  std::vector<Point> points;  // in the order of the question
};
[[nodiscard]] boost::json::object curve_json(const Curve& curve);

// A policy of the text, and the version that a build of it would begin with now.
struct DraftVersion {
  std::shared_ptr<const policy::PolicySpec> spec;
  policy::PolicyVersion version;  // number 0
};

// Thread-safe; one question at a time, and the others wait for it.
class Designs {
 public:
  static constexpr std::size_t kMostPoints = 24;

  // What a new build of this policy of the text would disclose with each k; the table is counted once.
  // is_abandoned: nobody waits for the answer any more; asked several times a second, also while the table is
  // counted. Errors: those of the text and of counting; ErrorKind::usage for no k, or more than kMostPoints;
  // ErrorKind::limit while another question is being answered for long, and when it was abandoned.
  using IsAbandoned = std::function<bool()>;
  [[nodiscard]] Result<Curve> curve(const Config& config, std::string_view yaml, std::string_view policy,
                                    const std::vector<std::uint64_t>& ks, const IsAbandoned& is_abandoned);
  // With the k of the text, and with all that BUILD checks. Errors: as curve; ErrorKind::policy for a
  // policy whose rows only BUILD makes: with a source, a key or a masked copy.
  [[nodiscard]] Result<DraftVersion> draft_version(const Config& config, std::string_view yaml,
                                                   std::string_view policy, const IsAbandoned& is_abandoned);

  // Frees counts that are too old to be used. Never waits.
  void forget_old();

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::minutes kKept{5};
  struct Counted {
    policy::PolicySpec spec;
    rewriter::Relation relation;
    policy::Counts counts;  // of exact values, unless the policy has constraints
    std::string counted_at;
    Clock::time_point at;
  };
  [[nodiscard]] bool can_use(const policy::PolicySpec& spec) const;
  [[nodiscard]] Result<void> count(const Config& config, const policy::PolicySpec& spec);
  // Counts unless the counts that are kept can be used. Errors: abandoned, or those of the count.
  [[nodiscard]] Result<void> have_counts(const Config& config, const policy::PolicySpec& spec,
                                         const IsAbandoned& is_abandoned);
  [[nodiscard]] policy::Counts counts_for(const policy::PolicySpec& spec) const;
  // REQUIRES: the counts can be used.
  [[nodiscard]] Result<Prospect> answer(const policy::PolicySpec& spec,
                                        const IsAbandoned& is_abandoned) const;

  std::timed_mutex mutex_;
  std::unique_ptr<const Counted> counted_;
};

}  // namespace pgveil::app
