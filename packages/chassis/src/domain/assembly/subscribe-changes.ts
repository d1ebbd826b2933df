import type { Access } from "@lango/access";
import { listen, readCluster } from "@lango/postgres";
import { startErasing, startSlugRepair, type Tenancy } from "@lango/tenancy";
import type { RateLimitSteps } from "../../limits/limit-rate.ts";
import type { Context } from "../../service.ts";

/** The caches that depend on the database. */
export type Holders = { tenancy: Tenancy; access: Access; limits: Pick<RateLimitSteps, "changed"> };

/**
 * Subscribes each process to changes of tenants, people and limits in the service's database, made by any
 * process: cache entries are invalidated at the commit. While the connection is lost, nothing is cached; nor
 * on a cluster, whose nodes do not notify (deploy/citus/README.md). Also starts the erasure of deleted
 * tenants, except of the tables in `kept`, and the repair of slugs that belong to another tenant.
 */
export async function subscribeChanges(
	{ db, now, log, onStop }: Pick<Context, "db" | "now" | "log" | "onStop">,
	{ tenancy, access, limits }: Holders,
	{ name, databaseUrl, kept }: { name: string; databaseUrl: string; kept: readonly string[] },
): Promise<void> {
	const onError = (err: unknown, about: string) => log.error({ err, about }, "erasure");
	const erasing = startErasing({ db, now, kept, onError });
	onStop(() => erasing.stop());
	const repairing = startSlugRepair({
		db,
		tenancy,
		onError: (err, about) => log.warn({ err, about }, "a tenant's slug"),
	});
	onStop(() => repairing.stop());
	const setSubscribed = (isSubscribed: boolean) => {
		tenancy.setSubscribed(isSubscribed);
		access.setSubscribed(isSubscribed);
	};
	setSubscribed(false);
	if ((await readCluster(db)).isCluster) return;
	const tenantsChanged = () => {
		erasing.wake();
		repairing.wake();
	};
	const listening = listen({
		url: databaseUrl,
		name,
		channel: "domain_changed",
		onMessage: (message) => {
			tenancy.changed(message);
			access.changed(message);
			limits.changed(message);
			if (message.startsWith("tenant ")) tenantsChanged();
		},
		onReady: () => {
			setSubscribed(true);
			limits.changed("limits");
			// What changed before was not received.
			tenantsChanged();
		},
		onLost: (err) => {
			log.warn({ err }, "not subscribed to database changes: caching is disabled");
			setSubscribed(false);
		},
	});
	onStop(() => listening.stop());
}
