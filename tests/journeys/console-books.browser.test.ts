import { randomUUID } from "node:crypto";
import { defaultSecretKey } from "@lango/sandbox-card-gateway";
import type { Page } from "playwright-core";
import { beforeAll, expect, test, vi } from "vitest";
import { chartOf, readChart, shillings, textsOf, widthsIn, widthsOf } from "./console-charts.ts";
import { enterAsOwner, inDatabaseOf } from "./console-owner-visit.ts";
import { fetchSettlements, readSummary, until } from "./console-tenant.ts";
import { expectNoFaults, heading, openPath, openSharedConsole, type SharedConsole } from "./console-visit.ts";

let stand: SharedConsole;
beforeAll(async () => {
	stand = await openSharedConsole();
});

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const dialogOf = (page: Page) => page.getByRole("dialog");
const alert = (page: Page, text: string) => dialogOf(page).getByRole("alert").getByText(text).waitFor();

/** Calls the sandbox of the card gateway. Throws when it refuses. */
async function callGateway(path: string, body: object, headers: object = {}): Promise<unknown> {
	const method = path.endsWith("/faults") ? "PUT" : "POST";
	const answer = await fetch(`${stand.urls["card-gateway-sandbox"]}${path}`, {
		...{ method, body: JSON.stringify(body) },
		headers: { "content-type": "application/json", ...headers },
	});
	if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
	return answer.json();
}

/** A charge of 500 shillings that the treasury did not request, in a settlement. Returns its reference. */
async function payElsewhere(): Promise<string> {
	const reference = `guest-${randomUUID()}`;
	const opened = await callGateway(
		"/transaction/initialize",
		{ amount: 50_000, email: "guest@example.com", reference },
		{ authorization: `Bearer ${defaultSecretKey}` },
	);
	const { access_code } = (opened as { data: { access_code: string } }).data;
	await callGateway("/_control/faults", [{ operation: "charge.success", fault: "drop", count: 1 }]);
	await callGateway(`/_control/checkouts/${access_code}`, { action: "pay", channel: "card" });
	await callGateway("/_control/settle", {});
	await fetchSettlements(stand);
	return reference;
}

/** Makes another person the one who requested all adjustments. */
const askedByAnother = () =>
	inDatabaseOf(stand, "treasury", (db) => db.query("update adjustments set created_by = 'another'"));

test("a settled charge that is not in the books is posted by two persons, and its exception is closed", () =>
	stand.visit(async (page) => {
		const reference = await payElsewhere();
		await enterAsOwner(page, stand, "Settlements");
		await openPath(page, "/lango/platform/settlements?state=paid");
		await page.getByRole("row", { name: /of \d/ }).first().waitFor();
		await expectNoFaults(page);
		await page
			.getByRole("link", { name: /^Open settlement / })
			.first()
			.click();
		await page.getByRole("row", { name: new RegExp(`${reference}.*Not in our books.*Ksh 500.00`) }).waitFor();
		await expectNoFaults(page);

		await openPath(page, "/lango/platform/exceptions?state=open");
		const row = page.getByRole("row", { name: new RegExp(reference) });
		await row.getByRole("link", { name: "Open the settlement" }).click();
		await page.getByRole("link", { name: "Open the journals" }).click();
		await page.getByRole("row", { name: /^Settled by the gateway .*Debit bank/ }).waitFor();
		await expectNoFaults(page);
		await openPath(page, "/lango/platform/exceptions?state=open");
		await row.getByRole("link", { name: "What the gateway sent" }).click();
		await heading(page, "Webhook inbox").waitFor();
		await until(async () => new URL(page.url()).searchParams.get("object") === reference);
		await openPath(page, "/lango/platform/exceptions?state=open");
		await row.getByRole("button", { name: /^Resolve: / }).click();
		await press(page, "Resolve");
		await alert(page, "Enter a reason.");
		await dialogOf(page).getByLabel("Decision").selectOption("Receipts explain it");
		await press(page, "Resolve");
		await alert(page, "Enter the id of at least one receipt.");
		await dialogOf(page).getByLabel("Decision").selectOption("Post the proposed journal");
		await dialogOf(page).getByText("card.unsettled").first().waitFor();
		await expectNoFaults(page);
		await dialogOf(page).getByLabel("Reason").fill("A guest paid at the counter.");
		await press(page, "Resolve");
		await page.getByText("The adjustment is waiting for approval.").waitFor();

		await openPath(page, "/lango/platform/adjustments?state=waiting");
		const waiting = page.getByRole("row", { name: /A guest paid at the counter/ });
		await waiting.waitFor();
		expect(await waiting.getByRole("button", { name: /^Approve/ }).count()).toBe(0);
		await askedByAnother();
		await page.reload();
		await waiting.getByRole("button", { name: /^Approve/ }).click();
		await dialogOf(page)
			.getByText(/^Post this adjustment of Ksh\s500\.00\?/)
			.waitFor();
		await dialogOf(page)
			.getByText(/Credit (?:Organisation|Platform) \S+ Ksh/)
			.waitFor();
		await press(page, "Approve");
		await page.getByText("The adjustment is posted.").waitFor();
		await openPath(page, "/lango/platform/exceptions?state=closed");
		const closed = page.getByRole("row", { name: new RegExp(`Posted: A guest paid.*${reference}`) });
		await closed.getByRole("link", { name: "Open the adjustment" }).click();
		await page.getByRole("row", { name: /A guest paid at the counter/ }).waitFor();
		expect(await page.getByRole("row").count()).toBe(2);
	}));

test("a statement that cannot be read is refused with its line, one that can is imported, and the books are compared when the owner asks", () =>
	stand.visit(async (page) => {
		await enterAsOwner(page, stand, "Reconciliation");
		await press(page, "Import a statement");
		await dialogOf(page).getByLabel("Statement of").selectOption("A paybill or till");
		await press(page, "Import");
		await alert(page, "Enter the number of the paybill or till.");
		await dialogOf(page).getByLabel("Paybill or till number").fill("600999");
		await press(page, "Import");
		await alert(page, "Choose a file.");
		await expectNoFaults(page);
		const choose = (text: string) =>
			dialogOf(page)
				.getByLabel("File")
				.setInputFiles({ name: "november.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
		await choose("date,amount,reference\n2026-11-26,much,A1\n");
		await press(page, "Import");
		await alert(page, "Line 2 cannot be read, at the column amount.");
		await choose(`date,amount,reference\n2026-11-26,-5.00,${randomUUID()}\n`);
		await press(page, "Import");
		await page.getByText("The statement has 1 lines, 1 of them new.").waitFor();
		// Long before every comparison that the treasury starts itself.
		const compared = page.getByRole("row", {
			name: /^What is late, and statements 3 Mar 2025 – 4 Mar 2025 Completed/,
		});
		const before = await compared.count();
		await press(page, "Compare now");
		await dialogOf(page).getByLabel("What is compared").selectOption("What is late, and statements");
		await dialogOf(page).getByLabel("From").fill("2025-03-03");
		await dialogOf(page).getByLabel("To", { exact: true }).fill("2025-03-04");
		await press(page, "Compare");
		await page.getByText("The books are being compared.").waitFor();
		await compared.nth(before).waitFor();
		await expectNoFaults(page);
	}));

type Summary = {
	float: Array<Record<string, number> & { currency: never }>;
	fees: Array<{ channel: string; currency: string; fee_minor: number; variance_minor: number }>;
	unresolved: Record<string, Record<string, number>>;
};

/** What is left of the balance after what is sent and approved is drawn and written as the API says it. */
async function expectForecast(page: Page): Promise<void> {
	const summary = (await readSummary(stand)) as Summary;
	const float = summary.float.find(({ currency }) => currency === "KES");
	const of = (name: string) => float?.[`${name}_minor`] ?? Number.NaN;
	expect(of("forecast")).toBe(of("balance") - of("sent") - of("approved"));
	const parts = [
		["Sent, not paid yet", of("sent")],
		["Approved, not sent yet", of("approved")],
		["Left", of("forecast")],
	] as const;
	const others = [
		["Transfer balance", of("balance")],
		["Waiting for approval", of("waiting")],
		["Not settled yet", of("unsettled")],
	] as const;
	const region = page.getByRole("region", { name: "Transfer balance, KES" });
	expect(await readChart(region, [...parts, ...others])).toEqual(chartOf(parts, others));
	const [left, says] = [of("forecast"), await textsOf(region.getByRole("status"))];
	expect(says).toEqual([
		left < 0
			? `The balance is short of ${shillings(-left)}. Top it up, and request an adjustment.`
			: `${shillings(left)} are left after all approved payouts.`,
	]);
}

const channels: Record<string, string> = {
	...{ card: "Card", bank_transfer: "Bank transfer", mobile_money: "Mobile money", ussd: "USSD" },
	...{ transfer: "Transfers", other: "Other" },
};

/** Each channel has its fee, how much more than estimated that is, and both as a bar. */
async function expectFees(page: Page): Promise<void> {
	const { fees } = (await readSummary(stand)) as Summary;
	expect(fees.map(({ channel }) => channel)).toContain("card");
	const rows = page.getByRole("table", { name: "Fees of the card gateway" }).locator("tbody tr");
	expect(await rows.count()).toBe(fees.length);
	for (const [at, { channel, currency, fee_minor: fee, variance_minor: variance }] of fees.entries()) {
		expect(currency).toBe("KES");
		const row = rows.nth(at);
		expect(await textsOf(row.locator("th, td"))).toEqual([
			...[channels[channel], `Kept by the gateway${shillings(fee)}`],
			`More than estimated${shillings(variance)}`,
		]);
		expect(await widthsIn(row)).toEqual(widthsOf([fee - Math.max(variance, 0), variance]));
	}
}

const ages = { hour: "Under an hour", day: "Under a day", week: "Under a week", older: "Older" };

/** What is not known is counted by age, in numbers and as a bar. */
async function expectAges(page: Page): Promise<void> {
	const { unresolved } = (await readSummary(stand)) as Summary;
	const rows = page.getByRole("table", { name: "Not known yet" }).locator("tbody tr");
	for (const [at, kind] of ["attempt", "payout", "refund", "webhook"].entries()) {
		const counts = Object.keys(ages).map((age) => unresolved[kind]?.[age] ?? Number.NaN);
		const [, ...shown] = await textsOf(rows.nth(at).locator("th, td"));
		expect(shown).toEqual(Object.values(ages).map((age, n) => `${age}${counts[n]?.toLocaleString("en")}`));
		expect(await widthsIn(rows.nth(at))).toEqual(widthsOf(counts));
	}
}

test("the balance for transfers is topped up in the books after another person approves it, and payouts are forecast", () =>
	stand.visit(async (page) => {
		await enterAsOwner(page, stand, "Adjustments");
		await press(page, "Request adjustment");
		await press(page, "Request");
		await alert(page, "Enter an amount");
		await dialogOf(page).getByLabel("For", { exact: true }).selectOption("Correction");
		await press(page, "Another line");
		await press(page, "Request");
		await alert(page, "Enter two lines or more");
		await expectNoFaults(page);
		await dialogOf(page).getByLabel("For", { exact: true }).selectOption("Transfer balance to bank account");
		await dialogOf(page).getByLabel("Amount in KES").fill("1");
		await dialogOf(page).getByLabel("Reason").fill("Moved back.");
		await press(page, "Request");
		await page.getByText("The adjustment is waiting for approval.").waitFor();
		const row = page.getByRole("row", { name: /Moved back/ }).first();
		await row.getByRole("button", { name: /^Decline/ }).click();
		await press(page, "Decline");
		await page.getByText("The adjustment is declined.").waitFor();
		await expectNoFaults(page);

		await openPath(page, "/lango/platform/gateway-money");
		await heading(page, "Money at gateways").waitFor();
		await page.getByRole("row", { name: /^Card Ksh / }).waitFor();
		// Money of other tests moves meanwhile: the page reads it again.
		await vi.waitFor(
			async () => {
				await page.reload();
				await page.getByRole("row", { name: /^Card Ksh / }).waitFor();
				for (const expectShown of [expectForecast, expectFees, expectAges]) await expectShown(page);
			},
			{ timeout: 30_000 },
		);
		await expectNoFaults(page);
	}));
