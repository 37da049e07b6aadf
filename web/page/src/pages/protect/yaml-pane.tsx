// The policy's text beside the form: both say the same at every moment.
import {api} from "../../api.js";
import {CheckedText, useChecked, type Mistake} from "../../checked-text.js";
import {saveText} from "../../download.js";
import {readForm, type FormReading} from "../../policy-text/form.js";
import {withText, type Flow} from "../../protect/flow.js";
import {Button, Card, Trouble} from "../../ui.js";
import type {Change} from "./flow.js";

/** "policies/people.yaml" → "people.yaml". */
export const fileNameOf = (path: string) => path.split("/").pop() ?? path;

export function YamlPane({flow, change, onClose}: {flow: Flow; change: Change; onClose: () => void}) {
  const {check, problem} = useChecked(flow.text, () => api.checkDesign(flow.text));
  const error = check?.error ?? null;
  const mistake: Mistake | null = error ? {place: error, message: error.message, hint: ""} : null;
  const reading = readForm(flow.text, flow.policy);
  return (
    <aside class="yaml-pane" aria-label="The policy as YAML">
      <Card
        title="Policy as YAML"
        actions={<Button kind="quiet" icon="close" label="Hide the YAML" onClick={onClose} />}
      >
        <CheckedText
          id="protect-yaml"
          label={flow.base.name}
          rows={26}
          text={flow.text}
          mistake={mistake}
          onInput={(text) => change(was => withText(was, text))}
        >
          {"reason" in reading ? (
            <p class="hint">The form is read-only, because {reading.reason}.</p>
          ) : check ? (
            <p class="fine">No mistake found. The form and this text say the same.</p>
          ) : null}
        </CheckedText>
        <Trouble problem={problem} />
        <p class="actions">
          <Button icon="download" onClick={() => saveText(fileNameOf(flow.base.name), flow.text)}>
            Save as a file
          </Button>
        </p>
      </Card>
    </aside>
  );
}

/** In the place of a step that needs the form. */
export function Unreadable({flow, reading}: {
  flow: Flow;
  reading: Extract<FormReading, {reason: string}>;
}) {
  const line = reading.place === null ? null : flow.text.slice(0, reading.place).split("\n").length;
  return (
    <Card>
      <h2 tabIndex={-1}>This policy can only be edited as YAML</h2>
      <p>
        The form can't show it, because {reading.reason}
        {line === null ? "" : ` (line ${line})`}. Nothing is lost: choose “Show the YAML”, edit the text, and
        the form comes back when it can show the policy. Preview and Apply work with any text.
      </p>
    </Card>
  );
}
