// A job's text in place of the form: it is what is checked, run and saved.
import {useRef, useState} from "preact/hooks";
import {api} from "../../api.js";
import {CheckedText, useChecked} from "../../checked-text.js";
import {pageJobs} from "../../page-jobs-api.js";
import {saveText} from "../../download.js";
import {
  fileNameOf,
  hasPlace,
  textOf,
  withFile,
  withoutFile,
  withYaml,
  type EditedText,
} from "../../job/edited.js";
import {Trouble} from "../../ui.js";
import {Password} from "./fields.js";
import {checkedStart, StartTrouble, useStart} from "./start.js";
import {TextFiles} from "./text-files.js";

/** Back to the form: at once when there is nothing to lose. */
function WayBack({
  isTouched,
  isFormEmpty,
  onBack,
}: {
  isTouched: boolean;
  isFormEmpty: boolean;
  onBack: () => void;
}) {
  const [isAsked, setAsked] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const stay = () => {
    setAsked(false);
    button.current?.focus();
  };
  return (
    <>
      <p class="actions">
        <button
          type="button"
          ref={button}
          aria-expanded={isTouched ? isAsked : undefined}
          onClick={() => (isTouched ? setAsked(true) : onBack())}
        >
          Back to the form
        </button>
      </p>
      {isAsked ? (
        <div class="conflict" role="group" aria-label="Back to the form">
          <p role="status">
            The form's text replaces this one. Your changes here are discarded, with the files that only this
            text has.
            {isFormEmpty ? " The form is empty, because the page was reloaded." : ""}
          </p>
          <p class="actions">
            <button type="button" onClick={onBack}>
              Replace my text with the form's
            </button>
            <button type="button" onClick={stay}>
              Keep my text
            </button>
          </p>
        </div>
      ) : null}
    </>
  );
}

export function TextEditor({
  edited,
  isFormEmpty,
  mayUseTables,
  takesFocus,
  edit,
  dropFile,
  onBack,
}: {
  edited: EditedText;
  isFormEmpty: boolean;
  mayUseTables: boolean;
  takesFocus: boolean;
  edit: (change: (was: EditedText) => EditedText) => void;
  dropFile: (id: string) => void;
  onBack: () => void;
}) {
  const [password, setPassword] = useState("");
  const {yaml, files} = edited;
  const asked = textOf(edited);
  const checking = useChecked(JSON.stringify(asked), () => pageJobs.check(asked));
  const error = checking.check?.error ?? null;
  const start = useStart(async () => {
    const secret = password;
    setPassword("");
    if (secret !== "") await api.prove(secret);
    return checkedStart(asked);
  });
  const replaced = (name: string) => {
    const id = files[name];
    if (id !== undefined) dropFile(id);
  };
  const fileName = fileNameOf(yaml);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        start.run();
      }}
    >
      <p class="hint">
        This text is checked, run and saved, instead of the form. It is a job of pgveil anonymize
        (docs/anonymize.md). Here the result is a file that you download, whatever name the text gives it.
      </p>
      <CheckedText
        id="job-text"
        label="The job's text (YAML)"
        rows={20}
        text={yaml}
        takesFocus={takesFocus}
        mistake={
          error ? {place: hasPlace(error) ? error : null, message: error.message, hint: error.hint} : null
        }
        onInput={(text) => edit((was) => withYaml(was, text))}
      >
        {checking.check && !error ? <p class="fine">No mistake found.</p> : null}
      </CheckedText>
      <Trouble problem={checking.problem}>
        {" "}
        <button type="button" onClick={checking.again}>
          Check again
        </button>
      </Trouble>
      <TextFiles
        files={files}
        add={(name, id) => {
          replaced(name);
          edit((was) => withFile(was, name, id));
        }}
        remove={(name) => {
          replaced(name);
          edit((was) => withoutFile(was, name));
        }}
      />
      {mayUseTables ? (
        <p>
          <Password
            label="Your password, if the text reads or makes a table"
            value={password}
            isRequired={false}
            onInput={setPassword}
          />
        </p>
      ) : null}
      <p class="actions">
        <button type="submit" disabled={start.isBusy}>
          {start.isBusy ? "starting …" : "Run the job"}
        </button>
        <button type="button" onClick={() => saveText(fileName, yaml)}>
          Save the job's text
        </button>
      </p>
      <StartTrouble start={start} />
      <WayBack isTouched={edited.isTouched} isFormEmpty={isFormEmpty} onBack={onBack} />
    </form>
  );
}
