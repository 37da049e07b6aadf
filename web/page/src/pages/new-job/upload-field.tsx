// Files that are chosen or dropped go up in parts; trouble stays beside the field.
import {useState} from "preact/hooks";
import type {Problem} from "../../api.js";
import {problemFrom, Trouble} from "../../ui.js";
import {upload} from "../../upload.js";

const kHeadBytes = 1024 * 1024;
const kMostLetters = 60;

export interface Brought {
  id: string;
  name: string;
  /** The file's beginning. */
  head: string;
  /** The file goes on after it. */
  isCut: boolean;
}

export async function bring(file: File, onShare: (share: number) => void): Promise<Brought> {
  const id = await upload(file, onShare);
  const head = await file.slice(0, kHeadBytes).text();
  const name = file.name.slice(0, kMostLetters) || "table.csv";
  return {id, name, head, isCut: file.size > kHeadBytes};
}

/** take: uploads them. isWide: a field to drop files on. */
export function FileField({label, hint, isMultiple = false, isWide = false, take}: {
  label: string;
  hint?: string;
  isMultiple?: boolean;
  isWide?: boolean;
  take: (files: File[], onShare: (share: number) => void) => Promise<void>;
}) {
  const [share, setShare] = useState<number | null>(null);
  const [isOver, setOver] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const start = async (files: File[]) => {
    if (files.length === 0 || share !== null) return;
    setProblem(null);
    setShare(0);
    try {
      await take(files, setShare);
    } catch (thrown) {
      setProblem(problemFrom(thrown));
    }
    setShare(null);
  };
  return (
    <div
      class={isWide ? `drop${isOver ? " over" : ""}` : ""}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void start([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      <label class="file">
        {label}{" "}
        <input
          type="file"
          accept=".csv,.tsv,.txt,text/csv"
          multiple={isMultiple}
          disabled={share !== null}
          onChange={(event) => {
            const input = event.currentTarget;
            void start([...(input.files ?? [])]).finally(() => (input.value = ""));
          }}
        />
      </label>
      {hint ? <p class="hint">{hint}</p> : null}
      {share === null ? null : <progress aria-label={label} max={1} value={share} />}
      <Trouble problem={problem} />
    </div>
  );
}

/** One file. */
export function UploadField({label, onDone}: {label: string; onDone: (brought: Brought) => void | Promise<void>}) {
  return (
    <FileField
      label={label}
      take={async (files, onShare) => {
        const file = files[0];
        if (file) await onDone(await bring(file, onShare));
      }}
    />
  );
}
