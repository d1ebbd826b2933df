import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Database, inTenant, openPool } from "@lango/postgres";
import { createTestDatabase, testTenant } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { describe, expect, test } from "vitest";
import {
	createTenancy,
	type SignOn,
	signOnAt,
	type TenancyOptions,
	tenancyMigrations,
} from "../src/index.ts";
import { recordOutlets } from "../src/outlet.store.ts";
import { listOutletsOf, testOutlet } from "./event-source.ts";

const database = setUp(
	() => createTestDatabase({ name: "tenancy", sets: [tenancyMigrations] }),
	({ drop }) => drop(),
);

const make = async (more: { deleted?: boolean; db?: Database } = {}) => {
	const [id, slug] = [randomUUID(), `t-${randomUUID().slice(0, 8)}`];
	await (more.db ?? database.db).query(
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
	test("is refused for a slug of another id, for equal ids, and for a deleted tenant", async () => {
		const [one, other, gone] = [await make(), await make(), await make({ deleted: true })];
		await expect(repoint(other.slug, one.id, other.id)).rejects.toThrow(/is not known here as/);
		await expect(repoint(one.slug, one.id, one.id)).rejects.toThrow(/is not known here as/);
		await expect(repoint(gone.slug, gone.id, randomUUID())).rejects.toThrow(/is not known here as/);
		await expect(repoint(one.slug, one.id, gone.id)).rejects.toThrow(/is deleted/);
	});

	test("is refused inside a tenant's transaction", async () => {
		const one = await make();
		await expect(
			inTenant(database.db, one.id, (tx) => repointIn(tx, [one.slug, one.id, randomUUID()])),
		).rejects.toThrow(/sees none/);
	});

	test("is only possible through repoint_tenant: a service cannot call its parts", async () => {
		for (const call of ["place_row('outlets', '{}', '{}')", "yield_row('outlets', '{}', '{}')"])
			await expect(database.db.query(`select * from ${call}`)).rejects.toThrow(/permission denied/);
	});

	test("leaves row-level security of every table as it was", async () => {
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

/** Tables of a service: a line refers to its order and an item, an order to a person. */
const tables = {
	people: "name text, unique (tenant_id, name), primary key (tenant_id, id)",
	items: "name text, unique (tenant_id, name), primary key (tenant_id, id)",
	orders: `person_id uuid, primary key (tenant_id, id),
		foreign key (tenant_id, person_id) references people (tenant_id, id) on update cascade deferrable`,
	lines: `order_id uuid, item_id uuid, primary key (tenant_id, id),
		foreign key (tenant_id, order_id) references orders (tenant_id, id) on update cascade deferrable,
		foreign key (tenant_id, item_id) references items (tenant_id, id) on update cascade deferrable`,
};

test.each([
	["people", "items", "orders", "lines"] as const,
	["items", "people", "orders", "lines"] as const,
	["people", "orders", "items", "lines"] as const,
])("keeps all rows of %s, %s, %s and %s, in whichever order they are merged", async (...order) => {
	const own = await createTestDatabase({ name: "tenancy", sets: [tenancyMigrations] });
	const owner = openPool({ url: own.ownerUrl, name: "owner", sizeMax: 1 });
	try {
		for (const table of order)
			await owner.query(
				`create table ${table} (id uuid default gen_random_uuid(),
				   tenant_id uuid not null references tenants (id) on update cascade, ${tables[table]})`,
			);
		const [one, other] = [await make({ db: own.db }), await make({ db: own.db })];
		for (const { id } of [one, other])
			await owner.query(
				`with person as (insert into people (tenant_id, name) values ($1, 'Amina') returning id),
				      item as (insert into items (tenant_id, name) values ($1, 'Coffee') returning id),
				      placed as (insert into orders (tenant_id, person_id) select $1, id from person returning id)
				 insert into lines (tenant_id, order_id, item_id) select $1, placed.id, item.id from placed, item`,
				[id],
			);
		await repointIn(own.db, [one.slug, one.id, other.id]);
		expect(
			await owner.query(
				`select l.tenant_id, p.name as person, i.name as item, count(*)::int as lines
				   from lines l join orders o on (o.tenant_id, o.id) = (l.tenant_id, l.order_id)
				   join people p on (p.tenant_id, p.id) = (o.tenant_id, o.person_id)
				   join items i on (i.tenant_id, i.id) = (l.tenant_id, l.item_id) group by 1, p.id, 2, i.id, 3`,
			),
		).toEqual([{ tenant_id: other.id, person: "Amina", item: "Coffee", lines: 2 }]);
	} finally {
		await owner.close();
		await own.drop();
	}
});

test("rolls back completely on failure, and the next caller completes it", async () => {
	const [before, to] = [await make(), randomUUID()];
	await recordOutlets(database.db, before.id, {
		received: [testOutlet()],
		syncedAt: new Date(),
		askedAfter: 0n,
	});
	const tenant = { ...testTenant(before.slug), id: to };
	const signOn: SignOn = {
		findTenant: async () => tenant,
		findTenantById: async (id) => (id === to ? tenant : undefined),
		listOutlets: async () => [],
	};
	const tenancyWith = (onRepointed: NonNullable<TenancyOptions["onRepointed"]>) =>
		createTenancy({ db: database.db, signOn, now: () => new Date(), onError: () => {}, onRepointed });
	const outlets = (id: string) => listOutletsOf(database.db, id);
	const failing = tenancyWith(async () => {
		throw new Error("the audit log is full");
	});
	await expect(failing.reconcile(before.slug, to)).rejects.toThrow(/audit log/);
	expect([await outlets(before.id), await outlets(to)]).toEqual([[{ name: "Ward", version: 0 }], []]);
	const moves: string[] = [];
	const { reconcile } = tenancyWith(async (_tx, { from }) => void moves.push(from));
	const found = await Promise.all([1, 2, 3].map(() => reconcile(before.slug, to)));
	expect(found.map(({ id }) => id)).toEqual([to, to, to]);
	expect([await outlets(before.id), await outlets(to)]).toEqual([[], [{ name: "Ward", version: 0 }]]);
	expect(moves).toEqual([before.id]);
});

test("is not prevented by a response that was requested before the tenant existed", async () => {
	const [old, to] = [await make(), randomUUID()];
	const [isAsked, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
	const tenant = { ...testTenant(old.slug), id: to };
	let asked = 0;
	const signOn: SignOn = {
		findTenant: async () => {
			asked += 1;
			if (asked > 1) return tenant;
			isAsked.resolve();
			await go.promise;
			return { ...tenant, id: old.id };
		},
		findTenantById: async (id) => (id === to ? tenant : undefined),
		listOutlets: async () => [],
	};
	const later = () => new Date(Date.now() + 301_000);
	const tenancy = createTenancy({ db: database.db, signOn, now: later, onError: () => {} });
	await tenancy.findBySlug(old.slug);
	await isAsked.promise;
	const found = tenancy.reconcile(old.slug, to);
	go.resolve();
	expect(await found).toMatchObject({ id: to, slug: old.slug });
});

describe("looking up a tenant by id", () => {
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

	test("sends the key, and returns undefined for the sign-on service's tenant_not_found", async () => {
		expect(await asked(404, '{"code":"tenant_not_found"}')).toEqual({ found: undefined, key: "lk_key" });
	});

	test.each([
		["a proxy's 404", 404, "<h1>Not Found</h1>"],
		["a 404 about something else", 404, '{"code":"not_found"}'],
		["a refusal of the key", 401, '{"code":"api_key_invalid"}'],
		["an invalid body", 200, "{}"],
	])("throws on %s", async (_what, status, body) => {
		await expect(asked(status, body)).rejects.toThrow();
	});
});
