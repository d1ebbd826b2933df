import { join } from "node:path";
import type { MigrationSet } from "@lango/postgres";

/** The tables `tenants` and `outlets`. */
export const tenancyMigrations: MigrationSet = {
	name: "tenancy",
	folder: join(import.meta.dirname, "../database"),
};
