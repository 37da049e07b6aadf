import {render} from "preact";
import {useEffect, useState} from "preact/hooks";
import {api, whenExpired, type Session} from "./api.js";
import {forgetHistory} from "./history.js";
import {formDraft, kNewDraft} from "./job/draft.js";
import {keepText, keptText, tabStore} from "./job/kept-text.js";
import {forgetLive, resumeLive} from "./live.js";
import {Audit} from "./pages/audit.js";
import {Design} from "./pages/design.js";
import {Home} from "./pages/home.js";
import {Jobs} from "./pages/jobs.js";
import {NewJob} from "./pages/new-job.js";
import {Operations} from "./pages/operations.js";
import {Policies} from "./pages/policies.js";
import {PolicyPage} from "./pages/policy.js";
import {Protect} from "./pages/protect.js";
import {forgetQueries, Query} from "./pages/query.js";
import {ComparePage} from "./pages/compare.js";
import {RunPage} from "./pages/run.js";
import {keptFlows} from "./protect/flow.js";
import {routeOf, type Route} from "./route.js";
import {mayOpen} from "./shell/menu.js";
import {ReachBanner} from "./shell/reach-banner.js";
import {Shell} from "./shell/shell.js";
import {About, SignIn} from "./shell/sign-in.js";
import {useSignInLink} from "./shell/use-sign-in-link.js";
import {startTheme} from "./ui/theme.js";
import {ButtonLink, EmptyState, Skeleton, Toasts} from "./ui.js";
import "./style.css";

function Page({route, session}: {route: Route; session: Session}) {
  const isAdmin = session.standing === "admin";
  if (!mayOpen(route.page, isAdmin))
    return (
      <EmptyState
        icon="lock"
        title="Only admins can open this page."
        text={`You are signed in as ${session.role}, which may look at figures only.`}
        action={<ButtonLink href="#/home">Home</ButtonLink>}
      />
    );
  switch (route.page) {
    case "home":
      return <Home isAdmin={isAdmin} />;
    case "policies":
      return <Policies isAdmin={isAdmin} />;
    case "policy":
      return isAdmin ? (
        <PolicyPage key={route.policy} policy={route.policy} showsRaw={session.raw_rows} />
      ) : (
        <Policies isAdmin={false} />
      );
    case "protect":
      return <Protect at={route.at} showsRaw={session.raw_rows} mayApply={session.policy_authors} />;
    case "design":
      return <Design />;
    case "query":
      return <Query />;
    case "jobs":
      return <Jobs isAdmin={isAdmin} />;
    case "operations":
      return <Operations isAdmin={isAdmin} />;
    case "audit":
      return (
        <Audit key={`${route.filter?.key} ${route.filter?.value}`} {...(route.filter ? {link: route.filter} : {})} />
      );
    case "new-job":
      return <NewJob role={session.role} mayUseTables={session.table_jobs} />;
    case "run":
      return <RunPage key={route.run} run={route.run} />;
    case "compare":
      return <ComparePage key={`${route.left} ${route.right}`} left={route.left} right={route.right} />;
  }
}

type Who =
  {kind: "unknown"} | {kind: "nobody"} | {kind: "expired"; session: Session} | {kind: "in"; session: Session};

function App() {
  const [who, setWho] = useState<Who>({kind: "unknown"});
  const enter = (session: Session) => {
    keptText(tabStore(), session.role);  // forgets another role's
    setWho({kind: "in", session});
    resumeLive();
  };
  const [route, setRoute] = useState<Route>(routeOf(location.hash));
  // Who is signed in, by the server's word; what is open stays.
  const ask = () =>
    api.session().then(
      session => {
        setWho(was => {
          const isInside = was.kind === "in" || was.kind === "expired";
          if (session) return isInside ? was : {kind: "in", session};
          return isInside ? {kind: "expired", session: was.session} : {kind: "nobody"};
        });
      },
      () => setWho(was => (was.kind === "unknown" ? {kind: "nobody"} : was)));
  useEffect(() => {
    const follow = () => setRoute(routeOf(location.hash));
    addEventListener("hashchange", follow);
    whenExpired(() => setWho(was => (was.kind === "in" ? {kind: "expired", session: was.session} : was)));
    ask();
    return () => removeEventListener("hashchange", follow);
  }, []);
  useEffect(() => {
    if (who.kind === "nobody") document.title = "Sign in · pgveil";
  }, [who.kind]);
  const signOut = () => {
    const leave = () => {
      formDraft.write(kNewDraft);
      keptFlows.clear();
      keepText(tabStore(), null);
      forgetLive();
      forgetHistory();
      forgetQueries();
      setWho({kind: "nobody"});
    };
    api.signOut().then(leave, leave);
  };
  const whyNoLink = useSignInLink(who.kind, enter);
  const banner = <ReachBanner retry={ask} />;
  if (who.kind === "unknown") return <><main class="door"><Skeleton lines={4} /></main>{banner}</>;
  if (who.kind === "nobody")
    return (
      <>
        {banner}
        <main class="door">
          <About />
          <SignIn isAgain={false} problem={whyNoLink} onDone={enter} />
        </main>
      </>
    );
  // Another role starts from scratch: what the one before saw is not for its eyes.
  const back = (session: Session) => (session.role === who.session.role ? enter(session) : location.reload());
  return (
    <>
      {banner}
      <Shell route={route} session={who.session} isInert={who.kind === "expired"} onSignOut={signOut}>
        <Page route={route} session={who.session} />
      </Shell>
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
