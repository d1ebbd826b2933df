import { inTenant } from "@lango/postgres";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { enterAsOwner, inDatabaseOf } from "./console-owner-visit.ts";
import { openPayouts, type PayoutVisit } from "./console-payouts-visit.ts";
import { type ConsoleTenant, until } from "./console-tenant.ts";
import { expectNoFaults, heading, openPath, type SharedConsole } from "./console-visit.ts";

let visit: PayoutVisit;
let stand: SharedConsole;
let tenant: ConsoleTenant;
beforeAll(async () => {
	visit = await openPayouts();
	({ stand, tenant } = visit);
});

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const dialogOf = (page: Page) => page.getByRole("dialog");

/** A payer whose bank does not take refunds by itself pays 1,000 shillings by card. */
const collect = (page: Page) => visit.collect(page, "refund-waits@example.com");

/** Waits until the first item of a list of the tenant has a status. */
const becomes = (path: string, status: string) =>
	until(async () => {
		const { items } = (await tenant.collects("GET", path)).body as { items: Array<{ status: string }> };
		return items[0]?.status === status;
	});

/** The first person decides in the open dialog, which needs a reason. Another person has to agree. */
async function decideFirst(page: Page, label: string, end: string): Promise<void> {
	await dialogOf(page).getByLabel(label).selectOption(end);
	await press(page, "Decide");
	await dialogOf(page).getByRole("alert").getByText("Enter the reason.").waitFor();
	await expectNoFaults(page);
	await dialogOf(page).getByLabel("Reason").fill("The bank says so.");
	await press(page, "Decide");
	await page.getByText("Another person has to decide the same within 24 hours.").waitFor();
}

/** The platform owner decides; the same person's word does not count twice. */
async function decide(page: Page): Promise<void> {
	const row = page.getByRole("row", { name: /Needs a decision.*Ksh 417.00/ });
	await row.getByRole("button", { name: "Decide about the refund of Ksh 417.00" }).click();
	await decideFirst(page, "What became of it", "It failed");
	await row.getByText("One person says that it failed").waitFor();
	await row.getByRole("button", { name: /^Decide about/ }).click();
	await dialogOf(page).getByLabel("What became of it").selectOption("It failed");
	await dialogOf(page).getByLabel("Reason").fill("It does.");
	await press(page, "Decide");
	await dialogOf(page).getByRole("alert").getByText("You have said that it failed.").waitFor();
	await dialogOf(page).getByLabel("What became of it").selectOption("The payer has the money");
	await press(page, "Decide");
	await page.getByText("The refund is decided.").waitFor();
	await row.waitFor({ state: "detached" });
}

test("the count of refunds that wait leads to the refund, about which the platform owner decides", () =>
	stand.visit(async (page) => {
		const { paymentId } = await collect(page);
		const refund = { payment_id: paymentId, amount_minor: 41_700, reason: "A plate was missing" };
		const { body: asked } = await tenant.collects("POST", "/refunds", refund);
		await becomes("/refunds", "needs_attention");
		await enterAsOwner(page, stand, "Money at gateways");
		await page.getByRole("link", { name: /^Open \d+: Refunds .*, Under an hour$/ }).click();
		await heading(page, "Unknown outcomes").waitFor();
		expect(new URL(page.url()).search).toBe("?kind=refund&age=hour");
		await page.getByLabel("Decision", { exact: true }).selectOption("Needed");
		await page.getByRole("row", { name: /Ksh 417.00/ }).waitFor();
		await press(page, "Kiswahili");
		await heading(page, "Matokeo yasiyojulikana").waitFor();
		await page.getByRole("row", { name: /Inahitaji uamuzi.*417/ }).waitFor();
		await expectNoFaults(page);
		await press(page, "English");
		await decide(page);
		await openPath(page, `/${tenant.slug}/refunds`);
		await page.getByRole("row", { name: /A plate was missing.*Returned.*Ksh 417.00/ }).waitFor();
		await openPath(page, `/lango/platform/journals?source_type=refund&source_id=${asked["id"]}`);
		await page.getByRole("row", { name: /^Returned to the payer .*card\.unsettled Ksh 417\.00/ }).waitFor();
		await press(page, "Kiswahili");
		await heading(page, "Maingizo ya vitabu").waitFor();
		await page.getByRole("row", { name: /^Zimeshikwa kwa rejesho/ }).waitFor();
		await expectNoFaults(page);
	}));

test("the count of parked webhooks leads to those of that age", () =>
	stand.visit(async (page) => {
		const changeInbox = (statement: string) => inDatabaseOf(stand, "treasury", (db) => db.query(statement));
		await changeInbox(
			`insert into webhook_deliveries (gateway, route, object_key, received_at, remote_ip, headers, raw, delivery_key, status, error)
			 values ('card_gateway', 'cardgateway', 'journey', now() - interval '30 days', '10.0.0.1', '{}', 'x', 'journey', 'parked',
			         'nothing has the reference')`,
		);
		await enterAsOwner(page, stand, "Money at gateways");
		await page.getByRole("link", { name: /^Open \d+: Parked webhooks, Older$/ }).click();
		await heading(page, "Webhook inbox").waitFor();
		expect(new URL(page.url()).search).toBe("?status=parked&age=older");
		await page.getByRole("row", { name: /Parked nothing has the reference/ }).waitFor();
		await expectNoFaults(page);
		await page.getByLabel("Age", { exact: true }).selectOption("Under an hour");
		await page.getByRole("row", { name: /nothing has the reference/ }).waitFor({ state: "detached" });
		await changeInbox("delete from webhook_deliveries where object_key = 'journey'");
	}));

test("the platform owner sees the disputes of all organisations, with what these say about them", () =>
	stand.visit(async (page) => {
		const { reference } = await collect(page);
		await visit.control("POST", "dispute", { reference, amount: 12_300 });
		await becomes("/disputes", "open");
		const { body } = await tenant.collects("GET", "/disputes");
		const [dispute] = body["items"] as Array<{ id: string }>;
		await tenant.collects("PUT", `/disputes/${dispute?.id}/note`, { text: "It was eaten." });
		await enterAsOwner(page, stand, "All disputes");
		const row = page.getByRole("row", { name: /Open.*It was eaten\. Ksh 123.00/ });
		await row.waitFor();
		await expectNoFaults(page);
		await press(page, "Kiswahili");
		await heading(page, "Migogoro yote ya malipo").waitFor();
		await press(page, "English");
		await inDatabaseOf(stand, "treasury", (db) =>
			inTenant(db, tenant.id, (tx) => tx.query("update disputes set due_at = now() - interval '1 hour'")),
		);
		await page.reload();
		await row.getByRole("button", { name: "Decide how the dispute of Ksh 123.00 ended" }).click();
		await decideFirst(page, "How it ended", "Lost");
		await row.getByText("One person has decided").waitFor();
		await row.getByRole("link", { name: /^Open Chargeback/ }).click();
		await heading(page, "Chargeback").waitFor();
		expect(new URL(page.url()).pathname).toBe(`/${tenant.slug}/disputes/${dispute?.id}`);
	}));
