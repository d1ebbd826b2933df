import { randomUUID } from "node:crypto";
import { eventMigrations } from "@lango/events";
import { acrossTenants, inTenant, migrate } from "@lango/postgres";
import { tenancyMigrations } from "@lango/tenancy";
import { createTestDatabase, migrateBefore } from "@lango/testkit";
import { expect, test } from "vitest";
import { type Actor, accessMigrations, recordApiKey, recordAudit } from "../src/index.ts";

const sets = [eventMigrations, tenancyMigrations, accessMigrations];

test("the upgrade revokes keys that programs created, and keys created with those, with an audit entry each", async () => {
	const database = await createTestDatabase({ name: "access", sets: [] });
	const { db, ownerUrl } = database;
	const [tenantId, now] = [randomUUID(), new Date()];
	const create = async (id: string, by: Actor, creatorId?: string) => {
		const secretHash = Buffer.alloc(32);
		const key = { id, secretHash, tenantId, name: id, permissions: [], createdBy: by.id, creatorId, now };
		await recordApiKey(db, key);
		const entry = { tenantId, at: now, actor: by, action: "api_key.created", subject: id, detail: {} };
		await inTenant(db, tenantId, (tx) => recordAudit(tx, entry));
	};
	try {
		await migrateBefore(ownerUrl, sets, { set: "access", file: "0010_only_people_create_keys.sql" });
		await db.query(
			"insert into tenants (id, slug, name, status, time_zone, currency, locale, synced_at) values ($1, 'uhai', 'x', 'active', 'UTC', 'KES', 'en', now())",
			[tenantId],
		);
		await create("program", { kind: "client", id: "sync" });
		await create("next", { kind: "key", id: "program" });
		await create("last", { kind: "key", id: "next" });
		const [person, visitor] = [randomUUID(), randomUUID()];
		await create("person", { kind: "user", id: person }, person);
		await create("visitor", { kind: "user", id: visitor });
		await migrate(ownerUrl, sets);
		const revoked = await inTenant(db, tenantId, (tx) =>
			tx.query("select id from api_keys where revoked_at is not null order by id"),
		);
		expect(revoked).toEqual([{ id: "last" }, { id: "next" }, { id: "program" }]);
		const audited = await acrossTenants(db, (tx) =>
			tx.query("select tenant_id, subject from audit_log where action = 'api_key.revoked' order by subject"),
		);
		expect(audited).toEqual(["last", "next", "program"].map((subject) => ({ tenant_id: tenantId, subject })));
	} finally {
		await database.drop();
	}
});
