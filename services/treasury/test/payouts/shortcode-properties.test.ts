import { enqueueJob } from "@lango/jobs";
import { acrossTenants, inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import fc from "fast-check";
import { expect, test } from "vitest";
import { applyOutcome } from "../../src/outcomes/apply-outcome.ts";
import { findRefund } from "../../src/refunds/refund.store.ts";
import { findViolations } from "../ledger/invariants.ts";
import { addReversal } from "../refunding/add-reversal.ts";
import { openTill } from "../till.ts";
import { addPayout, getPayout, say } from "./add-payout.ts";

const shortcode = "600200";

const till = setUp(async () => {
	const opened = await openTill();
	const { uhai } = opened.tenants;
	await opened.sandbox("PUT", "/_control/shortcodes", [{ shortcode, utility_minor: 100_000_000 }]);
	await opened.registerUrls(uhai);
	return { ...opened, tenantId: uhai.id };
});

const onTheWay = ["http_500_after_commit", "reset_after_commit", "maintenance", "spike_arrest", "quota"];
const ofResults = [
	"drop",
	"duplicate",
	"late_after_timeout",
	"type_drift",
	"forge_no_token",
	"callback_before_ack",
];
const knows: Readonly<Record<string, readonly string[]>> = {
	payout: [...onTheWay, ...ofResults, "token_invalidate", "insufficient_float"],
	reversal: [...onTheWay, ...ofResults, "token_invalidate"],
	status: ["maintenance", "drop", "duplicate", "type_drift"],
};
const fault = fc
	.record({
		operation: fc.constantFrom("payout", "payout", "reversal", "reversal", "status"),
		fault: fc.constantFrom(...(knows["payout"] ?? [])),
		probability: fc.constantFrom(0.5, 1),
	})
	.filter(({ operation, fault: name }) => knows[operation]?.includes(name) ?? false);

/** What happens to the money of a run; `die`: the process ends after it claimed one, before the call. */
const step = fc.oneof(
	{ weight: 3, arbitrary: fc.record({ pay: fc.integer({ min: 1, max: 9 }) }) },
	{ weight: 2, arbitrary: fc.record({ reverse: fc.integer({ min: 1, max: 9 }) }) },
	{
		weight: 3,
		arbitrary: fc.record({
			decide: fc.constantFrom("approved", "approved", "rejected", "cancelled"),
			of: fc.nat(9),
		}),
	},
	{ weight: 1, arbitrary: fc.record({ die: fc.nat(9) }) },
	{ weight: 2, arbitrary: fc.record({ faults: fc.array(fault, { maxLength: 3 }) }) },
	{ weight: 3, arbitrary: fc.record({ wait: fc.constantFrom(3, 35, 130, 620) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
/** Payouts and reversals of a run. */
type Out = { payouts: string[]; refunds: string[] };

async function take(one: Step, { payouts, refunds }: Out): Promise<void> {
	const { database, tenantId } = till;
	const { db } = database;
	if ("wait" in one) return till.wait(one.wait);
	if ("faults" in one) return void (await till.sandbox("PUT", "/_control/faults", one.faults));
	if ("pay" in one) {
		const grossMinor = BigInt(one.pay) * 10_000n;
		payouts.push((await addPayout(db, tenantId, { shortcode, grossMinor })).id);
		return;
	}
	if ("reverse" in one) {
		const number = await till.payAtCounter({ shortcode, amountMinor: one.reverse * 10_000 });
		const { id } = await addReversal(db, tenantId, { number });
		await db.transaction((tx) => enqueueJob(tx, { name: "refunds.submit" }, { id, tenantId }));
		refunds.push(id);
		return;
	}
	const id = payouts[("die" in one ? one.die : one.of) % Math.max(payouts.length, 1)];
	if ("die" in one) {
		const refundId = refunds[one.die % Math.max(refunds.length, 1)];
		if (refundId !== undefined) await sayOfRefund(refundId);
	}
	if (id === undefined) return;
	const said = "die" in one ? { kind: "submitted" } : { kind: one.decide, because: "No" };
	await say(db, { tenantId, id }, said as Parameters<typeof say>[2]);
}

/** The process that claimed a reversal has ended before it sent it. */
const sayOfRefund = (refundId: string): Promise<void> =>
	inTenant(till.database.db, till.tenantId, async (tx) => {
		const about = { tenantId: till.tenantId, refundId, source: "answer", sourceId: undefined } as const;
		const at = till.clock.now ?? new Date();
		if ((await findRefund(tx, refundId))?.status === "requested")
			await applyOutcome(tx, { ...about, at, refundSaid: { kind: "submitting" } });
	});

const always = (operation: "payout" | "reversal", fault: string) => ({
	...({ operation, fault, probability: 1 } as const),
});
const lost = (operation: "payout" | "reversal"): Step => ({
	faults: [always(operation, "reset_after_commit"), always(operation, "drop")],
});
/** Runs that end in every way: answer and result are lost, the process dies, the gateway refuses. */
const runs: Step[][] = [
	[lost("payout"), { pay: 5 }, { decide: "approved", of: 0 }, { wait: 3 }],
	[lost("reversal"), { reverse: 5 }, { wait: 3 }],
	[{ pay: 2 }, { reverse: 3 }, { decide: "approved", of: 0 }, { die: 0 }, { wait: 35 }],
	[
		{ faults: [always("payout", "insufficient_float")] },
		{ pay: 3 },
		{ decide: "approved", of: 0 },
		{ wait: 3 },
	],
	[{ pay: 1 }, { pay: 1 }, { decide: "cancelled", of: 0 }, { decide: "rejected", of: 1 }, { wait: 3 }],
];

/** The faults end, and everything that is asked about the money is asked. */
async function quiesce(): Promise<void> {
	await till.sandbox("PUT", "/_control/faults", []);
	for (const seconds of [35, 130, 620, 620, 3_700, 22_000, 70_000]) {
		await till.wait(seconds);
		await till.service.jobs.runDue();
	}
}

type Movement = {
	from: string;
	to: string;
	kind: string;
	amount_minor: number;
	originator_conversation_id: string;
};

async function listMovements(): Promise<Movement[]> {
	const { movements } = await till.sandbox("GET", "/_control/ledger");
	return movements as Movement[];
}

/** The journals of an object, in their order. */
async function journalsOf(type: "payout" | "refund", id: string): Promise<string> {
	const rows = await inTenant(till.database.db, till.tenantId, (tx) =>
		tx.query<{ purpose: string }>(
			"select replace(purpose, $1 || '_', '') as purpose from journals where source_type = $1 and source_id = $2 order by id",
			[type, id],
		),
	);
	return rows.map(({ purpose }) => purpose).join(" ");
}

/** One of the payouts and reversals, its status, and the id by which the gateway knows it. */
type Moving = { type: "payout" | "refund"; id: string; status: string; originatorId: string };

const movingOf = ({ payouts, refunds }: Out): Promise<Moving[]> => {
	const { database, tenantId } = till;
	return Promise.all([
		...payouts.map(async (id) => {
			const { status, reference } = await getPayout(database.db, { tenantId, id });
			return { type: "payout" as const, id, status, originatorId: reference };
		}),
		...refunds.map(async (id) => {
			const refund = await inTenant(database.db, tenantId, (tx) => findRefund(tx, id));
			return { type: "refund" as const, id, status: refund?.status ?? "", originatorId: id };
		}),
	]);
};

/**
 * Nothing is held of what leaves a shortcode: it is booked once, by its success alone. Once all is asked,
 * what moved has succeeded. Returns the statuses.
 */
async function check(out: Out, { isQuiet }: { isQuiet: boolean }): Promise<string[]> {
	const movements = await listMovements();
	const all = await movingOf(out);
	for (const { type, id, status, originatorId } of all) {
		const moved = movements.filter((one) => one.originator_conversation_id === originatorId).length;
		const isDone = status === "paid" || status === "processed";
		expect([type, status, moved <= 1, await journalsOf(type, id)]).toEqual([
			...[type, status, true, isDone ? "paid" : ""],
		]);
		if (isDone || isQuiet) expect([type, status, moved]).toEqual([type, status, isDone ? 1 : 0]);
	}
	return all.map(({ status }) => status);
}

/** What came to the shortcode and left it, by the sandbox's truth. */
async function floatThere(): Promise<number> {
	const account = `shortcode/${shortcode}/utility`;
	const moved = (await listMovements()).filter(({ kind }) => kind !== "deposit");
	return moved.reduce((sum, { from, to, amount_minor: amount }) => {
		if (to === account) return sum + amount;
		return from === account ? sum - amount : sum;
	}, 0);
}

test("I12, I13, I19: whatever is lost, repeated, refused or ends half way, a payout from a shortcode and a reversal move once at most, and are booked exactly if they moved", async () => {
	const seen = new Set<string>();
	await fc.assert(
		fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 14 }), async (steps) => {
			const out: Out = { payouts: [], refunds: [] };
			for (const one of steps) await take(one, out);
			await check(out, { isQuiet: false });
			await quiesce();
			for (const status of await check(out, { isQuiet: true })) seen.add(status);
			const { [`mm.float.${shortcode}`]: float = 0 } = await till.balances(till.tenants.uhai);
			expect(float).toBe(await floatThere());
			const read = (text: string) => acrossTenants(till.database.db, (tx) => tx.query<never>(text));
			expect(await findViolations({ read })).toEqual([]);
		}),
		{ numRuns: runs.length + 8, endOnFailure: true, examples: runs.map((steps) => [steps] as [Step[]]) },
	);
	expect([...seen]).toEqual(
		expect.arrayContaining(["paid", "failed", "cancelled", "rejected", "processed", "unknown"]),
	);
}, 600_000);
