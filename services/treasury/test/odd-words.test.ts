import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { saidByTransfer } from "../src/gateways/card-gateway/said-by-transfer.ts";
import { applyOutcome } from "../src/outcomes/apply-outcome.ts";
import { addPayout, getPayout, say } from "./payouts/add-payout.ts";
import { makeAvailable } from "./payouts/paying.ts";
import { addTrade, charge, returnedAtGateway } from "./receive.ts";
import { openTill } from "./till.ts";

const till = setUp(openTill);

const raised = (subject: string) =>
	till.database.db.query("select class, theirs from exceptions where subject = $1", [subject]);

const transfer = (status: string) =>
	saidByTransfer({
		...{ status, transferCode: undefined, amountMinor: undefined, currency: undefined },
		feeMinor: undefined,
	});

test.each([
	["received", []],
	["pending", []],
	["processing", []],
	["on_hold", [{ class: "status", theirs: { status: "on_hold" } }]],
	["toString", [{ class: "status", theirs: { status: "toString" } }]],
])(
	"a transfer that the gateway calls %s is on its way; a word that is not known raises an exception, once",
	async (word, exceptions) => {
		const { db } = till.database;
		const { id: tenantId } = till.tenants.uhai;
		await makeAvailable(db, tenantId, { amountMinor: 100_000n });
		const payout = await addPayout(db, tenantId, { said: [{ kind: "approved" }, { kind: "submitted" }] });
		for (const _ of ["first", "again"]) await say(db, payout, transfer(word));
		expect(await getPayout(db, payout)).toMatchObject({ status: "in_flight" });
		expect(await raised(payout.reference)).toEqual(exceptions);
	},
);

test.each(["failed", "abandoned", "blocked", "rejected"])(
	"a transfer that the gateway calls %s has failed: what was held for it is available again, once",
	async (word) => {
		const { db } = till.database;
		const tenant = { ...till.tenants.uhai, id: randomUUID() };
		const held = async () => {
			const balances = await till.balances(tenant);
			return { available: balances["tenant.available"] ?? 0, reserved: balances["tenant.reserved"] ?? 0 };
		};
		await makeAvailable(db, tenant.id, { amountMinor: 150_000n });
		const payout = await addPayout(db, tenant.id, { said: [{ kind: "approved" }, { kind: "submitted" }] });
		expect(await held()).toEqual({ available: 50_000, reserved: 100_000 });
		for (const _ of ["first", "again"]) await say(db, payout, transfer(word));
		expect(await getPayout(db, payout)).toMatchObject({ status: "failed", failureCode: word });
		expect(await held()).toEqual({ available: 150_000, reserved: 0 });
		expect(await raised(payout.reference)).toEqual([]);
	},
);

test.each([
	["pending", []],
	["processing", []],
	["on-hold", [{ class: "status", theirs: { status: "on-hold" } }]],
])(
	"a refund that the gateway calls %s is open; a word that is not known raises an exception",
	async (status, exceptions) => {
		const { db } = till.database;
		const receipt = await charge(db, await addTrade(db, till.tenants.uhai.id));
		const id = await returnedAtGateway(db, receipt, { status });
		expect(await raised(`refund ${id}`)).toEqual(exceptions);
	},
);

test("the end of a refund closes the exception about its word", async () => {
	const { db } = till.database;
	const receipt = await charge(db, await addTrade(db, till.tenants.uhai.id));
	const refundId = await returnedAtGateway(db, receipt, { status: "on-hold" });
	const { tenantId } = receipt;
	const about = { tenantId, refundId, source: "query", sourceId: undefined, at: new Date() } as const;
	await inTenant(db, tenantId, (tx) => applyOutcome(tx, { ...about, refundSaid: { kind: "processed" } }));
	const states = await db.query("select state from exceptions where subject = $1", [`refund ${refundId}`]);
	expect(states).toEqual([{ state: "closed" }]);
});
