import type { Access } from "@lango/access";
import { listen } from "@lango/postgres";
import { startErasing, startSlugRepair, type Tenancy } from "@lango/tenancy";
import type { Context } from "../service.ts";
import type { RateLimitSteps } from "./steps/limit-rate.ts";

/** Who holds in memory what the database may change. */
export type Holders = { tenancy: Tenancy; access: Access; limits: Pick<RateLimitSteps, "changed"> };

/**
 * Hears what the service's own database tells of tenants, people and limits, whichever process changed them and whether an event,
 * a token or a person did: every process drops what it holds of them at the commit. While the connection is lost nothing is
 * held. A tenant that is deleted is erased from then on; tables in `kept` keep their rows. A slug that an event told of
 * while it was another's here is asked about.
 */
export function hearChanges(
	{ db, now, log, onStop }: Pick<Context, "db" | "now" | "log" | "onStop">,
	{ tenancy, access, limits }: Holders,
	{ name, databaseUrl, kept }: { name: string; databaseUrl: string; kept: readonly string[] },
): void {
	const onTrouble = (err: unknown, about: string) => log.error({ err, about }, "erasure");
	const erasing = startErasing({ db, now, kept, onTrouble });
	onStop(() => erasing.stop());
	const mending = startSlugRepair({
		db,
		tenancy,
		onTrouble: (err, about) => log.warn({ err, about }, "a tenant's slug"),
	});
	onStop(() => mending.stop());
	const hear = (isHearing: boolean) => {
		tenancy.setSubscribed(isHearing);
		access.setSubscribed(isHearing);
	};
	hear(false);
	const listening = listen({
		url: databaseUrl,
		name,
		channel: "domain_changed",
		onMessage: (message) => {
			tenancy.changed(message);
			access.changed(message);
			limits.changed(message);
			if (!message.startsWith("tenant ")) return;
			erasing.wake();
			mending.wake();
		},
		onReady: () => {
			hear(true);
			limits.changed("limits");
		},
		onLost: (err) => {
			log.warn({ err }, "changes in the database are not heard of: nothing is held in memory");
			hear(false);
		},
	});
	onStop(() => listening.stop());
}
