// Uploads a file of a job, in parts: never whole in memory, and only text (UTF-8).
import {ApiError} from "./api.js";
import {pageJobs} from "./page-jobs-api.js";

export const kPartBytes = 256 * 1024;
export const kMostBytes = 64 * 1024 * 1024;

export interface Source {
  name: string;
  size: number;
  slice: (from: number, to: number) => {arrayBuffer: () => Promise<ArrayBuffer>};
}

type Sink = Pick<typeof pageJobs, "begin" | "part" | "dropUpload">;

const mistake = (message: string, hint: string) => new ApiError({status: 400, message, hint});

/** The pieces of text of a file. What is no UTF-8, or has NULs in it, is an error. */
export async function* texts(file: Source): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", {fatal: true, ignoreBOM: true});
  const wrong = () =>
    mistake(
      "this is not UTF-8 text",
      "save the table as CSV in UTF-8; spreadsheets and archives can't be read",
    );
  for (let from = 0; from < file.size; from += kPartBytes) {
    const to = Math.min(from + kPartBytes, file.size);
    const bytes = await file.slice(from, to).arrayBuffer();
    let text: string;
    try {
      text = decoder.decode(bytes, {stream: to < file.size});
    } catch {
      throw wrong();
    }
    if (text.includes("\0")) throw wrong();
    if (text !== "") yield text;
  }
}

/** → the upload's id. On an error nothing is left there. */
export async function upload(
  file: Source,
  onProgress: (share: number) => void,
  to: Sink = pageJobs,
): Promise<string> {
  if (file.size === 0) throw mistake("the file is empty", "choose another");
  if (file.size > kMostBytes)
    throw mistake(
      "the file has more than 64 MiB",
      "use pgveil anonymize for larger files; it has no such limit",
    );
  const {id} = await to.begin(file.name.slice(0, 60) || "table.csv", file.size);
  try {
    let received = 0;
    for await (const text of texts(file)) {
      received = (await to.part(id, received, text)).received;
      onProgress(received / file.size);
    }
    return id;
  } catch (thrown) {
    await to.dropUpload(id).catch(() => {});
    throw thrown;
  }
}

/** A text that was made here, as a file. */
export function sourceOf(name: string, text: string): Source {
  return new File([text], name);
}
