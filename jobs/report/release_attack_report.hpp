#pragma once
// What `pgveil attack FILE --job` found, for people and for programs: names of columns, counts and shares,
// but never a value of the data. The same findings give the same bytes.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "jobs/check/release_attack.hpp"

namespace pgveil::app {

struct ReleaseAttackReport {
  std::string pgveil;  // the program's version
  std::string job;
  std::string file;  // "the file out.csv"
  // As in the job's certificate. Neither: standard input was read, and can't be read twice.
  std::optional<std::string> file_print, table_print;
  std::string algorithm;  // in the job's words
  std::uint64_t k = 0;    // that the job promises
  ReleaseAttack attack;
  std::vector<std::string> not_tried;  // whole sentences

  // A class is smaller than k, or the value of a sensitive or of a generalized cell follows.
  [[nodiscard]] bool is_anything_found() const;
};

// What no attack on this job's file tries, or what these arguments leave out.
[[nodiscard]] std::vector<std::string> not_tried_on(const Job& job, const ReleaseAttack& attack);

[[nodiscard]] std::string release_attack_text(const ReleaseAttackReport& report);
[[nodiscard]] std::string release_attack_json(const ReleaseAttackReport& report);
[[nodiscard]] std::string release_attack_html(const ReleaseAttackReport& report);

}  // namespace pgveil::app
