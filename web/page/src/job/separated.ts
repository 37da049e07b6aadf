// Text with separators: its records, and which separator a file seems to have.

export const kSeparators = [",", ";", "\t", "|"] as const;
export type Separator = (typeof kSeparators)[number];

/** As pgveil's API and job language spell it. */
export const separatorWord = (separator: Separator) => (separator === "\t" ? "tab" : separator);

export const kSeparatorNames: Record<Separator, string> = {
  ",": "comma",
  ";": "semicolon",
  "\t": "tab",
  "|": "vertical bar",
};

/** RFC 4180: a quoted cell may have separators, line ends and doubled quotes. At most `most` records. isCut: the
 * text goes on, so that its last record may be only a part of one, and is left out. */
export function recordsOf(text: string, separator: string, most: number, isCut = false): string[][] {
  const records: string[][] = [];
  let cells: string[] = [];
  let cell = "";
  let isQuoted = false;
  const endCell = () => {
    cells.push(cell);
    cell = "";
  };
  let at = text.startsWith("\ufeff") ? 1 : 0;
  for (; at < text.length && records.length < most; at++) {
    const here = text[at] ?? "";
    if (isQuoted) {
      if (here !== '"') cell += here;
      else if (text[at + 1] === '"') cell += text[at++] ?? "";
      else isQuoted = false;
    } else if (here === '"' && cell === "") {
      isQuoted = true;
    } else if (here === separator) {
      endCell();
    } else if (here === "\n" || here === "\r") {
      if (here === "\r" && text[at + 1] === "\n") at++;
      endCell();
      records.push(cells);
      cells = [];
    } else {
      cell += here;
    }
  }
  const hasRest = cell !== "" || cells.length > 0;
  if (hasRest && !isCut && records.length < most) {
    endCell();
    records.push(cells);
  }
  return records;
}

const kSniffed = 100;

/** How many records have as many cells as the first one, and how many cells that is. */
function fitOf(text: string, separator: Separator, isCut: boolean) {
  const records = recordsOf(text, separator, kSniffed, isCut);
  const width = records[0]?.length ?? 0;
  const same = records.filter(it => it.length === width).length;
  return {separator, width, share: records.length === 0 ? 0 : same / records.length};
}

/** The separator with which the most records have as many cells as the first one; with several, the one that
 * makes the most columns. A text in which nothing separates gets a comma. */
export function sniffedSeparator(text: string, isCut = false): Separator {
  const fits = kSeparators.map(it => fitOf(text, it, isCut)).filter(it => it.width > 1);
  fits.sort((one, other) => other.share - one.share || other.width - one.width);
  return fits[0]?.separator ?? ",";
}
