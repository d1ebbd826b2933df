import { inTenant } from "@lango/postgres";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { patience } from "./browser.ts";
import { inDatabaseOf } from "./console-owner-visit.ts";
import { openPayouts, type PayoutVisit } from "./console-payouts-visit.ts";
import { addOperator, until } from "./console-tenant.ts";
import { heading } from "./console-visit.ts";
import {
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
	typeDay,
} from "./keyboard.ts";

let visit: PayoutVisit;
let operator: string;
beforeAll(async () => {
	visit = await openPayouts();
	operator = await addOperator(visit.stand);
});

/** The payer disputes a part of a payment, and the bank's answer does not come in time. */
async function dispute(page: Page, amount: number): Promise<void> {
	const { reference } = await visit.collect(page);
	await visit.control("POST", "dispute", { reference, amount });
	await until(async () => {
		const { body } = await visit.tenant.collects("GET", "/disputes");
		return (body["items"] as unknown[]).length === 1;
	});
	await inDatabaseOf(visit.stand, "treasury", (db) =>
		inTenant(db, visit.tenant.id, (tx) => tx.query("update disputes set due_at = now() - interval '1 hour'")),
	);
}

/** A person of the platform owner answers a question in a dialog, after the reason was missing. */
async function decide(page: Page, opens: string, [question, answer]: readonly [string, string]) {
	await press(page, opens);
	await select(page, field(page, question), answer);
	await confirm(page, "Decide");
	await dialogOf(page).getByRole("alert").getByText("Enter the reason.").waitFor();
	await type(page, field(page, "Reason"), "By the letter of the bank.");
	await confirm(page, "Decide");
}

/** A person of the platform owner says that the dispute is lost. */
async function decideLost(page: Page): Promise<void> {
	await follow(page, "All disputes");
	await decide(page, "Decide how the dispute of Ksh 321.00 ended", ["How it ended", "Lost"]);
}

test("a dispute is recorded as lost by two persons of the platform owner, and its organisation reads so, by the keyboard alone", () =>
	visit.stand.visit(async (page) => {
		await dispute(page, 32_100);
		await visit.enterAsOwner(page);
		await decideLost(page);
		await said(page, "The decision is recorded. Another person has to decide the same within 24 hours.");
		await isFocused(page, /^Decide how the dispute of Ksh\s321\.00 ended/);
		await visit.stand.visit(async (other) => {
			await visit.enterAsOwner(other, operator);
			await decideLost(other);
			await said(other, "The dispute is decided.");
			await other.getByRole("row", { name: /Lost.*Ksh 321\.00/ }).waitFor();
			await select(other, label(other, "Status"), "Lost");
			await other.getByRole("row", { name: /Lost.*Ksh 321\.00/ }).waitFor();
		});
		await visit.stand.visit(async (other) => {
			await visit.enterAsAdministrator(other);
			await follow(other, "Disputes");
			await follow(other, /^Open Chargeback/);
			await said(other, "The bank decided for the payer. The money went back.");
			await follow(other, "Open the receipt");
			await said(other, "Receipt");
		});
	}));

/** A refund whose gateway waits for a person, so that its outcome is unknown. */
async function refund(page: Page, amount_minor: number): Promise<void> {
	const { paymentId } = await visit.collect(page, "refund-waits@example.com");
	const asked = { payment_id: paymentId, amount_minor, reason: "A plate was missing" };
	await visit.tenant.collects("POST", "/refunds", asked);
	await until(async () => (await lastRefund())?.status === "needs_attention");
}

async function lastRefund(): Promise<{ status: string } | undefined> {
	const { body } = await visit.tenant.collects("GET", "/refunds");
	return (body["items"] as Array<{ status: string }>)[0];
}

/** A person of the platform owner says that the refund failed. */
const decideFailed = (page: Page) =>
	decide(page, "Decide about the refund of Ksh 413.00", ["What became of it", "It failed"]);

test("a refund whose outcome is unknown is declared as failed by two persons of the platform owner, and its organisation reads so, by the keyboard alone", () =>
	visit.stand.visit(async (page) => {
		await refund(page, 41_300);
		await visit.enterAsOwner(page);
		await follow(page, "Money at gateways");
		await follow(page, /^Open \d+: Refunds .*, Under an hour$/);
		await heading(page, "Unknown outcomes").waitFor();
		await select(page, label(page, "Decision"), "Needed");
		await decideFailed(page);
		await said(page, "The decision is recorded. Another person has to decide the same within 24 hours.");
		await isFocused(page, /^Decide about the refund of Ksh\s413\.00/);
		await page.getByRole("row", { name: /One person says that it failed.*413\.00/ }).waitFor();
		expect((await lastRefund())?.status).toBe("needs_attention");
		await visit.stand.visit(async (other) => {
			await visit.enterAsOwner(other, operator);
			await follow(other, "Unknown outcomes");
			await select(other, label(other, "What"), "Refunds");
			await decideFailed(other);
			await said(other, "The refund is decided.");
			await other.getByRole("row", { name: /413\.00/ }).waitFor({ state: "detached" });
			await tabTo(other, label(other, "Decision"));
		});
		expect((await lastRefund())?.status).toBe("failed");
		await visit.stand.visit(async (other) => {
			await visit.enterAsAdministrator(other);
			await follow(other, "Refunds");
			await select(other, label(other, "Status"), "Failed");
			await other.getByRole("row", { name: /A plate was missing.*Failed.*413\.00/ }).waitFor();
			await follow(other, "Open the receipt");
			await said(other, "Receipt");
		});
	}));

test("an adjustment is requested by one person of the platform owner and approved by another by the keyboard alone", () =>
	visit.stand.visit(async (page) => {
		const reason = `Moved for ${visit.tenant.slug}.`;
		await visit.enterAsOwner(page);
		await follow(page, "Adjustments");
		await press(page, "Request adjustment");
		await select(page, field(page, "For"), "Bank account to transfer balance");
		await type(page, field(page, "Amount in KES"), "1");
		await type(page, field(page, "Reason"), reason);
		await confirm(page, "Request");
		await said(page, "The adjustment is waiting for approval.");
		await visit.stand.visit(async (other) => {
			await visit.enterAsOwner(other, operator);
			await follow(other, "Adjustments");
			const row = other.getByRole("row").filter({ hasText: reason });
			await select(other, label(other, "Status"), "Waiting for approval");
			await pressByKey(other, row.getByRole("button", { name: /^Approve/ }));
			await confirm(other, "Approve");
			await said(other, "The adjustment is posted.");
			await row.waitFor({ state: "detached" });
			await select(other, label(other, "Status"), "Posted");
			await pressByKey(other, row.getByRole("link"));
			await heading(other, "Journals").waitFor();
		});
	}));

test("a payment page is made, shown as a code and paid by a payer without an account by the keyboard alone", () =>
	visit.stand.visit(async (page, window) => {
		await visit.enterAsAdministrator(page);
		await follow(page, "Payment pages");
		await press(page, "Create a page");
		await confirm(page, "Create");
		await dialogOf(page).getByRole("alert").getByText("Enter a name.").waitFor();
		await type(page, field(page, "Name"), "School fees");
		await type(page, field(page, "Description"), "Term one");
		await confirm(page, "Create");
		await said(page, "The page is created.");
		await press(page, "QR code of School fees");
		await tabTo(page, dialogOf(page).getByRole("link", { name: "Download the image" }));
		await page.keyboard.press("Escape");
		await isFocused(page, "QR code of School fees");
		const opened = window.waitForEvent("page");
		await pressByKey(page, page.getByRole("row", { name: /School fees/ }).getByRole("link"));
		const payer = await opened;
		await type(payer, payer.getByLabel("E-mail"), "parent@example.com");
		await type(payer, payer.getByLabel("Amount (KES)"), "1500.50");
		await payer.keyboard.press("Enter");
		await pressByKey(payer, payer.getByRole("button", { name: /^Pay / }));
		await said(payer, "Paid. Thank you.");
		await payer.close();
		await until(async () => {
			const { body } = await visit.tenant.collects("GET", "/receipts");
			return JSON.stringify(body).includes("150050");
		});
		await follow(page, "Payments");
		await page.getByRole("row", { name: /School fees.*Paid.*1,500\.50/ }).waitFor();
	}));

test("a payment is requested and paid at its public page, after a mistake, by the keyboard alone", () =>
	visit.stand.visit(async (page) => {
		await visit.enterAsAdministrator(page);
		await follow(page, "Payments");
		await press(page, "Request payment");
		await type(page, field(page, "Amount in KES"), "250");
		await type(page, field(page, "What it is for"), "Invoice 31");
		await confirm(page, "Request");
		await heading(page, "Invoice 31").waitFor();
		const link = page.getByRole("textbox", { name: "Link to pay" });
		await tabTo(page, link);
		await visit.stand.visit(async (payer) => {
			await payer.goto(await link.inputValue());
			await heading(payer, /^Pay Ksh\s250\.00$/).waitFor();
			const address = payer.getByLabel("Your e-mail address");
			await type(payer, address, "amina@");
			await payer.keyboard.press("Enter");
			await payer.getByRole("alert").getByText("Enter your e-mail address").waitFor();
			await expect.poll(() => address.and(payer.locator(":focus")).count(), patience).toBe(1);
			await type(payer, address, "amina@example.com");
			await press(payer, "Continue to the payment page");
			await press(payer, "Pay KES 250.00");
			await heading(payer, "Paid. Thank you.").waitFor();
		});
		await said(page, "This payment is complete.");
	}));

test("what a gateway sent is read and applied again, one and several together, by the keyboard alone", () =>
	visit.stand.visit(async (page) => {
		await fetch(`${visit.stand.urls.treasury}/webhooks/mobilemoney/b2c-result`, {
			...{ method: "POST", headers: { "content-type": "application/json" } },
			body: '{"Result":{"OriginatorConversationID":"keyboard-1","ResultCode":0}}',
		});
		await visit.enterAsOwner(page);
		await follow(page, "Webhook inbox");
		await type(page, label(page, "Route"), "b2c-result");
		await page.keyboard.press("Enter");
		await follow(page, /^Open b2c-result/);
		await press(page, "Apply again");
		await confirm(page, "Apply again");
		await said(page, "The request is applied again.");
		await isFocused(page, "Apply again");
		await pressByKey(page, page.getByRole("main").getByRole("link", { name: "Webhook inbox" }));
		await press(page, "Apply several again");
		for (const name of ["First day", "Last day"]) await typeDay(page, field(page, name), "2020-01-01");
		await confirm(page, "Apply again");
		await said(page, "Objects whose requests are applied again: 0.");
	}));
