#include "jobs/language/keys.hpp"

#include <fmt/format.h>

namespace pgveil::app {
namespace {

constexpr JobKey kKeys[] = {
    {"", "version", "1", "required", "the version of the job language"},
    {"", "name", "name", "required",
     "the name of the job in the console: lower-case letters, digits and `_`"},
    {"", "input", "section", "required", "where the records come from"},
    {"", "attributes", "map", "required",
     "column → its class and settings; a column that is not listed is not published"},
    {"", "k", "1 to 2^32", "required",
     "the minimum size of an equivalence class (the records with the same quasi-identifier values)"},
    {"", "differential_privacy", "section", "none",
     "in place of `k`: records are sampled, and levels are fixed or chosen privately, so that the table is "
     "(ε, δ)-differentially private (see [Differential privacy](models/differential-privacy.md))"},
    {"", "unit", "column", "none",
     "the column that identifies the privacy unit (a person, a household): `k` then counts its distinct "
     "values in a class instead of records. It is not published (see [Units](#units))"},
    {"", "suppression", "share", "0", "the share of records that may be suppressed: `5%` or `0.05`"},
    {"", "subset", "section", "none",
     "which records are published, if the input has others to compare them with"},
    {"", "presence", "section", "none",
     "δ-presence: the share of a class that may be in the subset, `{least: 1%, most: 50%}`"},
    {"", "k_map", "1 to 2^32", "none",
     "the minimum size of a class, counted over all records of the input, in the subset or not"},
    {"", "risk", "section", "none", "models of the whole table: re-identification risks and uniqueness"},
    {"", "local_recoding", "0 to 1000, or section", "0",
     "maximum number of additional transformations, applied to records that the previous ones suppressed"},
    {"", "metric", "name", "loss",
     "what is minimized: `loss`, `discernibility`, `discernibility_monotonic`, `class_size`, "
     "`nonuniform_entropy`, `nonuniform_entropy_monotonic`, `normalized_nonuniform_entropy`, `precision`, "
     "`precision_monotonic`, `height`, `kl_divergence` or `ambiguity`"},
    {"", "aggregate", "name", "the metric's",
     "how the losses of the attributes are combined: `sum`, `arithmetic_mean`, `geometric_mean`, `maximum` "
     "or `rank`"},
    {"", "gs", "0 to 1", "0.5",
     "how the metric weighs generalization against suppression: below 0.5 suppression costs less, above 0.5 "
     "generalization costs less"},
    {"", "algorithm", "name", "flash",
     "`flash`, `best_first`, `ola`, `incognito`, `depth_first`, `breadth_first` and `brute_force` find the "
     "same optimum. `beam`, `igreedy`, `datafly` and `samarati` are heuristics, which prove nothing. "
     "`mondrian` cuts the records into groups and generalizes each group by itself. `least_loss` improves "
     "such groups until they lose little"},
    {"", "mondrian", "section", "none", "how groups are cut, with `algorithm: mondrian`"},
    {"", "least_loss", "section", "none", "how groups are formed, with `algorithm: least_loss`"},
    {"", "resist", "list of words", "none",
     "with `algorithm: mondrian`, attacks by somebody who knows how it cuts: `downcoding`, `minimality` and "
     "`refinement`. Any of them has the cuts drawn at random, so that their choice makes nothing certain "
     "(see [Mondrian](mondrian.md#cuts-that-resist-attacks))"},
    {"", "limits", "section", "none", "when to stop with the best result so far"},
    {"", "suppressed_records", "word", "keep_or_drop",
     "what is published of suppressed records: `drop` leaves them out; `keep_or_drop`, `keep_or_hide` and "
     "`keep` publish them with `*` in all quasi-identifiers, and differ in what happens if these rows break "
     "a model (see [Suppressed records](#suppressed-records))"},
    {"", "outliers", "word", "none",
     "the older key for `suppressed_records`: `drop` means `keep_or_drop`, `hide` means `keep_or_hide`, "
     "`as_reference` means `keep`"},
    {"", "seed", "0 to 2^63 − 1", "random", "seed for the order of the rows; it need not be secret"},
    {"", "output", "section", "required", "where the published table goes"},

    {"input", "file", "path", "none",
     "a delimited text file with a header, JSON lines, Parquet or Arrow; the path is relative to the job; "
     "`-` is standard input"},
    {"input", "separator", "character", ",", "the separator of the file; `tab` for a tab"},
    {"input", "table", "table", "none", "`schema.table` or `[schema, table]`, instead of a file"},
    {"input", "database", "name", "the only one configured", "the database of the table"},
    {"input", "null", "text", "`NULL` of a table, none of a file",
     "the text that stands for NULL in hierarchies, and in the cells of a file"},

    {"attributes", "class", "word", "required",
     "`identifier` (never published), `quasi_identifier`, `sensitive` or `insensitive`"},
    {"attributes", "hierarchy", "section", "required",
     "for a quasi-identifier, a file or one of the rules, which it needs unless groups show sets of values; "
     "for "
     "a sensitive attribute, only with `distance: hierarchical`"},
    {"attributes", "numeric", "true or false", "false",
     "for a quasi-identifier with `algorithm: mondrian` or `least_loss`: it is ordered as numbers and needs "
     "no "
     "hierarchy"},
    {"attributes", "continuous", "true or false", "false",
     "for a quasi-identifier whose hierarchy joins numbers: `loss` is the share of the column's range that "
     "an interval covers, instead of the share of the hierarchy's rows"},
    {"attributes", "aggregate", "word", "none",
     "for a quasi-identifier: each class shows one value computed from its own values, instead of the "
     "generalized value: `mean`, `geometric_mean`, `median`, `mode` or `interval`; a hierarchy is then "
     "optional"},
    {"attributes", "min_level", "level", "0", "the minimum generalization level"},
    {"attributes", "max_level", "level", "the highest", "the maximum generalization level"},
    {"attributes", "weight", "0 or more", "1", "the weight of the attribute in the metric"},
    {"attributes", "l_diversity", "section", "none",
     "for a sensitive attribute: each class has enough different values"},
    {"attributes", "t_closeness", "section", "none",
     "for a sensitive attribute: the values of each class are distributed as in the input"},
    {"attributes", "beta_likeness", "section", "none",
     "for a sensitive attribute: no value is much more frequent in a class than in the input"},
    {"attributes", "delta_disclosure", "above 0", "none",
     "for a sensitive attribute: for each value in the class, the absolute value of log2(share in the class "
     "÷ "
     "share in the input) is below this number"},
    {"attributes", "order", "word or list", "none",
     "the order of the values of a sensitive attribute, for `distance: ordered`: `number`, `text` or a list "
     "of all values"},

    {"l_diversity", "distinct", "1 or more", "none",
     "minimum number of distinct values; a fraction is rounded up"},
    {"l_diversity", "entropy", "1 or more", "none",
     "the values are at least as evenly distributed as this many values of equal frequency"},
    {"l_diversity", "recursive", "section", "none",
     "`{c: 4, l: 3}`: the most frequent value occurs less than c times as often as all values from the l-th "
     "most frequent on together"},

    {"recursive", "c", "above 0", "required", "the factor c"},
    {"recursive", "l", "1 or more", "required", "the rank l from which the values are counted"},

    {"t_closeness", "t", "0 to 1", "required", "the maximum distance"},
    {"t_closeness", "distance", "word", "equal",
     "`equal`, `ordered` (needs `order`) or `hierarchical` (needs `hierarchy`)"},

    {"beta_likeness", "beta", "above 0", "required",
     "the maximum gain, which is (share in the class − p) ÷ p, where p is the share in the input"},
    {"beta_likeness", "kind", "word", "enhanced",
     "`basic`, or `enhanced`, which also limits the gain to −ln p"},

    {"subset", "file", "path", "none",
     "a table whose records are all in the input, with some or all of its columns"},
    {"subset", "separator", "character", ",", "the separator of the file; `tab` for a tab"},
    {"subset", "column", "name", "none", "a column of the input; it is published only if it is an attribute"},
    {"subset", "value", "text", "none", "the value of that column in the records of the subset"},

    {"presence", "least", "share", "0",
     "the minimum share; above 0, every class needs a record of the subset"},
    {"presence", "most", "share", "1",
     "the maximum share: the probability that a person in such a class is in the subset"},

    {"risk", "highest", "share", "none",
     "maximum re-identification risk of any record: `20%` means classes of five or more"},
    {"risk", "average", "share", "none",
     "maximum average re-identification risk over all published records (classes ÷ records)"},
    {"risk", "sample_uniqueness", "share", "none",
     "maximum share of published records that are alone in their class; it adds to `k` only if `k` is 1"},
    {"risk", "population_uniqueness", "section", "none",
     "maximum estimated share of people who are unique in the population; only if `k` is 1"},

    {"differential_privacy", "epsilon", "0.01 to 10", "required",
     "ε: how much more likely one person's record may make any table, as a power of e"},
    {"differential_privacy", "delta", "10^-15 to 0.01", "required",
     "δ: the probability that this does not hold; well below 1 ÷ records"},
    {"differential_privacy", "search_epsilon", "0.001 to 10", "none",
     "the part of `epsilon` that the choice of the levels may spend; without it, each level is fixed"},

    {"population_uniqueness", "most", "share", "required", "the maximum estimate"},
    {"population_uniqueness", "population", "1 to 10^12", "required",
     "the number of people that the published records are a sample of"},
    {"population_uniqueness", "estimator", "word", "dankar", "`zayatz`, `snb`, `pitman` or `dankar`"},

    {"hierarchy", "file", "path", "none", "one record per value: the value, then its generalizations"},
    {"hierarchy", "separator", "character", ";", "the separator of the file; `tab` for a tab"},
    {"hierarchy", "header", "true or false", "none",
     "whether the first record of the file names the levels; without it, a record that looks like that is "
     "refused"},
    {"hierarchy", "intervals", "section", "none", "intervals of numbers"},
    {"hierarchy", "order", "section", "none", "groups of neighbors in a list"},
    {"hierarchy", "masking", "section", "none", "masked characters"},
    {"hierarchy", "dates", "list of steps", "none",
     "some of `day`, `month`, `quarter`, `year`, `decade`, in this order"},
    {"hierarchy", "tree", "map", "none", "node → children: a map of nodes, or a list of nodes and values"},

    {"intervals", "widths", "list of numbers", "required",
     "one per level, each a multiple of the one before"},
    {"intervals", "origin", "number", "0", "a number at which an interval begins"},
    {"intervals", "low", "number", "none", "values below this become `< low`"},
    {"intervals", "high", "number", "none", "values of this and above become `>= high`"},

    {"order", "values", "list of texts", "required", "all values, in their order"},
    {"order", "groups", "list of numbers", "required", "the number of neighbors that each level joins"},

    {"masking", "keep", "word", "prefix", "the side that stays visible longest: `prefix` or `suffix`"},
    {"masking", "masked", "list of numbers", "[1, 2, 3, …]", "the number of masked characters at each level"},

    {"mondrian", "cut_by", "word", "normalized_span",
     "which attribute is cut first. `normalized_span` (share of its whole range), `span` and `entropy` take "
     "the "
     "attribute with the greatest value, `min_entropy` the one with the smallest entropy"},
    {"mondrian", "cuts", "word", "strict",
     "`strict`: records of one value stay together; `relaxed`: they may be divided, so that groups are "
     "smaller and overlap"},
    {"mondrian", "ranges", "word", "tight",
     "what a group shows: `tight` is the range from its smallest to its largest value, `region` is the range "
     "that the cuts left to it, and `sets` is the set of its values, for columns of at most 64 categories. "
     "`region_sets`, the default with `resist`, is the set of the region's values for such columns"},

    {"local_recoding", "parts", "0 to 1000", "1000", "maximum number of additional transformations"},
    {"local_recoding", "least", "share", "0",
     "the share of all records that each of them shows at least: `1%`. The search then finds what loses "
     "least "
     "among those that show so many"},

    {"least_loss", "ranges", "word", "sets",
     "what a group shows: `sets` is the set of its values, for columns of at most 64 categories; they need "
     "no "
     "hierarchy then. `tight` is the common ancestor in the hierarchy. Both show numbers as the range from "
     "the "
     "smallest to the largest"},
    {"least_loss", "rounds", "0 to 10000", "60",
     "maximum number of rounds that improve the groups; they end earlier when twenty of them gain less than "
     "a "
     "thousandth"},

    {"limits", "time", "duration", "none", "time limit of the search: `30s`, `5m`"},
    {"limits", "checks", "1 to 2^53", "none", "maximum number of transformations that are evaluated"},
    {"limits", "bytes", "0 to 2^40", "64 per record, 8 from the 65,537th on",
     "memory for snapshots of earlier checks"},
    {"limits", "threads", "1 to 256", "1",
     "threads of the search; `best_first` evaluates several transformations at a time, the other algorithms "
     "split the check of 32,768 or more distinct records"},

    {"output", "file", "path", "none",
     "path relative to the job, whose end tells the format (see [Parquet and Arrow](#parquet-and-arrow)); "
     "the file "
     "has mode 0600"},
    {"output", "separator", "character", ",", "the separator of the file; `tab` for a tab"},
    {"output", "table", "table", "none", "`schema.table` or `[schema, table]`; with or instead of a file"},
    {"output", "database", "name", "the input's, or the only one configured", "the database of the table"},
    {"output", "replace", "true or false", "false", "whether an existing file or table may be replaced"},
    {"output", "types", "map", "{}",
     "column → type in the table; by default quasi-identifiers become `text` and other columns keep their "
     "types"},
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
