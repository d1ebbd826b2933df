import { inTenant } from "@lango/postgres";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { patience } from "./browser.ts";
import { enterAsOwner, inDatabaseOf } from "./console-owner-visit.ts";
import { type ConsoleTenant, registerTenant } from "./console-tenant.ts";
import {
	expectNoFaults,
	faultsInThemes,
	heading,
	openPath,
	openSharedConsole,
	type SharedConsole,
	signIn,
} from "./console-visit.ts";

let stand: SharedConsole;
beforeAll(async () => {
	stand = await openSharedConsole();
});
const at = (path: string) => `${stand.urls.console}${path}`;
const dialog = (page: Page) => page.getByRole("dialog");
const confirm = (page: Page, name: string) => dialog(page).getByRole("button", { name, exact: true }).click();
const isClosed = (page: Page) => expect.poll(() => dialog(page).count(), patience).toBe(0);
/** The numbers of the credit: balance, reserved, available, threshold. */
const numbers = async (page: Page) =>
	(await page.getByRole("main").locator("dl", { hasText: "Available" }).locator("dd").allTextContents()).map(
		(text) => Number(text.replaceAll(/\D/g, "")),
	);

/** The platform owner adds a pack, with every mistake first, changes it and withdraws it. */
async function addPack(page: Page, code: string): Promise<void> {
	const add = () => page.getByRole("button", { name: "Add a pack" }).first().click();
	await add();
	const enter = (label: string, text: string) => dialog(page).getByLabel(label).fill(text);
	const refused = async (label: string, text: string, says: string) => {
		await enter(label, text);
		await confirm(page, "Add a pack");
		await dialog(page).getByRole("alert").getByText(says).waitFor();
	};
	await refused("Code", "", "Enter a code of lower-case letters");
	await refused("Code", "SMS 250", "Enter a code of lower-case letters");
	await enter("Code", code);
	await refused("Segments", "", "Enter a whole number from 1 to 10,000,000.");
	await refused("Segments", "0", "Enter a whole number from 1 to 10,000,000.");
	await enter("Segments", "250");
	await refused("Price", "", "Enter an amount greater than 0");
	await refused("Price", "free", "Enter an amount greater than 0");
	await enter("Price", "275.50");
	await refused("Currency", "K1", "Enter a currency code of three letters");
	expect(await faultsInThemes(page), "dialog").toEqual([]);
	await enter("Currency", "KES");
	await dialog(page).getByRole("button", { name: "Add a pack" }).dblclick();
	await page.getByText(`The pack ${code} is on sale.`).waitFor();
	const row = page.getByRole("row", { name: new RegExp(code) });
	await expect.poll(() => row.count(), patience).toBe(1);

	await add();
	for (const [label, text] of Object.entries({ Code: code, Segments: "1", Price: "1" }))
		await enter(label, text);
	await confirm(page, "Add a pack");
	await dialog(page).getByRole("alert").getByText("Another pack has this code.").waitFor();
	await confirm(page, "Cancel");

	await page.getByRole("button", { name: `Change the pack ${code}` }).click();
	await enter("Price", "260");
	await confirm(page, "Save");
	await page.getByText(`The pack ${code} is changed.`).waitFor();
	await row.getByText(/260/).waitFor();
	await page.getByRole("button", { name: `Withdraw the pack ${code}` }).click();
	await confirm(page, "Withdraw");
	await row.getByText("Withdrawn").waitFor();
}

/** The platform owner grants credit on the page of a tenant, with every mistake first. */
async function grant(page: Page, reason: string): Promise<void> {
	await expect.poll(() => numbers(page), patience).toEqual([0, 0, 0, 50]);
	await page.getByRole("button", { name: "Grant credit" }).click();
	for (const [segments, because, says] of [
		["", "", "Enter a whole number that is not 0"],
		["many", "", "Enter a whole number that is not 0"],
		["25", "", "Enter a reason."],
		["-5", reason, "less credit available than you take away"],
	] as const) {
		await dialog(page).getByLabel("Segments").fill(segments);
		await dialog(page).getByLabel("Reason").fill(because);
		await confirm(page, "Grant");
		await dialog(page).getByRole("alert").getByText(says).waitFor();
	}
	await dialog(page).getByLabel("Segments").fill("25");
	await dialog(page).getByRole("button", { name: "Grant", exact: true }).dblclick();
	await page.getByText("The credit was changed.").waitFor();
	await expect.poll(() => numbers(page), patience).toEqual([25, 0, 25, 50]);
}

test("the platform owner adds, changes and withdraws a pack, and grants credit; the tenant sees the grant with its reason, and not the pack", async () => {
	const tenant = await registerTenant(stand, { plan: "STARTER" });
	const [code, reason] = [`sms_${Date.now().toString(36)}`, "Welcome to the platform"];
	await stand.visit(async (page) => {
		await enterAsOwner(page, stand, "SMS credit");
		await addPack(page, code);
		await expectNoFaults(page);
		await openPath(page, `/lango/platform/tenants/${tenant.id}`);
		await grant(page, reason);
		await expectNoFaults(page);
	});
	await stand.visit(
		async (page) => {
			await page.goto(at(`/${tenant.slug}/credits`));
			await signIn(page, tenant.email);
			await heading(page, "SMS credit and WhatsApp").waitFor();
			const changes = page.getByRole("table", { name: "Changes of the credit" });
			await changes.getByRole("row", { name: new RegExp(`Granted.*${reason}.*25`) }).waitFor();
			await page.getByRole("button", { name: "Buy the pack sms_100" }).waitFor();
			expect(await page.getByText(code).count()).toBe(0);
			await changeThreshold(page);
			await readWarning(page, tenant.slug);
			await buyPacks(page, tenant);
			await expectNoFaults(page);
		},
		{ isLive: true },
	);
});

async function changeThreshold(page: Page): Promise<void> {
	await page.getByRole("button", { name: "Change the warning" }).click();
	for (const wrong of ["", "-1", "many", "10000001"]) {
		await dialog(page).getByLabel("Warning below").fill(wrong);
		await confirm(page, "Save");
		await dialog(page).getByRole("alert").getByText("Enter a whole number from 0 to 10,000,000.").waitFor();
	}
	const save = async (threshold: number) => {
		await dialog(page).getByLabel("Warning below").fill(String(threshold));
		await confirm(page, "Save");
		await expect.poll(() => numbers(page), patience).toEqual([25, 0, 25, threshold]);
	};
	await save(7);
	// The balance is below this one: the administrators are warned at once.
	await page.getByRole("button", { name: "Change the warning" }).click();
	await save(30);
	await page.getByRole("button", { name: /^Notifications: \d+ new$/ }).waitFor();
	await page.getByRole("button", { name: "Change the warning" }).click();
	await save(7);
}

/** The warning is in the inbox of the administrator, and says how much is left. */
async function readWarning(page: Page, slug: string): Promise<void> {
	await openPath(page, `/${slug}/inbox`);
	await page
		.getByText(/balance of 25\. The threshold is 30/)
		.first()
		.waitFor();
	await expectNoFaults(page);
	await openPath(page, `/${slug}/credits`);
	await heading(page, "SMS credit and WhatsApp").waitFor();
}

/** Buys three packs: one payment fails, one never comes, one arrives. */
async function buyPacks(page: Page, tenant: ConsoleTenant): Promise<void> {
	const purchases = page.getByRole("table", { name: "Purchases" });
	const buy = page.getByRole("button", { name: "Buy the pack sms_100" });
	const begin = async () => {
		await buy.click();
		await dialog(page).getByText("100 segments for").waitFor();
		await dialog(page).getByRole("button", { name: "Buy", exact: true }).dblclick();
		await isClosed(page);
	};
	await tenant.answers("refuses");
	await begin();
	await purchases.getByRole("row", { name: /Failed.*No credit was added\. Buy the pack again/ }).waitFor();

	await tenant.answers("silent");
	await begin();
	await purchases.getByRole("row", { name: /Waiting.*Pay the request/ }).waitFor();
	await page.getByText("A purchase waits for its payment until").waitFor();
	expect(await buy.count()).toBe(0);
	await inDatabaseOf(stand, "notifications", (db) =>
		inTenant(db, tenant.id, (tx) =>
			tx.query("update credit_top_ups set expires_at = requested_at where status = 'open'"),
		),
	);
	await purchases
		.getByRole("row", { name: /Expired.*not paid within 24 hours.*Buy the pack again/ })
		.waitFor();

	await tenant.answers("pays");
	await begin();
	await purchases.getByRole("row", { name: /Paid.*The credit was added\./ }).waitFor();
	await expect.poll(() => numbers(page), patience).toEqual([125, 0, 125, 7]);
	expect(await purchases.getByRole("row").count()).toBe(4);
}

test("a larger plan lifts the limit of e-mails a day, without another sign-in", async () => {
	const tenant = await registerTenant(stand);
	await tenant.paysFor("STARTER");
	let sent = 0;
	/** Sends to the first recipients of the tenant: a trial, which may not be over yet, limits new ones. */
	const send = (count: number) => {
		sent += 1;
		return tenant.sends({
			...{ channel: "email", template: "shared/generic_notification" },
			to: Array.from({ length: count }, (_, at) => `reader${at}@${tenant.slug}.example`),
			data: {
				name: "Amina",
				title: `No. ${sent}`,
				message: "3 left.",
				action_link: "https://soko.example/x",
			},
		});
	};
	await send(100);
	await send(100);
	await expect(send(1)).rejects.toThrow(/429.*"daily_limit_reached"/);
	const { body: quote } = await tenant.ask("POST", "/quote", { plan: "GROWTH" });
	await tenant.ask("POST", "/change", { quote_id: quote["quote_id"], mode: "now" });
	const isSent = () =>
		send(1).then(
			() => true,
			(error: unknown) => String(error),
		);
	await expect.poll(isSent, patience).toBe(true);
});
