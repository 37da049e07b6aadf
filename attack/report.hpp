#pragma once
// What `pgveil attack` found, for people and for programs: names of columns, counts and shares, but never a
// value of the data. The same findings give the same bytes.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "attack/findings.hpp"
#include "attack/known_persons.hpp"
#include "attack/over_versions.hpp"
#include "common/report_format.hpp"

namespace pgveil::attack {

struct Attacker {
  std::string name;  // "reader"
  std::string has;   // what the attacker has, in one sentence
  Findings findings;
  bool operator==(const Attacker&) const = default;
};

// Readers of several policies over the table who compare their answers.
struct TogetherFindings {
  std::vector<std::string> policies;
  std::uint64_t required = 0;       // the k of the policy that promises most
  std::uint64_t small_classes = 0;  // joint classes below it that have rows
  std::uint64_t smallest = 0;       // of these; 0: there is none
  bool operator==(const TogetherFindings&) const = default;
};

struct AttackReport {
  std::string pgveil;  // the program's version
  std::string policy;
  std::string policy_print;  // SHA-256 of its text, as in the certificate of an export
  std::string table;
  std::uint64_t version = 0;
  std::string built_at;
  std::uint64_t k = 0;
  std::string strategy;
  std::vector<Attacker> attackers;
  std::optional<KnownPersons> persons;
  std::optional<TogetherFindings> together;
  std::optional<OverVersions> over_versions;
  std::vector<std::string> not_tried;  // whole sentences

  // Whether an attacker who has only what every reader has computes a cell, or a joint class is too small.
  // Cells that an earlier version showed do not count.
  [[nodiscard]] bool is_anything_computable() const;
};
inline constexpr std::size_t kReaders = 2;  // of the attackers, the first ones: they know no data

[[nodiscard]] std::string attack_text(const AttackReport& report);
[[nodiscard]] std::string attack_json(const AttackReport& report);
[[nodiscard]] std::string attack_html(const AttackReport& report);
[[nodiscard]] std::string attack_report_as(const AttackReport& report, ReportFormat format);

}  // namespace pgveil::attack
