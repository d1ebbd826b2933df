import { randomUUID } from "node:crypto";
import type { Database } from "@lango/postgres";
import { createTestDatabase } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { treasury } from "../src/service.ts";

/** A database of the treasury, shared by the tests of a file. */
export const setUpDatabase = () =>
	setUp(
		() => createTestDatabase({ name: "treasury", sets: treasury.migrations }),
		({ drop }) => drop(),
	);

/** Adds a tenant, and returns its id. */
export async function addTenant(db: Database, slug = `t-${randomUUID().slice(0, 8)}`): Promise<string> {
	const id = randomUUID();
	await db.query(
		`insert into tenants (id, slug, name, status, time_zone, currency, locale, synced_at)
		 values ($1, $2, 'x', 'active', 'Africa/Nairobi', 'KES', 'en', now())`,
		[id, slug],
	);
	return id;
}
