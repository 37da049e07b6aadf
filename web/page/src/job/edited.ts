// A job's text that somebody edits, in place of the form that it began as.
import type {JobMistake, JobText} from "../page-jobs-api.js";
import type {JobForm} from "./form.js";
import {jobText} from "./text.js";

export interface EditedText {
  yaml: string;
  /** Names in the text → ids of uploads. */
  files: Record<string, string>;
  /** Somebody changed what came from the form, so there is something to lose. */
  isTouched: boolean;
}

/** tables: those that were edited in the form, uploaded; names → ids. */
export function editedFrom(form: JobForm, tables: Record<string, string>): EditedText {
  return {...jobText(form, tables), isTouched: false};
}

export const withYaml = (edited: EditedText, yaml: string): EditedText => ({
  ...edited,
  yaml,
  isTouched: true,
});

/** A file of the same name is another one from now on. */
export const withFile = (edited: EditedText, name: string, id: string): EditedText =>
  ({...edited, files: {...edited.files, [name]: id}, isTouched: true});

export const withoutFile = (edited: EditedText, name: string): EditedText => ({
  ...edited,
  files: Object.fromEntries(Object.entries(edited.files).filter(([other]) => other !== name)),
  isTouched: true,
});

/** What is checked and run. */
export const textOf = ({yaml, files}: EditedText): JobText => ({yaml, files});

/** Uploads that the form knows nothing of: nobody needs them once the text is gone. */
export function uploadsOfText({files}: EditedText, form: JobForm): string[] {
  const known = new Set(Object.values(jobText(form, {}).files));
  return Object.values(files).filter(it => !known.has(it));
}

const kName = /^name:[ \t]*(["']?)([a-z_][a-z0-9_]{0,62})\1[ \t]*(#.*)?$/m;

/** What its file is called. */
export const fileNameOf = (yaml: string) => `${kName.exec(yaml)?.[2] ?? "job"}.yaml`;

/** pgveil tells line 1, column 1 of what has no place of its own. */
export const hasPlace = ({line, column}: Pick<JobMistake, "line" | "column">) => line > 1 || column > 1;

export function mistakeWords(mistake: JobMistake): string {
  const place = hasPlace(mistake) ? `Line ${mistake.line}, column ${mistake.column}: ` : "";
  return `${place}${mistake.message}${mistake.hint === "" ? "" : ` (${mistake.hint})`}`;
}
