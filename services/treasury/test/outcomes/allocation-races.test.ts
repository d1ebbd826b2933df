import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { allocateToIntent } from "../../src/collected/allocate-to-intent.ts";
import type { StoredIntent } from "../../src/payments/intent.store.ts";
import type { Payee } from "../../src/payments/intent.ts";
import type { Receipt } from "../../src/receipts/receipt.ts";
import { findViolations } from "../ledger/invariants.ts";
import { receive } from "../receive.ts";
import { openCounter } from "./counter.ts";
import { findBroken, stateOf } from "./state.ts";

const counter = setUp(openCounter);
const amountMinor = 120_000n;
const times = 24;
/** As many at once as the service has connections for. */
const together = 4;
const by = { actor: { kind: "user", id: "operator" } } as const;

const open = (tenantId: string, payee: Payee) => counter.open(tenantId, { payee, amountMinor });
const receiveFor = (holderId: string, custody: Payee) =>
	receive(counter.db, holderId, { amountMinor, custody, shortcode: "600900" });

/** Allocates; the code of the refusal, or `allocated`. */
const allocate = (intent: StoredIntent, receipt: Receipt): Promise<string> =>
	allocateToIntent(
		{ db: counter.db, now: () => counter.clock.now },
		{
			...{ holderId: receipt.tenantId, tenantId: intent.tenantId, receiptId: receipt.id },
			...{ intentId: intent.id, amountMinor: undefined, seenMinor: undefined, by },
		},
	).then(
		() => "allocated",
		(error) => error.code,
	);

/** Repeats a race again and again, some at once, each of these in a tenant of its own. */
async function repeat(turn: (tenantId: string, payee: Payee) => Promise<void>): Promise<void> {
	const run = async (from: number) => {
		const tenantId = await counter.tenant();
		for (let at = from; at < times; at += together) await turn(tenantId, at % 8 < 4 ? "tenant" : "platform");
		expect(await findBroken(counter, tenantId)).toEqual([]);
	};
	await Promise.all(Array.from({ length: together }, (_, from) => run(from)));
	expect(await findViolations(counter)).toEqual([]);
}

test("two allocations of one receipt at the same time, again and again, pay one intent", async () => {
	await repeat(async (tenantId, payee) => {
		const intents = [await open(tenantId, payee), await open(tenantId, payee)];
		const receipt = await receiveFor(tenantId, payee);
		const ends = await Promise.all(intents.map((intent) => allocate(intent, receipt)));
		expect(ends.toSorted()).toEqual(["allocated", "receipt_allocated"]);
		const paid = intents[ends.indexOf("allocated")];
		const rows = await inTenant(counter.db, tenantId, (tx) =>
			tx.query("select id from intents where id = any ($1) and status = 'succeeded'", [
				intents.map(({ id }) => id),
			]),
		);
		expect(rows).toEqual([{ id: paid?.id }]);
	});
}, 120_000);

test("two receipts that are allocated to one intent at the same time, again and again, pay it once", async () => {
	const waiting = { tenant: 0, platform: 0 };
	await repeat(async (tenantId, payee) => {
		const intent = await open(tenantId, payee);
		const receipts = [await receiveFor(tenantId, payee), await receiveFor(tenantId, payee)];
		const ends = await Promise.all(receipts.map((receipt) => allocate(intent, receipt)));
		// Money for the platform is taken, and stays unused.
		const other = payee === "tenant" ? "intent_closed" : "allocated";
		expect(ends.toSorted()).toEqual(["allocated", other].toSorted());
		waiting[payee] += 1;
		const { payments } = await stateOf(counter, tenantId);
		expect(payments.every((paid) => paid === Number(amountMinor))).toBe(true);
	});
	expect(waiting).toEqual({ tenant: 12, platform: 12 });
}, 120_000);

test("one receipt of the platform owner that two tenants are given at the same time, again and again, pays one", async () => {
	const ownerId = await counter.tenant();
	const others = await Promise.all(Array.from({ length: together }, () => counter.tenant()));
	for (let turn = 0; turn < times; turn++) {
		const [one = "", two = ""] = [others[turn % together], others[(turn + 1) % together]];
		const intents = [await open(one, "platform"), await open(two, "platform")];
		const receipt = await receiveFor(ownerId, "platform");
		const ends = await Promise.all(intents.map((intent) => allocate(intent, receipt)));
		expect(ends.filter((end) => end === "allocated")).toHaveLength(1);
	}
	for (const tenantId of others) expect(await findBroken(counter, tenantId)).toEqual([]);
	expect(await findViolations(counter)).toEqual([]);
}, 120_000);
