import { inTenant } from "@lango/postgres";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accessibilityFaults } from "./browser.ts";
import { enterAsOwner, inDatabaseOf } from "./console-owner-visit.ts";
import { type ConsoleTenant, registerPaybill, registerTenant, until } from "./console-tenant.ts";
import {
	type ConsoleStand,
	expectNoFaults,
	faultsInThemes,
	heading,
	openConsole,
	openPath,
	signIn,
} from "./console-visit.ts";

let stand: ConsoleStand;
beforeAll(async () => {
	stand = await openConsole();
}, 300_000);
afterAll(() => stand?.close());

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const askThePhone = "Ask the phone to pay";

/** Answers the prompt on a phone of the sandbox. */
async function answer(page: Page, phone: string, choice: string): Promise<void> {
	await page
		.getByRole("region", { name: new RegExp(phone) })
		.getByRole("button", { name: choice })
		.click();
}

test("a plan is chosen and paid by a prompt on the sandbox's phone, and is active; the bill says why earlier prompts failed", async () => {
	const tenant = await registerTenant(stand);
	await stand.visit(async (page, window) => {
		await page.goto(`${stand.urls.console}/${tenant.slug}/subscribe`);
		await signIn(page, tenant.email);
		await heading(page, "Subscription").waitFor();
		await press(page, "Try Growth");
		await page.getByRole("link", { name: "Pay for Growth", exact: true }).click();
		await press(page, "Pay Ksh 4,500.00");
		const phone = page.getByLabel("Phone that pays");
		await phone.waitFor();
		expect(await accessibilityFaults(page)).toEqual([]);

		await press(page, askThePhone);
		await page.getByRole("alert").getByText("Enter the number of the phone that pays.").waitFor();
		await phone.fill("0612 345 678");
		await press(page, askThePhone);
		await page.getByRole("alert").getByText("This is not a Kenyan mobile number.").waitFor();

		const phones = await window.newPage();
		await phones.goto(stand.urls["mobile-money-sandbox"]);
		const asked = page.getByText("was asked to pay. Confirm there with the PIN.");
		await phone.fill("0712 345 678");
		await press(page, askThePhone);
		await asked.waitFor();
		await answer(phones, "254712345678", "Cancel");
		await page.getByText("The request was cancelled on the phone. Nothing was charged.").waitFor();
		await phone.fill("0712 345 677");
		await press(page, askThePhone);
		await asked.waitFor();
		await answer(phones, "254712345677", "No balance");
		await page.getByText("There is not enough money in the account that pays.").waitFor();
		await readReasons(page, tenant);
		await phone.fill("0712 345 679");
		await press(page, askThePhone);
		await asked.waitFor();
		await answer(phones, "254712345679", "Enter PIN and accept");
		await page.getByText("Ksh 4,500.00 for Growth was paid. Thank you.").waitFor();
		expect((await tenant.ask("GET", "")).body).toMatchObject({ status: "ACTIVE", plan: "GROWTH" });
		await readStatement(page, tenant.slug);
		await openPath(page, `/${tenant.slug}/bills`);
		await page.getByRole("link", { name: /^Open Subscription/ }).click();
		await page.getByRole("row", { name: /677 Failed There is not enough money/ }).waitFor();
		await page.getByRole("row", { name: /678 Cancelled The request was cancelled/ }).waitFor();
		expect(await faultsInThemes(page)).toEqual([]);
	});
});

/** Reads on the page of bills why the last attempt to pay a renewal failed. */
async function readReasons(page: Page, { id, slug }: ConsoleTenant): Promise<void> {
	const payment = page.url();
	const setKind = (kind: string) =>
		inDatabaseOf(stand, "treasury", (db) =>
			inTenant(db, id, (tx) => tx.query("update intents set operation_kind = $1", [kind])),
		);
	await setKind("renewal");
	await openPath(page, `/${slug}/bills`);
	await page.getByRole("row", { name: /^Open Renewal.* There is not enough money/ }).waitFor();
	await page.getByText(/^The last attempt, .* was not paid\. There is not enough money/).waitFor();
	expect(await faultsInThemes(page)).toEqual([]);
	await press(page, "Kiswahili");
	await page.getByText(/^Jaribio la mwisho, .* halikulipwa\. /).waitFor();
	await press(page, "English");
	await setKind("checkout");
	await openPath(page, new URL(payment).pathname + new URL(payment).search);
	await page.getByLabel("Phone that pays").waitFor();
}

/** Reads what the tenant paid to Lango in its statement, and downloads it. */
async function readStatement(page: Page, slug: string): Promise<void> {
	await page.getByRole("link", { name: "Statement", exact: true }).click();
	await heading(page, "Statement").waitFor();
	await page.getByText("Nothing moved in these days.").waitFor();
	await page.getByLabel("Account", { exact: true }).selectOption("Paid to Lango");
	await page.getByRole("row", { name: /^Payment received.*Ksh 4,500.00 Ksh 4,500.00$/ }).waitFor();
	await page.getByRole("row", { name: /^Bill paid.*-Ksh 4,500.00 Ksh 0.00$/ }).waitFor();
	expect(await faultsInThemes(page)).toEqual([]);
	for (const ending of ["CSV", "PDF"]) {
		const file = page.waitForEvent("download");
		await press(page, `Download ${ending}`);
		const name = (await file).suggestedFilename();
		expect(name).toMatch(new RegExp(`^statement-${slug}-[\\d-]{21}\\.${ending.toLowerCase()}$`));
	}
	await page.getByLabel("From", { exact: true }).fill("2020-01-01");
	await page.getByRole("alert").getByText("Choose 400 days at most.").waitFor();
	await press(page, "Remove filters");
	await page.getByRole("row", { name: /^Bill paid/ }).waitFor();
	expect(page.url()).toMatch(/\/statement\?account=unapplied$/);
}

test("a bill is paid on the card gateway's page, without the product; renewals are then paid by a phone", async () => {
	const tenant = await registerTenant(stand);
	await stand.visit(async (page) => {
		const bills = `/${tenant.slug}/bills`;
		await page.goto(`${stand.urls.console}${bills}`);
		await signIn(page, tenant.email);
		await page.getByText("There are no bills yet.").waitFor();
		await tenant.ask("POST", "", { plan: "GROWTH" });
		await tenant.ask("POST", "/checkout", { plan: "GROWTH" });
		await openPath(page, `/${tenant.slug}/subscribe`);
		await page.getByLabel("Phone that pays").waitFor();
		await openPath(page, bills);
		await page.getByRole("link", { name: /^Open Subscription/ }).click();
		await heading(page, "Subscription").waitFor();
		await page.getByText("There are no attempts yet.").waitFor();
		expect(await faultsInThemes(page)).toEqual([]);
		const bill = page.url();
		await page.getByLabel("E-mail address for the receipt").fill("amina");
		await press(page, "Pay by card or bank");
		await page.getByRole("alert").getByText("Enter an e-mail address.").waitFor();
		await page.getByLabel("E-mail address for the receipt").fill(tenant.email);
		await press(page, "Pay by card or bank");
		await page.getByRole("button", { name: /^Pay .*4,500/ }).click();
		await page.waitForURL((url) => !url.pathname.startsWith("/checkout"));
		await page.goto(bill);
		await page.getByText("This bill is paid. Thank you.").waitFor();
		await page.getByRole("link", { name: "Bills", exact: true }).first().click();
		await page.getByRole("row", { name: /Subscription.*Paid.*4,500.00/ }).waitFor();

		await page.getByLabel("A phone is asked to pay").check();
		await press(page, "Save");
		await page.getByRole("alert").getByText("Enter the number of the phone that is asked.").waitFor();
		await page.getByLabel("Phone that is asked").fill("0612 345 678");
		await press(page, "Save");
		await page.getByRole("alert").getByText("This is not a Kenyan mobile number.").waitFor();
		await page.getByLabel("Phone that is asked").fill("0712 345 680");
		await press(page, "Save");
		await page.getByText("The method is saved.").waitFor();
		expect(await faultsInThemes(page)).toEqual([]);
		await page.reload();
		await expect.poll(() => page.getByLabel("Phone that is asked").inputValue()).toBe("254712345680");
	});
});

/** Somebody pays 1,500 shillings at the platform's paybill, with an account number that nothing has. */
async function payUnknown(): Promise<void> {
	await registerPaybill(stand);
	const paid = await fetch(`${stand.urls["mobile-money-sandbox"]}/_control/phones/254712555301/pay`, {
		...{ method: "POST", headers: { "content-type": "application/json" } },
		body: JSON.stringify({ shortcode: "600100", amount_minor: 150_000, account: "UNKNOWN" }),
	});
	expect(paid.status).toBe(200);
}

test("money of which no organisation is known is allocated by the platform owner to the bill of one, whose plan has no treasury", async () => {
	const tenant = await registerTenant(stand);
	for (const path of ["", "/checkout"]) await tenant.ask("POST", path, { plan: "STARTER" });
	await payUnknown();
	await stand.visit(async (page) => {
		await enterAsOwner(page, stand, "Money at gateways");
		await page.getByRole("link", { name: "Receipts to assign", exact: true }).click();
		await heading(page, "Receipts").waitFor();
		const row = page.getByRole("row", { name: /Not allocated.*Ksh 1,500.00/ });
		await until(async () => {
			await page.reload();
			await heading(page, "Receipts").waitFor();
			return (await row.count()) > 0;
		});
		await row.getByRole("link").click();
		await press(page, "Allocate");
		const dialog = page.getByRole("dialog");
		const allocate = () => dialog.getByRole("button", { name: "Allocate", exact: true }).click();
		await allocate();
		await dialog.getByRole("alert").getByText("Enter the organisation.").waitFor();
		await dialog.getByLabel("Organisation").fill(tenant.slug);
		await dialog.getByLabel("Amount in KES").focus();
		await dialog.getByRole("radio").check();
		await expectNoFaults(page);
		await allocate();
		await page.getByText("This receipt belongs to the organisation now.").waitFor();
		await row.waitFor({ state: "detached" });
		await openPath(page, `/${tenant.slug}/bills`);
		await page.getByRole("row", { name: /Subscription.*Paid.*1,500.00/ }).waitFor();
	});
});
