// An edited text outlives a reload of the page: it is kept in this tab alone, for the role that wrote it,
// until that signs out. Of the form, which knows values of the table, nothing is kept.
import type {EditedText} from "./edited.js";

export type Store = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** Of this tab; null: the browser gives none. */
export function tabStore(): Store | null {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
}

const kKey = "pgveil.job-text";

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Earlier releases also kept `spark`, the choice of a cluster; it is left out. */
function editedFrom(value: unknown): EditedText | null {
  if (!isRecord(value) || typeof value["yaml"] !== "string" || !isRecord(value["files"])) return null;
  const files = Object.entries(value["files"]).filter(
    (it): it is [string, string] => typeof it[1] === "string",
  );
  return {yaml: value["yaml"], files: Object.fromEntries(files), isTouched: true};
}

/** Null: there is none of this role. That of another one is forgotten. */
export function keptText(store: Store | null, role: string): EditedText | null {
  try {
    const kept: unknown = JSON.parse(store?.getItem(kKey) ?? "null");
    const edited = isRecord(kept) && kept["role"] === role ? editedFrom(kept["edited"]) : null;
    if (!edited) store?.removeItem(kKey);
    return edited;
  } catch {
    return null;
  }
}

/** Null: there is none any more. A browser that keeps nothing is no reason to stop. */
export function keepText(store: Store | null, kept: {role: string; edited: EditedText} | null): void {
  try {
    if (kept) store?.setItem(kKey, JSON.stringify(kept));
    else store?.removeItem(kKey);
  } catch {
    // It lives as long as the page then.
  }
}
