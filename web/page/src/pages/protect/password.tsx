// What changes or shows something asks for the password again.
import type {ComponentChildren} from "preact";
import {useState} from "preact/hooks";
import {Button, Field} from "../../ui.js";

/** The password is forgotten as soon as it is sent. */
export function PasswordForm({button, kind = "primary", isBusy, isDisabled = false, hint, onSend, children}: {
  button: string;
  kind?: "primary" | "secondary" | "danger";
  isBusy: boolean;
  isDisabled?: boolean;
  hint?: string;
  onSend: (password: string) => void;
  children?: ComponentChildren;
}) {
  const [password, setPassword] = useState("");
  return (
    <form
      class="password-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (isBusy || isDisabled || password === "") return;
        setPassword("");
        onSend(password);
      }}
    >
      <Field label="Your password" hint={hint}>
        <input
          type="password"
          autocomplete="current-password"
          required
          value={password}
          onInput={it => setPassword(it.currentTarget.value)}
        />
      </Field>
      <Button type="submit" kind={kind} isBusy={isBusy} isDisabled={isDisabled}>{button}</Button>
      {children}
    </form>
  );
}
