#pragma once
// The mask of one policy, compiled and verified, as a function of one value. A large tree takes seconds, and
// a BUILD changes one policy of many, so a snapshot takes over from the one before it each mask whose inputs
// are equal, and makes the others.
//
// Why a mask that was verified once needs no second look: make_policy_mask gets a MaskInputs and nothing
// else. It has no catalog, no server and no clock to ask; of the policy it sees what is written below and no
// other part; what is compiled and what that is held against are in the same value, which is the one that is
// compared. So equal inputs have equal masks with equal verdicts, and an input that somebody adds is compared
// because it is a member. What can change while they stay equal (the table under its name, the current
// version, rights) is asked by the guards and by the snapshot, never by the mask's text.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "policy/spec/spec.hpp"
#include "policy/version/version.hpp"
#include "rewriter/catalog/catalog.hpp"
#include "rewriter/catalog/own_schema.hpp"
#include "rewriter/mask/look_up.hpp"
#include "rewriter/mask/mask.hpp"
#include "rewriter/mask/mask_form.hpp"

namespace pgveil::rewriter {

// Compared by what it says: a version that was read again is the same one.
struct VersionValue {
  std::shared_ptr<const policy::PolicyVersion> version;  // not null
  bool operator==(const VersionValue& other) const {
    return version == other.version || *version == *other.version;
  }
};

struct MaskedColumn {
  std::string name;
  policy::ColumnClass column_class = policy::ColumnClass::identifier;
  bool operator==(const MaskedColumn&) const = default;
};

struct MaskInputs {
  std::string policy;
  std::vector<MaskedColumn> columns;  // of the policy, in its order
  policy::Enforcement enforcement = policy::Enforcement::query;
  VersionValue version;
  Relation table;
  std::optional<Relation> copy;  // enforcement: copy
  VersionGuard guard = VersionGuard::absent;
  MaskSource source = MaskSource::text;
  LookUps look_ups = LookUps::yes;
  bool operator==(const MaskInputs&) const = default;
};

struct PolicyMask {
  MaskInputs inputs;
  std::shared_ptr<const Mask> mask;
  std::string
      // enforcement: stored: why the mask is in each query all the same; empty when it is not
      not_stored_because;
};

// REQUIRES: the version is of the table, check_policy found no error, and a copy is there where the policy is
// enforced by one. Errors: ErrorKind::policy, a mask that its verifier does not accept; a type text of the
// catalog that does not parse.
[[nodiscard]] Result<std::shared_ptr<const PolicyMask>> make_policy_mask(MaskInputs inputs);

}  // namespace pgveil::rewriter
