import { join } from "node:path";
import { eventMigrations } from "@lango/events";
import { jobMigrations } from "@lango/jobs";
import type { MigrationSet } from "@lango/postgres";

/** The catalogue, the subscriptions, the keys of those who ask. */
const own: MigrationSet = { name: "subscriptions", folder: join(import.meta.dirname, "../database") };

/** Tables this service stands on, in the order they are made. */
export const migrations: readonly MigrationSet[] = [eventMigrations, jobMigrations, own];
