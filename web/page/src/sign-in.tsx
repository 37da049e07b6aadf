import {useState} from "preact/hooks";
import {api, type Session} from "./api.js";
import {Trouble, useAction} from "./ui.js";

/** Also shown over a page whose session has ended: what was typed there stays. */
export function SignIn({isAgain, onDone}: {isAgain: boolean; onDone: (session: Session) => void}) {
  const [role, setRole] = useState("");
  const [password, setPassword] = useState("");
  const action = useAction(async () => {
    const secret = password;
    setPassword("");
    onDone(await api.signIn(role, secret));
  });
  return (
    <form
      class="sign-in"
      aria-labelledby="sign-in-title"
      onSubmit={(event) => {
        event.preventDefault();
        action.run();
      }}
    >
      <h1 id="sign-in-title">Sign in to pgveil</h1>
      {isAgain ? <p role="status">Your session has ended. Nothing that you typed is lost.</p> : null}
      <label>
        Role
        <input
          name="role"
          autocomplete="username"
          required
          autofocus
          value={role}
          onInput={(it) => setRole(it.currentTarget.value)}
        />
      </label>
      <label>
        Password
        <input
          name="password"
          type="password"
          autocomplete="current-password"
          required
          value={password}
          onInput={(it) => setPassword(it.currentTarget.value)}
        />
      </label>
      <button type="submit" disabled={action.isBusy}>
        Sign in
      </button>
      <Trouble problem={action.problem} />
      <p class="hint">
        Sign in with an admin or stats role and its password for the proxy.
      </p>
    </form>
  );
}
