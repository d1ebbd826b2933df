import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { patience } from "./browser.ts";
import { open, tokenOf } from "./console-people-visit.ts";
import {
	confirmByName,
	enter,
	faultsInThemes,
	faultsOf,
	heading,
	openPath,
	openSharedConsole,
	type SharedConsole,
} from "./console-visit.ts";

const admin = { email: "admin@uhai.example" };
const run = randomUUID().slice(0, 8);
const [name, otherName] = [`Stock is low ${run}`, `News of the day ${run}`];
const [event, otherEvent] = [`custom.low_${run}`, `custom.news_${run}`];
const template = "shared/generic_notification";

let stand: SharedConsole;
let token: string;
beforeAll(async () => {
	stand = await openSharedConsole();
	token = await tokenOf(stand, admin.email);
});

/** Calls the notification service as the administrator. */
async function ask(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
	const answer = await fetch(`${stand.urls.notifications}/api/v1/uhai/notifications${path}`, {
		method,
		headers: {
			authorization: `Bearer ${token}`,
			...(body !== undefined && { "content-type": "application/json" }),
		},
		...(body !== undefined && { body: JSON.stringify(body) }),
	});
	const text = await answer.text();
	if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
	return text === "" ? {} : JSON.parse(text);
}
const happen = (type: string, data: object) =>
	ask("POST", "/events", { id: randomUUID(), type, subject: "item", data });

/** A rule that collects its messages for the administrator, as a program creates it. Returns its id. */
async function createCollecting(): Promise<string> {
	const { sub } = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
	const { id } = await ask("POST", "/triggers", {
		...{ name: otherName, event: otherEvent, template, channels: ["in_app"], recipients: [`user:${sub}`] },
		digest: { every: "24h", items_max: 10 },
		map: {
			...{ name: { from: "recipient.name" }, title: { from: "event.title" } },
			...{ message: { value: "See the list." }, action_link: { value: "https://uhai.example/news" } },
		},
	});
	return String(id);
}

/** What axe finds at 1280 px in both themes, and at 390 px in Swahili. */
async function check(page: Page, what: string): Promise<void> {
	expect(await faultsInThemes(page), what).toEqual([]);
	await page.getByRole("button", { name: "Kiswahili" }).click();
	await page.setViewportSize({ width: 390, height: 844 });
	expect(await faultsOf(page), `${what}, 390 px, Swahili`).toEqual([]);
	await page.setViewportSize({ width: 1280, height: 800 });
	await page.getByRole("button", { name: "English" }).click();
}

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true });
const said = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();
const label = (page: Page, text: string) => page.getByLabel(text, { exact: true });
/** Presses a button that asks, and confirms. `name` is what it is called for screen readers. */
async function confirm(page: Page, text: string, name: string | RegExp = text): Promise<void> {
	await button(page, name).click();
	await page.getByRole("dialog").getByRole("button", { name: text, exact: true }).click();
}

/** Submits the form empty, then wrong, and fills it. */
async function fillIn(page: Page): Promise<void> {
	const create = button(page, "Create the rule");
	const collect = page.getByRole("checkbox", { name: /^Collect the messages/ });
	await create.click();
	await page.getByRole("alert").getByText("4 fields need attention.").waitFor();
	await said(page, "Choose the event.");
	await expect.poll(() => page.evaluate("document.activeElement.id"), patience).toBe("name");
	await label(page, "Name of the rule").fill(name);
	await label(page, "Event").selectOption({ label: "An event of your own programs" });
	await label(page, "Name of the event").fill("custom.Stock");
	await label(page, "Template").selectOption(template);
	await page
		.getByRole("group", { name: /^Channels/ })
		.getByLabel("E-mail")
		.check();
	await label(page, "The e-mail address in the event").check();
	await label(page, "Place of title in the event").fill("title");
	for (const [variable, text] of [
		["message", "Only a few are left."],
		["action_link", "https://uhai.example/stock"],
	]) {
		await label(page, `${variable} is filled with`).selectOption({ label: "A fixed text" });
		await label(page, `Text of ${variable}`).fill(text ?? "");
	}
	await button(page, "Add a condition").click();
	await label(page, "Place in the event").fill("event.left");
	await label(page, "Comparison").selectOption({ label: "is less than" });
	await label(page, "The value is").selectOption({ label: "a number" });
	await label(page, "Value").fill("few");
	await collect.check();
	await create.click();
	await page.getByRole("alert").getByText("3 fields need attention.").waitFor();
	for (const text of [/^Begin with custom\./, "Enter a number.", /^Summaries are for people/])
		await said(page, text);
	await check(page, "the form");
	await label(page, "Name of the event").fill(event);
	await label(page, "Value").fill("5");
	await collect.uncheck();
}

/** Reloads the form before it is sent. */
async function expectKept(page: Page): Promise<void> {
	page.once("dialog", (asked) => void asked.accept());
	await page.reload();
	for (const [field = "", text] of [
		...[
			["Name of the rule", name],
			["Name of the event", event],
			["Value", "5"],
		],
		["Text of message", "Only a few are left."],
	])
		await expect.poll(() => label(page, field).inputValue(), patience).toBe(text);
}

test("an administrator makes a rule without JSON, runs it again after a repair, switches it off and deletes it", () =>
	stand.visit(
		async (page) => {
			await enter(page, `${stand.urls.console}/uhai`, admin);
			const other = await createCollecting();
			await open(page, "Message rules");
			await heading(page, "Message rules").waitFor();
			await page.getByRole("link", { name: "New rule" }).click();
			await heading(page, "New rule").waitFor();
			await fillIn(page);
			await expectKept(page);
			await button(page, "Create the rule").dblclick();
			await heading(page, name).waitFor();
			await said(page, `“${name}” was created.`);
			await said(page, "event.left is less than 5");

			await happen(event, { left: 9, title: "Enough", email: "stock@people.example" });
			await happen(event, { left: 3, email: "stock@people.example" });
			await openPath(page, "/uhai/triggers");
			await page.getByLabel("Search rules").fill(run);
			await expect.poll(() => page.getByRole("row").count(), patience).toBe(3);
			await check(page, "the list");
			await page.getByRole("link", { name, exact: true }).click();
			await said(page, "E-mail: The event has no value for title.");
			expect(await page.getByRole("row").count()).toBe(2);

			await page.getByRole("link", { name: "Change", exact: true }).click();
			await label(page, "Name of the rule").fill(otherName);
			await label(page, "title is filled with").selectOption({ label: "A fixed text" });
			await label(page, "Text of title").fill("Low");
			await button(page, "Save").click();
			await page.getByRole("alert").getByText("There is a rule with this name.").waitFor();
			await expect.poll(() => page.evaluate("document.activeElement.id"), patience).toBe("name");
			await label(page, "Name of the rule").fill(name);
			await button(page, "Save").click();
			await said(page, `“${name}” was saved.`);
			await confirm(page, "Run again", /^Run again for/);
			await said(page, "Messages accepted");
			await check(page, "the rule");
			await confirm(page, "Switch off");
			await said(page, `“${name}” is switched off.`);
			await button(page, "Switch on").waitFor();
			await page.getByRole("link", { name: "E-mail", exact: true }).click();
			await heading(page, template).waitFor();
			await said(page, "Rule for an event");

			await happen(otherEvent, { title: "A scale was repaired" });
			await expect.poll(async () => (await ask("GET", "/digests"))["items"], patience).toHaveLength(1);
			await openPath(page, "/uhai/triggers/digests");
			await page.getByRole("row", { name: new RegExp(`${otherName}.*1 of at most 10`) }).waitFor();
			await check(page, "the digests");
			await confirm(page, "Send now", /^Send now the summary for/);
			await said(page, "No messages are being collected.");

			await openPath(page, "/uhai/triggers");
			await page.getByLabel("Search rules").fill(run);
			await page.getByRole("link", { name, exact: true }).click();
			await button(page, "Delete").click();
			await confirmByName(page, name, "Delete");
			await said(page, `“${name}” was deleted.`);
			await heading(page, "Message rules").waitFor();
			expect(await page.getByRole("link", { name, exact: true }).count()).toBe(0);
			await ask("DELETE", `/triggers/${other}`);
		},
		{ reducedMotion: "reduce" },
	));
