import type { Database } from "@lango/postgres";
import type { Work } from "../record/change-subscription.ts";
import { addBill, isBilled, listRequestedBills, writeBill } from "../record/overage-bill.store.ts";
import { draftBills, type OverageBill, overageClosedAt, takeStep } from "../rules/lifecycle/overage-bill.ts";
import type { FullSubscription, Moment } from "../rules/lifecycle/subscription.ts";
import { takeOverage } from "./overage-line.store.ts";

/**
 * Bills the overage of the last period that ended, once, and takes the due steps of earlier bills, in the
 * transaction that has locked the subscription. For a suspended tenant everything waits. Returns the bills
 * whose payment is requested now.
 */
export const billOverage: Work<readonly OverageBill[]> = async (subscription, { tx, moment }) => {
	if (subscription.isSuspended === true) return { subscription, announcements: [], result: [] };
	const again = await takeSteps(tx, subscription.tenantId, moment.now);
	const { subscription: billed, bills } = await closePeriod(tx, subscription, moment);
	const requested = [...again, ...bills].filter(({ status }) => status === "requested");
	const givenUp = again.filter(({ status }) => status === "unpaid");
	return {
		subscription: billed,
		announcements: [
			...requested.map((bill) => ({ what: "overage_billed" as const, bill })),
			...givenUp.map((bill) => ({ what: "overage_unpaid" as const, bill })),
		],
		result: requested,
	};
};

async function takeSteps(tx: Database, tenantId: string, now: Date): Promise<OverageBill[]> {
	const stepped: OverageBill[] = [];
	for (const bill of await listRequestedBills(tx, tenantId)) {
		const next = takeStep(bill, now);
		if (next === bill) continue;
		await writeBill(tx, next);
		stepped.push(next);
	}
	return stepped;
}

/** Usage reported after the bill of its period is billed with the next period. */
async function closePeriod(tx: Database, subscription: FullSubscription, { now, mint }: Moment) {
	const { tenantId } = subscription;
	const periodEndsAt = overageClosedAt(subscription, now);
	if (periodEndsAt === null || (await isBilled(tx, { tenantId, periodEndsAt })))
		return { subscription, bills: [] };
	const lines = await takeOverage(tx, tenantId, { endsAt: periodEndsAt });
	const drafted = draftBills(subscription, { lines, periodEndsAt, now, mint });
	for (const bill of drafted.bills) await addBill(tx, bill);
	return drafted;
}
