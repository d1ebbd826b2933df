import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { patience } from "./browser.ts";
import { type ConsoleTenant, registerTenant } from "./console-tenant.ts";
import { enter, heading, openSharedConsole, type SharedConsole } from "./console-visit.ts";
import {
	check,
	confirm,
	dialogOf,
	follow,
	isFocused,
	label,
	press,
	pressByKey,
	said,
	tabTo,
	type,
} from "./keyboard.ts";
import { mailTo } from "./sandbox-inbox.ts";

let stand: SharedConsole;
let tenant: ConsoleTenant;
beforeAll(async () => {
	stand = await openSharedConsole();
	tenant = await registerTenant(stand, { plan: "GROWTH" });
});

const asAdministrator = (look: (page: Page) => Promise<void>) =>
	stand.visit(async (page) => {
		await enter(page, `${stand.urls.console}/${tenant.slug}`, tenant);
		await look(page);
	});

const template = "shared/generic_notification";
const addressOf = (name: string) => `${name}@${tenant.slug}.example`;

/** The administrator sends a mail to somebody, who has a name of this file. */
const send = (name: string, options: { send_at?: string } = {}) =>
	tenant.sends({
		...{ channel: "email", template, to: [addressOf(name)], ...options },
		data: {
			name: "Asha",
			title: "Stock is low",
			message: "Only 3 left.",
			action_link: "https://lango.example/stock",
		},
	});

/** Cancels the message of the page, which is to be sent tomorrow. */
async function cancel(page: Page): Promise<void> {
	await press(page, "Cancel what waits");
	await page.keyboard.press("Escape");
	await isFocused(page, "Cancel what waits");
	await press(page, "Cancel what waits");
	await confirm(page, "Cancel the deliveries");
	await said(page, "The deliveries that waited are cancelled.");
	await page.getByRole("button", { name: "Cancel what waits" }).waitFor({ state: "detached" });
}

test("a message is cancelled and sent again, and another one by a filter, by the keyboard alone", async () => {
	const send_at = new Date(Date.now() + 86_400_000).toISOString();
	for (const name of ["first", "second"]) await send(name, { send_at });
	await asAdministrator(async (page) => {
		await follow(page, "Messages");
		await follow(page, /^Open shared\/generic_notification/);
		await cancel(page);
		await follow(page, /^s…d@/);
		await said(page, "It was cancelled before it was sent.");
		await press(page, /^Send again to s…d@/);
		await confirm(page, "Send again");
		await said(page, "The message is being sent again.");
		await page.getByText("Sent again", { exact: true }).waitFor();
		expect((await mailTo(stand, addressOf("second"), "Stock is low")).text).toContain("Only 3 left.");

		await pressByKey(page, page.getByRole("main").getByRole("link", { name: "Messages", exact: true }));
		await pressByKey(page, page.getByRole("link", { name: /^Open shared\/generic_notification/ }).last());
		await cancel(page);
		await follow(page, "Messages");
		await follow(page, "Sending again");
		await sendByFilter(page);
		await mailTo(stand, addressOf("first"), "Stock is low");
	});
});

/** Sends again what was cancelled, and was not sent again yet. */
async function sendByFilter(page: Page): Promise<void> {
	await press(page, "Send again by filter");
	for (const state of ["Refused", "Given up"]) await check(page, dialogOf(page).getByLabel(state));
	await confirm(page, "Send again by filter");
	await dialogOf(page).getByRole("alert").getByText("Choose at least one state.").waitFor();
	await check(page, dialogOf(page).getByLabel("Cancelled"));
	await confirm(page, "Send again by filter");
	await said(page, "1 delivery is sent again.");
	await isFocused(page, "Send again by filter");
}

/** Publishes the template of the page with another subject, as a version of its own. */
async function publish(page: Page, subject: string, version: number): Promise<void> {
	await type(page, label(page, "Subject"), subject);
	await press(page, "Publish");
	await confirm(page, "Publish");
	await said(page, "Replaced by you");
	await said(page, "There is no draft.");
	await isInForce(page, version);
}

const isInForce = (page: Page, version: number) =>
	page.getByRole("row", { name: `Version ${version} In force` }).waitFor();

const subjectBecomes = (page: Page, subject: string) =>
	expect.poll(() => label(page, "Subject").inputValue(), patience).toBe(subject);

test("a template is rolled back, and then the platform's is used again, by the keyboard alone, and mails follow", () =>
	asAdministrator(async (page) => {
		await follow(page, "Templates");
		await type(page, page.getByLabel("Search templates"), "generic");
		await page
			.getByRole("link", { name: "cafe/cafe_contact_form", exact: true })
			.waitFor({ state: "detached" });
		await follow(page, template);
		await heading(page, template).waitFor();
		const ofPlatform = await label(page, "Subject").inputValue();
		await publish(page, "One: {{ title }}", 1);
		await publish(page, "Two: {{ title }}", 2);
		await press(page, "Roll back to version 1");
		await page.keyboard.press("Escape");
		await isFocused(page, "Roll back");
		await press(page, "Roll back to version 1");
		await confirm(page, "Roll back");
		await said(page, "A copy of version 1 is in force.");
		await isInForce(page, 3);
		await subjectBecomes(page, "One: {{ title }}");
		await send("third");
		expect((await mailTo(stand, addressOf("third"), "Stock is low")).subject).toMatch(/^One: /);

		await press(page, "Use the platform’s template");
		await confirm(page, "Use the platform’s template");
		await said(page, "The platform’s template is in force.");
		await said(page, "From the platform");
		await subjectBecomes(page, ofPlatform);
		await tabTo(page, label(page, "Subject"));
		await send("fourth");
		expect((await mailTo(stand, addressOf("fourth"), "Stock is low")).subject).not.toContain("One: ");
	}));
