// More of browser.mjs: the pages Policies, Policy, Query, Operations and Audit log.
import assert from "node:assert/strict";
import {readFileSync} from "node:fs";

export const pages = (common) => {
  const {settings, suggested, signedIn, allChecked, open, heading, accessible, everywhere, shot} = common;
  const plain = text => text.replaceAll("\u00a0", " ");
  const words = async page => plain(await page.locator("#icicle-part").innerText());
  const tab = (page, name) => page.getByRole("tab", {name}).click();
  const policy = (page, name) => page.goto(`${settings.url}#/policies/${name}`);
  const versionOf = page => page.locator(".facts div", {hasText: "Version"}).locator("dd");
  const isVersion = (page, wanted) =>
    page.locator(".facts div", {hasText: new RegExp(`^Version\\s*${wanted}$`)}).waitFor();
  const isShort = async (page, where, screens = 4) => {
    const {height, screen} = await page.evaluate(
      () => ({height: document.documentElement.scrollHeight, screen: innerHeight}));
    assert.ok(height <= screens * screen, `${where} is ${height} pixels tall`);
  };

  return {
    async policies(page) {
      await signedIn(page);
      await allChecked(page);
      await open(page, "Policies");
      const row = page.getByRole("row", {name: /people_k2/});
      assert.match(await row.innerText(), /open/);
      await row.getByText(/^checked/).waitFor();  // by the watch, before anybody asked
      await page.getByRole("button", {name: "Check all for drift"}).click();
      await row.getByText("fits the table").waitFor();
      await page.locator("main").getByRole("link", {name: "Protect a table"}).waitFor();
      await everywhere(page, "policies");
      await shot(page, "policies");
      await row.getByRole("link").click();
      await heading(page, "people_k2");
    },

    async policy_tree(page) {
      await signedIn(page);
      await policy(page, "people_k2");
      const tree = page.getByRole("application", {name: "Disclosure tree"});
      await tree.waitFor();
      assert.match(await page.locator(".facts").innerText(), /public\.people[\s\S]*demo[\s\S]*analyst/);
      assert.match(await page.locator(".tree-legend").innerText(), /occupation[\s\S]*city[\s\S]*state/);
      assert.match(await words(page), /^All rows: 11 rows/);
      await tree.focus();
      await page.keyboard.press("ArrowDown");
      assert.match(await words(page), /with state = OH: 6 rows \(54\.5 %\) of 6 units, divided into 2 parts/);
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowDown");
      assert.match(await words(page), /Rows with state = OH, city = Hamlet and occupation = Farmer: 2 rows/);
      assert.match(await words(page), /occupation, city and state are shown\./);
      await page.keyboard.press("Enter");
      await page.keyboard.press("Escape");
      const box = await tree.boundingBox();
      await page.mouse.move(box.x + box.width * 0.95, box.y + 60);
      const tip = page.getByRole("tooltip");
      await tip.getByText(/Rows where state is not OH and occupation is not Accountant/).waitFor();
      assert.match(await tip.innerText(), /city hidden/);
      await page.mouse.click(box.x + box.width * 0.1, box.y + 60);
      assert.match(await words(page), /Rows with state = OH/);
      await page.getByRole("button", {name: "Whole tree"}).click();
      await page.getByRole("button", {name: "occupation = Accountant"}).click();
      assert.match(await words(page), /city and state are hidden, because releasing a value of one of them/);
      await page.getByRole("button", {name: "everything"}).click();
      await isShort(page, "a policy");
      await everywhere(page, "a policy");
      await shot(page, "policy");
    },

    async policy_columns(page) {
      await signedIn(page);
      await policy(page, "people_k2");
      await tab(page, "Columns");
      await page.getByRole("button", {name: "city", exact: true}).click();
      await page.getByText("city is hidden in 7 of 11 rows").waitFor();
      await page.getByRole("button", {name: "Compare with the table"}).click();
      await page.getByText("multiples of 2").waitFor();
      const chart = page.getByRole("img", {name: /^Values of city/});
      assert.match(await chart.getAttribute("aria-label"), /Hamlet 4, 4/);
      assert.match(await chart.getAttribute("aria-label"), /rare values 6/);
      assert.doesNotMatch(await page.locator("main").innerText(), /Whately|Bellevue/);
      await everywhere(page, "columns of a policy");
      await shot(page, "policy-columns");
      await tab(page, "Answers");
      const heat = page.getByRole("table", {name: "Mean error by column and pair"});
      assert.match(plain(await heat.getByRole("row", {name: /^occupation .*%/}).innerText()), /46\.7 %/);
      await page.getByRole("table", {name: "Pairs of columns"}).waitFor();
      await page.getByText("state follows from city").waitFor();
      await page.getByText("of at most 69.7 %").waitFor();
      await everywhere(page, "answers of a policy");
      await shot(page, "policy-answers");
      await tab(page, "Cohorts and rules");
      const cohorts = page.getByRole("table", {name: "Cohorts", exact: true});
      await cohorts.getByRole("row", {name: /state = 'OH' and city = 'Hamlet' and occupation = 'Farmer'/}).waitFor();
      await page.getByRole("searchbox", {name: "Search"}).first().fill("nowhere");
      await page.getByText("0 cohorts").waitFor();
      await page.getByRole("table", {name: "Rules"}).getByText("occupation = 'Accountant'").waitFor();
      await everywhere(page, "cohorts of a policy");
    },

    async policy_commands(page) {
      await signedIn(page);
      await policy(page, "people_k2");
      await versionOf(page).waitFor();
      // News like this is shown for a few seconds only.
      await Promise.all([
        page.getByText("people_k2 still fits its table.").waitFor(),
        page.getByRole("button", {name: "Check the live table"}).click()]);
      await page.getByRole("cell", {name: "ok", exact: true}).waitFor();
      await tab(page, "Compare versions");
      await page.getByRole("button", {name: "Compare with a build now"}).click();
      await page.getByText("Readers see the same combinations of values").waitFor();
      await page.getByRole("table", {name: "GROUP BY, and how wrong it is"}).waitFor();
      const kept = page.waitForEvent("download");
      await page.getByRole("button", {name: "Save this version"}).click();
      await page.getByLabel("A saved version").setInputFiles(await (await kept).path());
      await page.getByRole("button", {name: "Compare with the file"}).click();
      await page.getByText(/^After: version/).waitFor();
      await tab(page, "Attacks");
      await page.getByRole("button", {name: "Attack this version"}).click();
      await page.getByRole("table", {name: "Hidden cells that can be computed"}).getByText("has all answers").waitFor();
      await page.getByText("Somebody who knows columns of persons").waitFor();
      await page.getByLabel("state", {exact: true}).check();
      await page.getByRole("button", {name: "Attack this version"}).click();
      await page.getByText("Somebody who knows state of every person").waitFor();
      await everywhere(page, "attacks on a policy");
      const report = page.waitForEvent("download");
      await page.getByRole("button", {name: "Save the report"}).click();
      assert.match(readFileSync(await (await report).path(), "utf8"), /<html[^]*people_k2/);
      const number = Number(await versionOf(page).innerText());
      await Promise.all([
        page.getByText(`Version ${number + 1} of people_k2 is in force.`).waitFor(),
        page.getByRole("button", {name: "Build a new version"}).click()]);
      await isVersion(page, number + 1);
    },

    async query(page, seen) {
      await signedIn(page);
      await open(page, "Query");
      await page.getByLabel("Role", {exact: true}).fill("analyst");
      // A statement that works, over a table that is there.
      await page.waitForFunction(() => document.querySelector("#sql").value.startsWith("SELECT "));
      await page.getByRole("button", {name: "Show rows"}).click();
      await page.getByRole("img", {name: /^count by /}).waitFor();
      await page.getByText("people", {exact: true}).click();
      await page.getByRole("button", {name: "city", exact: true}).click();
      assert.match(await page.getByLabel("SQL").inputValue(), /GROUP BY city/);
      await page.keyboard.press("Tab");
      await page.getByLabel("SQL").focus();
      await page.keyboard.press("Control+Enter");
      await page.getByRole("heading", {name: "masked"}).waitFor();
      assert.match(await page.locator(".verdicts").innerText(), /mask of public\.people/);
      assert.doesNotMatch(await page.locator(".verdicts").innerText(), /row_security_active/);
      await page.getByRole("button", {name: /^Show all \d+ lines/}).click();
      assert.match(await page.locator(".verdicts").innerText(), /row_security_active/);
      await isShort(page, "an explanation");
      await shot(page, "query");
      await page.getByLabel("SQL").fill("SELECT city, state, city FROM people");
      await page.getByRole("button", {name: "Show rows"}).click();
      const rows = page.getByRole("table", {name: "Rows as analyst sees them"});
      await rows.waitFor();
      assert.match(await rows.innerText(), /city \(2\)/);
      assert.match(await rows.innerText(), /Hamlet/);
      assert.doesNotMatch(await rows.innerText(), /Whately|Withamsville/);
      await everywhere(page, "rows");
      await shot(page, "rows");
      seen.allow(/403/);
      await page.getByLabel("Role", {exact: true}).fill("dpo");
      await page.getByRole("button", {name: "Show rows"}).click();
      await page.getByText(/masked roles only/).first().waitFor();
      assert.equal(await page.getByRole("table").count(), 0);
      await page.getByLabel("Role", {exact: true}).fill("analyst");
      await page.getByLabel("SQL").fill("SELECT * FROM diary");
      await page.getByRole("button", {name: /Explain/}).click();
      await page.getByRole("heading", {name: /refused/}).waitFor();
      assert.match(await page.locator(".verdicts").innerText(), /\n +\^/);
      await page.getByLabel("SQL").fill("SELECT nothing FROM people");
      await page.getByRole("button", {name: /Explain/}).click();
      await page.getByRole("heading", {name: /error: 42703/}).waitFor();
      await page.getByRole("button", {name: "SELECT city, state, city FROM people"}).first().click();
      assert.equal(await page.getByLabel("SQL").inputValue(), "SELECT city, state, city FROM people");
    },

    async operations(page, seen) {
      await signedIn(page);
      await open(page, "Query");
      await page.getByLabel("Role", {exact: true}).fill("analyst");
      await suggested(page);
      await page.getByLabel("SQL").fill("SELECT * FROM diary");
      seen.allow(/403/);
      await page.getByRole("button", {name: "Show rows"}).click();
      await page.getByRole("alert").waitFor();
      await open(page, "Operations");
      await page.getByText("live", {exact: true}).waitFor();
      await page.getByRole("img", {name: /^Statements: statements/}).waitFor();
      await page.getByRole("img", {name: /^Clients: connected/}).waitFor();
      await everywhere(page, "operations");
      await isShort(page, "operations");
      await shot(page, "operations");
      await page.getByText("All figures of the console").click();
      await page.getByRole("table", {name: "Traffic by database"}).waitFor();
      await page.getByRole("button", {name: "Stop updates"}).click();
      await page.getByText("stopped", {exact: true}).waitFor();
      await page.getByRole("link", {name: "relation not listed"}).click();
      await heading(page, "Audit log");
      await page.getByRole("table", {name: "Events, newest first"}).getByText("relation not listed").first().waitFor();
      await page.getByText("Reason: relation_not_listed").waitFor();
    },

    async audit_log(page) {
      await signedIn(page);
      await page.evaluate(() => fetch("/api/v1/show/pools"));
      await open(page, "Audit log");
      const table = page.getByRole("table", {name: "Events, newest first"});
      await table.waitFor();
      assert.doesNotMatch(await table.innerText(), /SHOW POOLS|LOOK AT THE AUDIT LOG/);
      await page.getByLabel("What this page looks at, too").check();
      await table.getByText("SHOW POOLS").first().waitFor();
      await page.getByLabel("What this page looks at, too").uncheck();
      await table.getByRole("button", {name: "login", exact: true}).first().click();
      await page.getByText("Event: login").waitFor();
      await page.getByRole("button", {name: "Remove the filter on event"}).waitFor();
      await page.waitForFunction(
        () => ![...document.querySelectorAll("table.audit tbody tr")].some(it => !it.innerText.includes("login")));
      await page.getByRole("table", {name: "Lines by role"}).getByRole("button", {name: "operator"}).click();
      await page.getByText("Role: operator").waitFor();
      const saved = page.waitForEvent("download");
      await page.getByRole("button", {name: "Save as CSV"}).click();
      const text = readFileSync(await (await saved).path(), "utf8");
      assert.match(text, /^"at","pid","event"/);
      assert.ok(text.trimEnd().split("\r\n").slice(1).every(it => it.includes('"login"') && it.includes('"operator"')));
      const lines = page.waitForEvent("download");
      await page.getByRole("button", {name: "Save as JSON lines"}).click();
      const events = readFileSync(await (await lines).path(), "utf8").trimEnd().split("\n").map(it => JSON.parse(it));
      assert.ok(events.length > 0 && events.every(it => it.event === "login" && it.role === "operator"));
      await everywhere(page, "the audit log");
      await isShort(page, "the audit log");
      await shot(page, "audit-log");
      await page.getByLabel("In the text").fill("nobody said this");
      await page.getByRole("button", {name: "Search"}).click();
      await page.getByText("Nothing to show").waitFor();
      await page.getByLabel("Time").selectOption("own");
      await page.getByLabel("From", {exact: true}).fill("2199-01-01T00:00");
      await page.getByRole("button", {name: "Search"}).click();
      await page.getByText("Nothing to show").waitFor();
    },

    async markup_in_values(page) {
      await signedIn(page);
      const title = await page.title();
      await policy(page, "markup_k2");
      const tree = page.getByRole("application", {name: "Disclosure tree"});
      await tree.focus();
      await page.keyboard.press("ArrowDown");
      assert.match(await words(page), /<img src=x onerror=/);
      await tab(page, "Cohorts and rules");
      await page.getByRole("cell", {name: /<img src=x onerror=/}).first().waitFor();
      await tab(page, "Columns");
      await page.getByRole("img", {name: /<img src=x onerror=/}).waitFor();
      await open(page, "Query");
      await page.getByLabel("Role", {exact: true}).fill("analyst");
      await suggested(page);
      await page.getByLabel("SQL").fill("SELECT '<script>document.title = 1</script>' FROM markup");
      await page.getByRole("button", {name: /Explain/}).click();
      await page.getByRole("heading", {name: "masked"}).waitFor();
      assert.equal(await page.locator("main img, main script").count(), 0);
      assert.notEqual(await page.title(), "1");
      assert.ok(title !== "1");
    },

    async large_tree(page) {
      await signedIn(page);
      const nodes = [];
      const towns = 3000;
      for (let i = 0; i < towns; i++) {
        const rows = 20 * (towns - i) + 5;
        nodes.push({rows, units: rows, attribute: "town", value: `town ${i}`, yes: nodes.length + 1, no: nodes.length + 4});
        nodes.push({rows: 20, units: 20, attribute: "job", value: "Nurse", yes: nodes.length + 1, no: nodes.length + 2});
        nodes.push({rows: 12, units: 12}, {rows: 8, units: 8});
      }
      nodes.push({rows: 5, units: 5});
      const disclosure = {rows: 60005, units: 60005, cells: 120010, disclosed: 96000, computable: 6000,
                          equal: 0, cohorts: 6001, smallest_cohort: 5,
                          disclosed_by_attribute: [60000, 36000], computable_by_attribute: [0, 6000],
                          equal_by_attribute: [0, 0]};
      const version = {policy: "large", number: 1, built_at: "2026-01-01T00:00:00Z",
                       table: {schema: "s", name: "t", columns: []},
                       tree: {k: 5, attributes: [{name: "town", number: 1}, {name: "job", number: 2}], nodes},
                       disclosure};
      await page.route("**/api/v1/policies/large/version", route => route.fulfill({json: version}));
      await page.route("**/api/v1/state", route => route.fulfill({json: {
        policy: "large", tag: "t", database: "d", table: "s.t", k: 5, unit: null, readers: ["analyst"], columns: [],
        number: 1, built_at: version.built_at, closed_because: null, building: null, file: "large.yaml",
        file_is_loaded: true, file_problem: null}}));
      await policy(page, "large");
      const tree = page.getByRole("application", {name: "Disclosure tree"});
      await tree.focus();
      await page.keyboard.press("ArrowDown");
      for (let i = 0; i < 20; i++) await page.keyboard.press("ArrowRight");
      assert.match(await words(page), /with town = town 20: 20 rows/);
      await page.keyboard.press("End");
      assert.match(await words(page), /and 2.997 more: 5 rows/);
      await page.keyboard.press("Escape");
      const box = await tree.boundingBox();
      const frame = () => page.evaluate(
        () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
      const start = Date.now();
      const turns = 60;
      for (let i = 0; i < turns; i++) {
        await page.mouse.move(box.x + (box.width * i) / turns, box.y + 60);
        await page.keyboard.press(i % 2 ? "-" : "+");
        await frame();
      }
      console.log(`3,000 parts, ${turns} zooms with two frames each: ${Date.now() - start} ms`);
      await isShort(page, "a large tree");
      await shot(page, "large-tree");
      for (const name of ["Columns", "Answers", "Cohorts and rules"]) {
        await tab(page, name);
        await page.waitForTimeout(200);
        await isShort(page, `${name} of a large tree`);
      }
      await page.getByText("1 to 10 of 6 001 cohorts").waitFor();
      await page.getByRole("searchbox", {name: "Search"}).first().fill("'town 2999'");
      await page.getByText(/^\d+ cohorts$|^one cohort$/).first().waitFor();
      await accessible(page, "cohorts of a large tree");
    },
  };
};
