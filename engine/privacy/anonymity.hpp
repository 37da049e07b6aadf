#pragma once
// What a published table promises, as values: k-anonymity with suppression, and models of sensitive columns
// and of the whole table in any combination. class_test.hpp tests one class, risk_test.hpp tests all
// together.
//
// A class is a set of records that look alike. n is the number of its records, f the frequency of a value of
// a sensitive column in it, q = f ÷ n, and p the share of the same value in the whole table. A class that
// breaks any model is suppressed as a whole.
//
//   model                    a class keeps it when                         inherited by generalizations
//                                                                          with suppression   without
//   k-anonymity              n ≥ k                                         yes                yes
//   distinct l-diversity     ≥ l values                                    yes                yes
//   entropy l-diversity      ≥ l values and H ≥ ln l                       no                 yes
//   recursive (c,l)          ≥ l values and f(1) < c · Σ_{i≥l} f(i)        no                 yes
//   t-closeness              D(q, p) ≤ t                                   no                 yes
//   β-likeness               each q ≤ (1 + β') · p                         no                 yes
//   δ-disclosure privacy     each of its values: |log2(q ÷ p)| < δ         no                 no
//   δ-presence               least ≤ subset's records ÷ records ≤ most     no                 yes
//   k-map                    ≥ k records in and outside the subset         yes                yes
//   highest risk             1 ÷ n ≤ r                                     yes                yes
//
//   model                    the classes that are not suppressed keep it when
//   average risk             classes ÷ records ≤ r                         yes                yes
//   sample uniqueness        classes of one record ÷ records ≤ u           yes                yes
//   population uniqueness    the estimated share of the population
//                            that nobody else looks like ≤ u               no                 no
//
// The last three apply to all classes together. Of the classes that keep all other models, the smallest are
// suppressed until the rest keeps these three, too. This costs the fewest records: any other choice
// suppresses larger classes and leaves more classes for fewer records. So a generalization suppresses no
// more, because its classes with a kept part keep the models, too. Estimates may rise when classes merge: the
// larger the other classes are, the more of the single records seem to be unique in the population.
//
// "With suppression": classes that break a model may merge with ones that keep it, and the result may break
// it. So the number of records that must be suppressed can grow. Only if a merged class keeps what one of its
// parts keeps, it cannot grow.
//
// Sources (docs/bibliography.md): Sweeney 2002 (k-anonymity, k-map); Machanavajjhala et al. 2007 (distinct,
// entropy and recursive l-diversity); Li, Li and Venkatasubramanian 2007 (t-closeness); Cao and Karras 2012
// (β-likeness); Brickell and Shmatikov 2008 (δ-disclosure privacy); Nergiz, Atzori and Clifton 2007
// (δ-presence); El Emam 2013, chapter 16 (risks). Those of population uniqueness are named in
// risk/population_uniqueness.hpp.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/error.hpp"

namespace pgveil::engine {

struct DistinctDiversity {
  double l = 2;  // ≥ 1; at least this many values, rounded up
};
struct EntropyDiversity {
  double l = 2;  // ≥ 1
};
struct RecursiveDiversity {
  double c = 1;         // > 0
  std::uint64_t l = 2;  // ≥ 1
};
enum class Distance {
  equal,        // any two values are as far apart as any other two
  ordered,      // the distance is the number of values from one to the other
  hierarchical  // the distance is the height of the values' common ancestor in a hierarchy
};
struct TCloseness {
  double t = 0;  // in [0, 1]
  Distance distance = Distance::equal;
};
enum class Likeness {
  basic,    // β' = β
  enhanced  // β' = min(β, −ln p): frequent values gain less
};
struct BetaLikeness {
  double beta = 1;  // > 0
  Likeness likeness = Likeness::enhanced;
};
struct DeltaDisclosure {
  double delta = 1;  // > 0
};
using ValueModel = std::variant<DistinctDiversity, EntropyDiversity, RecursiveDiversity, TCloseness,
                                BetaLikeness, DeltaDisclosure>;

struct SensitiveModel {
  std::size_t column = 0;  // of PreparedTable::sensitive
  ValueModel model;
};

struct DeltaPresence {
  double least = 0, most = 1;  // 0 ≤ least ≤ most ≤ 1
};

// The risk from somebody who knows that a person is in the table (El Emam's prosecutor).
struct HighestRisk {
  double most = 1;  // in [10^-9, 1]
};
struct AverageRisk {
  double most = 1;  // in [10^-9, 1]
};
struct UniquenessInSample {
  double most = 1;  // in [0, 1]
};
enum class Estimator { zayatz, snb, pitman, dankar };
struct UniquenessInPopulation {
  double most = 1;        // in [0, 1]
  double population = 0;  // people the records are a sample of: at least as many as records, at most 10^12
  Estimator estimator = Estimator::dankar;
};
using RiskModel = std::variant<HighestRisk, AverageRisk, UniquenessInSample, UniquenessInPopulation>;

struct Anonymity {
  std::uint64_t k = 2;
  std::uint64_t suppression_limit = 0;  // records
  std::vector<SensitiveModel> sensitive = {};
  std::optional<DeltaPresence> presence = {};  // for a table with a subset
  std::optional<std::uint64_t> k_map = {};     // for a table with a subset
  std::vector<RiskModel> risks = {};
};

// "distinct 3", "t_closeness 0.2 ordered": for reports.
[[nodiscard]] std::string describe(const ValueModel& model);
// "average_risk 0.05", "population_uniqueness 0.01 8000000 dankar".
[[nodiscard]] std::string describe(const RiskModel& model);
[[nodiscard]] std::string_view name(Estimator estimator);

// No smaller class can keep all models: the largest of k and the sizes that the models of values and the
// highest risk require.
[[nodiscard]] std::uint64_t smallest_class(const Anonymity& anonymity);

// Whether generalizations of an anonymous transformation are anonymous, and specializations of one that is
// not are not.
[[nodiscard]] bool is_inherited(const Anonymity& anonymity);
// The same if nothing may be suppressed: if two classes keep the models, the class that they merge into keeps
// them.
[[nodiscard]] bool is_inherited_by_merging(const Anonymity& anonymity);

// Whether a class keeps the models if some part of it keeps them. Then the number of records in classes that
// are suppressed by themselves never grows.
[[nodiscard]] bool keeps_what_parts_keep(const Anonymity& anonymity);

// Whether each record that a transformation suppresses is also suppressed by all its specializations.
[[nodiscard]] bool suppressed_stay_suppressed(const Anonymity& anonymity);

// Whether nothing but the size of a class has to be tested.
[[nodiscard]] bool is_plain(const Anonymity& anonymity);

// The properties of a sensitive column that models may need. validate() checks these and the parameters.
struct SensitiveShape {
  std::string name;
  bool has_order = false;
  bool has_hierarchy = false;
};
[[nodiscard]] Result<void> validate(const Anonymity& anonymity, const std::vector<SensitiveShape>& columns,
                                    bool has_subset);
// Refuses a population that is smaller than the number of published records.
[[nodiscard]] Result<void> validate_populations(const Anonymity& anonymity, std::uint64_t records);

}  // namespace pgveil::engine
