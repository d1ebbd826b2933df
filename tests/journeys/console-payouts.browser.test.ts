import { readFile } from "node:fs/promises";
import { readPdf } from "@lango/testkit";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { chartOf, readChart, shillings, textsOf } from "./console-charts.ts";
import { openPayouts, type PayoutVisit } from "./console-payouts-visit.ts";
import { type ConsoleTenant, until } from "./console-tenant.ts";
import { enter, expectNoFaults, heading, openPath, type SharedConsole } from "./console-visit.ts";
import { pressByKey } from "./keyboard.ts";

let stand: SharedConsole;
let tenant: ConsoleTenant;
let control: PayoutVisit["control"];
let settle: PayoutVisit["settle"];
let collect: PayoutVisit["collect"];
beforeAll(async () => {
	({ stand, tenant, control, settle, collect } = await openPayouts());
});

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const dialogOf = (page: Page) => page.getByRole("dialog");

/** Sends the form of a payout empty and wrong; each fault is said at its field. */
async function fillWrongly(page: Page): Promise<void> {
	const dialog = dialogOf(page);
	const request = () => dialog.getByRole("button", { name: "Request", exact: true }).click();
	await dialog.getByLabel("Amount in KES").fill("12.345");
	await request();
	await dialog.getByRole("alert").getByText("Enter an amount above 0").waitFor();
	await dialog.getByLabel("Amount in KES").fill("5000");
	await request();
	await dialog.getByRole("alert").getByText("There is not enough available for this payout.").waitFor();
	await dialog.getByLabel("From").selectOption("Your own paybill or till");
	await request();
	await dialog.getByRole("alert").getByText("Enter a Kenyan mobile number").waitFor();
	await expectNoFaults(page);
	await payBusiness(page);
	await dialog.getByLabel("From").selectOption("Money at Lango");
}

/** Asks to pay a business: its paybill needs an account, and its till has none. */
async function payBusiness(page: Page): Promise<void> {
	const dialog = dialogOf(page);
	const request = () => dialog.getByRole("button", { name: "Request", exact: true }).click();
	await dialog.getByLabel("Kind of receiver").selectOption("A business");
	await dialog.getByLabel("Paybill number").fill("600600");
	await request();
	await dialog.getByRole("alert").getByText("Enter the account number: a paybill needs one.").waitFor();
	await expectNoFaults(page);
	await dialog.getByLabel("Paid at").selectOption("Till");
	await dialog.getByLabel("Account number at the business").waitFor({ state: "detached" });
	await dialog.getByLabel("What it is for").fill("Stock");
	const sent = page.waitForRequest((one) => one.method() === "POST" && one.url().endsWith("/payouts"));
	await request();
	const asked = { kind: "business", command: "MerchantToMerchantTransfer", to: "600600", remarks: "Stock" };
	expect((await sent).postDataJSON()).toMatchObject({ ...asked, amount_minor: 500_000 });
	await dialog.getByRole("alert").getByText("This way to pay out is not set up.").waitFor();
}

test("what a payer pays by card is paid out less the fee, once another person has approved it and entered the one-time password, and is in the statement", () =>
	stand.visit(async (page) => {
		await collect(page);
		await enter(page, `${stand.urls.console}/${tenant.slug}`, { email: tenant.email });
		await openPath(page, `/${tenant.slug}/statement`);
		await page.getByText("All that Lango holds for you: Ksh 1,000.00").waitFor();
		await page.getByRole("row", { name: /^Fee Fees due.*Ksh 35.00/ }).waitFor();
		await settle(100_000);

		await page.getByRole("link", { name: "Payouts", exact: true }).click();
		await page.getByText("There are no payouts yet.").waitFor();
		await press(page, "Request payout");
		await page.getByText("Ksh 1,000.00 at Lango is available.").waitFor();
		await fillWrongly(page);
		await dialogOf(page).getByLabel("Amount in KES").fill("");
		await page.route(
			"**/treasury/payouts",
			async (route) => {
				await route.fetch();
				await route.abort();
			},
			{ times: 1 },
		);
		await press(page, "Request");
		await dialogOf(page).getByRole("alert").getByText("The service cannot be reached.").waitFor();
		await press(page, "Request");
		await page.getByText("Another person than the one who requested it has to approve it.").waitFor();
		await page.getByRole("row", { name: /^Fees of card payments .*-Ksh 35.00$/ }).waitFor();
		await page.getByRole("row", { name: /^After fees Ksh 965.00$/ }).waitFor();
		expect(await page.getByRole("button", { name: "Approve" }).count()).toBe(0);
		await expectNoFaults(page);

		await stand.visit(approve);
		await page.getByText("It has arrived.").waitFor();
		await page.getByRole("row", { name: /^Approved / }).waitFor();
		await page.getByRole("main").getByRole("link", { name: "Payouts", exact: true }).click();
		await page.getByRole("row", { name: /^Open the payout to .*Paid.*Ksh 1,000.00 Ksh 965.00$/ }).waitFor();
		expect(await page.getByRole("row").count()).toBe(2);
		await page.getByRole("link", { name: "Receipts", exact: true }).click();
		await page.getByLabel("Kind", { exact: true }).selectOption("Paid out");
		await page.getByRole("row", { name: /^Open TRF_.* Paid out – .*Ksh 965.00$/ }).waitFor();
		await page.getByRole("link", { name: /^Open TRF_/ }).click();
		await page.getByRole("link", { name: "Open the payout" }).waitFor();
		await expectNoFaults(page);
		await page.getByRole("link", { name: "Statement", exact: true }).click();
		await page.getByText("All that Lango holds for you: Ksh 0.00").waitFor();
		await page.getByRole("row", { name: /^Fee Fees due .*-Ksh 35\.00 -Ksh 35\.00$/ }).waitFor();
		await page
			.getByRole("row", { name: /^Payment received Pending .* Ksh 1,000\.00 Ksh 965\.00$/ })
			.waitFor();
		const file = page.waitForEvent("download");
		await press(page, "Download PDF");
		expect((await file).suggestedFilename()).toMatch(/^statement-.*\.pdf$/);
		await expectStatement(readPdf(await readFile(await (await file).path())));
	}));

const decimal = (minor: number) => (minor / 100).toFixed(2);

/** The text of a PDF has the balances at its ends, the fee, and each line with its balance. */
async function expectStatement(text: string): Promise<void> {
	type Line = { kind: string; amount_minor: number; balance_minor: number };
	const { body } = await tenant.collects("GET", "/statement?limit=100");
	const lines = body["items"] as Line[];
	expect(lines.map(({ kind, amount_minor }) => [kind, amount_minor])).toContainEqual(["fee", -3_500]);
	const rows = lines.map(
		({ kind, amount_minor, balance_minor }) =>
			`${kind === "fee" ? "Fee.*?" : ""}${decimal(amount_minor)}${decimal(balance_minor)}`,
	);
	const parts = [
		"Opening balance 0\\.00",
		...rows,
		`Closing balance${decimal(lines.at(-1)?.balance_minor ?? 0)}$`,
	];
	expect(text).toMatch(new RegExp(parts.join(".*?")));
	for (const name of ["Payment received", "Paid out"]) expect(text).toContain(name);
	expect(lines.at(-1)?.balance_minor).toBe(0);
}

/** The second person: the platform owner, who sees what waits for approval, and gets the password. */
async function approve(page: Page): Promise<void> {
	await enter(page, `${stand.urls.console}/lango`, { email: "root@lango.example" });
	await openPath(page, `/${tenant.slug}/payouts`);
	await heading(page, "Payouts").waitFor();
	await page.getByRole("button", { name: /^Approve the payout to/ }).waitFor();
	await expectNoFaults(page);
	await page.getByRole("button", { name: /^Approve the payout to/ }).click();
	await control("PUT", "otp", { is_required: true });
	await dialogOf(page)
		.getByText(/^Pay Ksh\s965\.00 to Soko Account.*\?$/)
		.waitFor();
	await dialogOf(page).getByRole("button", { name: "Approve", exact: true }).click();
	await page.getByText("The payout is approved.").waitFor();
	await page.getByRole("row", { name: /Waiting for a one-time password/ }).waitFor();
	await control("PUT", "otp", { is_required: false });
	await page
		.getByRole("link", { name: /^Open the payout to/ })
		.first()
		.click();
	await press(page, "Confirm the payout");
	await page.getByRole("alert").getByText("Enter the 4 to 10 digits").waitFor();
	await expectNoFaults(page);
	await press(page, "Send another one");
	await page.getByText("Another one-time password is on its way.").waitFor();
	await page.getByRole("textbox", { name: "One-time password" }).fill(await readOtp());
	await press(page, "Confirm the payout");
	await page.getByText("The password is with the gateway.").waitFor();
}

/** The one-time password of the transfer that was made last. */
async function readOtp(): Promise<string> {
	const answer = await fetch(`${stand.urls["card-gateway-sandbox"]}/_control/overview`);
	const { transfers } = (await answer.json()) as { transfers: Array<{ otp: string }> };
	return transfers[0]?.otp ?? "";
}

/** Pastes three payouts of which one is wrong, corrects it, and asks for the others. */
async function askForMany(page: Page): Promise<void> {
	await page.getByRole("link", { name: "Pay many at once" }).click();
	await heading(page, "Pay many at once").waitFor();
	await press(page, "Paste a list");
	await press(page, "Make rows of it");
	await dialogOf(page).getByRole("alert").getByText("Paste at least one line.").waitFor();
	await dialogOf(page)
		.getByLabel("Lines")
		.fill("recipient,amount\nSoko Account,200\n0777,300\nAnother,1\nsoko account,200");
	await press(page, "Make rows of it");
	await page.getByRole("group", { name: "Payout 4" }).waitFor();
	await page.getByText("Ksh 701.00 in all").waitFor();
	await press(page, "Request 4 payouts");
	const errors = page.getByRole("alert");
	await errors.getByText("Payout 3: Choose the recipient.").waitFor();
	await errors.getByText(/^Payout 4: It pays the same amount to the same account as payout 1/).waitFor();
	await expectNoFaults(page);
	await page.getByRole("button", { name: "Remove payout 4" }).click();
	await page.getByRole("button", { name: "Remove payout 3" }).click();
	await page.getByRole("group", { name: "Payout 2" }).getByLabel("Amount in KES").fill("30000");
	await press(page, "Request 2 payouts");
	await errors.getByText("The payouts come to more than is available.").waitFor();
	await page.getByRole("group", { name: "Payout 2" }).getByLabel("Amount in KES").fill("300");
	await press(page, "Request 2 payouts");
	await page.getByText("The payouts are requested.").waitFor();
	await heading(page, "Bulk request").waitFor();
}

test("payouts that are pasted and asked for together are approved together, by another person's keyboard alone", () =>
	stand.visit(async (page) => {
		await collect(page);
		await settle(100_000);
		await stand.visit(async (own) => {
			await enter(own, `${stand.urls.console}/${tenant.slug}`, { email: tenant.email });
			await openPath(own, `/${tenant.slug}/payouts`);
			await askForMany(own);
		});
		await enter(page, `${stand.urls.console}/lango`, { email: "root@lango.example" });
		await openPath(page, `/${tenant.slug}/payouts`);
		await pressByKey(page, page.getByRole("link", { name: "Bulk request: 2 payouts wait" }));
		await heading(page, "Bulk request").waitFor();
		await expectNoFaults(page);
		await pressByKey(page, page.getByRole("button", { name: "Approve all", exact: true }));
		await dialogOf(page)
			.getByText(/^Approve 2 payouts, Ksh\s[\d,.]+ in all\?$/)
			.waitFor();
		await dialogOf(page)
			.getByText(/^They are sent at once to Soko Account/)
			.waitFor();
		await pressByKey(page, dialogOf(page).getByRole("button", { name: "Approve all", exact: true }));
		await page.getByText("The payouts are approved.").waitFor();
		await until(async () => (await page.getByRole("row", { name: /Paid/ }).count()) === 2);
		expect(await page.getByRole("button", { name: "Approve all" }).count()).toBe(0);
	}));

const ownAccounts = {
	...{ available: "Available", pending: "Pending", reserved: "Reserved for payouts" },
	...{ refunding: "Being refunded", disputed: "Disputed" },
};
const owedAccounts = { fees_due: "Fees due", debt: "Debt" };

/**
 * Reads on the statement page what is held for the tenant, and how much of it is disputed, in shillings. The
 * chart of it shows what the API says, part by part.
 */
async function readBalance(page: Page): Promise<{ all: number; disputed: number }> {
	await openPath(page, `/${tenant.slug}/statement`);
	// What was read a moment ago is shown again.
	await page.reload();
	const region = page.getByRole("region", { name: "At Lango" });
	await region.getByText("All that Lango holds for you:").waitFor();
	const { body } = await tenant.collects("GET", "/balances");
	const custody = body["platform_custody"] as Record<string, number>;
	const partsOf = (names: Record<string, string>) =>
		Object.entries(names).map(([name, label]) => [label, custody[name] ?? Number.NaN] as const);
	const [own, owed] = [partsOf(ownAccounts), partsOf(owedAccounts)];
	expect(await readChart(region, [...own, ...owed])).toEqual(chartOf(own, owed));
	const all = own.reduce((sum, [, minor]) => sum + minor, 0);
	expect(await textsOf(region.locator("strong"))).toEqual([shillings(all)]);
	return { all: all / 100, disputed: (custody["disputed"] ?? Number.NaN) / 100 };
}

test("a part of a payment is returned, once; what its payer disputes is answered, its money is held, and is gone when the dispute is lost", () =>
	stand.visit(async (page) => {
		const { id, reference } = await collect(page);
		await enter(page, `${stand.urls.console}/${tenant.slug}`, { email: tenant.email });
		await openPath(page, `/${tenant.slug}/payments/${id}`);
		await press(page, "Refund");
		const refund = () => dialogOf(page).getByRole("button", { name: "Refund", exact: true }).click();
		await refund();
		await dialogOf(page).getByRole("alert").getByText("Enter the reason.").waitFor();
		await dialogOf(page).getByLabel("Reason").fill("A plate was missing");
		await dialogOf(page).getByLabel("Amount in KES").fill("1000.01");
		await refund();
		await dialogOf(page).getByRole("alert").getByText("Enter an amount above 0").waitFor();
		await dialogOf(page).getByLabel("Amount in KES").fill("400");
		await expectNoFaults(page);
		await refund();
		await dialogOf(page).waitFor({ state: "detached" });
		await page.getByRole("link", { name: "Refunds", exact: true }).click();
		await page.getByRole("row", { name: /Returned.*Ksh 400.00/ }).waitFor();
		expect(await page.getByRole("row").count()).toBe(2);
		await expectNoFaults(page);

		const before = await readBalance(page);
		expect(before.disputed).toBe(0);
		const { id: disputeId } = await control("POST", "dispute", { reference, amount: 60_000 });
		await until(async () => {
			const { body } = await tenant.collects("GET", "/disputes");
			return (body["items"] as unknown[]).length === 1;
		});
		await page.getByRole("link", { name: "Disputes", exact: true }).click();
		await page.getByRole("link", { name: /^Open Chargeback/ }).click();
		await page.getByLabel("What you know about the payment").fill("It was eaten.");
		await press(page, "Save");
		await page.getByText("Your answer is saved.").waitFor();
		await expectNoFaults(page);
		expect(await readBalance(page)).toEqual({ all: before.all, disputed: 600 });

		await control("POST", `disputes/${disputeId}/resolve`, { resolution: "merchant-accepted" });
		await until(async () => {
			const { body } = await tenant.collects("GET", "/disputes?status=lost");
			return (body["items"] as unknown[]).length === 1;
		});
		expect(await readBalance(page)).toEqual({ all: before.all - 600, disputed: 0 });
		await page.getByRole("link", { name: "Disputes", exact: true }).first().click();
		await page.getByRole("row", { name: /Chargeback.*Lost/ }).waitFor();
		await openPath(page, `/${tenant.slug}/payments/${id}`);
		await page.getByText("Ksh 1,000.00").first().waitFor();
		await expectNoFaults(page);
	}));
