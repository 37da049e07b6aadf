#include "cli/job_keys.hpp"

#include <fmt/format.h>

namespace pgveil::cli {
namespace {

constexpr JobKey kKeys[] = {
    {"", "version", "1", "required", "of this language"},
    {"", "name", "name", "required", "what the console calls the job: lower-case letters, digits and `_`"},
    {"", "input", "section", "required", "the records"},
    {"", "attributes", "map", "required",
     "column → what it is; a column that is not listed is not published"},
    {"", "k", "1 to 2^32", "required", "the smallest class of records that look alike"},
    {"", "suppression", "share", "0", "of the records that may be suppressed: `5%` or `0.05`"},
    {"", "metric", "name", "loss",
     "what is minimized: `loss`, `discernibility`, `discernibility_monotonic`, `class_size`, "
     "`nonuniform_entropy`, `nonuniform_entropy_monotonic`, `normalized_nonuniform_entropy`, `precision`, "
     "`precision_monotonic` or `height`"},
    {"", "aggregate", "name", "the metric's",
     "how attributes are put together: `sum`, `arithmetic_mean`, `geometric_mean`, `maximum` or `rank`"},
    {"", "gs", "0 to 1", "0.5", "below ½ suppressing costs less, above it generalizing does"},
    {"", "algorithm", "name", "flash",
     "`flash`, `best_first`, `ola`, `incognito`, `depth_first`, `breadth_first` or `brute_force` find the "
     "same "
     "optimum; `beam`, `igreedy`, `datafly` and `samarati` are heuristics, which prove nothing"},
    {"", "limits", "section", "none", "when to stop with the best so far"},
    {"", "outliers", "word", "drop",
     "what becomes of fewer than k suppressed records: `drop`, `hide` (all their columns) or `as_reference` "
     "(a "
     "class smaller than k)"},
    {"", "seed", "0 to 2^63 − 1", "random", "of the order of the rows; no secret"},
    {"", "output", "section", "required", "where the published table goes"},

    {"input", "file", "path", "none", "separated text with a header; relative to the job"},
    {"input", "separator", "character", ",", "of the file; `tab` for a tab"},
    {"input", "table", "table", "none", "`schema.table` or `[schema, table]`, instead of a file"},
    {"input", "database", "name", "the only one configured", "of the table"},
    {"input", "null", "text", "`NULL` of a table, none of a file",
     "what stands for NULL in hierarchies, and in a file's cells"},

    {"attributes", "class", "word", "required",
     "`identifier` (never published), `quasi_identifier`, `sensitive` or `insensitive`"},
    {"attributes", "hierarchy", "section", "required", "of a quasi-identifier: a file or one of the rules"},
    {"attributes", "min_level", "level", "0", "at least this much is generalized"},
    {"attributes", "max_level", "level", "the highest", "at most this much is generalized"},
    {"attributes", "weight", "0 or more", "1", "how much the metric minds its loss"},

    {"hierarchy", "file", "path", "none", "one record per value: the value, then its generalizations"},
    {"hierarchy", "separator", "character", ";", "of the file; `tab` for a tab"},
    {"hierarchy", "intervals", "section", "none", "of numbers"},
    {"hierarchy", "order", "section", "none", "of neighbours in a list"},
    {"hierarchy", "masking", "section", "none", "of characters"},
    {"hierarchy", "dates", "list of steps", "none",
     "some of `day`, `month`, `quarter`, `year`, `decade`, in this order"},
    {"hierarchy", "tree", "map", "none", "node → children: a map of nodes, or a list of nodes and values"},

    {"intervals", "widths", "list of numbers", "required",
     "one per level, each a multiple of the one before"},
    {"intervals", "origin", "number", "0", "where an interval begins"},
    {"intervals", "low", "number", "none", "what is below becomes `< low`"},
    {"intervals", "high", "number", "none", "what is not below becomes `>= high`"},

    {"order", "values", "list of texts", "required", "all values, in their order"},
    {"order", "groups", "list of numbers", "required", "how many neighbours each level joins"},

    {"masking", "keep", "word", "prefix", "the side that stays longest: `prefix` or `suffix`"},
    {"masking", "masked", "list of numbers", "[1, 2, 3, …]", "characters masked at each level"},

    {"limits", "time", "duration", "none", "of the search: `30s`, `5m`"},
    {"limits", "checks", "1 to 2^53", "none", "transformations that are checked"},
    {"limits", "bytes", "0 to 2^40", "64 per record, 8 from the 65,537th on",
     "memory for snapshots of earlier checks"},
    {"limits", "threads", "1 to 256", "1",
     "of the search; `best_first` does several checks at a time, the others divide checks of 32,768 or more "
     "different records"},

    {"output", "file", "path", "none", "relative to the job; mode 0600"},
    {"output", "separator", "character", ",", "of the file; `tab` for a tab"},
    {"output", "table", "table", "none", "`schema.table` or `[schema, table]`; with or instead of a file"},
    {"output", "database", "name", "the input's, or the only one configured", "of the table"},
    {"output", "replace", "true or false", "false", "whether what exists there may be replaced"},
    {"output", "types", "map", "{}",
     "column → type in the table; quasi-identifiers become `text`, others keep the type they had"},
};

}  // namespace

std::span<const JobKey> job_keys() {
  return kKeys;
}

std::vector<std::string_view> job_keys_of(std::string_view section) {
  std::vector<std::string_view> keys;
  for (const auto& key : kKeys) {
    if (key.section == section) keys.push_back(key.key);
  }
  return keys;
}

std::string job_markdown(std::string_view section) {
  std::string out = "| key | type | default | meaning |\n|---|---|---|---|\n";
  for (const auto& key : kKeys) {
    if (key.section != section) continue;
    out += fmt::format("| `{}` | {} | {} | {} |\n", key.key, key.type, key.otherwise, key.meaning);
  }
  return out;
}

}  // namespace pgveil::cli
