import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { afterEach, expect, test } from "vitest";
import { openTill } from "../till.ts";
import { openWallet, type Wallet } from "./paying-by-card.ts";

const at = setUp(async () => {
	const till = await openTill();
	return { ...till, wallet: openWallet(till) };
});
const ask: Wallet["ask"] = (...asked) => at.wallet.ask(...asked);
afterEach(() => at.cards("PUT", "/_control/faults", []));

const fees = { name: "School fees", description: "Term one", currency: "KES" };
const make = (more: object = {}, key?: string) =>
	ask("POST", "/payment-pages", { body: { ...fees, ...more }, ...(key !== undefined && { key }) });

/** Pays at a page as a browser does, and runs what is due. */
async function payAt(link: unknown, amount?: string): Promise<void> {
	const form = new URLSearchParams({ email: "parent@example.com", ...(amount !== undefined && { amount }) });
	const { headers } = await fetch(String(link), { method: "POST", body: form, redirect: "manual" });
	const accessCode = headers.get("location")?.split("/").at(-1);
	await at.cards("POST", `/_control/checkouts/${accessCode}`, { action: "pay", channel: "mobile_money" });
}

const paidAt = async (id: unknown) =>
	(await ask("GET", `/intents?order_id=${id}`)).body["items"] as Array<Record<string, unknown>>;

test("what anybody pays at a page is a paid request of the tenant's trade, with the metadata of the page and without its token", async () => {
	const { status, body } = await make({ metadata: { term: "1" } });
	expect(status).toBe(201);
	expect(body).toMatchObject({ ...fees, status: "active", amount_minor: null, metadata: { term: "1" } });
	await payAt(body["link"], "1500.50");
	await at.wallet.until(async () => (await paidAt(body["id"])).length === 1);
	const [paid] = await paidAt(body["id"]);
	expect(paid).toMatchObject({ status: "succeeded", received_minor: 150_050, description: "School fees" });
	const [stored] = await inTenant(at.database.db, at.tenants.uhai.id, (tx) =>
		tx.query<{ metadata: object }>("select metadata from intents where id = $1", [paid?.["id"]]),
	);
	expect(stored?.metadata).toEqual({ term: "1", payment_page_id: body["id"] });
	expect(await at.balances(at.tenants.uhai)).toMatchObject({ "tenant.pending": 150_050 });
});

test("a page of a fixed amount is paid by several payers, each once", async () => {
	const { id, link } = (await make({ amount_minor: 20_000 })).body;
	await Promise.all([payAt(link), payAt(link)]);
	await at.wallet.until(async () => (await paidAt(id)).length === 2);
	await at.database.db.query("update webhook_deliveries set status = 'received' where route = 'cardgateway'");
	await at.wait(300);
	await at.service.jobs.run("inbox.apply.sweep");
	await at.service.jobs.runDue();
	expect((await paidAt(id)).map((one) => one["received_minor"])).toEqual([20_000, 20_000]);
});

test("a charge with another token than a page's lies in suspense with the platform owner", async () => {
	const answer = await fetch(`${at.cardGateway.url}/page`, {
		method: "POST",
		headers: { authorization: "Bearer sk_test_lango_sandbox", "content-type": "application/json" },
		body: JSON.stringify({ ...fees, amount: 30_000, metadata: { lango_page: "guessed" } }),
	});
	const { data } = (await answer.json()) as { data: { link: string } };
	const before = await at.balances(at.tenants.uhai);
	await payAt(data.link);
	const suspended = () =>
		at.database.db
			.query("select from webhook_deliveries where route = 'cardgateway' and status = 'received'")
			.then((rows) => rows.length);
	await expect.poll(suspended).toBeGreaterThan(0);
	await at.wallet.until(async () => (await suspended()) === 0);
	expect(await at.balances(at.tenants.uhai)).toEqual(before);
});

test("a page is made once for an Idempotency-Key, and after a lost answer it is not asked for again", async () => {
	const key = randomUUID();
	await at.cards("PUT", "/_control/faults", [
		{ operation: "create_page", fault: "reset_after_commit", count: 1 },
	]);
	const made = await make({}, key);
	expect(made).toMatchObject({ status: 201, body: { status: "creating", link: null } });
	expect(await make({}, key)).toMatchObject({ status: 200, body: made.body });
	const reused = await make({ amount_minor: 1 }, key);
	expect([reused.status, reused.body["code"]]).toEqual([409, "idempotency_key_reused"]);
	// A page is newer than one that was made at an earlier time: the clock of these tests was stopped.
	await at.wait(1);
	const other = randomUUID();
	await at.cards("PUT", "/_control/faults", [{ operation: "create_page", fault: "quota", count: 1 }]);
	expect((await make({}, other)).body).toMatchObject({ code: "gateway_unavailable" });
	expect((await make({}, other)).body).toMatchObject({ status: "active" });
	const { body } = await ask("GET", "/payment-pages?limit=2");
	expect(body["items"]).toMatchObject([{ status: "active" }, { status: "creating" }]);
});
