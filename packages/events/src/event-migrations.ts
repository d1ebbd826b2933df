import { join } from "node:path";
import type { MigrationSet } from "@lango/postgres";

/** The tables of this package, for every service that publishes or consumes events. */
export const eventMigrations: MigrationSet = {
	name: "events",
	folder: join(import.meta.dirname, "..", "database"),
};
