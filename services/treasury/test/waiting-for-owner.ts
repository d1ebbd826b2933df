import { randomUUID } from "node:crypto";
import { uuidV7 } from "@lango/events";
import { type Database, inTenant } from "@lango/postgres";
import type { Scene } from "@lango/testkit";
import { recordAdjustment } from "../src/adjustments/adjustment.store.ts";
import { linesOf } from "../src/adjustments/adjustment.ts";
import { raiseException } from "../src/exceptions/raise-exception.ts";
import { saveSettlement } from "../src/settlements/settlement.store.ts";
import { addPayout } from "./payouts/add-payout.ts";
import { makeAvailable } from "./payouts/paying.ts";

/** Samples of requests by which the platform owner decides about what waits, each about a row of its own. */
export function waitingSamples(database: () => Database) {
	const base = "/api/v1/platform";
	const sample = (add: (db: Database, tenantId: string) => Promise<string>, body?: object) => {
		return async ({ tenant }: Scene) => ({
			params: { id: await add(database(), tenant.id) },
			...(body && { body }),
		});
	};
	const decision = { because: "A test." };
	return {
		[`GET ${base}/unresolved`]: () => ({ query: "?kind=payout" }),
		[`PUT ${base}/halts`]: () => ({ body: { scope: "payouts", is_on: false, ...decision } }),
		[`POST ${base}/payouts/:id/otp`]: sample(addSentPayout, { otp: "123456" }),
		[`POST ${base}/payouts/:id/resend-otp`]: sample(addSentPayout),
		[`POST ${base}/payouts/:id/resolve`]: sample(addUnclearPayout, { as: "failed", ...decision }),
		[`GET ${base}/settlements/:id`]: sample(addSettlement),
		[`GET ${base}/settlements/:id/lines`]: sample(addSettlement),
		[`POST ${base}/reconciliation/exceptions/:id/resolve`]: sample(addException, {
			as: "waived",
			...decision,
		}),
		[`POST ${base}/adjustments/:id/approve`]: sample(addAdjustment),
		[`POST ${base}/adjustments/:id/reject`]: sample(addAdjustment),
	};
}

const someMoney = { currency: "KES", amountMinor: 100n };

/** Adds a payout that the card gateway has, and that waits for a one-time password. Returns its id. */
async function addSentPayout(db: Database, tenantId: string): Promise<string> {
	await makeAvailable(db, tenantId, { amountMinor: 100_000n });
	const sent = [{ kind: "approved" }, { kind: "submitted" }] as const;
	const waits = { kind: "needs_otp", transferCode: "TRF_1" } as const;
	return (await addPayout(db, tenantId, { said: [...sent, waits] })).id;
}

/** Adds one that the platform owner has to decide about. Returns its id. */
async function addUnclearPayout(db: Database, tenantId: string): Promise<string> {
	const id = await addSentPayout(db, tenantId);
	await inTenant(db, tenantId, (tx) =>
		tx.query("update payouts set needs_review = true where id = $1", [id]),
	);
	return id;
}

/** Adds an adjustment that another person of the platform owner asked for. Returns its id. */
async function addAdjustment(db: Database): Promise<string> {
	const id = uuidV7(new Date());
	const lines = linesOf("top_up", someMoney);
	await recordAdjustment(db, {
		...{ id, tenantId: undefined, purpose: "top_up", currency: "KES", lines, because: "A test." },
		...{ exceptionId: undefined, createdBy: randomUUID(), createdAt: new Date() },
	});
	return id;
}

/** Raises an exception. Returns its id. */
async function addException(db: Database): Promise<string> {
	const subject = randomUUID();
	const raised = { class: "late", subject, ...someMoney, ours: {}, theirs: {}, now: new Date() } as const;
	await db.transaction((tx) => raiseException(tx, raised));
	const [row] = await db.query<{ id: string }>("select id from exceptions where subject = $1", [subject]);
	return String(row?.id);
}

/** Adds a settlement that is announced, without lines. Returns its id. */
async function addSettlement(db: Database): Promise<string> {
	const now = new Date();
	const id = uuidV7(now);
	await saveSettlement(db, {
		...{ id, gatewayId: id, gatewayStatus: "pending", state: "announced", currency: "KES" },
		...{ effectiveMinor: 100n, processedMinor: undefined, feesMinor: undefined, deductionsMinor: undefined },
		...{ settlesTo: "bank", settledAt: now, now },
	});
	return id;
}
