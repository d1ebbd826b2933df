import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import fc from "fast-check";
import { expect, test } from "vitest";
import { applyOutcome } from "../../src/outcomes/apply-outcome.ts";
import type { EvidenceSource } from "../../src/outcomes/evidence/evidence.ts";
import { findRefund } from "../../src/refunds/refund.store.ts";
import { addReversal } from "../refunding/add-reversal.ts";
import { openTill } from "../till.ts";
import { addPayout } from "./add-payout.ts";

const till = setUp(openTill);
const shortcode = "600200";

/** A payout, or a refund, that was sent and whose end is not known. */
type Moving = { kind: "payout" | "refund"; tenantId: string; id: string };

async function send(kind: Moving["kind"]): Promise<Moving> {
	const tenantId = randomUUID();
	const { db } = till.database;
	const sent = { kind: "submitted" } as const;
	const { id } =
		kind === "payout"
			? await addPayout(db, tenantId, { shortcode, said: [{ kind: "approved" }, sent] })
			: await addReversal(db, tenantId, { shortcode, said: [{ kind: "submitting" }] });
	return { kind, tenantId, id };
}

/** The gateway says that it was paid, and perhaps what it charged. */
type Said = { source: Extract<EvidenceSource, "delivery" | "query">; feeMinor: bigint | undefined };

const say = ({ kind, tenantId, id }: Moving, { source, feeMinor }: Said): Promise<void> =>
	inTenant(till.database.db, tenantId, (tx) => {
		const about = { tenantId, source, sourceId: undefined, at: new Date() };
		return kind === "payout"
			? applyOutcome(tx, { ...about, payoutId: id, payout: { kind: "paid", feeMinor } })
			: applyOutcome(tx, { ...about, refundId: id, refundSaid: { kind: "processed", feeMinor } });
	});

/** What was posted as the charge, journal by journal. */
async function charged({ kind, tenantId }: Moving): Promise<number[]> {
	const rows = await inTenant(till.database.db, tenantId, (tx) =>
		tx.query<{ minor: string }>(
			`select case p.side when 'debit' then p.amount_minor else -p.amount_minor end as minor
			   from journals j join postings p on p.journal_id = j.id join ledger_accounts a on a.id = p.account_id
			  where j.purpose = $1 and a.code = 'tenant.mobile' order by j.id`,
			[`${kind}_charge`],
		),
	);
	return rows.map(({ minor }) => Number(minor));
}

const kinds = ["payout", "refund"] as const;
const sumOf = (all: readonly number[]): number => all.reduce((sum, one) => sum + one, 0);

const source = fc.constantFrom("delivery" as const, "query" as const);

test("a charge is posted once, in whatever order result and answers come, repeat themselves, and state it or not", async () => {
	const statement = fc.record({ source, feeMinor: fc.constantFrom(undefined, 2_240n) });
	await fc.assert(
		fc.asyncProperty(
			fc.constantFrom(...kinds),
			fc.array(statement, { minLength: 1, maxLength: 6 }),
			async (kind, statements) => {
				const moving = await send(kind);
				for (const one of statements) await say(moving, one);
				const isStated = statements.some(({ feeMinor }) => feeMinor !== undefined);
				expect(await charged(moving)).toEqual(isStated ? [2_240] : []);
			},
		),
		{ numRuns: 25, endOnFailure: true },
	);
});

test("of charges that differ the last answer counts, else the first result; the books follow", async () => {
	const feeMinor = fc.constantFrom(undefined, 0n, 2_240n, 3_300n);
	const statement = fc.record({ source, feeMinor });
	await fc.assert(
		fc.asyncProperty(
			fc.constantFrom(...kinds),
			fc.array(statement, { minLength: 1, maxLength: 6 }),
			async (kind, statements) => {
				const moving = await send(kind);
				for (const one of statements) await say(moving, one);
				const stated = statements.filter((one) => one.feeMinor !== undefined);
				const counts = stated.findLast((one) => one.source === "query") ?? stated[0];
				expect(sumOf(await charged(moving))).toBe(Number(counts?.feeMinor ?? 0n));
			},
		),
		{ numRuns: 25, endOnFailure: true },
	);
});

test.each(kinds)("a result and an answer at the same time post the charge of a %s once", async (kind) => {
	for (let n = 0; n < 20; n += 1) {
		const moving = await send(kind);
		const feeMinor = 2_240n;
		await Promise.all([
			say(moving, { source: "delivery", feeMinor }),
			say(moving, { source: "query", feeMinor }),
		]);
		expect(await charged(moving)).toEqual([2_240]);
	}
});

test("a payout that came back keeps its charge, unless the gateway says otherwise", async () => {
	const moving = await send("payout");
	await say(moving, { source: "delivery", feeMinor: 2_240n });
	const { tenantId, id } = moving;
	await inTenant(till.database.db, tenantId, (tx) =>
		applyOutcome(tx, {
			...{ tenantId, payoutId: id, source: "query", sourceId: undefined, at: new Date() },
			payout: { kind: "reversed" },
		}),
	);
	expect(await charged(moving)).toEqual([2_240]);
	await say(moving, { source: "query", feeMinor: 0n });
	expect(await charged(moving)).toEqual([2_240, -2_240]);
});

test("a payout that failed is charged nothing, and a charge of 0 is known without a journal", async () => {
	const { db } = till.database;
	const moving = await send("payout");
	const { tenantId, id } = moving;
	await inTenant(db, tenantId, (tx) =>
		applyOutcome(tx, {
			...{ tenantId, payoutId: id, source: "delivery", sourceId: undefined, at: new Date() },
			payout: { kind: "failed", code: "2040" },
		}),
	);
	expect(await charged(moving)).toEqual([]);
	const refund = await send("refund");
	await say(refund, { source: "delivery", feeMinor: 0n });
	expect(await charged(refund)).toEqual([]);
	const { feeMinor } = (await inTenant(db, refund.tenantId, (tx) => findRefund(tx, refund.id))) ?? {};
	expect(feeMinor).toBe(0n);
});
