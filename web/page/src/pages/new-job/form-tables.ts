// The tables that were edited in the form, as uploads.
import {pageJobs} from "../../page-jobs-api.js";
import type {JobForm} from "../../job/form.js";
import {tablesOf} from "../../job/text.js";
import {sourceOf, upload} from "../../upload.js";

export const dropUploads = (ids: string[]) => {
  for (const id of ids) void pageJobs.dropUpload(id).catch(() => {});
};

/** → names in the text → ids. All or none. */
export async function uploadedTables(form: JobForm): Promise<Record<string, string>> {
  const tables: Record<string, string> = {};
  try {
    for (const [name, text] of Object.entries(tablesOf(form)))
      tables[name] = await upload(sourceOf(name, text), () => {});
    return tables;
  } catch (thrown) {
    dropUploads(Object.values(tables));
    throw thrown;
  }
}
