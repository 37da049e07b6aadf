// More of browser.mjs: the start page, and what is around every page.
import assert from "node:assert/strict";

export const shell = ({settings, kPhone, kWide, signedIn, open, heading, everywhere, settled, shot}) => {
  /** At once: the page forgets the first key after a moment. */
  const pressBoth = (page, one, other) => Promise.all([page.keyboard.press(one), page.keyboard.press(other)]);
  const theme = async page => {
    await settled(page);
    return page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  };
  /** Answers of this part of the API wait until the function that is returned is called. */
  const heldBack = async (page, part) => {
    let release = () => {};
    const held = new Promise(done => (release = done));
    await page.route(`**/api/v1/${part}`, async route => {
      await held;
      await route.continue();
    });
    return release;
  };
  // The title follows the page after it is drawn.
  const titled = (page, title) => page.waitForFunction(it => document.title === it, title);
  /** From then on the keys of the page are heard, too. */
  const listens = page => titled(page, "Home · pgveil");
  const focused = page => page.evaluate(() => document.activeElement?.id ?? "");
  const isPainted = (page, color) =>
    page.waitForFunction(it => getComputedStyle(document.body).backgroundColor === it, color);

  return {
    async home(page) {
      await signedIn(page);
      await heading(page, "Home");
      const policies = page.getByRole("table", {name: "Health of the policies"});
      const row = policies.getByRole("row", {name: /people_k2/});
      assert.match(await row.innerText(), /public\.people, k = 2[^]*open/);
      await page.getByText("Per minute, since this page was opened.").waitFor();
      await everywhere(page, "home");
      await shot(page, "home");
      await row.getByRole("link").click();
      await heading(page, "people_k2");
    },

    async home_tells_what_wants_a_decision(page, seen) {
      await page.route("**/api/v1/policies", async route => {
        const answer = await route.fetch();
        const table = await answer.json();
        const at = name => table.columns.indexOf(name);
        const row = table.rows.find(it => it[at("policy")] === "people_k2");
        row[at("state")] = "closed";
        row[at("closed_because")] = "withdrawn: a cohort fell below k; build needed";
        row[at("version")] = "4";
        await route.fulfill({response: answer, json: table});
      });
      await page.route("**/api/v1/protect/tables", route => route.fulfill({json: {
        database: "demo",
        policy_folder: null,
        tables: [
          {table: "public.people", kind: "table", rows: 11, state: "closed", looks: "persons",
           reason: "it has a name", personal: []},
          {table: 'public."<b>x"', kind: "table", rows: null, state: "open", looks: "persons",
           reason: "it has an e-mail address", personal: []},
          {table: "public.towns", kind: "table", rows: 9, state: "open", looks: "reference", reason: "",
           personal: []},
        ],
      }}));
      await signedIn(page);
      await page.getByRole("heading", {name: "people_k2 is closed"}).waitFor();
      await page.getByText("Withdrawn: a cohort fell below k; build needed. Nobody can query").waitFor();
      await page.getByRole("heading", {name: 'public."<b>x" is read as it is'}).waitFor();
      assert.equal(await page.getByRole("heading", {name: /towns is read/}).count(), 0);
      await page.getByText("1 with personal data are read as they are").waitFor();
      await everywhere(page, "home with decisions");
      // The table is made up, so pgveil has no draft for it.
      seen.allow(/404/);
      await page.getByRole("link", {name: "Protect it"}).click();
      const address = `#/protect/demo/${encodeURIComponent('public."<b>x"')}`;
      await page.waitForFunction(it => location.hash === it, address);
    },

    async home_of_a_stats_role(page) {
      await signedIn(page, "watcher");
      await page.getByText("what is in a policy is for admins").waitFor();
      await page.getByRole("table", {name: "Health of the policies"}).waitFor();
      assert.equal(await page.getByRole("link", {name: "Protect a table"}).count(), 0);
      assert.equal(await page.getByRole("link", {name: "people_k2"}).count(), 0);
      await everywhere(page, "home of a stats role");
    },

    async titles_and_focus(page, seen) {
      await signedIn(page);
      await heading(page, "Home");
      await titled(page, "Home · pgveil");
      await open(page, "Audit log");
      await heading(page, "Audit log");
      await titled(page, "Audit log · pgveil");
      assert.equal(await focused(page), "main");
      await page.goto(`${settings.url}#/policies/people_k2`);
      await page.getByRole("application").waitFor();
      await titled(page, "people_k2 · Policies · pgveil");
      await page.locator(".facts").waitFor();
      // What is still asked for when the session ends is refused.
      seen.allow(/401/);
      await page.getByRole("button", {name: "Sign out"}).click();
      await page.getByRole("heading", {name: "Sign in to pgveil"}).waitFor();
      await titled(page, "Sign in · pgveil");
      await page.keyboard.press("Tab");
      assert.doesNotMatch(await page.locator("main").innerText(), /admin_users|stats_users|admin\.http/);
    },

    async command_palette(page) {
      await signedIn(page);
      await heading(page, "Home");
      await listens(page);
      await page.keyboard.press("Control+k");
      const field = page.getByRole("combobox", {name: "Find"});
      await field.fill("people");
      await page.getByRole("option", {name: /^people_k2 policy of public\.people/}).waitFor();
      await everywhere(page, "the command palette");
      await shot(page, "palette");
      await field.press("Enter");
      await heading(page, "people_k2");
      await page.keyboard.press("Control+k");
      await field.fill("zzz");
      await page.getByText("Nothing has such a name.").waitFor();
      await field.press("Escape");
      await field.waitFor({state: "detached"});
      await page.keyboard.press("Control+k");
      await field.fill("dark th");
      await field.press("Enter");
      assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
    },

    async shortcuts(page) {
      await signedIn(page);
      await heading(page, "Home");
      await listens(page);
      await pressBoth(page, "g", "o");
      await heading(page, "Operations");
      await pressBoth(page, "g", "q");
      await heading(page, "Query");
      await page.getByLabel("SQL").fill("");
      await page.getByLabel("SQL").pressSequentially("g h ?");
      assert.equal(await page.getByLabel("SQL").inputValue(), "g h ?");
      await heading(page, "Query");
      await open(page, "Home");
      await page.keyboard.press("?");
      const help = page.getByRole("dialog", {name: "Keyboard shortcuts"});
      await help.waitFor();
      await everywhere(page, "the shortcuts");
      await help.getByLabel("Use shortcuts of single keys").uncheck();
      await page.keyboard.press("Escape");
      await help.waitFor({state: "detached"});
      await pressBoth(page, "g", "o");
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", {name: "Find"}).waitFor();
      await page.keyboard.press("Escape");
      await heading(page, "Home");
    },

    async themes(page) {
      await signedIn(page);
      const light = await theme(page);
      await page.getByRole("button", {name: "Dark"}).click();
      // On a busy machine the browser can be late with the colours of a theme.
      await page.waitForFunction(it => getComputedStyle(document.body).backgroundColor !== it, light);
      const dark = await theme(page);
      assert.notEqual(light, dark);
      await page.reload();
      await heading(page, "Home");
      await isPainted(page, dark);
      await page.getByRole("button", {name: "As the system"}).click();
      await isPainted(page, light);
      await page.emulateMedia({colorScheme: "dark"});
      await isPainted(page, dark);
    },

    async menu(page) {
      await signedIn(page);
      const menu = page.getByRole("navigation", {name: "Pages"});
      const wide = (await menu.boundingBox()).width;
      const narrowed = async () =>
        page.waitForFunction(
          ([it, most]) => it.getBoundingClientRect().width < most, [await menu.elementHandle(), wide / 2]);
      await page.getByRole("button", {name: "Narrow the menu"}).click();
      await narrowed();
      await page.reload();
      await open(page, "Policy editor");
      await narrowed();
      await everywhere(page, "a narrow menu");
      await page.setViewportSize(kPhone);
      await menu.getByRole("button", {name: "More"}).click();
      await page.getByRole("button", {name: "Sign out"}).waitFor();
      await everywhere(page, "the open menu");
      await page.setViewportSize(kPhone);
      await menu.getByRole("link", {name: "Audit log"}).click();
      await heading(page, "Audit log");
      await page.getByRole("button", {name: "Sign out"}).waitFor({state: "hidden"});
      await page.setViewportSize(kWide);
      await page.getByRole("button", {name: "Widen the menu"}).click();
      await page.keyboard.press("Tab");
      await page.reload();
      await heading(page, "Audit log");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      assert.equal(await focused(page), "main");
    },

    async lost_connection(page, seen) {
      await signedIn(page);
      await open(page, "Policy editor");
      const editor = page.getByLabel("Policies (YAML)");
      await page.getByText("One policy, no mistake found.").waitFor();
      seen.allow(/ERR_|Failed to load resource/);
      await page.context().setOffline(true);
      await editor.fill("version: 1\n# half a thought");
      await page.getByText("The connection to pgveil is lost.").waitFor();
      await everywhere(page, "a lost connection");
      await open(page, "Policies");
      await page.getByRole("alert").filter({hasText: "can't be reached"}).waitFor();
      // This is shown for a few seconds only.
      await Promise.all([
        page.getByText("pgveil answers again.").waitFor(), page.context().setOffline(false)]);
      await page.getByRole("table", {name: "Policies"}).waitFor();
      await open(page, "Policy editor");
      assert.equal(await editor.inputValue(), "version: 1\n# half a thought");
    },

    async slow_server(page) {
      await signedIn(page);
      await heading(page, "Home");
      const release = await heldBack(page, "policies");
      await open(page, "Policies");
      await page.getByText("pgveil is slow to answer. Still waiting …").waitFor();
      release();
      await page.getByRole("table", {name: "Policies"}).waitFor();
      await page.getByText("pgveil is slow to answer").waitFor({state: "detached"});
    },

    async roles_that_come_late(page) {
      await signedIn(page);
      const release = await heldBack(page, "show/users");
      await open(page, "Query");
      await page.getByLabel("Role").fill("analyst");
      await page.getByText("Choose a role to see the tables").waitFor();
      await page.waitForFunction(() => document.querySelector("select").value === "demo");
      release();
      await page.getByText("people", {exact: true}).waitFor();
      await page.waitForFunction(() => document.querySelector("#sql").value.startsWith("SELECT "));
    },

    async broken_server(page, seen) {
      seen.allow(/50[02]/);
      await signedIn(page);
      await heading(page, "Home");
      await page.route("**/api/v1/policies", route => route.fulfill({status: 502, body: "<h1>Bad gateway</h1>"}));
      await page.getByRole("button", {name: "Refresh"}).click();
      await page.getByRole("alert").waitFor();
      await everywhere(page, "home of a broken server");
      await page.unroute("**/api/v1/policies");
      await page.getByRole("button", {name: "Refresh"}).click();
      await page.getByRole("table", {name: "Health of the policies"}).waitFor();
    },
  };
};
