import { Failure } from "@lango/chassis";
import { inTenant } from "@lango/postgres";
import {
	findDuePeriod,
	findPayoutConfig,
	recordPeriod,
} from "../../gateways/shortcodes/payout-config.store.ts";
import { isHalted } from "../../halts/is-halted.ts";
import type { Treasury } from "../../treasury.ts";
import type { Asker } from "../asking/add-payouts.ts";
import { requestPayout } from "../asking/request-payout.ts";

/**
 * Asks for all that is available if it is due by the schedule of the tenant, once for each day or week, in
 * the name of the person who set the schedule: another one approves it where that is needed. What cannot be
 * paid out, as it is below the minimum or above the limit of the day, waits for the next day or week. While
 * payouts are halted it stays due.
 */
export async function askScheduled(domain: Treasury, tenantId: string): Promise<void> {
	const { db, now } = domain;
	const { period, setBy } = await inTenant(db, tenantId, async (tx) => ({
		period: await findDuePeriod(tx, now()),
		setBy: (await findPayoutConfig(tx)).setBy,
	}));
	if (period === undefined) return;
	if (setBy !== undefined && !(await ask(domain, { tenantId, period, by: { actor: setBy } as Asker })))
		return;
	await inTenant(db, tenantId, (tx) => recordPeriod(tx, period));
}

/** Nothing is asked for in this period. */
const skipped: ReadonlySet<string> = new Set([
	...["balance_insufficient", "payout_below_minimum", "daily_limit_reached", "recipient_missing"],
]);

type Asking = { tenantId: string; period: string; by: Asker };

/** Returns whether the period is done with. After a crash the same key finds the payout. */
async function ask(domain: Treasury, { tenantId, period, by }: Asking): Promise<boolean> {
	try {
		// No caller can send a key with a space.
		const idempotencyKey = `schedule ${period}`;
		await requestPayout(domain, { tenantId, by, idempotencyKey, request: { rail: "card_gateway" } });
		return true;
	} catch (error) {
		if (!(error instanceof Failure)) throw error;
		if (isHalted(error)) return false;
		if (!skipped.has(error.code)) throw error;
		domain.log.info({ tenantId, period, code: error.code }, "no payout is asked for by the schedule");
		return true;
	}
}
