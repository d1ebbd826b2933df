import type { Context } from "@lango/chassis";
import type { Clock } from "../clock/tenant-time.ts";
import type { CountingParts } from "./counting.ts";
import { holdTerms } from "./held-terms.ts";
import { startSweep } from "./purge-usage.ts";
import { findTenantTerms } from "./tenant-terms.store.ts";

/** Makes what counting works with, and has old rows removed as long as the service runs. */
export function createUsage(
	{ db, log, onStop }: Pick<Context, "db" | "log" | "onStop">,
	clock: Clock,
): CountingParts {
	const { now, hasTestClocks } = clock;
	const onTrouble = (err: unknown, about: string) => log.warn({ err, about }, "usage");
	const sweeping = startSweep({ db, now, onTrouble });
	onStop(() => sweeping.stop());
	const terms = holdTerms({
		read: (tenantId) => findTenantTerms(db, tenantId),
		now,
		isRemembered: !hasTestClocks,
	});
	return { db, clock, terms, onTrouble };
}
