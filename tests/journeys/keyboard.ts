import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { patience } from "./browser.ts";

/** Whether something has the focus, once something of the document was reached by the keyboard. */
const hasFocus = `window.isReached !== true ||
	(document.activeElement !== null && document.activeElement !== document.body)`;

/**
 * Whether what has the focus, or a part of the page around it, is outlined, and nothing else covers it. The
 * editor of templates is in a tree of its own.
 */
const isShown = `(() => {
	let element = document.activeElement;
	while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
	const around = [];
	for (let one = element; one; one = one.parentElement ?? one.getRootNode().host) around.push(one);
	const label = element.closest("label") ?? element;
	const { left, right, top, bottom } = element.getBoundingClientRect();
	const points = [(left + right) / 2, left + 2, right - 2].flatMap((x) =>
		[(top + bottom) / 2, top + 2, bottom - 2].map((y) => [x, y]));
	return around.some((one) => {
		const { outlineStyle, outlineWidth } = getComputedStyle(one);
		return outlineStyle !== "none" && outlineWidth !== "0px";
	}) && points.some((point) => label.contains(element.getRootNode().elementFromPoint(...point)));
})()`;

/**
 * Moves the focus by Tab, or back by Shift and Tab, until something has it, as a person does who cannot use a
 * mouse. Throws when the focus was lost before, when it is not reached, or when the focus is not seen there.
 */
export async function tabTo(page: Page, target: Locator, pressesMax = 60): Promise<void> {
	await target.waitFor();
	const lost = { timeout: 5_000, message: "the focus is lost" };
	await expect.poll(() => page.evaluate(hasFocus), lost).toBe(true);
	const isFocused = async () => (await target.and(page.locator(":focus")).count()) > 0;
	const key = (await isBefore(target)) ? "Shift+Tab" : "Tab";
	for (let presses = 0; !(await isFocused()); presses += 1) {
		if (presses === pressesMax) throw new Error(`${target} is not reached by ${key}.`);
		await page.keyboard.press(key);
	}
	await page.evaluate("window.isReached = true");
	const message = `the focus is not seen at ${target}`;
	await expect.poll(() => page.evaluate(isShown), { timeout: 5_000, message }).toBe(true);
}

/** Whether an element comes before the one that has the focus, in the order of the page. */
function isBefore(target: Locator): Promise<boolean> {
	type Place = { compareDocumentPosition: (other: unknown) => number };
	return target.evaluate((element) => {
		const { document } = globalThis as unknown as { document: { activeElement: Place } };
		// Node.DOCUMENT_POSITION_PRECEDING
		return (document.activeElement.compareDocumentPosition(element) & 2) > 0;
	});
}

/** Presses a button or follows a link by the keyboard. */
export async function pressByKey(page: Page, target: Locator, pressesMax?: number): Promise<void> {
	await tabTo(page, target, pressesMax);
	await page.keyboard.press("Enter");
}

/** Changes a checkbox by the keyboard. */
export async function check(page: Page, target: Locator): Promise<void> {
	await tabTo(page, target);
	await page.keyboard.press("Space");
}

/** Types into a field by the keyboard, instead of what it has. */
export async function type(page: Page, target: Locator, text: string): Promise<void> {
	await tabTo(page, target);
	await page.keyboard.press("ControlOrMeta+a");
	await page.keyboard.type(text);
}

/** Chooses an option of a list by the arrow keys. Throws when the list has no such option. */
export async function select(page: Page, target: Locator, option: string): Promise<void> {
	await tabTo(page, target);
	const chosen = target.locator("option:checked");
	const wanted = target.getByRole("option", { name: option, exact: true });
	await wanted.waitFor({ state: "attached" });
	const [at, to] = await Promise.all([placeOf(chosen), placeOf(wanted)]);
	for (let moves = Math.abs(to - at); moves > 0; moves -= 1)
		await page.keyboard.press(to > at ? "ArrowDown" : "ArrowUp");
	expect(await placeOf(chosen), `the option ${option}`).toBe(to);
}

/** How many options of its list come before an option. */
const placeOf = (option: Locator) => option.locator("xpath=preceding-sibling::option").count();

/** Chooses one of several radio buttons of a name by the arrow keys. */
export async function choose(page: Page, target: Locator): Promise<void> {
	await target.waitFor();
	const name = await target.getAttribute("name");
	const group = page.locator(`input[type="radio"][name="${name}"]`);
	const checked = group.and(page.locator(":checked"));
	await tabTo(page, (await checked.count()) > 0 ? checked : group.first());
	if ((await checked.count()) === 0) await page.keyboard.press("Space");
	for (let presses = 0; !(await target.isChecked()); presses += 1) {
		if (presses === 60) throw new Error(`${target} is not reached by the arrow keys.`);
		await page.keyboard.press("ArrowDown");
	}
}

/** Types a day into the parts of a date field, whose order is that of the browser's language. */
export async function typeDay(page: Page, target: Locator, day: string): Promise<void> {
	await tabTo(page, target);
	const [year, month, date] = day.split("-");
	for (const parts of [`${month}${date}${year}`, `${date}${month}${year}`]) {
		for (const _part of ["second", "first"]) await page.keyboard.press("ArrowLeft");
		await page.keyboard.type(parts);
		if ((await target.inputValue()) === day) return;
	}
	throw new Error(`${day} could not be typed into ${target}.`);
}

/** The name of what has the focus: its label for screen readers, or its text. */
const focusedName = (page: Page): Promise<unknown> =>
	page.evaluate(
		"(document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent).trim()",
	);

export const dialogOf = (page: Page): Locator => page.getByRole("dialog");

/** The field of the open dialog that has this label. */
export const field = (page: Page, name: string): Locator => dialogOf(page).getByLabel(name, { exact: true });

/** Types the name that the open dialog asks for before it does what cannot be undone. */
export const typeName = (page: Page, name: string): Promise<void> =>
	type(page, dialogOf(page).getByRole("textbox", { name: `To confirm, type: ${name}` }), name);

/** What has this label. */
export const label = (page: Page, name: string): Locator => page.getByLabel(name, { exact: true });

/** Waits for a text. */
export const said = (page: Page, text: string | RegExp): Promise<void> =>
	page.getByText(text).first().waitFor();

/** Presses a button of the page, or of the dialog that is open. */
export const press = (page: Page, name: string | RegExp): Promise<void> =>
	pressByKey(page, page.getByRole("button", { name, exact: true }));

/** Follows the first link of the page with a name. */
export const follow = (page: Page, name: string | RegExp): Promise<void> =>
	pressByKey(page, page.getByRole("link", { name, exact: true }).first());

/** Presses a button of the dialog. */
export const confirm = (page: Page, name: string): Promise<void> =>
	pressByKey(page, dialogOf(page).getByRole("button", { name, exact: true }));

/** Waits until something with this name has the focus. */
export const isFocused = (page: Page, name: string | RegExp): Promise<void> =>
	expect.poll(() => focusedName(page), patience).toMatch(name);
