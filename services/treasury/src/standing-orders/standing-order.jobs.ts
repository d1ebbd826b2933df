import { defineJob, defineRecoveryScan, tenantIdOf } from "@lango/jobs";
import { inTenant } from "@lango/postgres";
import type { Treasury } from "../treasury.ts";
import { changeOrder } from "./change-order.ts";
import { consentMs, todayInNairobi } from "./create-standing-order.ts";
import { listOrdersOver, lockOrder } from "./standing-order.store.ts";
import { type Ending, saidByTime } from "./standing-order.ts";

/** What was paid on the last day may be confirmed some days later. */
const waitMs = 3 * 86_400_000;

const endingAt = (now: Date): Ending => ({
	lastDay: todayInNairobi(new Date(now.getTime() - waitMs)),
	madeAt: new Date(now.getTime() - consentMs),
});

/** Ends a standing order whose last day is over, or to which its payer has not consented. */
export const endStandingOrders = defineJob<Treasury>({
	name: "standing-orders.end",
	work: ({ db, now }, job) =>
		inTenant(db, tenantIdOf(job), async (tx) => {
			const order = await lockOrder(tx, job.id);
			const said = order && saidByTime(order, endingAt(now()));
			if (order !== undefined && said !== undefined) await changeOrder(tx, order, { said, now: now() });
		}),
});

/** Finds standing orders that time ends. */
export const findEndedOrders = defineRecoveryScan<Treasury>({
	job: endStandingOrders,
	everySeconds: 3_600,
	find: ({ db }, { now, after, limit }) => listOrdersOver(db, { ...endingAt(now), after, limit }),
});
