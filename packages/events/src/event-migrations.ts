import { join } from "node:path";
import type { MigrationSet } from "@lango/postgres";

/** The tables of this package, made in the database of every service that tells or hears of events. */
export const eventMigrations: MigrationSet = {
	name: "events",
	folder: join(import.meta.dirname, "..", "database"),
};
