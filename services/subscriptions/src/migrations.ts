import { join } from "node:path";
import { eventMigrations } from "@lango/events";
import { jobMigrations } from "@lango/jobs";
import type { MigrationSet } from "@lango/postgres";

/** The tables of this service. */
const own: MigrationSet = { name: "subscriptions", folder: join(import.meta.dirname, "../database") };

/** The migrations of this service, in the order they run. */
export const migrations: readonly MigrationSet[] = [eventMigrations, jobMigrations, own];
