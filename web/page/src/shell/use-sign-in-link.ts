import {useEffect, useState} from "preact/hooks";
import {api, type Problem, type Session} from "../api.js";
import {takeLink} from "../sign-in-link.js";
import {problemFrom} from "../ui.js";

const kFirst = takeLink(window);  // when the page is loaded, before anything else reads the address

/**
 * Signs in with the link that led here, if nobody is signed in; whoever is, stays who they are. Returns why
 * the link did not sign in.
 */
export function useSignInLink(
  who: "unknown" | "nobody" | "expired" | "in",
  onDone: (session: Session) => void,
): Problem | null {
  const [link, setLink] = useState(kFirst);
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
    const follow = () => {
      const found = takeLink(window);
      if (found !== null) setLink(found);
    };
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  useEffect(() => {
    if (who === "unknown" || link === null) return;
    setLink(null);
    if (who === "nobody") api.signInByLink(link).then(onDone, thrown => setProblem(problemFrom(thrown)));
  }, [who, link]);
  return problem;
}
