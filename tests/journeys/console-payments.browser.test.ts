import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { type ConsoleTenant, registerTenant, until } from "./console-tenant.ts";
import {
	enter,
	expectNoFaults,
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
	tenant = await registerTenant(stand, { plan: "GROWTH" });
	// A paybill of the sandbox that no demo tenant has.
	const initiator = { initiator_name: "sandbox-initiator", initiator_password: "Sandbox-2026!" };
	await tenant.collects("PUT", "/gateway", { shortcode: "600500", kind: "paybill", ...initiator });
	await tenant.collects("POST", "/mobile-money/urls");
});

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const dialogOf = (page: Page) => page.getByRole("dialog");
const confirm = (page: Page) => dialogOf(page).getByRole("button", { name: "Request", exact: true }).click();

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

/** Sends JSON to a service without a caller. Throws when that is refused. */
async function send(method: string, url: string, body: unknown): Promise<Record<string, unknown>> {
	const answer = await fetch(url, {
		...{ method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) },
		signal: AbortSignal.timeout(10_000),
	});
	if (!answer.ok) throw new Error(`${method} ${url} answered ${answer.status}`);
	const text = await answer.text();
	return text === "" ? {} : JSON.parse(text);
}

const control = () => `${stand.urls["mobile-money-sandbox"]}/_control`;
const setFaults = (rules: object[]) => send("PUT", `${control()}/faults`, rules);
const payAtCounter = (phone: string, payment: object) =>
	send("POST", `${control()}/phones/${phone}/pay`, { shortcode: "600500", ...payment });

/** Loses the answer to the next request to an address of the treasury, which has taken the request. */
async function loseAnswer(page: Page, address: string): Promise<void> {
	await page.route(
		`**/treasury/${address}`,
		async (route) => {
			await route.fetch();
			await route.abort();
		},
		{ times: 1 },
	);
}

test("a payment is requested, the form sent twice makes one, and the phone that is asked pays it", () =>
	stand.visit(async (page, window) => {
		await page.goto(`${stand.urls.console}/${tenant.slug}`);
		await signIn(page, tenant.email);
		await heading(page, "Overview").waitFor();
		await page.getByRole("link", { name: "Payments", exact: true }).click();
		await page.getByText("No payment was requested yet.").waitFor();
		await press(page, "Request payment");
		await fillWrongly(page);
		await expectNoFaults(page);
		await dialogOf(page).getByLabel("Phone of the payer").fill("0712 345 681");
		await dialogOf(page).getByLabel("Order number").fill("A-17");
		await loseAnswer(page, "intents");
		await confirm(page);
		await dialogOf(page).getByRole("alert").getByText("The service cannot be reached.").waitFor();
		await confirm(page);
		await heading(page, "Invoice 17").waitFor();
		expect(await page.getByLabel("Link to pay").inputValue()).toMatch(/^http.*\/pay\/.+/);
		expect(await page.getByLabel("Account number").inputValue()).toMatch(/^[0-9A-Z]{6,12}$/);
		await press(page, "Show a QR code");
		await page.getByAltText("QR code to pay with a phone").waitFor();
		await expectNoFaults(page);

		await press(page, "Ask the phone to pay");
		await page.getByRole("alert").getByText("Enter the number of the phone that pays.").waitFor();
		await page.getByLabel("Phone that pays").fill("0712 345 681");
		const phones = await window.newPage();
		await phones.goto(stand.urls["mobile-money-sandbox"]);
		await press(page, "Ask the phone to pay");
		await page.getByText("was asked to pay. Confirm there with the PIN.").waitFor();
		await press(page, "Ask the gateway now");
		await page.getByText("The gateway was asked what became of the attempts.").waitFor();
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
		await press(page, "Request payment");
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

test("people who only pay see what they pay and cannot request payments, in Swahili, too", () =>
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
		expect(await page.getByRole("button", { name: "Request payment" }).count()).toBe(0);
		await page.evaluate('document.cookie = "lango-language=sw; path=/"');
		await page.reload();
		await heading(page, "Malipo").waitFor();
		await page.getByRole("row", { name: /^Fungua Invoice 17/ }).waitFor();
		expect(await faultsInThemes(page)).toEqual([]);
		await page.unroute("**/treasury/auth/me");
		await only([]);
		await page.reload();
		await heading(page, "Huna ruhusa").waitFor();
	}));

test("a receipt with an unknown account is allocated in part, then to all that is left", () =>
	stand.visit(async (page) => {
		const asked = { currency: "KES", amount_minor: 80_000 };
		for (const description of ["Chairs", "Tables"])
			await tenant.collects("POST", "/intents", { ...asked, description });
		await payAtCounter("254712345690", { amount_minor: 120_000, account: "JOHN" });
		const unallocated = async () => {
			const { body } = await tenant.collects("GET", "/receipts?state=unallocated");
			return (body as { items: unknown[] }).items.length > 0;
		};
		await until(unallocated);

		await enter(page, `${stand.urls.console}/${tenant.slug}`, { email: tenant.email });
		await page.getByRole("link", { name: "Receipts", exact: true }).click();
		await heading(page, "Receipts").waitFor();
		await page.getByLabel("Status", { exact: true }).selectOption("Not confirmed");
		await page.getByText("No results.").waitFor();
		await page.getByLabel("Status", { exact: true }).selectOption("Not allocated");
		await page.getByRole("row", { name: /Not allocated.*JOHN Ksh 1,200.00 Ksh 1,200.00$/ }).waitFor();
		expect(page.url()).toMatch(/\/receipts\?state=unallocated$/);
		await expectNoFaults(page);
		await page.getByRole("link", { name: /^Open / }).click();
		await page.getByText("It pays nothing yet.").waitFor();
		await press(page, "Allocate");
		const dialog = dialogOf(page);
		const allocate = () => dialog.getByRole("button", { name: "Allocate", exact: true }).click();
		const offered = dialog.getByRole("radio");
		await offered.first().waitFor();
		await allocate();
		await dialog.getByRole("alert").getByText("Choose the payment that it pays.").waitFor();
		const search = dialog.getByLabel("Find by account number");
		await search.fill("800.01");
		await dialog.getByText("No results.").waitFor();
		await search.fill("chair");
		await expect.poll(() => offered.count()).toBe(1);
		await search.press("Enter");
		await search.press("Tab");
		await page.keyboard.press("Space");
		await dialog.getByRole("radio", { name: "Chairs", checked: true }).waitFor();
		for (const amount of ["1200.01", "900"]) {
			await dialog.getByLabel("Amount in KES").fill(amount);
			await allocate();
			await dialog.getByRole("alert").getByText("Enter an amount that is left").waitFor();
		}
		await expectNoFaults(page);
		await dialog.getByLabel("Amount in KES").fill("500.50");
		await loseAnswer(page, "receipts/*/allocate*");
		await allocate();
		await dialog.getByRole("alert").getByText("The service cannot be reached.").waitFor();
		await allocate();
		await dialog.getByRole("alert").getByText("Another amount is left of this receipt now.").waitFor();
		await page.reload();
		await page.getByRole("row", { name: /Open the payment.*Ksh 500.50$/ }).waitFor();

		await press(page, "Allocate");
		await dialog.getByText("Ksh 699.50 of this receipt is not allocated.").waitFor();
		await search.fill("800");
		await dialog.getByLabel("Tables").check();
		await allocate();
		await page.getByText("The receipt is allocated.").waitFor();
		await page.getByRole("row", { name: /Open the payment.*Ksh 699.50$/ }).waitFor();
		expect(await page.getByRole("button", { name: "Allocate" }).count()).toBe(0);
		await expectNoFaults(page);
		await page.getByRole("link", { name: "Open the payment" }).first().click();
		await heading(page, "Tables").waitFor();
		await page.getByText("Partly paid").waitFor();
		await page.getByRole("link", { name: "Open the receipt" }).click();
		await page.evaluate('document.cookie = "lango-language=sw; path=/"');
		await page.reload();
		await page.getByRole("main").getByRole("link", { name: "Risiti", exact: true }).waitFor();
		expect(await faultsInThemes(page)).toEqual([]);
	}));

test("the gateway is asked about a receipt number, and the payment is reversed by it", () =>
	stand.visit(async (page) => {
		const { receipt } = await payAtCounter("254712345692", { amount_minor: 20_000, account: "PETER" });
		await until(async () => {
			const { body } = await tenant.collects("GET", "/receipts?state=unallocated");
			return (body as { items: Array<{ receipt: string }> }).items.some((one) => one.receipt === receipt);
		});
		await enter(page, `${stand.urls.console}/${tenant.slug}`, { email: tenant.email });
		await page.getByRole("link", { name: "Receipts", exact: true }).click();
		const region = page.getByRole("region", { name: "Ask about a receipt number" });
		const ask = async (number: string) => {
			await region.getByLabel("Receipt number").fill(number);
			await region.getByRole("button", { name: "Ask the gateway" }).click();
		};
		await ask("no");
		await region.getByRole("alert").getByText("6 to 20 letters and digits").waitFor();
		await ask("NOSUCH1234");
		await region.getByText("The gateway does not know this receipt number.").waitFor();
		await ask(String(receipt).toLowerCase());
		await region.getByText("The gateway has answered.").waitFor();
		await region.getByText("Completed", { exact: true }).waitFor();
		await region.getByText("Ksh 200.00").waitFor();
		await expectNoFaults(page);

		await press(page, "Reverse a payment");
		const dialog = dialogOf(page);
		const reverse = () => dialog.getByRole("button", { name: "Reverse", exact: true }).click();
		await dialog.getByLabel("Receipt number").fill("NOSUCH1234");
		await dialog.getByLabel("Amount in KES").fill("50.50");
		await reverse();
		await dialog.getByRole("alert").getByText("Enter whole shillings").waitFor();
		await dialog.getByLabel("Amount in KES").fill("");
		await dialog.getByLabel("Reason").fill("Paid twice");
		await expectNoFaults(page);
		await reverse();
		await dialog.getByRole("alert").getByText("No receipt of your organisation has this number.").waitFor();
		await dialog.getByLabel("Receipt number").fill(String(receipt));
		await loseAnswer(page, "reversals*");
		await reverse();
		await dialog.getByRole("alert").getByText("The service cannot be reached.").waitFor();
		await reverse();
		await dialog.waitFor({ state: "detached" });
		await page.getByRole("link", { name: "Refunds", exact: true }).click();
		await page.getByRole("row", { name: /^Paid twice .*Returned.*Ksh 200.00$/ }).waitFor();
		expect(await page.getByRole("row").count()).toBe(2);
	}));

test("a receipt that only an untrusted sender reported is not confirmed until the gateway confirms it", () =>
	stand.visit(async (page) => {
		await setFaults([
			{ operation: "confirmation", fault: "drop" },
			{ operation: "status", fault: "spike_arrest" },
		]);
		try {
			const { receipt } = await payAtCounter("254712345691", { amount_minor: 30_000, account: "MARY" });
			const said = { TransID: receipt, TransAmount: "300.00", BillRefNumber: "MARY" };
			await send("POST", `${stand.urls.treasury}/webhooks/mobilemoney/confirmation`, {
				...{ ...said, BusinessShortCode: "600500", TransTime: "20261126090000", MSISDN: "2547 ***** 691" },
			});
			const unverified = async () => {
				const { body } = await tenant.collects("GET", "/receipts?state=unverified");
				return (body as { items: unknown[] }).items.length > 0;
			};
			await until(unverified);
			await enter(page, `${stand.urls.console}/${tenant.slug}`, { email: tenant.email });
			await page.getByRole("link", { name: "Receipts", exact: true }).click();
			await page
				.getByRole("row", { name: /Not confirmed.*MARY/ })
				.getByRole("link")
				.click();
			await page.getByText("Until then it counts nowhere.").waitFor();
			await press(page, "Ask the gateway about it");
			await page.getByRole("alert").getByText("The gateway refused the question.").waitFor();
			await expectNoFaults(page);
		} finally {
			await setFaults([]);
		}
		await press(page, "Ask the gateway about it");
		await page.getByText("Until then it counts nowhere.").waitFor({ state: "hidden" });
		await page.getByRole("button", { name: "Allocate" }).waitFor();
	}));
