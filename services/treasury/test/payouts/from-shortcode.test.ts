import { setUp } from "@lango/testkit/set-up";
import { beforeEach, expect, test, vi } from "vitest";
import { addPayout, getPayout } from "./add-payout.ts";
import { openPaying } from "./paying.ts";

const till = setUp(openPaying);
const rail = "mobile_money";
const amount_minor = 10_000;
const tenantId = () => till.tenants.uhai.id;

beforeEach(async () => {
	const float = { shortcode: "600200", utility_minor: 10_000_000, working_minor: 10_000_000 };
	await till.sandbox("PUT", "/_control/shortcodes", [float]);
	await till.sandbox("PUT", "/_control/faults", []);
});

const kinds = {
	customer: { kind: "customer", to: "0712345678" },
	personal_till: { kind: "personal_till", to: "700100" },
	paybill: { kind: "business", to: "600500", account: "INV-17" },
	till: { kind: "business", to: "600300", command: "MerchantToMerchantTransfer" },
	own_working: { kind: "own_working" },
} as const;
type Kind = keyof typeof kinds;

/** How often money left the shortcode, by the sandbox's truth. */
async function countMoved(): Promise<number> {
	const { movements } = (await till.sandbox("GET", "/_control/ledger")) as unknown as {
		movements: Array<{ kind: string }>;
	};
	return movements.filter(({ kind }) => ["payout", "business", "own_working"].includes(kind)).length;
}
const mirror = async () => (await till.balances(till.tenants.uhai))["tenant.mobile"] ?? 0;

/** Asks for a payout, which waits for its approval, approves it, and sends it. Returns its id. */
async function pay(kind: Kind): Promise<string> {
	const body = { rail, ...kinds[kind], amount_minor, remarks: "Wages" };
	const asked = await till.ask("POST", "/payouts", { body });
	expect(asked).toMatchObject({ status: 202, body: { status: "awaiting_approval" } });
	const id = String(asked.body["id"]);
	const approve = (by: "maker" | "checker") => till.ask("POST", `/payouts/${id}/approve`, { by });
	expect(await approve("maker")).toMatchObject({ status: 403, body: { code: "approver_is_creator" } });
	expect((await approve("checker")).status).toBe(200);
	await till.service.jobs.runDue();
	return id;
}
const isPaid = (id: string) =>
	vi.waitFor(async () => {
		await till.service.jobs.runDue();
		expect(await getPayout(till.database.db, { tenantId: tenantId(), id })).toMatchObject({ status: "paid" });
	}, 15_000);

test.each(Object.keys(kinds) as Kind[])(
	"a payout to %s is sent after its approval, once, and the mirror follows",
	async (kind) => {
		const [moved, before] = [await countMoved(), await mirror()];
		await isPaid(await pay(kind));
		expect(await countMoved()).toBe(moved + 1);
		// Between the accounts of one shortcode its float stays as it is.
		expect(await mirror()).toBe(before - (kind === "own_working" ? 0 : amount_minor));
	},
);

test("a payout shows the person who approves it how it is paid, the account and the remarks", async () => {
	const body = { rail, ...kinds.paybill, amount_minor, remarks: "Stock" };
	const asked = await till.ask("POST", "/payouts", { body });
	const shown = { to: "600500", command: "BusinessPayBill", account: "INV-17", remarks: "Stock" };
	for (const path of [`/payouts/${asked.body["id"]}`, "/payouts?limit=1"]) {
		const { body: found } = await till.ask("GET", path, { by: "checker" });
		expect(path.includes("limit") ? found["items"] : [found]).toMatchObject([shown]);
	}
});

test.each([
	["customer", "payout", "http_500_after_commit"],
	["personal_till", "payout", "reset_after_commit"],
	["till", "business", "http_500_after_commit"],
	["own_working", "business", "reset_after_commit"],
] as const)(
	"a payout to %s whose answer was lost (%s: %s) is unknown until its result, and moves once",
	async (...[kind, operation, fault]) => {
		await till.sandbox("PUT", "/_control/faults", [{ operation, fault, count: 1 }]);
		const moved = await countMoved();
		await isPaid(await pay(kind));
		expect(await countMoved()).toBe(moved + 1);
	},
);

test("a result that never comes is found by a status query", async () => {
	for (const [kind, operation] of [
		["customer", "payout"],
		["paybill", "business"],
	] as const) {
		await till.sandbox("PUT", "/_control/faults", [{ operation, fault: "drop", count: 1 }]);
		const moved = await countMoved();
		const id = await pay(kind);
		expect(await till.payout(id)).toMatchObject({ status: "in_flight" });
		await till.wait(31);
		await isPaid(id);
		expect(await countMoved()).toBe(moved + 1);
	}
});

test("a payout that the gateway does not know (2032) stays unknown, is never sent again, and needs a review after a day", async () => {
	const { db } = till.database;
	const moved = await countMoved();
	const payout = await addPayout(db, tenantId(), {
		shortcode: "600200",
		said: [{ kind: "approved" }, { kind: "submitted" }, { kind: "unknown", because: "timeout" }],
	});
	for (const seconds of [31, 90, 500, 3_100, 18_100, 65_000]) await till.wait(seconds);
	await vi.waitFor(async () => {
		await till.service.jobs.runDue();
		expect(await getPayout(db, payout)).toMatchObject({ status: "unknown", needsReview: true, sends: 1 });
	}, 15_000);
	expect(await countMoved()).toBe(moved);
});
