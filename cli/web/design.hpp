#pragma once
// A policy that is being written: is its text right, and what would it disclose? Answers sizes and shares, never a value, and changes
// nothing. Counting blocks on PostgreSQL; the last table's counts are kept for a few minutes.
#include <boost/json/array.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "cli/config/config.hpp"
#include "common/error.hpp"
#include "policy/counts.hpp"
#include "policy/disclosure.hpp"
#include "policy/spec.hpp"
#include "rewriter/catalog.hpp"

namespace pgveil::cli {

// [{"name", "class"}], in the order of the file.
[[nodiscard]] boost::json::array classes_json(const policy::PolicySpec& spec);

// {"policies": […], "error": null or {"line", "column", "message"}} of docs/openapi.yaml.
[[nodiscard]] std::string design_check_json(std::string_view yaml);

struct WhatIf {
  std::string policy;
  std::uint64_t k = 0;
  std::string counted_at;
  std::vector<std::string> attributes;
  policy::Disclosure disclosure;
};
[[nodiscard]] std::string what_if_json(const WhatIf& result);

// Thread-safe; one question at a time.
class Designs {
 public:
  // The tree that a fresh build of this policy of the text would make, with another k. Errors: those of the text and of BUILD, but
  // for constraints that BUILD alone checks; ErrorKind::limit while another question is being answered.
  [[nodiscard]] Result<WhatIf> what_if(const Config& config, std::string_view yaml, std::string_view policy,
                                       std::uint64_t k);

  // Lets go of counts that are too old to be used. Never waits.
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

  std::mutex mutex_;
  std::unique_ptr<const Counted> counted_;
};

}  // namespace pgveil::cli
