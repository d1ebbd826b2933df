import { acrossTenants, type Database } from "@lango/postgres";

/** What operators watch of the webhooks and attempts of all tenants. */
export type Measurements = {
	/** When the oldest webhook was stored that is not applied. */
	unappliedSince: Date | undefined;
	/** Parked webhooks by gateway, counted up to 10,000. */
	parked: Readonly<Record<string, number>>;
	/** When the oldest attempt was sent of which it is not known what became of it. */
	unknownSince: Date | undefined;
};

/** Measures the webhooks and attempts of all tenants. */
export async function measureTreasury(db: Database): Promise<Measurements> {
	const [oldest] = await db.query<{ received_at: Date }>(
		"select received_at from webhook_deliveries where status = 'received' order by id limit 1",
	);
	const parked = await db.query<{ gateway: string; found: number }>(
		`select gateway, count(*)::integer as found
		   from (select gateway from webhook_deliveries where status = 'parked' limit 10000) as p group by gateway`,
	);
	const [unknown] = await acrossTenants(db, (tx) =>
		tx.query<{ since: Date | null }>(
			`select min(submitted_at) as since from attempts
			  where next_check_at is not null and status in ('submitting', 'unknown')`,
		),
	);
	return {
		unappliedSince: oldest?.received_at,
		parked: Object.fromEntries(parked.map(({ gateway, found }) => [gateway, found])),
		unknownSince: unknown?.since ?? undefined,
	};
}
