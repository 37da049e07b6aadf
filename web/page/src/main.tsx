import {render} from "preact";
import {useEffect, useState} from "preact/hooks";
import {api, whenExpired, type Session} from "./api.js";
import {formDraft, kNewDraft} from "./job/draft.js";
import {keepText, keptText, tabStore} from "./job/kept-text.js";
import {Audit} from "./pages/audit.js";
import {Design} from "./pages/design.js";
import {Jobs} from "./pages/jobs.js";
import {NewJob} from "./pages/new-job.js";
import {Operations} from "./pages/operations.js";
import {Policies} from "./pages/policies.js";
import {PolicyPage} from "./pages/policy.js";
import {Query} from "./pages/query.js";
import {ComparePage, RunPage} from "./pages/run.js";
import {routeOf, type Route} from "./route.js";
import {SignIn} from "./sign-in.js";
import {startTheme} from "./ui/theme.js";
import {Toasts} from "./ui.js";
import "./style.css";

interface Entry {
  page: Route["page"];
  title: string;
  isForAdmins: boolean;
}

const kMenu: Entry[] = [
  {page: "policies", title: "Policies", isForAdmins: false},
  {page: "design", title: "Design", isForAdmins: true},
  {page: "query", title: "Query", isForAdmins: true},
  {page: "jobs", title: "Jobs", isForAdmins: false},
  {page: "operations", title: "Operations", isForAdmins: false},
  {page: "audit", title: "Audit log", isForAdmins: true},
];

const kAdminPages: Route["page"][] = ["new-job", "run", "compare"];

const kUnder: Partial<Record<Route["page"], Entry["page"]>> = {
  policy: "policies",
  "new-job": "jobs",
  run: "jobs",
  compare: "jobs",
};

function isHere(entry: Entry, route: Route): boolean {
  return entry.page === (kUnder[route.page] ?? route.page);
}

function Page({route, session}: {route: Route; session: Session}) {
  const isAdmin = session.standing === "admin";
  if (
    !isAdmin &&
    (kAdminPages.includes(route.page) ||
      kMenu.some((entry) => entry.isForAdmins && entry.page === route.page))
  )
    return <p class="trouble">Only admins can open this page.</p>;
  switch (route.page) {
    case "policies":
      return <Policies isAdmin={isAdmin} />;
    case "policy":
      return isAdmin ? (
        <PolicyPage key={route.policy} policy={route.policy} showsRaw={session.raw_rows} />
      ) : (
        <Policies isAdmin={false} />
      );
    case "design":
      return <Design />;
    case "query":
      return <Query />;
    case "jobs":
      return <Jobs isAdmin={isAdmin} />;
    case "operations":
      return <Operations />;
    case "audit":
      return <Audit />;
    case "new-job":
      return <NewJob role={session.role} mayUseTables={session.table_jobs} />;
    case "run":
      return <RunPage key={route.run} run={route.run} />;
    case "compare":
      return <ComparePage key={`${route.left} ${route.right}`} left={route.left} right={route.right} />;
  }
}

function Menu({route, session, onSignOut}: {route: Route; session: Session; onSignOut: () => void}) {
  const entries = kMenu.filter(entry => session.standing === "admin" || !entry.isForAdmins);
  return (
    <header class="topbar">
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById("main")?.focus();
        }}
      >
        Skip to the content
      </a>
      <span class="brand">pgveil</span>
      <nav aria-label="Pages">
        {entries.map((entry) => (
          <a
            key={entry.page}
            href={`#/${entry.page}`}
            aria-current={isHere(entry, route) ? "page" : undefined}
          >
            {entry.title}
          </a>
        ))}
      </nav>
      <span class="who">
        {session.role} ({session.standing})
        <button type="button" onClick={onSignOut}>
          Sign out
        </button>
      </span>
    </header>
  );
}

type Who =
  {kind: "unknown"} | {kind: "nobody"} | {kind: "expired"; session: Session} | {kind: "in"; session: Session};

function App() {
  const [who, setWho] = useState<Who>({kind: "unknown"});
  const enter = (session: Session) => {
    keptText(tabStore(), session.role);  // forgets another role's
    setWho({kind: "in", session});
  };
  const [route, setRoute] = useState<Route>(routeOf(location.hash));
  useEffect(() => {
    const follow = () => setRoute(routeOf(location.hash));
    addEventListener("hashchange", follow);
    whenExpired(() => setWho(was => (was.kind === "in" ? {kind: "expired", session: was.session} : was)));
    api.session().then(
      session => (session ? enter(session) : setWho({kind: "nobody"})),
      () => setWho({kind: "nobody"}));
    return () => removeEventListener("hashchange", follow);
  }, []);
  const signOut = () => {
    const leave = () => {
      formDraft.write(kNewDraft);
      keepText(tabStore(), null);
      setWho({kind: "nobody"});
    };
    api.signOut().then(leave, leave);
  };
  if (who.kind === "unknown") return <p class="waiting" role="status">loading …</p>;
  if (who.kind === "nobody")
    return <main class="door"><SignIn isAgain={false} onDone={enter} /></main>;
  // Another role starts from scratch: what the one before saw is not for its eyes.
  const back = (session: Session) =>
    session.role === who.session.role ? setWho({kind: "in", session}) : location.reload();
  return (
    <>
      <div inert={who.kind === "expired"}>
        <Menu route={route} session={who.session} onSignOut={signOut} />
        <main id="main" tabIndex={-1}>
          <Page route={route} session={who.session} />
        </main>
        <footer class="footer">{who.session.version}</footer>
      </div>
      {who.kind === "expired" ? (
        <div class="cover" role="dialog" aria-modal="true" aria-label="Sign in again">
          <SignIn isAgain={true} onDone={back} />
        </div>
      ) : null}
    </>
  );
}

const place = document.getElementById("page");
startTheme();
if (place) render(<Toasts><App /></Toasts>, place);
