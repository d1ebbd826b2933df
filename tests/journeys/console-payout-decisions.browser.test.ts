import { inTenant } from "@lango/postgres";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { inDatabaseOf } from "./console-owner-visit.ts";
import { openPayouts, type PayoutVisit } from "./console-payouts-visit.ts";
import { addOperator, until } from "./console-tenant.ts";
import { enter, expectNoFaults, openPath } from "./console-visit.ts";
import { pressByKey, type } from "./keyboard.ts";

let visit: PayoutVisit;
beforeAll(async () => {
	visit = await openPayouts();
});

const dialogOf = (page: Page) => page.getByRole("dialog");
const press = (page: Page, name: string) => dialogOf(page).getByRole("button", { name, exact: true }).click();
const enterAsMaker = (page: Page) =>
	enter(page, `${visit.stand.urls.console}/${visit.tenant.slug}`, { email: visit.tenant.email });
const enterAsOwner = (page: Page, email = "root@lango.example") =>
	enter(page, `${visit.stand.urls.console}/lango`, { email });

/** The administrator asks for a payout. Returns its id. */
async function ask(amount_minor: number): Promise<string> {
	const request = { rail: "card_gateway", recipient_id: visit.recipientId, amount_minor };
	return String((await visit.tenant.collects("POST", "/payouts", request)).body["id"]);
}

const becomes = (id: string, status: string) =>
	until(async () => (await visit.tenant.collects("GET", `/payouts/${id}`)).body["status"] === status);

async function available(): Promise<number> {
	const { body } = await visit.tenant.collects("GET", "/balances");
	return (body["platform_custody"] as Record<string, number>)["available"] ?? 0;
}

/** The administrator asks for a payout by the keyboard alone. Returns its id once its page is shown. */
async function askByKeyboard(page: Page, amount: string): Promise<string> {
	await pressByKey(page, page.getByRole("link", { name: "Payouts", exact: true }));
	await pressByKey(page, page.getByRole("button", { name: "Request payout", exact: true }));
	await type(page, dialogOf(page).getByLabel("Amount in KES"), amount);
	await pressByKey(page, dialogOf(page).getByRole("button", { name: "Request", exact: true }));
	await page.getByText("Another person than the one who requested it has to approve it.").waitFor();
	return new URL(page.url()).pathname.split("/").at(-1) ?? "";
}

test("a payout is requested by the keyboard alone and cancelled by the person who asked for it, and another one is declined by another person, with the reason", () =>
	visit.stand.visit(async (page) => {
		await visit.collect(page);
		await visit.settle(100_000);
		const declined = await ask(22_200);
		await enterAsMaker(page);
		const cancelled = await askByKeyboard(page, "111");
		await openPath(page, `/${visit.tenant.slug}/payouts`);
		const row = page.getByRole("row", { name: /Ksh 111.00/ });
		await row.getByRole("button", { name: /^Cancel the payout/ }).waitFor();
		expect(await page.getByRole("button", { name: /^Decline the payout of/ }).count()).toBe(0);
		await row.getByRole("button", { name: /^Cancel the payout/ }).click();
		await press(page, "Cancel the payout");
		await page.getByText("The payout is cancelled.").waitFor();
		await page.getByRole("row", { name: /Cancelled.*Ksh 111.00/ }).waitFor();
		await becomes(cancelled, "cancelled");

		await visit.stand.visit(async (other) => {
			await enterAsOwner(other);
			await openPath(other, `/${visit.tenant.slug}/payouts/${declined}`);
			await other.getByRole("button", { name: /^Decline the payout of/ }).click();
			await press(other, "Decline");
			await dialogOf(other).getByRole("alert").getByText("Enter the reason.").waitFor();
			await expectNoFaults(other);
			await dialogOf(other).getByLabel("Reason").fill("It is not this account.");
			await press(other, "Decline");
			await other.getByText("It was not approved. The money is available again.").waitFor();
			await other.getByRole("row", { name: /^Declined .*It is not this account\./ }).waitFor();
		});
		expect(await available()).toBe(100_000);
	}));

test("the queue of approvals says that it cannot be read, and shows what another person requests meanwhile", () =>
	visit.stand.visit(async (page) => {
		const isQueue = ({ searchParams }: URL) => searchParams.get("status") === "awaiting_approval";
		await page.route(isQueue, (route) => route.abort());
		await enterAsOwner(page);
		await openPath(page, `/${visit.tenant.slug}/payouts`);
		const queue = page.getByRole("region", { name: "Waiting for approval" });
		await queue.getByRole("alert").getByText("The service cannot be reached.").waitFor();
		await page.getByRole("row", { name: /Cancelled.*Ksh 111.00/ }).waitFor();
		await page.unroute(isQueue);
		await queue.getByRole("button", { name: "Try again" }).click();
		await queue.waitFor({ state: "detached" });
		const requested = await ask(33_300);
		await queue.getByRole("row", { name: /Ksh 333.00/ }).waitFor();
		await visit.tenant.collects("POST", `/payouts/${requested}/cancel`);
		await queue.waitFor({ state: "detached" });
	}));

/** The gateway said nothing about a transfer, and was asked for a day. */
const needReview = (id: string) =>
	inDatabaseOf(visit.stand, "treasury", (db) =>
		inTenant(db, visit.tenant.id, (tx) =>
			tx.query("update payouts set needs_review = true, next_check_at = null where id = $1", [id]),
		),
	);

/** A person of the platform owner says what became of the payout of the page. */
async function decide(page: Page, as: string): Promise<void> {
	await page.getByRole("button", { name: "Decide what became of it" }).click();
	await dialogOf(page).getByLabel("What became of it").selectOption(as);
	await press(page, "Decide");
	await dialogOf(page).getByRole("alert").getByText("Enter the reason.").waitFor();
	await expectNoFaults(page);
	await dialogOf(page).getByLabel("Reason").fill("By the statement of the bank.");
	await press(page, "Decide");
	await page.getByText("The decision is recorded.").waitFor();
}

test.each([
	["It failed", "failed", "It did not arrive. The money is available again."],
	["It was paid", "paid", "It has arrived."],
])(
	"what became of a payout about which the gateway says nothing is decided by two persons of the platform owner: %s",
	async (as, status, says) => {
		await visit.stand.visit(async (page) => {
			const id = await ask(10_000);
			await visit.control("PUT", "faults", [{ operation: "transfer", fault: "drop", count: 1 }]);
			await enterAsOwner(page);
			await openPath(page, `/${visit.tenant.slug}/payouts/${id}`);
			await page.getByRole("button", { name: /^Approve the payout to/ }).click();
			await press(page, "Approve");
			await becomes(id, "unknown");
			await needReview(id);
			await page.reload();
			await decide(page, as);
			await page.getByRole("row", { name: new RegExp(`^Decided: ${status}`) }).waitFor();
			await becomes(id, "unknown");
			await visit.stand.visit(async (other) => {
				await enterAsOwner(other, await addOperator(visit.stand));
				await openPath(other, `/${visit.tenant.slug}/payouts/${id}`);
				await decide(other, as);
				await other.getByRole("status").getByText(says).waitFor();
			});
			await becomes(id, status);
		});
	},
);

test("all payouts that wait for approval can be reached, and a bulk request says how many of its payouts wait, also above the size of a page", () =>
	visit.stand.visit(async (page) => {
		await ask(5_100);
		const recipient_id = visit.recipientId;
		const items = Array.from({ length: 21 }, (_, index) => ({
			...{ rail: "card_gateway", recipient_id, amount_minor: 100 + index },
		}));
		await visit.tenant.collects("POST", "/payouts/bulk", { items });
		await enterAsOwner(page);
		await openPath(page, `/${visit.tenant.slug}/payouts`);
		await page.getByRole("link", { name: "Bulk request: 21 payouts wait" }).waitFor();
		const queue = page.getByRole("region", { name: "Waiting for approval" });
		expect(await queue.getByRole("button", { name: /^Approve the payout to/ }).count()).toBe(20);
		await queue.getByRole("button", { name: "Next page" }).click();
		await queue.getByRole("row", { name: /Ksh 51.00/ }).waitFor();
		expect(await queue.getByRole("button", { name: /^Approve the payout to/ }).count()).toBe(2);
		await expectNoFaults(page);
	}));
