import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { inDatabaseOf } from "./console-owner-visit.ts";
import { openPayouts, type PayoutVisit } from "./console-payouts-visit.ts";
import { until } from "./console-tenant.ts";
import { openPath } from "./console-visit.ts";
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

/** A paybill that no other tenant has. */
const paybill = "600600";

let visit: PayoutVisit;
beforeAll(async () => {
	visit = await openPayouts();
	const answer = await fetch(`${visit.stand.urls["mobile-money-sandbox"]}/_control/shortcodes`, {
		...{ method: "PUT", headers: { "content-type": "application/json" } },
		body: JSON.stringify([{ shortcode: paybill, name: "Soko", kind: "paybill" }]),
	});
	if (!answer.ok) throw new Error(`the paybill is not made: ${await answer.text()}`);
});

const row = (page: Page, name: RegExp) => page.getByRole("row", { name }).first().waitFor();

test("payouts are requested one by one and together, approved with a password, and declined, by the keyboard alone", () =>
	visit.stand.visit(async (page) => {
		await visit.collect(page);
		await visit.settle(100_000);
		await visit.enterAsAdministrator(page);
		await follow(page, "Payouts");
		await press(page, "Request payout");
		await type(page, field(page, "Amount in KES"), "111");
		await confirm(page, "Request");
		await said(page, "Another person than the one who requested it has to approve it.");
		await follow(page, "Payouts");
		await follow(page, "Pay many at once");
		await press(page, "Paste a list");
		await type(
			page,
			field(page, "Lines"),
			"recipient,amount\nSoko Account,200\nSoko Account,300\nSoko Account,90",
		);
		await confirm(page, "Make rows of it");
		await press(page, "Remove payout 2");
		// The next one has its place.
		await isFocused(page, "Remove payout 2");
		await press(page, "Request 2 payouts");
		await said(page, "The payouts are requested.");
		await visit.stand.visit(decide);
	}));

/** Another person declines one payout, and approves the other ones, one with a one-time password. */
async function decide(page: Page): Promise<void> {
	await visit.enterAsOwner(page);
	await openPath(page, `/${visit.tenant.slug}/payouts`);
	await pressByKey(
		page,
		page.getByRole("row", { name: /200\.00/ }).getByRole("button", { name: /^Decline/ }),
	);
	await type(page, field(page, "Reason"), "It is paid already.");
	await confirm(page, "Decline");
	await said(page, "The payout is declined.");
	await isFocused(page, /^Decline the payout/);
	await visit.control("PUT", "otp", { is_required: true });
	await pressByKey(
		page,
		page.getByRole("row", { name: /111\.00/ }).getByRole("button", { name: /^Approve/ }),
	);
	await confirm(page, "Approve");
	await said(page, "The payout is approved.");
	await row(page, /Waiting for a one-time password/);
	await visit.control("PUT", "otp", { is_required: false });
	await pressByKey(
		page,
		page
			.getByRole("row", { name: /Waiting for a one-time password/ })
			.getByRole("link")
			.first(),
	);
	await type(page, page.getByRole("textbox", { name: "One-time password" }), await readOtp());
	await press(page, "Confirm the payout");
	await said(page, "The password is with the gateway.");
	await tabTo(page, page.getByRole("main").getByRole("link", { name: "Payouts", exact: true }));
}

/** The one-time password of the transfer that was made last. */
async function readOtp(): Promise<string> {
	const answer = await fetch(`${visit.stand.urls["card-gateway-sandbox"]}/_control/overview`);
	const { transfers } = (await answer.json()) as { transfers: Array<{ otp: string }> };
	return transfers[0]?.otp ?? "";
}

test("a payment is returned in part, a dispute answered, and the statement saved, by the keyboard alone", () =>
	visit.stand.visit(async (page) => {
		const { reference } = await visit.collect(page);
		await visit.enterAsAdministrator(page);
		await follow(page, "Payments");
		await select(page, label(page, "Status"), "Paid");
		await follow(page, /^Open Catering/);
		await press(page, "Refund");
		await type(page, field(page, "Reason"), "A plate was missing");
		await type(page, field(page, "Amount in KES"), "400");
		await confirm(page, "Refund");
		await dialogOf(page).waitFor({ state: "detached" });
		await follow(page, "Refunds");
		await row(page, /Returned.*400\.00/);

		await visit.control("POST", "dispute", { reference, amount: 50_000 });
		await until(async () => {
			const { body } = await visit.tenant.collects("GET", "/disputes");
			return (body["items"] as unknown[]).length === 1;
		});
		await follow(page, "Disputes");
		await follow(page, /^Open Chargeback/);
		await type(page, label(page, "What you know about the payment"), "It was eaten.");
		await press(page, "Save");
		await said(page, "Your answer is saved.");
		await follow(page, "Statement");
		const file = page.waitForEvent("download");
		await press(page, "Download PDF");
		expect((await file).suggestedFilename()).toMatch(/^statement-.*\.pdf$/);
		await follow(page, "Receipts");
		await select(page, label(page, "Kind"), "Paid out");
		await press(page, "Remove filters");
		await follow(page, /^Open /);
		await said(page, "Receipt");
	}));

test("a paybill is set, and a recipient and a standing order are added and ended, by the keyboard alone", () =>
	visit.stand.visit(async (page) => {
		await visit.enterAsAdministrator(page);
		await follow(page, "Payout recipients");
		await press(page, "Add a recipient");
		await select(page, field(page, "Bank or provider"), "Umoja Cooperative Bank");
		await type(page, field(page, "Name of the account’s owner"), "Journey Account");
		await type(page, field(page, "Account number"), "0099887766");
		await confirm(page, "Add");
		await said(page, "The recipient is added.");
		await press(page, "Remove Journey Account");
		await confirm(page, "Remove");
		await said(page, "The recipient is removed.");
		await isFocused(page, /^Remove/);

		await follow(page, "Payment settings");
		await type(page, label(page, "Number of the paybill or till"), paybill);
		await press(page, "Save");
		await said(page, "The payment settings were saved.");
		await press(page, "Connect these payments");
		await type(page, dialogOf(page).getByRole("textbox", { name: /^To confirm/ }), paybill);
		await confirm(page, "Connect");
		await said(page, "The payments are connected.");

		await follow(page, "Standing orders");
		await press(page, "Request standing order");
		await type(page, field(page, "Phone of the payer"), "0712 345 682");
		await type(page, field(page, "Amount in KES"), "1500");
		await typeDay(
			page,
			field(page, "Last day"),
			new Date(Date.now() + 90 * 86_400_000).toISOString().slice(0, 10),
		);
		await type(page, field(page, "What it is for"), "School fees");
		await confirm(page, "Request");
		await row(page, /School fees.*Waiting for consent/);
		await press(page, /^Stop the standing order of/);
		await confirm(page, "Stop it here");
		await row(page, /School fees.*Stopped/);
	}));

test("the owner rotates the secrets of a gateway, and halts payouts and lets them go on, by the keyboard alone", () =>
	visit.stand.visit(async (page) => {
		await visit.enterAsOwner(page);
		await follow(page, "Payment gateways");
		await select(page, label(page, "Gateway"), "Cards and banks");
		await row(page, /Active/);
		await press(page, "Save");
		await said(page, "Cards and banks: the settings were saved.");
		await press(page, "Rotate secrets");
		await type(page, field(page, "Public key"), "pk_test_keyboard_7c6d");
		await confirm(page, "Rotate");
		await said(page, "The secrets are rotated.");
		await press(page, /^Retire the secrets set/);
		await type(page, dialogOf(page).getByRole("textbox", { name: /^To confirm/ }), "Cards and banks");
		await confirm(page, "Retire");
		await said(page, "The old secrets are retired.");

		await follow(page, "Halts");
		await press(page, "Halt payments");
		await select(page, field(page, "What is halted"), "Payouts");
		await type(page, field(page, "Reason"), "The float is counted.");
		await type(page, dialogOf(page).getByLabel("Organisation"), visit.tenant.slug);
		await confirm(page, "Halt");
		await said(page, "The halt is on.");
		await press(page, /^Lift the halt: Payouts/);
		await type(page, field(page, "Reason"), "It is counted.");
		await confirm(page, "Lift the halt");
		await said(page, "Nothing is halted.");
		await isFocused(page, "Halts");
	}));

test("the owner requests and declines an adjustment, imports a statement, compares the books and resolves an exception by the keyboard alone", () =>
	visit.stand.visit(async (page) => {
		const subject = `keys-${Date.now()}`;
		await inDatabaseOf(visit.stand, "treasury", (db) =>
			db.query(
				`insert into exceptions (id, class, subject, amount_minor, currency, ours, theirs, state, raised_at)
				 values (gen_random_uuid(), 'amount', $1, 5000, 'KES', '{}', '{}', 'open', now())`,
				[subject],
			),
		);
		await visit.enterAsOwner(page);
		await follow(page, "Adjustments");
		await press(page, "Request adjustment");
		await select(page, field(page, "For"), "Transfer balance to bank account");
		await type(page, field(page, "Amount in KES"), "1");
		await type(page, field(page, "Reason"), "Moved by keys.");
		await confirm(page, "Request");
		await said(page, "The adjustment is waiting for approval.");
		const waiting = page.getByRole("row", { name: /Moved by keys/ }).first();
		await pressByKey(page, waiting.getByRole("button", { name: /^Decline/ }));
		await confirm(page, "Decline");
		await said(page, "The adjustment is declined.");

		await follow(page, "Reconciliation");
		await press(page, "Import a statement");
		await select(page, field(page, "Statement of"), "A paybill or till");
		await type(page, field(page, "Paybill or till number"), "600999");
		const chooser = page.waitForEvent("filechooser");
		await pressByKey(page, field(page, "File"));
		const buffer = Buffer.from("date,amount,reference\n2026-11-26,-5.00,K1\n");
		await (await chooser).setFiles({ name: "november.csv", mimeType: "text/csv", buffer });
		await confirm(page, "Import");
		await said(page, /^The statement has 1 lines/);
		await press(page, "Compare now");
		await select(page, field(page, "What is compared"), "What is late, and statements");
		await typeDay(page, field(page, "From"), "2026-11-20");
		await typeDay(page, field(page, "To"), "2026-11-21");
		await confirm(page, "Compare");
		await said(page, "The books are being compared.");

		await follow(page, "Exceptions");
		await select(page, label(page, "Status"), "Open");
		await press(page, `Resolve: The amount, ${subject}`);
		await select(page, field(page, "Decision"), "Nothing has to be done");
		await type(page, field(page, "Reason"), "It was counted twice.");
		await confirm(page, "Resolve");
		await page.getByRole("row", { name: new RegExp(subject) }).waitFor({ state: "detached" });
		await tabTo(page, label(page, "Status"));
	}));
