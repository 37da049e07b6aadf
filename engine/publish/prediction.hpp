#pragma once
// How well a column can be predicted from the quasi-identifiers, before and after: what the table is still
// worth to somebody who trains a model on it (classifier.hpp).
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "engine/data/table.hpp"
#include "engine/publish/publication.hpp"

namespace pgveil::engine {

struct Prediction {
  std::string target;
  std::uint64_t classes = 0;  // values of the target
  std::uint64_t records = 0;  // with a value
  double most_frequent = 0;   // accuracy of guessing the most frequent value
  double before = 0,
         after = 0;  // accuracy of the model that learned from the input, and from the publication
};
inline constexpr std::size_t kMostPredicted = 100;  // different values of the target

// The records of the input are asked about, whether they were published or not. A published cell stands for
// the values of the records that show it; `*` and NULL are not known. subset, null_text: as for
// measure_utility. Errors, kind usage: the target has more than kMostPredicted values. REQUIRES: the target
// is a published column that is no quasi-identifier; publication.source_rows are rows of the table.
[[nodiscard]] Result<Prediction> measure_prediction(const Table& table, std::span<const std::uint8_t> subset,
                                                    const std::optional<std::string>& null_text,
                                                    const Publication& publication,
                                                    const std::string& target);

}  // namespace pgveil::engine
