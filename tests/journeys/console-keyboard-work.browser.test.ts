import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { patience } from "./browser.ts";
import { openPayouts, type PayoutVisit } from "./console-payouts-visit.ts";
import { registerTenant } from "./console-tenant.ts";
import { enter, heading } from "./console-visit.ts";
import {
	check,
	choose,
	confirm,
	dialogOf,
	field,
	follow,
	isFocused,
	label,
	press,
	pressByKey,
	said,
	select,
	tabTo,
	type,
	typeName,
} from "./keyboard.ts";

let visit: PayoutVisit;
beforeAll(async () => {
	visit = await openPayouts();
});

const row = (page: Page, name: RegExp) => page.getByRole("row", { name }).first().waitFor();
const asAdministrator = (look: (page: Page) => Promise<void>) =>
	visit.stand.visit(async (page) => {
		await visit.enterAsAdministrator(page);
		await look(page);
	});
const png = Buffer.from(
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
	"base64",
);

test("settings are changed after a mistake, and a logo is uploaded and removed, by the keyboard alone", () =>
	asAdministrator(async (page) => {
		await follow(page, "Settings");
		const colour = label(page, "Colour");
		await type(page, colour, "green");
		await press(page, "Save settings");
		await page.getByRole("alert").getByText("Enter # and six hexadecimal digits").waitFor();
		await expect.poll(() => colour.and(page.locator(":focus")).count(), patience).toBe(1);
		await type(page, colour, "#0a7f3f");
		await choose(page, page.getByRole("radio", { name: /^By invitation only/ }));
		await press(page, "Save settings");
		await said(page, "Settings saved.");
		await isFocused(page, "Save settings");

		const chooser = page.waitForEvent("filechooser");
		await pressByKey(page, page.getByLabel("Image file"));
		await (await chooser).setFiles({ name: "logo.png", mimeType: "image/png", buffer: png });
		await press(page, "Upload the logo");
		await said(page, "The logo is saved.");
		await press(page, "Remove the logo");
		await confirm(page, "Remove the logo");
		await said(page, "The logo is removed.");
		await tabTo(page, page.getByLabel("Image file"));
	}));

test("another browser is signed out, and then all others, by the keyboard alone", async () => {
	// A person of its own: the tokens by which the other tests ask services would end, too.
	const { slug, email } = await registerTenant(visit.stand, { plan: "STARTER" });
	const open = (page: Page) => enter(page, `${visit.stand.urls.console}/${slug}`, { email });
	await visit.stand.visit(async (page) => {
		await open(page);
		for (const _browser of ["second", "third"]) await visit.stand.visit(open);
		await follow(page, "Sessions");
		const others = page.getByRole("main").getByRole("button", { name: /^Sign out of / });
		await others.first().waitFor();
		const before = await others.count();
		await pressByKey(page, others.first());
		await confirm(page, "Sign out");
		await said(page, /^You are signed out of /);
		await expect.poll(() => others.count(), patience).toBe(before - 1);
		await isFocused(page, /^Sign out of /);
		await press(page, "Sign out everywhere else");
		await confirm(page, "Sign out everywhere else");
		await said(page, "You are signed out everywhere else.");
		await expect.poll(() => others.count(), patience).toBe(0);
		await tabTo(page, page.getByRole("link", { name: "Sessions", exact: true }));
	});
});

test("a message provider is added after a mistake, changed and removed by the keyboard alone", () =>
	asAdministrator(async (page) => {
		await follow(page, "Providers");
		await press(page, "Add a provider");
		await select(page, field(page, "Service"), "Postmark");
		await type(page, field(page, "Name"), "Own mail");
		await type(page, field(page, "Server token"), "token");
		await check(page, dialogOf(page).getByLabel("Use this provider"));
		await confirm(page, "Add a provider");
		await dialogOf(page).getByRole("alert").getByText("This field is required: Sender’s address.").waitFor();
		await type(page, dialogOf(page).getByLabel("Sender’s address"), `info@${visit.tenant.slug}.example`);
		await confirm(page, "Add a provider");
		await said(page, /^Own mail was added\./);
		await follow(page, "Own mail");
		await press(page, "Change");
		await type(page, dialogOf(page).getByLabel("Messages a second"), "5");
		await confirm(page, "Save");
		await said(page, "Own mail was changed.");
		await isFocused(page, "Change");
		await press(page, "Remove");
		await typeName(page, "Own mail");
		await confirm(page, "Remove");
		await said(page, "Own mail was removed.");
		await heading(page, "Providers").waitFor();
		await tabTo(page, page.getByRole("button", { name: "Add a provider" }));
	}));

test("an address is suppressed, found, and its suppression lifted by the keyboard alone", () =>
	asAdministrator(async (page) => {
		const address = `guest@${visit.tenant.slug}.example`;
		await follow(page, "Suppressed addresses");
		await press(page, "Suppress an address");
		await select(page, field(page, "Channel"), "E-mail");
		await type(page, dialogOf(page).getByLabel("Address"), address);
		await confirm(page, "Suppress an address");
		await said(page, "The address is suppressed.");
		await isFocused(page, "Suppress an address");
		await select(page, label(page, "Channel"), "E-mail");
		await type(page, page.getByLabel("Address (exact)"), address);
		await row(page, /Added by an administrator/);
		await press(page, /^Lift the suppression of /);
		await confirm(page, "Lift");
		await said(page, "The suppression is lifted.");
		await press(page, "Remove filters");
	}));

test("credit for messages is granted by the platform owner, and more of it bought, by the keyboard alone", async () => {
	const code = `keys_${Date.now().toString(36)}`;
	await visit.stand.visit(async (page) => {
		await enter(page, `${visit.stand.urls.console}/lango`, { email: "root@lango.example" });
		await follow(page, "SMS credit");
		await press(page, "Add a pack");
		for (const [name, text] of Object.entries({ Code: code, Segments: "250", Price: "275.50" }))
			await type(page, dialogOf(page).getByLabel(name), text);
		await confirm(page, "Add a pack");
		await said(page, `The pack ${code} is on sale.`);
		await press(page, `Withdraw the pack ${code}`);
		await confirm(page, "Withdraw");
		await row(page, new RegExp(`${code}.*Withdrawn`));
		await follow(page, "Organisations");
		await type(page, page.getByRole("searchbox"), visit.tenant.slug);
		await expect.poll(() => page.getByRole("row").count(), patience).toBe(2);
		await pressByKey(page, page.getByRole("row").nth(1).getByRole("link"));
		await press(page, "Grant credit");
		await type(page, dialogOf(page).getByLabel("Segments"), "25");
		await type(page, dialogOf(page).getByLabel("Reason"), "Welcome");
		await confirm(page, "Grant");
		await said(page, "The credit was changed.");
		await isFocused(page, "Grant credit");
	});
	await asAdministrator(async (page) => {
		await follow(page, "SMS credit and WhatsApp");
		await row(page, /Granted.*Welcome.*25/);
		await press(page, "Change the warning");
		await type(page, dialogOf(page).getByLabel("Warning below"), "7");
		await confirm(page, "Save");
		await said(page, "The warning is changed.");
		await press(page, "Buy the pack sms_100");
		await confirm(page, "Buy");
		await row(page, /Paid.*The credit was added\./);
		await tabTo(page, page.getByRole("button", { name: "Buy the pack sms_100" }));
	});
});

test("a card is charged by a plan, stopped and resumed by the keyboard alone", () =>
	visit.stand.visit(async (page) => {
		await visit.collect(page);
		await visit.enterAsAdministrator(page);
		await follow(page, "Card plans");
		await press(page, "Create a plan");
		await type(page, field(page, "Name"), "Bus");
		await type(page, field(page, "Amount in KES"), "800");
		await select(page, field(page, "Charged"), "every week");
		await confirm(page, "Create");
		await row(page, /Bus.*every week.*Active.*800\.00/);
		await press(page, "Charge a card by a plan");
		for (const name of ["Plan", "Card"]) {
			await tabTo(page, field(page, name));
			await page.keyboard.press("ArrowDown");
		}
		await confirm(page, "Charge the card");
		await row(page, /Bus.*Active.*800\.00/);
		await press(page, /^Stop charging /);
		await confirm(page, "Stop");
		await said(page, "The card is not charged again.");
		await isFocused(page, "Resume");
		await press(page, /^Resume charging /);
		await confirm(page, "Resume");
		await said(page, "The card is charged again.");
	}));
