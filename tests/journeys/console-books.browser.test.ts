import { randomUUID } from "node:crypto";
import { defaultSecretKey } from "@lango/sandbox-card-gateway";
import type { Locator, Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { enterAsOwner, inDatabaseOf } from "./console-owner-visit.ts";
import { fetchSettlements, until } from "./console-tenant.ts";
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

/** What is left is the balance less what is sent and approved, to the cent. */
async function expectForecast(float: Locator): Promise<void> {
	const read = async (label: string) => {
		const text = await float.locator("dl > div", { hasText: label }).locator("dd").textContent();
		return Math.round(Number(text?.replaceAll(/[^-\d.]/g, "")) * 100);
	};
	const taken = (await read("Sent, not paid yet")) + (await read("Approved, not sent yet"));
	const left = ((await read("Transfer balance")) - taken) / 100;
	const amount = `Ksh ${Math.abs(left).toLocaleString("en", { minimumFractionDigits: 2 })}`;
	const says =
		left < 0 ? `The balance is short of ${amount}.` : `${amount} are left after all approved payouts.`;
	await float.getByText(says).waitFor();
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
		await expectForecast(page.getByRole("region", { name: "Transfer balance, KES" }));
		await page.getByRole("row", { name: /^Card Ksh / }).waitFor();
		await expectNoFaults(page);
	}));
