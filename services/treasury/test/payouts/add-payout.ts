import { randomBytes, randomUUID } from "node:crypto";
import { type Database, inTenant } from "@lango/postgres";
import { ensureTenant } from "@lango/tenancy";
import { applyOutcome } from "../../src/outcomes/apply-outcome.ts";
import type { PayoutSaid } from "../../src/outcomes/evidence/payout-evidence.ts";
import { findPayout, recordPayouts } from "../../src/payouts/payout.store.ts";
import { type Payout, splitGross } from "../../src/payouts/payout.ts";
import { recordBatch } from "../../src/payouts/payout-batch.store.ts";
import { recordTargets } from "../../src/payouts/payout-target.store.ts";

type Adding = {
	grossMinor?: bigint;
	feesDueMinor?: bigint;
	transferFeeMinor?: bigint;
	/** A shortcode that pays to a phone; else the card gateway pays. */
	shortcode?: string;
	/** The recipient of a transfer; without one nothing can be sent. */
	recipient?: { id: string; code: string };
	/** Of a bulk request. */
	batchId?: string;
	/** When it is asked for: now, unless another time is named. */
	at?: Date;
	said?: readonly PayoutSaid[];
};

/**
 * Adds a payout of a tenant that waits for its approval, of 1,000.00 shillings, and applies what is
 * said.
 */
export async function addPayout(db: Database, tenantId: string, adding: Adding = {}): Promise<Payout> {
	const {
		grossMinor = 100_000n,
		feesDueMinor = 0n,
		transferFeeMinor = 0n,
		shortcode,
		recipient,
		batchId = null,
		at = new Date(),
		said = [],
	} = adding;
	const id = randomUUID();
	await ensureTenant(db, tenantId);
	await inTenant(db, tenantId, async (tx) => {
		await recordPayouts(tx, {
			...{ tenantId, batchId, createdAt: at, idempotencyKey: randomUUID() },
			...{ createdBy: { kind: "user", id: randomUUID() }, fingerprint: randomBytes(32) },
			payouts: [
				{
					...{ id, shortcode: shortcode ?? null, recipientId: recipient?.id ?? null },
					...(shortcode === undefined
						? {
								...{ rail: "card_gateway", kind: "recipient", toMasked: "Uhai •••• 0001" },
								recipientCode: recipient?.code ?? "RCP_1",
							}
						: { rail: "mobile_money", kind: "customer", recipientCode: null, toMasked: "2547•••••678" }),
					...{ grossMinor, currency: "KES", ...splitGross({ grossMinor, feesDueMinor, transferFeeMinor }) },
					reference: `out-${randomBytes(16).toString("hex")}`,
				},
			],
		});
		const target = {
			destination: "254712345678",
			accountRef: null,
			command: "BusinessPayment",
			remarks: "Wages",
		};
		if (shortcode !== undefined) await recordTargets(tx, tenantId, [{ payoutId: id, target }]);
		const about = { tenantId, source: "request", sourceId: undefined, at } as const;
		await applyOutcome(tx, { ...about, payoutIds: [id], decided: "requested" });
	});
	for (const one of said) await say(db, { tenantId, id }, one);
	return getPayout(db, { tenantId, id });
}

/** Adds a bulk request of one payout, and returns its id. */
export async function addBatch(db: Database, tenantId: string): Promise<string> {
	const id = randomUUID();
	const made = { createdBy: { kind: "user", id }, idempotencyKey: id, createdAt: new Date() };
	const batch = { tenantId, id, ...made, fingerprint: randomBytes(32) };
	await inTenant(db, tenantId, (tx) => recordBatch(tx, batch));
	await addPayout(db, tenantId, { shortcode: "700999", batchId: id });
	return id;
}

type Named = Pick<Payout, "tenantId" | "id">;

/** Applies a statement about a payout. */
export const say = (db: Database, { tenantId, id: payoutId }: Named, payout: PayoutSaid): Promise<void> =>
	inTenant(db, tenantId, (tx) =>
		applyOutcome(tx, { tenantId, payoutId, source: "query", sourceId: undefined, payout, at: new Date() }),
	);

/** Reads a payout. */
export async function getPayout(db: Database, { tenantId, id }: Named): Promise<Payout> {
	const payout = await inTenant(db, tenantId, (tx) => findPayout(tx, id));
	if (payout === undefined) throw new Error("the payout was not recorded");
	return payout;
}
