import type { Database } from "@lango/postgres";
import { inTenant } from "@lango/postgres";
import { type Changing, changeLocked, type Work } from "../subscriptions/change-subscription.ts";
import { lockSubscription } from "../subscriptions/held.store.ts";
import type { HeldSubscription, Moment } from "../subscriptions/held-subscription.ts";
import type { Materialising } from "../subscriptions/materialise.ts";
import { takeOverage } from "../usage/overage-line.store.ts";
import { addBill, isBilled, listAskedBills, listToBill, writeBill } from "./overage-bill.store.ts";
import { draftBills, type OverageBill, overageClosedAt, takeStep } from "./overage-bill.ts";

/**
 * Bills the overage of the period that is over, once, and takes the steps of bills that have come; in the transaction in
 * which the subscription is locked. Answers the bills that are asked for now.
 */
export const billOverage: Work<readonly OverageBill[]> = async (held, { tx, moment }) => {
	const again = await takeSteps(tx, held.tenantId, moment.now);
	const { held: billed, bills } = await closePeriod(tx, held, moment);
	const asked = [...again, ...bills].filter(({ status }) => status === "requested");
	return {
		held: billed,
		tells: asked.map((bill) => ({ what: "overage_billed" as const, bill })),
		result: asked,
	};
};

async function takeSteps(tx: Database, tenantId: string, now: Date): Promise<OverageBill[]> {
	const stepped: OverageBill[] = [];
	for (const bill of await listAskedBills(tx, tenantId)) {
		const next = takeStep(bill, now);
		if (next === bill) continue;
		await writeBill(tx, next);
		stepped.push(next);
	}
	return stepped;
}

/** What is reported after a period had its bill waits for the bill of the next one. */
async function closePeriod(tx: Database, held: HeldSubscription, { now, mint }: Moment) {
	const { tenantId } = held;
	const periodEndsAt = overageClosedAt(held, now);
	if (periodEndsAt === null || (await isBilled(tx, { tenantId, periodEndsAt }))) return { held, bills: [] };
	const lines = await takeOverage(tx, tenantId, { endsAt: periodEndsAt });
	const drafted = draftBills(held, { lines, periodEndsAt, now, mint });
	for (const bill of drafted.bills) await addBill(tx, bill);
	return drafted;
}

/** When something of the tenant's overage is to be done after `from` that no boundary of the subscription tells of; null: nothing. */
export async function nextBillingAt(
	tx: Database,
	{ tenantId, periodStartedAt }: HeldSubscription,
	from: Date,
): Promise<Date | null> {
	const [asked] = await listAskedBills(tx, tenantId);
	// Paid for in the trial: the trial's overage is billed where the period begins.
	const begins = periodStartedAt !== null && periodStartedAt > from ? periodStartedAt : null;
	const step = asked?.nextStepAt ?? null;
	return step === null || (begins !== null && begins < step) ? begins : step < from ? from : step;
}

/**
 * Bills all tenants of whom something is to be billed; returns how many. On several replicas at once each tenant is taken
 * by one of them. A tenant that fails is told of and tried again in the next pass, and holds nobody up.
 */
export async function billAll(changing: Changing, { now, limit, onError }: Materialising): Promise<number> {
	let done = 0;
	for (const tenantId of await listToBill(changing.db, { now, limit })) {
		try {
			if (await billOne(changing, { tenantId, now })) done += 1;
		} catch (error) {
			onError(error, tenantId);
		}
	}
	return done;
}

async function billOne(
	changing: Changing,
	{ tenantId, now }: { tenantId: string; now: Date },
): Promise<boolean> {
	return inTenant(changing.db, tenantId, async (tx) => {
		const locked = await lockSubscription(tx, { tenantId, skipsLocked: true });
		if (locked === undefined) return false;
		await changeLocked(changing, { tenantId, tx, locked, now }, billOverage);
		return true;
	});
}
