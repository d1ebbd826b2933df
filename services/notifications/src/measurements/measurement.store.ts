import type { Database } from "@lango/postgres";

/** What operators watch of the deliveries of all tenants. */
export type DeliveryMeasurements = {
	/** For how many seconds the oldest due delivery of each class waits. */
	dueSeconds: Readonly<Record<string, number>>;
	/** Deliveries with an unknown outcome, counted up to 10,000. */
	unknown: number;
	/** Enabled providers of the platform below their resting weight, by channel. */
	degraded: Readonly<Record<string, number>>;
	/** Tenants whose e-mail is paused. */
	paused: number;
};

/** Measures the deliveries of all tenants. */
export async function measureDeliveries(db: Database, now: Date): Promise<DeliveryMeasurements> {
	const rows = await db.query<{ what: string; about: string; value: number }>(
		"select what, about, value from measure_deliveries($1)",
		[now],
	);
	const of = (what: string) =>
		Object.fromEntries(rows.filter((row) => row.what === what).map(({ about, value }) => [about, value]));
	const [unknown = 0, paused = 0] = [of("unknown")[""], of("paused")[""]];
	return { dueSeconds: of("due"), unknown, degraded: of("degraded"), paused };
}
