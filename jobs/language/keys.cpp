#include "jobs/language/keys.hpp"

#include <fmt/format.h>

namespace pgveil::app {
namespace {

constexpr JobKey kKeys[] = {
    {"", "version", "1", "required", "of this language"},
    {"", "name", "name", "required", "what the console calls the job: lower-case letters, digits and `_`"},
    {"", "input", "section", "required", "the records"},
    {"", "attributes", "map", "required",
     "column → what it is; a column that is not listed is not published"},
    {"", "k", "1 to 2^32", "required", "the smallest class of records that look alike"},
    {"", "suppression", "share", "0", "of the records that may be suppressed: `5%` or `0.05`"},
    {"", "subset", "section", "none",
     "the records that are published, if the input has others to compare them with"},
    {"", "presence", "section", "none",
     "δ-presence: the share of a class that may be in the subset, `{least: 1%, most: 50%}`"},
    {"", "k_map", "1 to 2^32", "none", "the smallest class of the input's records, in the subset or not"},
    {"", "risk", "section", "none", "models of the whole table: risks of being found again, who is unique"},
    {"", "local_recoding", "0 to 100", "0",
     "so many further transformations at most, for the records that are suppressed by those before"},
    {"", "metric", "name", "loss",
     "what is minimized: `loss`, `discernibility`, `discernibility_monotonic`, `class_size`, "
     "`nonuniform_entropy`, `nonuniform_entropy_monotonic`, `normalized_nonuniform_entropy`, `precision`, "
     "`precision_monotonic`, `height`, `kl_divergence` or `ambiguity`"},
    {"", "aggregate", "name", "the metric's",
     "how attributes are put together: `sum`, `arithmetic_mean`, `geometric_mean`, `maximum` or `rank`"},
    {"", "gs", "0 to 1", "0.5", "below ½ suppressing costs less, above it generalizing does"},
    {"", "algorithm", "name", "flash",
     "`flash`, `best_first`, `ola`, `incognito`, `depth_first`, `breadth_first` or `brute_force` find the "
     "same "
     "optimum; `beam`, `igreedy`, `datafly` and `samarati` are heuristics, which prove nothing; `mondrian` "
     "cuts the "
     "records into groups, each generalized by itself"},
    {"", "mondrian", "section", "none", "how groups are cut, with `algorithm: mondrian`"},
    {"", "limits", "section", "none", "when to stop with the best so far"},
    {"", "outliers", "word", "drop",
     "what becomes of suppressed records that together break a model (fewer than k …): `drop`, `hide` (all "
     "their "
     "columns) or `as_reference` (a class that breaks it)"},
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
    {"attributes", "hierarchy", "section", "required",
     "of a quasi-identifier: a file or one of the rules; of a sensitive attribute for `distance: "
     "hierarchical`"},
    {"attributes", "numeric", "true or false", "false",
     "of a quasi-identifier, with `algorithm: mondrian`: ordered as numbers, in place of a hierarchy"},
    {"attributes", "continuous", "true or false", "false",
     "of a quasi-identifier whose hierarchy joins numbers: `loss` is the share of its range that an interval "
     "covers, not of its hierarchy's rows"},
    {"attributes", "aggregate", "word", "none",
     "of a quasi-identifier: a class shows one value computed of its own, in place of the generalized one: "
     "`mean`, "
     "`geometric_mean`, `median`, `mode` or `interval`; then it needs no hierarchy"},
    {"attributes", "min_level", "level", "0", "at least this much is generalized"},
    {"attributes", "max_level", "level", "the highest", "at most this much is generalized"},
    {"attributes", "weight", "0 or more", "1", "how much the metric minds its loss"},

    {"attributes", "l_diversity", "section", "none", "of a sensitive attribute: enough values in each class"},
    {"attributes", "t_closeness", "section", "none",
     "of a sensitive attribute: values distributed as in the input"},
    {"attributes", "beta_likeness", "section", "none",
     "of a sensitive attribute: no value much more frequent than in the input"},
    {"attributes", "delta_disclosure", "above 0", "none",
     "of a sensitive attribute: |log2(share in the class ÷ share in the input)| is less, for each value a "
     "class has"},
    {"attributes", "order", "word or list", "none",
     "of a sensitive attribute's values, for `distance: ordered`: `number`, `text` or all values"},

    {"l_diversity", "distinct", "1 or more", "none", "so many values; a fraction is rounded up"},
    {"l_diversity", "entropy", "1 or more", "none", "as mixed as so many values of equal frequency"},
    {"l_diversity", "recursive", "section", "none",
     "`{c: 4, l: 3}`: the most frequent value is less than c times all from the l-th most frequent on"},

    {"recursive", "c", "above 0", "required", "how many times"},
    {"recursive", "l", "1 or more", "required", "from which value on"},

    {"t_closeness", "t", "0 to 1", "required", "the greatest distance"},
    {"t_closeness", "distance", "word", "equal",
     "`equal`, `ordered` (needs `order`) or `hierarchical` (needs `hierarchy`)"},

    {"beta_likeness", "beta", "above 0", "required", "the greatest gain (share in the class − p) ÷ p"},
    {"beta_likeness", "kind", "word", "enhanced", "`basic`, or `enhanced`: the gain is at most −ln p too"},

    {"subset", "file", "path", "none",
     "a table whose records are all in the input, with some or all of its columns"},
    {"subset", "separator", "character", ",", "of the file; `tab` for a tab"},
    {"subset", "column", "name", "none", "of the input; published only if it is an attribute"},
    {"subset", "value", "text", "none", "of the column, that the records of the subset have"},

    {"presence", "least", "share", "0", "above 0, a class without a record of the subset is forbidden"},
    {"presence", "most", "share", "1",
     "who is in such a class is in the subset with this probability at most"},

    {"risk", "highest", "share", "none", "of any record: `20%` is classes of five or more"},
    {"risk", "average", "share", "none", "over all records that are published: classes ÷ records"},
    {"risk", "sample_uniqueness", "share", "none",
     "of the published records that may be alone in their class; says more than `k` only where `k` is 1"},
    {"risk", "population_uniqueness", "section", "none",
     "of the population that nobody else in it looks like, as it is estimated; only where `k` is 1"},

    {"population_uniqueness", "most", "share", "required", "the greatest estimate"},
    {"population_uniqueness", "population", "1 to 10^12", "required",
     "people whom the published records are a sample of"},
    {"population_uniqueness", "estimator", "word", "dankar", "`zayatz`, `snb`, `pitman` or `dankar`"},

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

    {"mondrian", "cut_by", "word", "normalized_span",
     "which attribute is cut first: the one with the greatest `normalized_span` (share of its whole range), "
     "`span`, "
     "`entropy`, or the smallest, `min_entropy`"},
    {"mondrian", "cuts", "word", "strict",
     "`strict`: records of one value stay together; `relaxed`: they may be divided, so that groups are "
     "smaller and overlap"},
    {"mondrian", "ranges", "word", "tight",
     "what a group shows: `tight`, from its smallest to its largest value, or the `region` that the cuts "
     "left to it"},

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

}  // namespace pgveil::app
