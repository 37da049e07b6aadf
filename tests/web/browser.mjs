// What people do on the page, in a real browser: node browser.mjs SCENARIO, with PAGE (JSON: url, modules,
// passwords, screenshots) in the environment. It ends with an error when something is not as it should be, or
// when the browser's console had an error.
import assert from "node:assert/strict";
import {createRequire} from "node:module";
import path from "node:path";
import {applying} from "./applying.mjs";
import {changes} from "./changes.mjs";
import {jobs} from "./jobs.mjs";
import {jobTexts} from "./job-text.mjs";
import {keyboard} from "./keyboard.mjs";
import {protect} from "./protect.mjs";
import {shell} from "./shell.mjs";
import {pages} from "./pages.mjs";
import {pictures} from "./pictures.mjs";

const settings = JSON.parse(process.env.PAGE);
const require = createRequire(path.join(settings.modules, "package.json"));
const {chromium} = require("playwright-core");
const axeSource = require.resolve("axe-core/axe.min.js");

// No hints for letters and one scale, so that pictures are alike on all machines.
const kArguments = ["--no-sandbox", "--disable-dev-shm-usage", "--font-render-hinting=none", "--disable-lcd-text",
                    "--force-device-scale-factor=1", "--force-color-profile=srgb"];
const kWide = {width: 1280, height: 900};
const kPhone = {width: 390, height: 844};
// Theme and size. The scenario "accessibility" looks at each page in all four ways. Within the others, each
// theme and each size is looked at once, which takes half of the time.
const kAllLooks = ["light", "dark"].flatMap(theme => [[theme, kWide], [theme, kPhone]]);
const kLooks = [["light", kWide], ["dark", kPhone]];

async function signIn(page, role = "operator", password = settings.passwords[role]) {
  await page.goto(settings.url);
  await page.getByLabel("Role").fill(role);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", {name: "Sign in"}).click();
}

async function signedIn(page, role = "operator") {
  await signIn(page, role);
  await page.getByRole("navigation", {name: "Pages"}).waitFor();
}

// By the menu, of which a small screen shows a part.
async function open(page, title) {
  const menu = page.getByRole("navigation", {name: "Pages"});
  await menu.waitFor();  // it comes with the session, after a reload too
  const link = menu.getByRole("link", {name: title, exact: true});
  if (!(await link.isVisible())) await menu.getByRole("button", {name: "More"}).click();
  await link.click();
  // Until then the page before is shown, whose tables look alike.
  await heading(page, title);
}

// The watch checks each policy soon after pgveil begins. A page that asks before that shows no check.
async function allChecked(page) {
  const areChecked = () => page.evaluate(async () => {
    const {columns, rows} = await (await fetch("/api/v1/policies")).json();
    const [state, check] = ["state", "last_check"].map(it => columns.indexOf(it));
    return rows.every(row => row[state] !== "open" || row[check]);
  });
  for (const end = Date.now() + settings.timeout_ms; !(await areChecked()); ) {
    assert.ok(Date.now() < end, "the watch has not checked all open policies");
    await page.waitForTimeout(500);
  }
}

const heading = (page, name) => page.getByRole("heading", {name, level: 1}).waitFor();

async function shot(page, name) {
  if (settings.screenshots) await page.screenshot({path: path.join(settings.screenshots, `web-${name}.png`)});
}

// Colours, names, roles, keyboard traps, contrast, sizes of targets: WCAG 2.2 AA.
async function accessible(page, where) {
  // The page's own policy forbids foreign scripts; axe is put in from outside of it.
  const session = await page.context().newCDPSession(page);
  const {readFileSync} = await import("node:fs");
  await session.send("Runtime.evaluate", {expression: readFileSync(axeSource, "utf8")});
  const {result} = await session.send("Runtime.evaluate", {
    expression: `axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]})
      .then(it => JSON.stringify(it.violations.map(v => [v.id, v.nodes.map(n => n.html.slice(0, 120))])))`,
    awaitPromise: true,
    returnByValue: true,
  });
  assert.deepEqual(JSON.parse(result.value), [], where);
  await session.detach();
}

// Colours have the values of the theme only after their transitions.
const settled = page => page.evaluate(async () => {
  const frame = () => new Promise(done => requestAnimationFrame(done));
  await frame();
  await frame();
  const transitions = document.getAnimations().filter(it => it instanceof CSSTransition);
  await Promise.allSettled(transitions.map(it => it.finished));
  await frame();
});

// On a busy machine the browser can be late with the colours of a theme. What is wrong after that counts.
async function accessibleAtLast(page, where) {
  for (let left = 4; ; left--) {
    await settled(page);
    try {
      return await accessible(page, where);
    } catch (wrong) {
      if (left === 0) throw wrong;
    }
    await page.waitForTimeout(500);
  }
}

// As it is, in light and dark, and on a phone, which it has to fit.
async function everywhere(page, what) {
  for (const [colorScheme, size] of kLooks) {
    await page.emulateMedia({colorScheme});
    await page.setViewportSize(size);
    const where = `${what}, ${colorScheme}, ${size.width}`;
    await accessibleAtLast(page, where);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(overflow <= 0, `${where} is ${overflow} pixels too wide`);
  }
  await page.emulateMedia({colorScheme: "light"});
  await page.setViewportSize(kWide);
}

async function openNewJob(page) {
  await open(page, "Jobs");
  await page.getByRole("link", {name: "Set up a job"}).click();
  await heading(page, "Set up a job");
}

function people() {
  const towns = ["Aber", "Bree", "Cork"];
  const rows = Array.from({length: 300}, (_, i) => `person ${i},${20 + (i % 40)},${towns[i % 3]},${i % 2 ? "flu" : "gout"}`);
  return {name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(["name,age,town,illness", ...rows].join("\n"))};
}

async function signInAgain(page) {
  const again = page.getByRole("dialog");
  await again.waitFor();
  await again.getByLabel("Role").fill("operator");
  await again.getByLabel("Password").fill(settings.passwords.operator);
  await again.getByRole("button", {name: "Sign in"}).click();
  await again.waitFor({state: "detached"});
}

const scenarios = {
  async sign_in(page, seen) {
    await signIn(page, "operator", "wrong");
    await page.getByRole("alert").waitFor();
    assert.match(await page.getByRole("alert").innerText(), /role or the password is wrong/);
    assert.equal(await page.getByLabel("Password").inputValue(), "");
    seen.allow(/401/);
    await page.getByLabel("Password").fill(settings.passwords.operator);
    await page.keyboard.press("Enter");
    await heading(page, "Home");
    assert.equal(await page.evaluate(() => document.cookie), "");
    await page.reload();
    await heading(page, "Home");
    await page.getByRole("button", {name: "Sign out"}).click();
    await page.getByRole("heading", {name: "Sign in to pgveil"}).waitFor();
    await page.reload();
    await page.getByRole("heading", {name: "Sign in to pgveil"}).waitFor();
  },

  async what_if(page) {
    await signedIn(page);
    await open(page, "Policy editor");
    const editor = page.getByLabel("Policies (YAML)");
    const good = (await editor.inputValue()).replace("k: 5", "k: 2");
    await editor.fill(good.replace("state:      {class: quasi_identifier}", "state:      {class: quasi}"));
    await page.getByText(/Line 12, column 27/).waitFor();
    await page.getByRole("button", {name: "Go there"}).click();
    assert.equal(await editor.evaluate(it => it.value.slice(it.selectionStart).split("}")[0]), "quasi");
    await editor.fill(good);
    await page.getByText("One policy, no mistake found.").waitFor();
    const classes = () => page.locator(".stat", {hasText: "equivalence classes"}).locator("dd").innerText();
    await page.getByRole("button", {name: "Count the table"}).click();
    await page.getByText(/^At k = 2, counts by/).waitFor();
    assert.equal(await classes(), "5");
    await page.getByRole("table", {name: "Each column at k = 2"}).getByRole("row", {name: /^city/}).waitFor();
    await page.getByLabel("k", {exact: true}).fill("4");
    await page.getByText(/^At k = 4/).waitFor();
    assert.ok(Number(await classes()) < 5);
    await shot(page, "design");
    await page.getByText("Columns of public.people in demo").click();
    const city = page.locator('[data-column="city"]');
    await city.press("ArrowRight");
    await city.press("ArrowRight");
    await page.getByText("One policy, no mistake found.").waitFor();
    assert.match(await editor.inputValue(), /city: {7}\{class: sensitive\}/);
    await city.press("ArrowLeft");
    await city.press("ArrowLeft");
    assert.equal(await editor.inputValue(), good);
    await page.getByLabel("k", {exact: true}).fill("12");
    await page.getByText(/^With k = 12 there is no answer/).waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("button", {name: "Save as a file"}).click();
    assert.equal((await download).suggestedFilename(), "policies.yaml");
    await open(page, "Policies");
    await heading(page, "Policies");
    await page.getByRole("row", {name: /people_k2/}).waitFor();
    assert.equal(await page.getByRole("row", {name: /people_k5/}).count(), 0);
    await open(page, "Policy editor");
    assert.equal(await editor.inputValue(), good);
  },

  async job(page) {
    await signedIn(page);
    await open(page, "Jobs");
    await page.getByRole("button", {name: "Run clash"}).click();
    await page.getByRole("cell", {name: "failed", exact: true}).waitFor();
    assert.match(await page.getByRole("row", {name: /clash/}).innerText(), /is already released under policy people_k2/);
    await page.getByRole("button", {name: "Run towns"}).click();
    await page.getByRole("cell", {name: "done", exact: true}).waitFor();
    await shot(page, "jobs");
  },

  async stats_role(page) {
    await signedIn(page, "watcher");
    await heading(page, "Home");
    await open(page, "Policies");
    await heading(page, "Policies");
    const menu = await page.getByRole("navigation", {name: "Pages"}).innerText();
    assert.doesNotMatch(menu, /Protect a table|Policy editor|Query|Audit/);
    const table = await page.getByRole("table", {name: "Policies"}).innerText();
    assert.doesNotMatch(table, /cohorts|smallest/);
    assert.equal(await page.getByRole("table").getByRole("link").count(), 0);
    await page.goto(`${settings.url}#/design`);
    await page.getByText("Only admins can open this page.").waitFor();
    await page.goto(`${settings.url}#/policies/people_k2`);
    await heading(page, "Policies");
    await open(page, "Jobs");
    await page.getByRole("table", {name: "Jobs"}).waitFor();
    assert.equal(await page.getByRole("button", {name: /Run/}).count(), 0);
  },

  async expired_session(page, seen) {
    await signedIn(page);
    await open(page, "Policy editor");
    const editor = page.getByLabel("Policies (YAML)");
    await page.getByRole("button", {name: "Open the policy file"}).waitFor();
    await page.getByText("One policy, no mistake found.").waitFor();
    await page.context().clearCookies();
    await editor.fill("version: 1\n# half a thought");
    seen.allow(/401/);
    const again = page.getByRole("dialog");
    await again.waitFor();
    await accessibleAtLast(page, "the dialog");
    await again.getByLabel("Role").fill("operator");
    await again.getByLabel("Password").fill(settings.passwords.operator);
    await again.getByRole("button", {name: "Sign in"}).click();
    await again.waitFor({state: "detached"});
    assert.equal(await editor.inputValue(), "version: 1\n# half a thought");
    await page.evaluate(() => document.querySelector("textarea").dispatchEvent(new Event("input", {bubbles: true})));
    await editor.fill("version: 2");
    await page.getByText(/Line 1, column/).waitFor();
  },

  async accessibility(page) {
    for (const [scheme, size] of kAllLooks) {
      await page.emulateMedia({colorScheme: scheme});
      await page.setViewportSize(size);
      const where = `${scheme}, ${size.width}`;
      await page.context().clearCookies();
      await page.goto("about:blank");
      await page.goto(settings.url);
      await page.getByRole("heading", {name: "Sign in to pgveil"}).waitFor();
      await accessibleAtLast(page, `sign-in ${where}`);
      await signedIn(page);
      for (const [address, ready] of [
        ["#/home", () => page.getByRole("table", {name: "Health of the policies"}).waitFor()],
        ["#/policies", () => page.getByRole("table", {name: "Policies", exact: true}).waitFor()],
        ["#/policies/people_k2", () => page.getByRole("application").waitFor()],
        ["#/design", () => page.getByText("no mistake found").waitFor()],
        ["#/query", () => page.getByRole("option", {name: "demo"}).waitFor({state: "attached"})],
        ["#/jobs", () => page.getByRole("table", {name: "Jobs"}).waitFor()],
        ["#/new-job", () => page.getByRole("heading", {name: "Set up a job"}).waitFor()],
        ["#/audit", () => page.getByRole("table", {name: "Events, newest first"}).waitFor()],
        ["#/operations", () => page.getByText("Latency", {exact: true}).first().waitFor()],
      ]) {
        await page.goto(settings.url + address);
        await ready();
        await accessibleAtLast(page, `${address} ${where}`);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(overflow <= 0, `${address} ${where} is ${overflow} pixels too wide`);
      }
    }
    await page.setViewportSize(kWide);
    await page.goto(`${settings.url}#/policies/people_k2`);
    await page.getByRole("application").waitFor();
    await shot(page, "policy-dark");
  },

  async another_site(page, seen) {
    // In the same browser, where the operator is signed in.
    await signedIn(page);
    await allChecked(page);
    await open(page, "Policies");
    // How long ago something was is left out, because minutes may pass meanwhile.
    const row = async () => (await page.getByRole("row", {name: /people_k2/}).innerText())
      .replaceAll(/just now|\d+ (second|minute|hour)s? ago/g, "ago");
    const before = await row();
    seen.allow(/evil\.example/);
    const other = await page.context().newPage();
    other.setDefaultTimeout(settings.timeout_ms);
    await other.route("http://evil.example/**", route =>
      route.fulfill({contentType: "text/html", body: `<iframe src="${settings.url}"></iframe>`}));
    await other.goto("http://evil.example/");
    const answers = await other.evaluate(async url => {
      const tries = [
        () => fetch(`${url}api/v1/policies`, {credentials: "include"}),
        () => fetch(`${url}api/v1/policies/people_k2/build`, {method: "POST", credentials: "include", body: "{}", mode: "no-cors"}),
        () => fetch(`${url}api/v1/session`, {method: "DELETE", credentials: "include"}),
      ];
      return Promise.all(tries.map(it => it().then(answer => answer.type, () => "refused")));
    }, settings.url);
    assert.deepEqual(answers, ["refused", "refused", "refused"]);
    const framed = other.frames().find(frame => frame !== other.mainFrame());
    assert.equal(await framed.locator("form").count(), 0);
    await other.close();
    await page.reload();
    await heading(page, "Policies");
    assert.equal(await row(), before);
  },
};

// The page of queries begins with a statement that works. It comes with the role's tables, perhaps late.
const suggested = page => page.waitForFunction(() => document.getElementById("sql").value !== "");

const common = {
  settings, suggested, kPhone, kWide, heading, signedIn, allChecked, open, openNewJob, people, signInAgain,
  accessible: accessibleAtLast, everywhere, settled, shot,
};
Object.assign(
  scenarios, changes(common), jobs(common), jobTexts(common), shell(common), protect(common), pages(common),
  applying(common), keyboard(common), pictures(common),
);

async function main(name) {
  const browser = await chromium.launch({executablePath: settings.chromium, args: kArguments});
  const context = await browser.newContext({viewport: kWide, colorScheme: "light", reducedMotion: "reduce"});
  const page = await context.newPage();
  page.setDefaultTimeout(settings.timeout_ms);
  const errors = [];
  const allowed = [];
  page.on("console", message => message.type() === "error" && errors.push(message.text()));
  page.on("pageerror", error => errors.push(String(error)));
  const own = new URL(settings.url).host;
  page.on("request", request => {
    const {host, protocol} = new URL(request.url());
    if (protocol.startsWith("http") && host !== own) errors.push(`a request to another host: ${request.url()}`);
  });
  try {
    await scenarios[name](page, {allow: pattern => allowed.push(pattern)});
    assert.deepEqual(errors.filter(error => !allowed.some(pattern => pattern.test(error))), [], "errors in the browser's console");
  } catch (error) {
    console.error(`The page showed:\n${await page.locator("body").innerText().catch(() => "nothing")}`);
    throw error;
  } finally {
    // An answer that is on its way through a route when the browser closes is not a mistake.
    for (const it of context.pages()) await it.unrouteAll({behavior: "ignoreErrors"});
    await browser.close();
  }
}

if (process.argv[2] === "--list") console.log(Object.keys(scenarios).join("\n"));
else await main(process.argv[2]);
