// A file that is chosen goes up in parts; trouble stays beside the button.
import {useState} from "preact/hooks";
import type {Problem} from "../../api.js";
import {Trouble, problemFrom} from "../../ui.js";
import {upload} from "../../upload.js";

export function UploadField({
  label,
  onDone,
}: {
  label: string;
  onDone: (id: string, name: string) => void | Promise<void>;
}) {
  const [share, setShare] = useState<number | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const bring = async (file: File) => {
    setProblem(null);
    setShare(0);
    try {
      const id = await upload(file, setShare);
      await onDone(id, file.name.slice(0, 60) || "table.csv");
    } catch (thrown) {
      setProblem(problemFrom(thrown));
    }
    setShare(null);
  };
  return (
    <>
      <label class="file">
        {label}{" "}
        <input
          type="file"
          accept=".csv,.tsv,.txt,text/csv"
          disabled={share !== null}
          onChange={(event) => {
            const input = event.currentTarget;
            const file = input.files?.[0];
            if (file) void bring(file).finally(() => (input.value = ""));
          }}
        />
      </label>
      {share === null ? null : <progress aria-label={label} max={1} value={share} />}
      <Trouble problem={problem} />
    </>
  );
}
