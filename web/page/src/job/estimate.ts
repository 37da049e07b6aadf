// What the first records of a table say of it, before anything runs.

/** The share of records that no other one looks like in these columns; null: there is nothing to say.
 * records: the header first. */
export function uniqueShare(records: readonly string[][], columns: readonly string[]): number | null {
  const places = columns.map(it => (records[0] ?? []).indexOf(it)).filter(it => it >= 0);
  const rows = records.slice(1);
  if (places.length === 0 || rows.length < 2) return null;
  const sizes = new Map<string, number>();
  for (const row of rows) {
    const key = JSON.stringify(places.map(at => row[at] ?? ""));
    sizes.set(key, (sizes.get(key) ?? 0) + 1);
  }
  const alone = [...sizes.values()].filter(it => it === 1).length;
  return alone / rows.length;
}

/** Codes are cut from the right, as postal codes; words are not. */
export function looksLikeCodes(values: readonly string[]): boolean {
  const given = values.filter(it => it !== "");
  const codes = given.filter(it => /\d/.test(it) && !/\s/.test(it) && it.length <= 20);
  return given.length > 0 && codes.length >= 0.8 * given.length;
}
