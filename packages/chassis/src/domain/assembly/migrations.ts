import { join } from "node:path";
import type { MigrationSet } from "@lango/postgres";

/**
 * The tables `service_config`, `platform_config` and `rate_limit_config`. They refer to those of
 * `tenancyMigrations`.
 */
export const chassisMigrations: MigrationSet = {
	name: "chassis",
	folder: join(import.meta.dirname, "../../../database"),
};
