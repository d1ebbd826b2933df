import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { afterEach, beforeEach, expect, test } from "vitest";
import { changeProfile } from "../src/gateways/profiles/profile.store.ts";
import { openWallet } from "./cards/paying-by-card.ts";
import { countRequests } from "./outcomes/count-requests.ts";
import { makeAvailable, openPaying } from "./payouts/paying.ts";
import { addTrade, charge } from "./receive.ts";
import { newPhone } from "./till.ts";

const till = setUp(async () => {
	const opened = await openPaying();
	const phones = await countRequests(opened.mobileMoney.url);
	const cards = await countRequests(opened.cardGateway.url);
	for (const [kind, { url: baseUrl }] of [
		["mobile_money", phones],
		["card_gateway", cards],
	] as const)
		await changeProfile(opened.database.db, kind, { change: { baseUrl }, now: new Date() });
	return {
		...{ ...opened, wallet: openWallet(opened) },
		/** What was sent to the gateways, but for questions. */
		sent: () => [...phones.posts, ...cards.posts].filter((path) => !path.startsWith("/oauth/")),
		close: async () => {
			await opened.close();
			await Promise.all([phones.close(), cards.close()]);
		},
	};
});

const because = "The gateway reports wrong amounts";
const scopes = ["collections", "payouts", "refunds"] as const;
type Scope = (typeof scopes)[number];
async function halt(is_on: boolean, tenant_id?: string, halted: readonly Scope[] = scopes): Promise<void> {
	for (const scope of halted) {
		const body = { scope, is_on, because, ...(tenant_id !== undefined && { tenant_id }) };
		expect((await till.operate("PUT", "/halts", { body })).status).toBe(200);
	}
}
afterEach(async () => {
	till.clock.now = undefined;
	for (const gateway of [till.sandbox, till.cards]) await gateway("PUT", "/_control/clock", { now: null });
	await till.cards("PUT", "/_control/faults", []);
});

type Body = Record<string, unknown>;
const post = (path: string, body: object) => till.ask("POST", path, { body });
const day = (years: number) => `${new Date().getUTCFullYear() + years}-06-01`;
let plan_id: string;
let authorization_id: string;
beforeEach(async () => {
	plan_id ??= await till.wallet.makePlan();
	authorization_id ??= await till.wallet.payByCard("amina@example.com");
});

type Attempt = () => Promise<{ status: number; body: Body }>;
/** What lets a gateway ask a payer, charge a card or pay somebody. Each is prepared, then tried. */
const calls: Record<string, { haltedBy: Scope; prepare: () => Promise<Attempt> }> = {
	"a standing order": {
		haltedBy: "collections",
		prepare: async () => () =>
			post("/standing-orders", {
				...{ phone: newPhone("is silent"), amount_minor: 100_000, frequency: "monthly" },
				...{ start_on: day(1), end_on: day(2), description: "School fees" },
			}),
	},
	"a card subscription": {
		haltedBy: "collections",
		prepare: async () => () => post("/card-subscriptions", { plan_id, authorization_id }),
	},
	"a card subscription that is resumed": {
		haltedBy: "collections",
		prepare: async () => {
			const { items } = (await till.ask("GET", "/card-subscriptions")).body as {
				items: Array<{ id: string }>;
			};
			const path = `/card-subscriptions/${items[0]?.id}`;
			expect((await post(`${path}/disable`, {})).status).toBe(200);
			return () => post(`${path}/enable`, {});
		},
	},
	"a payment page": {
		haltedBy: "collections",
		prepare: async () => () =>
			post("/payment-pages", { name: "School fees", description: "Term one", currency: "KES" }),
	},
	"a QR code": {
		haltedBy: "collections",
		prepare: async () => () => post("/qr", { reference: "COUNTER", trx_code: "PB" }),
	},
	"a one-time password": {
		haltedBy: "payouts",
		prepare: async () => {
			await makeAvailable(till.database.db, till.tenants.uhai.id, { amountMinor: 10_000n });
			const recipient_id = await till.addRecipient();
			await till.cards("PUT", "/_control/faults", [
				{ operation: "transfer", fault: "otp_required", count: 1 },
			]);
			const id = await till.pay({ recipient_id, amount_minor: 10_000 });
			const { transfers } = await till.cards("GET", "/_control/overview");
			const [{ otp } = { otp: "" }] = transfers as Array<{ otp: string }>;
			return () => till.operate("POST", `/payouts/${id}/otp`, { body: { otp } });
		},
	},
};

test.each(Object.keys(calls))(
	"%s is refused and not sent while that is halted, and sent while only the rest is (I24)",
	async (name) => {
		const { haltedBy: scope, prepare } = calls[name] ?? expect.fail();
		const attempt = await prepare();
		const others = scopes.filter((other) => other !== scope);
		const all = [undefined, till.tenants.uhai.id];
		const before = till.sent().length;
		for (const tenantId of all) {
			await halt(true, tenantId, [scope]);
			expect(await attempt()).toMatchObject({ status: 503, body: { code: "halted" } });
			await halt(false, tenantId, [scope]);
		}
		expect(till.sent().slice(before)).toEqual([]);
		for (const tenantId of all) await halt(true, tenantId, others);
		expect(Math.floor((await attempt()).status / 100)).toBe(2);
		for (const tenantId of all) await halt(false, tenantId, others);
		expect(till.sent().slice(before)).toHaveLength(1);
	},
);

test("what moves no money, and what stops it, is possible while all is halted", async () => {
	const { id } = (await till.wallet.subscribe()).body;
	await till.wallet.becomes(id, { status: "active", executions: 1 });
	await halt(true);
	const done = [
		await post("/plans", { name: "Growth", interval: "monthly", amount_minor: 100_000, currency: "KES" }),
		await post(`/card-subscriptions/${id}/disable`, {}),
	];
	expect(done.map(({ status }) => status)).toEqual([201, 200]);
	expect(await till.addRecipient()).toMatch(/-/);
	await halt(false);
});

test("what a payer paid too much is returned after a halt, however long that lasts (I24)", async () => {
	const { db } = till.database;
	const { id: tenantId } = till.tenants.uhai;
	await inTenant(db, tenantId, (tx) => tx.query("update tenant_gateways set refund_excess = true"));
	const trade = await addTrade(db, tenantId);
	const receipt = await charge(db, trade, { amountMinor: trade.amountMinor + 50_000n });
	const refunds = () =>
		inTenant(db, tenantId, (tx) =>
			tx.query("select status from refunds where receipt_id = $1", [receipt.id]),
		);
	await halt(true);
	// More often than it is tried otherwise.
	for (let turn = 0; turn < 33; turn += 1) await till.wait(turn === 0 ? 16 * 60 : 6 * 3_600 + 1);
	expect(await refunds()).toEqual([]);
	await halt(false);
	await till.wait(6 * 3_600 + 1);
	expect(await refunds()).toHaveLength(1);
}, 120_000);

test("while all is halted, settlements are fetched and make money available, and gateways are compared with the books (I24)", async () => {
	const settle = async () => {
		await till.cards("POST", "/_control/settle", {});
		const range = { from: new Date(Date.now() - 86_400_000), to: new Date(Date.now() + 86_400_000) };
		expect((await till.operate("POST", "/settlements/fetch", { body: range })).status).toBe(202);
		await till.service.jobs.runDue();
		return range;
	};
	const pending = async () => {
		await till.service.jobs.runDue();
		return (await till.balances(till.tenants.uhai))["tenant.pending"] ?? 0;
	};
	await settle();
	const before = await pending();
	const order = { amount_minor: 100_000, currency: "KES", description: "Order 18", channels: ["card"] };
	const { id } = (await post("/intents", order)).body;
	const { access_code } = (await post(`/intents/${id}/checkout`, { email: "amina@example.com" })).body;
	await halt(true);
	await till.cards("POST", `/_control/checkouts/${access_code}`, { action: "pay", channel: "card" });
	await expect.poll(pending).toBe(before + 100_000);
	const range = await settle();
	expect(await pending()).toBe(before);
	const kinds = ["settlements", "transactions", "balances", "expectations"];
	for (const kind of kinds)
		expect((await till.operate("POST", "/reconciliation/runs", { body: { kind, ...range } })).status).toBe(
			202,
		);
	await till.service.jobs.runDue();
	const { body } = await till.operate("GET", "/reconciliation/runs");
	const runs = (body["items"] as Array<{ kind: string; state: string }>).map(({ kind, state }) => [
		kind,
		state,
	]);
	for (const kind of kinds) expect(runs).toContainEqual([kind, "done"]);
	await halt(false);
});
