import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Database, inTenant } from "@lango/postgres";
import { createTestDatabase, type TestDatabase } from "@lango/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signOnAt, tenancyMigrations } from "../src/index.ts";

let database: TestDatabase;

beforeAll(async () => {
	database = await createTestDatabase({ name: "tenancy", sets: [tenancyMigrations] });
});
afterAll(() => database.drop());

const make = async (more: { deleted?: boolean } = {}) => {
	const [id, slug] = [randomUUID(), `t-${randomUUID().slice(0, 8)}`];
	await database.db.query(
		`insert into tenants (id, slug, name, status, time_zone, currency, locale, synced_at, deleted_at)
		 values ($1, $2, '', 'active', 'UTC', '', 'und', now(), $3)`,
		[id, slug, more.deleted === true ? new Date() : null],
	);
	return { id, slug };
};
const repoint = (slug: string, from: string, to: string) => repointIn(database.db, [slug, from, to]);
const repointIn = (db: Database, tenant: readonly [slug: string, from: string, to: string]) =>
	db.query("select * from repoint_tenant($1, $2, $3)", tenant);

describe("repointing a tenant in the database", () => {
	test("is refused for a slug that is not the old id's, for one id, and for a deleted tenant", async () => {
		const [one, other, gone] = [await make(), await make(), await make({ deleted: true })];
		await expect(repoint(other.slug, one.id, other.id)).rejects.toThrow(/is not known here as/);
		await expect(repoint(one.slug, one.id, one.id)).rejects.toThrow(/is not known here as/);
		await expect(repoint(gone.slug, gone.id, randomUUID())).rejects.toThrow(/is not known here as/);
		await expect(repoint(one.slug, one.id, gone.id)).rejects.toThrow(/is deleted/);
	});

	test("is refused to a transaction that sees a tenant", async () => {
		const one = await make();
		await expect(
			inTenant(database.db, one.id, (tx) => repointIn(tx, [one.slug, one.id, randomUUID()])),
		).rejects.toThrow(/sees none/);
	});

	test("is done through its one door: what it is made of cannot be called by a service", async () => {
		for (const call of ["place_row('outlets', '{}', '{}')", "yield_row('outlets', '{}', '{}')"])
			await expect(database.db.query(`select * from ${call}`)).rejects.toThrow(/permission denied/);
	});

	test("leaves every table as guarded as it was", async () => {
		const [one, other] = [await make(), await make()];
		await inTenant(database.db, one.id, (tx) =>
			tx.query(
				`insert into outlets (id, tenant_id, code, name, use_case, is_hq, status, settings, synced_at)
				 values (gen_random_uuid(), $1, 'W', 'W', 'services', false, 'active', '{}', now())`,
				[one.id],
			),
		);
		await repoint(one.slug, one.id, other.id);
		const rows = await database.db.query(
			"select relname from pg_class where relrowsecurity and not relforcerowsecurity",
		);
		expect(rows).toEqual([]);
		expect(await inTenant(database.db, other.id, (tx) => tx.query("select code from outlets"))).toEqual([
			{ code: "W" },
		]);
	});
});

describe("asking for a tenant by its id", () => {
	const asked = async (status: number, body: string) => {
		let key: unknown;
		const server = createServer((request, response) => {
			key = request.headers["x-api-key"];
			response.writeHead(status, { "content-type": "application/json" }).end(body);
		});
		await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
		const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
		try {
			return { found: await signOnAt(url, { apiKey: "lk_key" }).findTenantById(randomUUID()), key };
		} finally {
			server.close();
		}
	};

	test("sends the key, and takes the sign-on service's own words for a tenant that never was", async () => {
		expect(await asked(404, '{"code":"tenant_not_found"}')).toEqual({ found: undefined, key: "lk_key" });
	});

	test.each([
		["a proxy's 404", 404, "<h1>Not Found</h1>"],
		["a 404 about something else", 404, '{"code":"not_found"}'],
		["a refusal of the key", 401, '{"code":"api_key_invalid"}'],
		["an answer that is none", 200, "{}"],
	])("takes %s for no answer", async (_what, status, body) => {
		await expect(asked(status, body)).rejects.toThrow();
	});
});
