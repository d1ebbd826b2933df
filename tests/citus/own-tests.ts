/** The services whose own tests run on a cluster, too. */
const services = [
	"auth",
	"hospital",
	"inventory",
	"logistics",
	"marketflow",
	"notifications",
	"ordering",
	"pos",
	"projects",
	"subscriptions",
	"treasury",
];

export const ownTests = services.map((service) => `services/${service}/test/**/*.test.ts`);

/**
 * Journeys whose services, or whose whole platform, have their databases on the cluster, and two processes of
 * a service that are killed.
 */
export const journeys = [
	"journeys/register-subscribe-order",
	"journeys/sold-features",
	"journeys/tenant-events",
	"journeys/tenant-without-outlets",
	"journeys/sign-in.browser",
	"faults/notifications-killed",
	"faults/treasury-killed",
	"faults/treasury-money-out-killed",
].map((name) => `tests/${name}.test.ts`);

/** Files of these services that need one PostgreSQL, with the reason. */
const needOneServer: Readonly<Record<string, string>> = {
	"services/*/test/drift.test.ts": "a tenant whose id changes is not moved to another node",
	"services/*/test/schema.test.ts": "bring-up changes the policies of distributed tables",
	"services/*/test/**/*.pictures.test.ts": "they take pictures",
	"services/auth/test/{round-trips,lessons.mocked}.test.ts":
		"they count the statements in pg_stat_statements of one server",
	"services/auth/test/purge-locked-links.test.ts":
		"a locked row locks its whole table where every node has the table",
	"services/hospital/test/events.test.ts": "it loses the notifications, which nodes do not send",
	"services/notifications/test/inbox-stream.test.ts": "nodes do not notify, so a stream gets no news",
	"services/notifications/test/merged-tenants.test.ts":
		"a tenant whose id changes is not moved to another node",
	"services/subscriptions/test/database.test.ts": "it changes rows of all tenants in one statement",
	"services/subscriptions/test/snapshot-cache.test.ts": "nodes do not notify, so nothing is cached",
	"services/treasury/test/{ledger/tenants,merging/*}.test.ts":
		"a tenant whose id changes is not moved to another node",
	"services/subscriptions/test/upgrade-killed.test.ts": "it upgrades a database of an earlier release",
};

export const notOnCluster = Object.keys(needOneServer);
