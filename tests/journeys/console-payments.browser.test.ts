import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { type ConsoleTenant, registerTenant } from "./console-tenant.ts";
import {
	enter,
	faultsInThemes,
	heading,
	openSharedConsole,
	type SharedConsole,
	signIn,
} from "./console-visit.ts";

let stand: SharedConsole;
let tenant: ConsoleTenant;
beforeAll(async () => {
	stand = await openSharedConsole();
	tenant = await registerTenant(stand);
	await tenant.ask("POST", "", { plan: "GROWTH" });
});

const widths = [320, 768, 1280];
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const dialogOf = (page: Page) => page.getByRole("dialog");
const confirm = (page: Page) => dialogOf(page).getByRole("button", { name: "Ask for it" }).click();

/** Checks a page at every width, in both themes. */
async function expectNoFaults(page: Page): Promise<void> {
	for (const width of widths) {
		await page.setViewportSize({ width, height: 800 });
		expect(await faultsInThemes(page)).toEqual([]);
	}
}

/** Enters a paybill of the sandbox that no demo tenant has. */
async function setPaybill(page: Page): Promise<void> {
	await page.getByRole("link", { name: "Payment settings", exact: true }).click();
	await page.getByLabel("Number of the paybill or till").fill("600500");
	await page.getByLabel("Initiator", { exact: true }).fill("sandbox-initiator");
	await page.getByLabel("Password of the initiator", { exact: true }).fill("Sandbox-2026!");
	await press(page, "Save");
	await page.getByText("The payment settings were saved.").waitFor();
}

/** Sends the form of a payment empty and wrong; each fault is said at its field. */
async function fillWrongly(page: Page): Promise<void> {
	const dialog = dialogOf(page);
	for (const [label, entered, says] of [
		["Amount in KES", "", "Enter an amount above 0"],
		["Amount in KES", "12.345", "Enter an amount above 0"],
		["Amount in KES", "1500", "Enter what the payment is for."],
		["What it is for", "Invoice 17", ""],
		["E-mail address of the payer", "amina@", "Enter an e-mail address, or leave it empty."],
		["E-mail address of the payer", "", ""],
		["Phone of the payer", "0612 345 678", "This is not a Kenyan mobile number."],
	] as const) {
		await dialog.getByLabel(label).fill(entered);
		if (says === "") continue;
		await confirm(page);
		await dialog.getByRole("alert").getByText(says).waitFor();
	}
}

/** Loses the answer to the next request for a payment; the treasury has taken it. */
async function loseAnswer(page: Page): Promise<void> {
	await page.route(
		"**/treasury/intents",
		async (route) => {
			await route.fetch();
			await route.abort();
		},
		{ times: 1 },
	);
}

test("a payment is asked for, the form sent twice makes one, and the phone that is asked pays it", () =>
	stand.visit(async (page, window) => {
		await page.goto(`${stand.urls.console}/${tenant.slug}`);
		await signIn(page, tenant.email);
		await heading(page, "Overview").waitFor();
		await setPaybill(page);
		await page.getByRole("link", { name: "Payments", exact: true }).click();
		await page.getByText("Nothing was asked to be paid yet.").waitFor();
		await press(page, "Ask for a payment");
		await fillWrongly(page);
		await expectNoFaults(page);
		await dialogOf(page).getByLabel("Phone of the payer").fill("0712 345 681");
		await dialogOf(page).getByLabel("Order number").fill("A-17");
		await loseAnswer(page);
		await confirm(page);
		await dialogOf(page).getByRole("alert").getByText("The service cannot be reached.").waitFor();
		await confirm(page);
		await heading(page, "Invoice 17").waitFor();
		expect(await page.getByLabel("Link to pay").inputValue()).toMatch(/^http.*\/pay\/.+/);
		expect(await page.getByLabel("Account number").inputValue()).toMatch(/^[0-9A-Z]{6,12}$/);
		await expectNoFaults(page);

		await press(page, "Ask the phone to pay");
		await page.getByRole("alert").getByText("Enter the number of the phone that pays.").waitFor();
		await page.getByLabel("Phone that pays").fill("0712 345 681");
		const phones = await window.newPage();
		await phones.goto(stand.urls["mobile-money-sandbox"]);
		await press(page, "Ask the phone to pay");
		await page.getByText("was asked to pay. Confirm there with the PIN.").waitFor();
		await press(page, "Cancel the request");
		await dialogOf(page).getByRole("button", { name: "Cancel the request" }).click();
		await dialogOf(page).getByRole("alert").getByText("A payer is being asked right now.").waitFor();
		await dialogOf(page).getByRole("button", { name: "Cancel", exact: true }).click();
		await phones
			.getByRole("region", { name: /254712345681/ })
			.getByRole("button", { name: "Enter PIN and accept" })
			.click();
		await page.getByText("This payment is complete.").waitFor();
		await page
			.getByRole("region", { name: "Received payments" })
			.getByRole("row", { name: /Ksh 1,500.00/ })
			.waitFor();
		await expectNoFaults(page);
		await page.getByRole("main").getByRole("link", { name: "Payments", exact: true }).click();
		await page.getByRole("row", { name: /^Open Invoice 17.*Paid.*Ksh 1,500.00 Ksh 1,500.00$/ }).waitFor();
		expect(await page.getByRole("row").count()).toBe(2);
	}));

test("an amount with cents is paid by card only; without a payer's address it is not opened, and it is cancelled", () =>
	stand.visit(async (page) => {
		await page.goto(`${stand.urls.console}/${tenant.slug}/payments`);
		await signIn(page, tenant.email);
		await press(page, "Ask for a payment");
		await dialogOf(page).getByLabel("Amount in KES").fill("99.50");
		await dialogOf(page).getByLabel("What it is for").fill("Delivery");
		await confirm(page);
		await heading(page, "Delivery").waitFor();
		await press(page, "Pay by card or bank");
		await page.getByRole("alert").getByText("Enter the e-mail address of the payer.").waitFor();
		expect(await page.getByLabel("Phone that pays").count()).toBe(0);
		await page.getByLabel("E-mail address for the receipt").fill("amina@example.com");
		await press(page, "Pay by card or bank");
		await page.getByRole("button", { name: "Pay KES 99.50" }).waitFor();

		await page.goto(`${stand.urls.console}/${tenant.slug}/payments?status=processing`);
		await page.getByRole("row", { name: /^Open Delivery/ }).waitFor();
		await page.getByLabel("Status", { exact: true }).selectOption("Cancelled");
		await page.getByText("No results.").waitFor();
		await page.getByLabel("Operation", { exact: true }).fill("17");
		await page.getByLabel("Operation", { exact: true }).press("Enter");
		await page.getByRole("alert").getByText("Enter the whole id of the operation").waitFor();
		await press(page, "Remove filters");
		await expect.poll(() => page.getByLabel("Operation", { exact: true }).inputValue()).toBe("");
		await page.getByLabel("Order number").fill("A-17");
		await page.getByLabel("Order number").press("Enter");
		await page.getByRole("row", { name: /^Open Delivery/ }).waitFor({ state: "hidden" });
		await page.getByRole("row", { name: /^Open Invoice 17/ }).waitFor();
		await page.getByLabel("To", { exact: true }).fill("2020-01-01");
		await page.getByText("No results.").waitFor();
		expect(page.url()).toMatch(/\/payments\?order_id=A-17&to=2020-01-01$/);
		await expectNoFaults(page);
	}));

test("people who only pay see what they pay and cannot ask for payments, in Swahili, too", () =>
	stand.visit(async (page) => {
		const only = (permissions: string[]) =>
			page.route("**/treasury/auth/me", async (route) => {
				const answer = await route.fetch();
				await route.fulfill({ response: answer, json: { ...(await answer.json()), permissions } });
			});
		await only(["treasury.payments.view_own"]);
		await enter(page, `${stand.urls.console}/${tenant.slug}`, { email: tenant.email });
		await page.getByRole("link", { name: "Payments", exact: true }).click();
		await page.getByText("What you have to pay, and have paid.").waitFor();
		await page.getByRole("row", { name: /^Open Invoice 17/ }).waitFor();
		expect(await page.getByRole("button", { name: "Ask for a payment" }).count()).toBe(0);
		await page.evaluate('localStorage.setItem("lango-language", "sw")');
		await page.reload();
		await heading(page, "Malipo").waitFor();
		await page.getByRole("row", { name: /^Fungua Invoice 17/ }).waitFor();
		expect(await faultsInThemes(page)).toEqual([]);
		await page.unroute("**/treasury/auth/me");
		await only([]);
		await page.reload();
		await heading(page, "Huruhusiwi kufungua ukurasa huu").waitFor();
	}));
