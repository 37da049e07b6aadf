// The job that somebody is setting up: the form, what is known of its input, and the text that replaces it.
import type {ColumnInfo} from "../page-jobs-api.js";
import type {EditedText} from "./edited.js";
import {kNewForm, type JobForm} from "./form.js";

/** The beginning of an upload, in this page's memory only. records: its header first. */
export interface Samples {
  text: string;
  /** The file goes on. */
  isCut: boolean;
  records: string[][];
}

export interface FileNote {
  text: string;
  isGood: boolean;
}

export interface Draft {
  form: JobForm;
  columns: ColumnInfo[];
  /** 0: not known. */
  rows: number;
  samples: Samples;
  /** What became of the hierarchy files that were dropped last. */
  notes: FileNote[];
  /** The text that is run in place of the form's; null: the form is. */
  edited: EditedText | null;
}

export const kNewDraft: Draft = {form: kNewForm, columns: [], rows: 0, samples: {text: "", isCut: false, records: []}, notes: [], edited: null};

let draft = kNewDraft;

/** What was filled in outlives a visit of another page. */
export const formDraft = {
  read: () => draft,
  write: (now: Draft) => {
    draft = now;
  },
};
