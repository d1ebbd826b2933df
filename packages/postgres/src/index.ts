export { type Database, isUnavailable, openPool, type Pool, type Row, violatedConstraint } from "./database.ts";
export { describeSchema, listUnguardedTables } from "./describe-schema.ts";
export { compareMigrations, type MigrationSet, type MigrationState, migrate } from "./migrate.ts";
export { createDatabase, type DatabaseUrls, databaseUrls, prepareDatabase } from "./prepare.ts";
export { acrossTenants, inTenant } from "./tenant.ts";
