import {useState} from "preact/hooks";
import {api, type Problem, type Session} from "../api.js";
import {Button, Field, Icon, Trouble, useAction, type IconName} from "../ui.js";

/**
 * Also shown over a page whose session has ended: what was typed there stays.
 * problem: why the link that led here did not sign in.
 */
export function SignIn({isAgain, problem, onDone}: {
  isAgain: boolean;
  problem?: Problem | null;
  onDone: (session: Session) => void;
}) {
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
      <Field label="Role">
        <input
          name="role"
          autocomplete="username"
          required
          autofocus
          value={role}
          onInput={it => setRole(it.currentTarget.value)}
        />
      </Field>
      <Field label="Password">
        <input
          name="password"
          type="password"
          autocomplete="current-password"
          required
          value={password}
          onInput={it => setPassword(it.currentTarget.value)}
        />
      </Field>
      <Button kind="primary" type="submit" isBusy={action.isBusy}>Sign in</Button>
      <Trouble problem={action.problem ?? problem ?? null} />
      <p class="hint">
        Use the role and the password with which you connect to pgveil. The person who runs pgveil decides
        which roles may use this page.
      </p>
    </form>
  );
}

const kPoints: [icon: IconName, title: string, text: string][] = [
  ["shield", "Protect a table", "Choose what identifies a person, and how large a group has to be."],
  ["eye", "See what is disclosed", "Each policy tells which values are disclosed or hidden, and why."],
  ["query", "Keep your tools", "Analysts go on with SQL and with the clients that they know."],
];

/** What this is, for somebody who has only got a link. */
export function About() {
  return (
    <section class="about" aria-label="About pgveil">
      <span class="brand">
        <img src="/icon.svg" alt="" width="32" height="32" /> pgveil
      </span>
      <h2>Answers from your database, without singling anybody out.</h2>
      <p>
        pgveil stands between PostgreSQL and those who query it. It hides the values that would tell a person
        from a group of at least k people, and shows the others as they are.
      </p>
      <ul>
        {kPoints.map(([icon, title, text]) => (
          <li key={title}>
            <Icon name={icon} />
            <span>
              <strong>{title}</strong>
              {text}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
