export {
	type Background,
	type BackgroundOptions,
	type Round,
	runInBackground,
} from "./background/run-in-background.ts";
export { type ClusterState, readCluster } from "./cluster.ts";
export { openPool, type Pool, type PoolOptions } from "./database.ts";
export { isUnavailable, violatedConstraint } from "./driver-error.ts";
export {
	listKeysWithoutTenant,
	listUnboundTables,
	listUnguardedTables,
	listUntiedTables,
} from "./inspect-schema.ts";
export { ConnectionsBusy, type Lane, type Reserve } from "./lanes.ts";
export { type Listening, listen } from "./listen.ts";
export {
	compareMigrations,
	type MigrationSet,
	type MigrationState,
	migrate,
	readMigrations,
} from "./migrate.ts";
export { type OutletFilter, type OutletScope, withinOutlets, withOutletScope } from "./outlets.ts";
export {
	createDatabase,
	type DatabaseUrls,
	databaseUrls,
	ensureRoles,
	prepareDatabase,
	prepareDatabaseAt,
	withAdmin,
} from "./prepare.ts";
export { acrossTenants, currentTenant, inTenant, ofTenant } from "./tenant.ts";
export type { Database, Row } from "./transaction.ts";
export { isUuid } from "./uuid.ts";
export { type DatabaseWait, waitForDatabase } from "./wait-for-database.ts";
