#pragma once
// A publication as separated text, and the recount of that text.
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "common/error.hpp"
#include "engine/publish/publication.hpp"

namespace pgveil::app {

struct CsvForm {
  char separator = ',';
  // What NULL of a quasi-identifier becomes, so that it differs from the empty text; other NULLs are empty
  // cells.
  std::string null_text;
};

// The header and the rows, line by line, as common/csv.hpp writes cells; numbers stay as they are.
[[nodiscard]] Result<void> write_csv(const engine::Publication& publication, const CsvForm& form,
                                     const std::function<Result<void>(std::string_view line)>& append);

// Reads the text again and counts its classes: engine/publish/recount.hpp. Also an error: text that does not
// parse.
[[nodiscard]] Result<void> recount_csv(std::string_view text, const CsvForm& form,
                                       const engine::Publication& publication, std::uint64_t k,
                                       engine::Outliers outliers);

}  // namespace pgveil::app
