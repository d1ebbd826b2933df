import type { Locator, Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { patience } from "./browser.ts";
import { formsOfPlatform, formsOfTenant, type TriedForm } from "./console-form-table.ts";
import { enter, heading, openPath, openSharedConsole, type SharedConsole } from "./console-visit.ts";

// Nothing reaches the services here: what a form sends is counted, and answered as an outage would be.

let stand: SharedConsole;
beforeAll(async () => {
	stand = await openSharedConsole();
});

const fieldOf = (form: Locator, key: string) => {
	const [name, value] = key.split("=");
	return form.locator(`[name="${name}"]${value === undefined ? "" : `[value="${value}"]`}`).first();
};

/** Opens a form; returns it once it is complete. */
async function openForm(page: Page, { open, empty, wrong, right }: TriedForm): Promise<Locator> {
	const [first = ""] = [...empty, ...Object.keys({ ...wrong, ...right })];
	if (open !== undefined) await page.getByRole("button", { name: open, exact: true }).first().click();
	const form = page.locator(open === undefined ? "main form" : "dialog form");
	const found = form.filter({ has: page.locator(`[name="${first.split("=")[0]}"]`) });
	await found.waitFor();
	return found;
}

async function fillIn(form: Locator, entries: TriedForm["right"]): Promise<void> {
	for (const [key, value] of Object.entries(entries))
		if (typeof value === "boolean") await fieldOf(form, key).setChecked(value);
		else await fieldOf(form, key).fill(value);
}

/** Empties all fields of a form that can be emptied. */
async function clear(form: Locator): Promise<void> {
	const others = ["[readonly]", ...["checkbox", "radio", "hidden", "file"].map((type) => `[type=${type}]`)];
	const texts = form.locator(`input[name]:not(${others.join(", ")}), textarea[name]`);
	for (const field of await texts.all()) await field.fill("");
	const checked = form.locator("input[type=checkbox]:checked");
	while ((await checked.count()) > 0) await checked.first().uncheck();
}

/** The fields that are shown as wrong, those without a message, and whether the first has the focus. */
const readRefused = `(form) => {
	const wrong = [...form.querySelectorAll('[aria-invalid="true"]')];
	const messages = (field) =>
		(field.getAttribute("aria-describedby") ?? "")
			.split(" ")
			.filter((id) => id.endsWith("-error") && id !== "form-error")
			.map((id) => document.getElementById(id)?.textContent);
	return {
		names: [...new Set(wrong.map(({ name }) => name))].sort(),
		unsaid: wrong.filter((field) => !messages(field).some(Boolean)).map(({ name }) => name),
		isFocused: wrong[0] === undefined || wrong[0].name === document.activeElement.name,
		summary: form.querySelectorAll('[role="alert"] button').length,
	};
}`;

/** How many parts of the dialog are scrolled by themselves. */
const countScrolls = `[...document.querySelectorAll("dialog, dialog *:not(textarea)")].filter(
	(part) => /auto|scroll/.test(getComputedStyle(part).overflowY) && part.scrollHeight > part.clientHeight + 1,
).length`;

async function expectRefused(page: Page, form: Locator, names: readonly string[]): Promise<void> {
	await form.locator('[aria-invalid="true"]').first().waitFor();
	const now = () =>
		page.evaluate(`(${readRefused})(document.querySelector("form:has([aria-invalid=true])"))`);
	const summary = names.length > 1 ? names.length : 0;
	await expect.poll(now, patience).toEqual({ names: names.toSorted(), unsaid: [], isFocused: true, summary });
}

/** Counts what is sent, and answers it as an outage would be, after a moment. */
async function countSent(page: Page): Promise<string[]> {
	const sent: string[] = [];
	const isService = ({ origin }: URL) => origin !== new URL(stand.urls.console).origin;
	await page.route(isService, async (route) => {
		const request = route.request();
		const isRead = ["GET", "OPTIONS"].includes(request.method());
		if (isRead || /\/(auth\/|token$|notifications\/inbox)/.test(request.url())) return route.fallback();
		sent.push(`${request.method()} ${request.url()}`);
		await page.waitForTimeout(200);
		const headers = { "access-control-allow-origin": stand.urls.console };
		return route.fulfill({ status: 500, headers, json: { error: "broken", code: "internal" } });
	});
	return sent;
}

async function tryForm(page: Page, tried: TriedForm, sent: string[]): Promise<void> {
	const { open, empty, wrong, right, refused = Object.keys(wrong ?? {}), isAsked = false } = tried;
	const form = await openForm(page, tried);
	const submit = (open === undefined ? form : page.locator("dialog")).locator("button[type=submit]");
	if (empty.length > 0) {
		await clear(form);
		await submit.click();
		await expectRefused(page, form, empty);
	}
	if (open !== undefined) expect(await page.evaluate(countScrolls)).toBeLessThanOrEqual(1);
	await fillIn(form, right);
	if (wrong !== undefined) {
		await fillIn(form, wrong);
		await submit.click();
		await expectRefused(page, form, refused);
		for (const name of Object.keys(wrong)) await fieldOf(form, name).fill("");
		await fillIn(form, right);
	}
	expect(sent).toEqual([]);
	if (isAsked || Object.keys(right).length === 0) return;
	await submit.dblclick();
	await form.getByRole("alert").getByText("The service is temporarily unavailable.").waitFor();
	expect(sent.splice(0)).toEqual([expect.any(String)]);
}

test.each([
	{ email: "admin@uhai.example", at: "uhai", slug: "uhai", forms: formsOfTenant },
	{ email: "root@lango.example", at: "lango/platform", slug: "lango", forms: formsOfPlatform },
])("every form of $at says at each field what is wrong, and what is sent twice is sent once", (tried) =>
	stand.visit(async (page) => {
		page.on("dialog", (asked) => void asked.accept());
		await enter(page, `${stand.urls.console}/${tried.slug}`, { email: tried.email });
		const sent = await countSent(page);
		for (const form of tried.forms) {
			const title = `${form.path} ${form.open ?? ""}`;
			try {
				await openPath(page, `/${tried.at}/${form.path}`);
				await tryForm(page, form, sent);
			} catch (cause) {
				throw new Error(`${title}: ${String(cause)}`, { cause });
			}
			// What was entered is left by a new load of the page, or with its dialog.
			if (form.open !== undefined)
				await page.locator("dialog").getByRole("button", { name: "Cancel" }).click();
			else {
				await page.goto(`${stand.urls.console}/${tried.slug}`);
				await heading(page, "Overview").waitFor();
			}
		}
	}),
);

/** Whether an element is completely in the window. */
async function isInView(element: Locator): Promise<boolean> {
	const box = await element.boundingBox();
	return box !== null && box.y >= 0 && box.y + box.height <= (element.page().viewportSize()?.height ?? 0);
}

test("on a phone the end of a long form leads to its first wrong field, with its message and the summary in view", () =>
	stand.visit(
		async (page) => {
			await enter(page, `${stand.urls.console}/lango`, { email: "root@lango.example" });
			await openPath(page, "/lango/platform/new-client");
			const focused = () => page.evaluate("document.activeElement.name");
			await page.locator("main form button[type=submit]").click();
			await expect.poll(focused, patience).toBe("client_id");
			const summary = page.getByRole("alert").getByText("3 fields need attention.");
			for (const shown of [page.locator("#client_id"), page.locator("#client_id-error"), summary])
				await expect.poll(() => isInView(shown), patience).toBe(true);
			await page.getByRole("alert").getByRole("button").last().click();
			await expect.poll(focused, patience).toBe("redirect_uris");
			await expect.poll(() => isInView(page.locator("#redirect_uris-error")), patience).toBe(true);
		},
		{ width: 390, height: 844, touch: true },
	));
