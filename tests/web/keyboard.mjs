// More of browser.mjs: from the sign-in page to a policy in force, and to a published table, without a mouse.
// Each place that the keyboard reaches shows that it has the focus, and nothing covers it.
import assert from "node:assert/strict";
import {protecting} from "./protecting.mjs";

const kMostTabs = 150;
const kMoreLooks = 20;

export const keyboard = (common) => {
  const {settings, heading, settled, people} = common;
  const {card, laneOf, forget} = protecting(common);

  /** What has the focus: its words, and what is wrong with how that shows; null: nothing is. */
  const focus = page => page.evaluate(() => {
    const own = document.activeElement;
    if (!own || own === document.body) return {words: "", wrong: "nothing has the focus"};
    const label = own.getAttribute("aria-label") ?? own.labels?.[0]?.innerText ?? own.innerText ?? "";
    const words = label.replace(/\s+/g, " ").trim();
    const shown = own.closest("label") ?? own;
    const isMarked = [own, shown].some((it) => {
      const style = getComputedStyle(it);
      return (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1) || style.boxShadow !== "none";
    });
    const {left, top, width, height} = shown.getBoundingClientRect();
    const at = [left + width / 2, top + Math.min(height, innerHeight - top) / 2];
    const above = document.elementFromPoint(...at);
    const isOver = above !== null && (shown.contains(above) || above.contains(shown));
    const wrong = own.tabIndex > 0 ? "has a place of its own in the order"
      : !isMarked ? "does not show that it has the focus"
        : !isOver ? `is outside of the window or covered, at ${at}` : null;
    return {words, wrong, where: own.outerHTML.slice(0, 120)};
  });

  /** Presses Tab until something with these words has the focus. */
  async function tabTo(page, words) {
    const passed = [];
    for (let left = kMostTabs; left > 0; left--) {
      await page.keyboard.press("Tab");
      let now = await focus(page);
      if (now.words === "" && now.wrong === "nothing has the focus") continue;  // the browser's own bar
      for (let more = kMoreLooks; more > 0 && now.wrong !== null; more--) {
        await settled(page);  // it may still be on its way
        await page.waitForTimeout(100);
        now = await focus(page);
      }
      assert.equal(now.wrong, null, `"${now.words}" ${now.wrong}, in ${now.where}`);
      passed.push(now.words);
      if (words.test(now.words)) return;
    }
    assert.fail(`${words} is not among ${JSON.stringify(passed)}`);
  }

  const press = async (page, words) => {
    await tabTo(page, words);
    await page.keyboard.press("Enter");
  };

  /** To another page, whose content has the focus then. */
  async function go(page, words, title) {
    await press(page, words);
    await heading(page, title);
    await page.waitForFunction(() => document.activeElement?.id === "main");
  }

  async function signInByKeys(page) {
    await page.goto(settings.url);
    await page.getByRole("heading", {name: "Sign in to pgveil"}).waitFor();
    await page.waitForFunction(() => document.activeElement?.getAttribute("name") === "role");
    await page.keyboard.type("operator");
    await tabTo(page, /^Password/);
    await page.keyboard.type(settings.passwords.operator);
    await page.keyboard.press("Enter");
    await heading(page, "Home");
  }

  /** By the first letter of an option. A second one that comes late would begin another search. */
  async function choose(page, field, option) {
    await tabTo(page, field);
    await page.keyboard.type(option[0]);
    assert.equal(await page.evaluate(() => document.activeElement.value), option);
  }

  /** The title of a step has the focus as soon as the step is there. */
  async function next(page, name, title) {
    await press(page, new RegExp(`^Next: ${name}$`));
    await page.getByRole("heading", {name: title, level: 2}).waitFor();
    await page.waitForFunction(() => document.activeElement?.tagName === "H2");
  }

  return {
    async protect_a_table_by_keyboard(page) {
      forget("donors.yaml");
      await signInByKeys(page);
      await press(page, /^Protect a table$/);
      await heading(page, "Protect a table");
      await page.getByText(/tables look personal/).waitFor();
      await press(page, /^All/);
      await tabTo(page, /^Search tables and columns/);
      await page.keyboard.type("donors");
      await press(page, /^Protect public\.donors/);
      await page.locator(".board").waitFor();

      // Into the first lane that has cards, along its cards, and into other lanes.
      await tabTo(page, /, Identifiers\./);
      const column = () => page.evaluate(() => document.activeElement?.dataset.column ?? null);
      const first = await column();
      await page.keyboard.press("ArrowDown");
      assert.notEqual(await column(), first);
      await tabTo(page, /, (Sensitive|Insensitive)\./);
      const moved = await column();
      await page.keyboard.press("ArrowLeft");
      await page.waitForFunction(it => document.activeElement?.dataset.column === it, moved);
      await page.keyboard.press("ArrowRight");
      await page.waitForFunction(it => document.activeElement?.dataset.column === it, moved);
      assert.equal((await focus(page)).wrong, null);
      // The dialog of a card keeps the focus, and gives it back.
      await page.keyboard.press("Enter");
      const dialog = page.getByRole("dialog");
      await dialog.waitFor();
      await tabTo(page, /^(Sensitive|Insensitive)/);
      await page.keyboard.press("ArrowUp");
      await press(page, /^Done$/);
      await dialog.waitFor({state: "detached"});
      await page.waitForFunction(it => document.activeElement?.dataset.column === it, moved);
      await card(page, moved).waitFor();

      await next(page, "Group size", /^How many people/);
      await tabTo(page, /^k$/);
      await tabTo(page, /^k, by slider/);
      const slider = page.getByRole("slider");
      const before = await slider.getAttribute("aria-valuetext");
      await page.keyboard.press("ArrowRight");
      assert.notEqual(await slider.getAttribute("aria-valuetext"), before);
      // What the slider changes moves the buttons below it.
      await page.getByRole("table", {name: /^Each column at k = /}).waitFor();
      await next(page, "Preview", /./);
      await next(page, "Readers", /./);
      await tabTo(page, /^Add a role/);
      await page.keyboard.type("analyst");
      await press(page, /^Add$/);
      await page.getByRole("button", {name: "Remove analyst"}).waitFor();
      await next(page, "Apply", /^Apply the policy$/);
      await page.getByText("checked", {exact: true}).waitFor();
      await tabTo(page, /^Your password/);
      await page.keyboard.type(settings.passwords.operator);
      await page.keyboard.press("Enter");
      await page.getByText("is in force.").waitFor();
      await press(page, /^Next: Connect$/);
      await page.getByText(/psql -h 127\.0\.0\.1 -p \d+ -U analyst demo/).waitFor();
      assert.equal(await laneOf(page, "Identifiers").count(), 0);
      forget("donors.yaml");
    },

    async publish_a_table_by_keyboard(page) {
      await signInByKeys(page);
      await go(page, /^Jobs$/, "Jobs");
      const runs = [];
      for (const k of ["5", "20"]) {
        await go(page, /^Set up a job$/, "Set up a job");
        if (k === "5") {
          // Asked for before the way there: the browser must know of it when the key is pressed.
          // The way there has many steps, each with a limit of its own.
          const chooser = page.waitForEvent("filechooser", {timeout: 0});
          await tabTo(page, /^Table/);
          await page.keyboard.press("Space");
          await (await chooser).setFiles(people());
          await page.getByText(/^300 records, /).waitFor();
          await choose(page, /^Class of illness$/, "sensitive");
          await tabTo(page, /^l of illness/);
          await page.keyboard.press("Control+a");
          await page.keyboard.type("2");
        }
        await tabTo(page, /^k$/);
        await page.keyboard.press("Control+a");
        await page.keyboard.type(k);
        await press(page, /^Run the job$/);
        await page.getByRole("link", {name: "Download the result"}).waitFor();
        runs.push(await page.evaluate(() => decodeURIComponent(location.hash.split("/").pop())));
        const made = page.waitForEvent("download", {timeout: 0});
        await press(page, /^Download the result$/);
        assert.match((await made).suggestedFilename(), /\.csv$/);
        // The lattice is one place, in which the arrows walk.
        await page.getByRole("img", {name: /transformations/}).waitFor();
        await go(page, /^Jobs$/, "Jobs");
      }
      for (const run of runs) {
        await tabTo(page, new RegExp(`^Compare ${run}$`));
        await page.keyboard.press("Space");
        assert.ok(await page.getByLabel(`Compare ${run}`).isChecked());
      }
      await press(page, /^Compare the two$/);
      await page.getByRole("row", {name: /^k (20 5|5 20)$/}).waitFor();
    },
  };
};
