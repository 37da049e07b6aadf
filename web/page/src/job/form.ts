// A job as a form: what somebody has chosen. job/text.ts makes the text of it that pgveil reads.
import type {ColumnClass as Class} from "../policy-text/form.js";
import {kUsualCuts, type Mondrian} from "./cuts.js";
import {
  kUsualEpsilonAndDelta,
  type EpsilonAndDelta,
  type FixedLevel,
  type PrivacyModel,
} from "./differential-privacy.js";
import type {Models} from "./models.js";
import {kNewName} from "./names.js";
import type {Separator} from "./separated.js";

export type {Class};

export const kHierarchies = ["intervals", "masking", "hide", "dates", "table", "file"] as const;
export type HierarchyKind = (typeof kHierarchies)[number];

export interface Hierarchy {
  kind: HierarchyKind;
  /** "5, 10, 20": of intervals. */
  widths: string;
  steps: string[];
  /** Of a table: each value with its levels above it. */
  rows: string[][];
  /** Of a file: what was uploaded. */
  upload: {id: string; name: string; separator: Separator} | null;
  /** With differential privacy: in place of widths, steps and levels. */
  fixed: FixedLevel;
}

/** Models are of sensitive ones. */
export interface Attribute extends Models {
  name: string;
  class: Class;
  /** Somebody chose the class; else it is what was suggested. */
  isChosen: boolean;
  hierarchy: Hierarchy;
}

/** epsilon and delta are of differential privacy; then nothing is asked of k, suppression and recoding. */
export interface JobForm extends EpsilonAndDelta {
  name: string;
  file: {id: string; name: string; separator: Separator} | null;
  /** In place of a file, for whom the configuration lists; name: "schema.table". */
  table: {database: string; name: string} | null;
  /** A table to publish to, beside the file: "schema.table"; empty: none. */
  target: string;
  /** Where that is. */
  targetDatabase: string;
  /** What stands for NULL (input.null); null: what pgveil takes unless told, nothing of a file and "NULL" of
   * a table. */
  nullText: string | null;
  attributes: Attribute[];
  privacyModel: PrivacyModel;
  k: number;
  /** In per cent. */
  suppression: number;
  /** So many further transformations, at most, for records that are suppressed. */
  localRecoding: number;
  metric: string;
  algorithm: string;
  mondrian: Mondrian;
  seconds: number;
  threads: number;
  suppressedRecords: SuppressedRecords;
}

export const kMetrics = [
  "loss",
  "discernibility",
  "discernibility_monotonic",
  "class_size",
  "nonuniform_entropy",
  "nonuniform_entropy_monotonic",
  "normalized_nonuniform_entropy",
  "precision",
  "precision_monotonic",
  "height",
  "kl_divergence",
  "ambiguity",
];
export const kMondrian = "mondrian";
export const kLeastLoss = "least_loss";
/** Such an algorithm has no levels to search, and cuts numbers as numbers. */
export const isOfGroups = (algorithm: string) => algorithm === kMondrian || algorithm === kLeastLoss;
export const kAlgorithms = [
  "flash",
  "best_first",
  "ola",
  "incognito",
  "depth_first",
  "breadth_first",
  "brute_force",
  "beam",
  "igreedy",
  "datafly",
  "samarati",
  kMondrian,
  kLeastLoss,
];

/** How the level of a quasi-identifier comes about: a search chooses it, groups are cut instead, or it is
 * named in the form. */
export type Generalization = "searched" | "grouped" | "fixed";
export function generalizationOf({privacyModel, algorithm}: JobForm): Generalization {
  if (privacyModel === "differential_privacy") return "fixed";
  return isOfGroups(algorithm) ? "grouped" : "searched";
}

/** What is published of suppressed records. */
export const kSuppressedRecords = ["drop", "keep_or_drop", "keep_or_hide", "keep"] as const;
export type SuppressedRecords = (typeof kSuppressedRecords)[number];

export const kNewForm: JobForm = {
  name: kNewName,
  file: null,
  table: null,
  target: "",
  targetDatabase: "",
  nullText: null,
  attributes: [],
  privacyModel: "k_anonymity",
  ...kUsualEpsilonAndDelta,
  k: 5,
  suppression: 5,
  localRecoding: 0,
  metric: "loss",
  algorithm: "flash",
  mondrian: kUsualCuts,
  seconds: 60,
  threads: 1,
  suppressedRecords: "drop",
};

/** It reads or makes a table of a database, which needs the password again. */
export const usesTables = (form: JobForm) => form.table !== null || form.target !== "";
