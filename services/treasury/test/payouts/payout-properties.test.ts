import { acrossTenants, inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import fc from "fast-check";
import { expect, test } from "vitest";
import { listPayouts } from "../../src/payouts/payout.store.ts";
import type { Payout } from "../../src/payouts/payout.ts";
import { findViolations } from "../ledger/invariants.ts";
import { addPayout, getPayout, say } from "./add-payout.ts";
import { makeAvailable, openPaying } from "./paying.ts";

const accounts = ["0001", "0002", "0003", "0004"] as const;
type Account = (typeof accounts)[number];

const till = setUp(async () => {
	const opened = await openPaying();
	const { db } = opened.database;
	const { id: tenantId } = opened.tenants.uhai;
	const recipients = new Map<Account, { id: string; code: string }>();
	for (const account of accounts) {
		const id = await opened.addRecipient(account);
		const [row] = await inTenant(db, tenantId, (tx) =>
			tx.query<{ code: string }>("select recipient_code as code from recipients where id = $1", [id]),
		);
		recipients.set(account, { id, code: row?.code ?? "" });
	}
	return { ...opened, recipients, tenantId };
});

const rule = fc.record({
	operation: fc.constantFrom("transfer", "verify_transfer", "transfer.success", "transfer.failed"),
	fault: fc.constantFrom(
		...["drop", "http_500_after_commit", "reset_after_commit", "quota", "maintenance", "insufficient_float"],
		...["otp_required", "duplicate", "reorder", "replay"],
	),
	probability: fc.constantFrom(0.5, 1),
});
const knows: Readonly<Record<string, readonly string[]>> = {
	transfer: [
		...["drop", "http_500_after_commit", "reset_after_commit", "quota", "maintenance"],
		...["insufficient_float", "otp_required"],
	],
	verify_transfer: ["drop", "maintenance", "quota"],
	"transfer.success": ["drop", "duplicate", "reorder", "replay"],
	"transfer.failed": ["drop", "duplicate", "reorder", "replay"],
};
const fault = rule.filter(({ operation, fault: name }) => knows[operation]?.includes(name) ?? false);

/** What happens to the payouts of a run; `die`: the process ends after it claimed one, before the call. */
const step = fc.oneof(
	{
		weight: 3,
		arbitrary: fc.record({ ask: fc.constantFrom(...accounts), hundreds: fc.integer({ min: 1, max: 9 }) }),
	},
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

async function take(one: Step, payouts: Payout[]): Promise<void> {
	const { db } = till.database;
	const at = (index: number) => payouts[index % Math.max(payouts.length, 1)];
	if ("wait" in one) return till.wait(one.wait);
	if ("faults" in one) return void (await till.cards("PUT", "/_control/faults", one.faults));
	if ("ask" in one) {
		const recipient = till.recipients.get(one.ask);
		if (recipient === undefined) throw new Error("the recipient was not added");
		payouts.push(
			await addPayout(db, till.tenantId, { recipient, grossMinor: BigInt(one.hundreds) * 10_000n }),
		);
		return;
	}
	const payout = at("die" in one ? one.die : one.of);
	if (payout === undefined) return;
	if ("die" in one) return say(db, payout, { kind: "submitted" });
	const said =
		one.decide === "rejected" ? { kind: "rejected" as const, because: "No" } : { kind: one.decide };
	await say(db, payout, said as Parameters<typeof say>[2]);
}

const reset = { operation: "transfer", fault: "reset_after_commit", probability: 1 } as const;
/**
 * Runs that end in every way: the answer is lost, the process dies, the transfer fails, comes back, is not
 * sent.
 */
const runs: Step[][] = [
	[{ faults: [reset] }, { ask: "0001", hundreds: 5 }, { decide: "approved", of: 0 }, { wait: 3 }],
	[{ ask: "0001", hundreds: 2 }, { decide: "approved", of: 0 }, { die: 0 }, { wait: 35 }],
	[{ ask: "0002", hundreds: 3 }, { decide: "approved", of: 0 }, { wait: 3 }, { wait: 3 }],
	[{ ask: "0003", hundreds: 3 }, { decide: "approved", of: 0 }, { wait: 3 }, { wait: 35 }],
	[{ ask: "0001", hundreds: 1 }, { decide: "cancelled", of: 0 }, { wait: 3 }],
];
const ends = ["cancelled", "failed", "paid", "reversed"];

/** The faults end, and everything that is asked about a payout is asked. */
async function quiesce(): Promise<void> {
	await till.cards("PUT", "/_control/faults", []);
	for (const seconds of [35, 130, 620, 620, 3_700, 22_000, 70_000, 600]) await till.wait(seconds);
}

/** The journals of a payout, in their order, that its state admits. */
const journals: ReadonlyArray<[of: RegExp, admitted: RegExp]> = [
	[/^(awaiting_approval|approved|submitting|unknown|needs_otp|in_flight)$/, /^hold$/],
	[/^(failed|rejected|cancelled)$/, /^hold release$/],
	[/^paid$/, /^hold (release late_hold )?paid$/],
	[/^reversed$/, /^hold (release|(release late_hold )?paid reversed)$/],
];

async function check(releasedMinor: bigint): Promise<void> {
	const { db } = till.database;
	const payouts = await inTenant(db, till.tenantId, (tx) =>
		listPayouts(tx, { status: undefined, batchId: undefined, after: undefined, limit: 10_000 }),
	);
	const posted = await inTenant(db, till.tenantId, (tx) =>
		tx.query<{ id: string; purposes: string }>(
			`select source_id::text as id, string_agg(replace(purpose, 'payout_', ''), ' ' order by id) as purposes
			   from journals where source_type = 'payout' group by source_id`,
		),
	);
	const purposes = new Map(posted.map(({ id, purposes: of }) => [id, of]));
	let used = 0n;
	for (const { id, status, reference, lines, netMinor, grossMinor } of payouts) {
		expect((await till.moved(reference)).filter((amount) => amount < 0).length).toBeLessThanOrEqual(1);
		expect(lines.reduce((sum, { amountMinor }) => sum + amountMinor, 0n)).toBe(netMinor);
		expect(netMinor).toBeGreaterThan(0n);
		const [, admitted = /never/] = journals.find(([of]) => of.test(status)) ?? [];
		expect(`${purposes.get(id)}`, `${status} ${reference}`).toMatch(admitted);
		if (!/^(failed|rejected|cancelled|reversed)$/.test(status)) used += grossMinor;
	}
	const balances = await till.balances(till.tenants.uhai);
	const debt = BigInt(balances["tenant.debt"] ?? 0);
	expect(releasedMinor + debt).toBe(BigInt(balances["tenant.available"] ?? 0) + used);
	expect(await findViolations({ read: (text) => acrossTenants(db, (tx) => tx.query(text)) })).toEqual([]);
}

test("I11, I12, I13: whatever is lost, repeated, refused or ends half way, a payout moves once at most, its hold is released or used once, and no more is paid than was released", async () => {
	const { db } = till.database;
	let releasedMinor = 0n;
	const seen = new Set<string>();
	await fc.assert(
		fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 16 }), async (steps) => {
			await makeAvailable(db, till.tenantId, { amountMinor: 2_000_000n });
			releasedMinor += 2_000_000n;
			const payouts: Payout[] = [];
			for (const one of steps) await take(one, payouts);
			await check(releasedMinor);
			await quiesce();
			await check(releasedMinor);
			for (const { id } of payouts) {
				const { status } = await getPayout(db, { tenantId: till.tenantId, id });
				expect(status).not.toBe("submitting");
				seen.add(status);
			}
		}),
		{ numRuns: runs.length + 6, endOnFailure: true, examples: runs.map((steps) => [steps] as [Step[]]) },
	);
	expect([...seen]).toEqual(expect.arrayContaining(ends));
}, 600_000);
