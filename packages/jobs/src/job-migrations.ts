import { join } from "node:path";
import type { MigrationSet } from "@lango/postgres";

/** The tables of pg-boss and the service's rights on them, for every service that declares jobs. */
export const jobMigrations: MigrationSet = {
	name: "jobs",
	folder: join(import.meta.dirname, "..", "database"),
};
