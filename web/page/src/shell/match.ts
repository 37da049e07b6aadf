// How well a name fits what was typed in the command palette.

/**
 * 0: it does not. Larger is better: the whole name, its beginning, the beginning of a word, within a word,
 * and last the letters in their order with others between them.
 */
export function fit(typed: string, name: string): number {
  const wanted = typed.trim().toLowerCase();
  const text = name.toLowerCase();
  if (wanted === "") return 1;
  if (text === wanted) return 100;
  if (text.startsWith(wanted)) return 80;
  const at = text.indexOf(wanted);
  if (at >= 0) return /[\s._\-:"]/.test(text[at - 1] ?? "") ? 60 : 40;
  const words = wanted.split(/\s+/);
  if (words.length > 1 && words.every(word => text.includes(word))) return 30;
  let found = 0;
  for (const letter of text) if (letter === wanted[found]) found++;
  return found === wanted.length && wanted.length > 1 ? 10 : 0;
}

/** Those that fit, the best first; of equals the earlier first. */
export function best<T>(typed: string, things: T[], nameOf: (thing: T) => string, limit: number): T[] {
  return things
    .map(thing => ({thing, score: fit(typed, nameOf(thing))}))
    .filter(it => it.score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(it => it.thing);
}
