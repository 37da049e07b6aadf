// Names that follow from what was brought: of the job, and of its result.

export const kNewName = "my_job";
const kMostLetters = 50;

/** "Adult Data (2).csv" → "adult_data_2": a name of pgveil. */
export function jobNameOf(source: string): string {
  const name = source
    .replace(/\.[A-Za-z0-9]{1,5}$/, "")
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .slice(0, kMostLetters);
  if (name === "") return kNewName;
  return /^[0-9]/.test(name) ? `t_${name}` : name;
}

/** As the server names the download (docs/openapi.yaml). */
export const resultNameOf = (job: string) => `${job}_anonymized.csv`;
