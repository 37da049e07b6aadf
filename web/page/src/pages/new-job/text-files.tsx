// The files that an edited text names: uploads, each under its name.
import {UploadField} from "./upload-field.js";

export function TextFiles({files, add, remove}: {
  files: Record<string, string>; add: (name: string, id: string) => void; remove: (name: string) => void;
}) {
  const names = Object.keys(files);
  return (
    <fieldset>
      <legend>Files of the text</legend>
      <p class="hint wide">
        The text refers to these files by the names listed here, without a folder, as in{" "}
        <code>hierarchy: {"{file: age.csv}"}</code>. A new file replaces an older one of the same name.
      </p>
      {names.length > 0 ? (
        <ul class="wide" aria-label="Files of the text">
          {names.map((name) => (
            <li key={name}>
              <code>{name}</code>{" "}
              <button type="button" aria-label={`Remove ${name}`} onClick={() => remove(name)}>
                Remove
              </button>
            </li>
          ))}
        </ul>
      ) : null}
      <UploadField label="Add a file" onDone={({id, name}) => add(name, id)} />
    </fieldset>
  );
}
