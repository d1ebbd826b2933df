import { randomUUID } from "node:crypto";
import { tenantCreated, tenantUpdated } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import { countTenantRows, testTenant } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { describe, expect, test } from "vitest";
import { openBakery } from "./bakery.ts";
import { give, ovenBakery } from "./belongings.ts";

const bakery = setUp(() => openBakery(ovenBakery()));

type Tenant = ReturnType<typeof testTenant>;
const name = (word: string) => `${word}-${randomUUID().slice(0, 8)}`;

/** A tenant of the sign-on service; what is changed of it is changed there. */
function sign(slug: string): Tenant {
	const tenant = testTenant(slug);
	bakery.issuer.tenants.push(tenant);
	return tenant;
}
/** The same, met by this service, with something in every table. */
async function known(slug: string): Promise<Tenant> {
	const tenant = sign(slug);
	expect(await me(tenant)).toBe(200);
	await give(bakery.db, tenant.id, { mark: "old" });
	return tenant;
}
const me = async ({ id, slug }: Tenant, at = slug) =>
	(
		await bakery.app.inject({
			url: `/api/v1/${at}/bakery/auth/me`,
			headers: { authorization: `Bearer ${bakery.token({ tenant_id: id, tenant_slug: slug })}` },
		})
	).statusCode;
const rowOf = async ({ id }: Tenant) =>
	(await bakery.db.query("select slug, status, wanted_slug from tenants where id = $1", [id]))[0];
const publish = ({ id, ...tenant }: Tenant, version: number) =>
	recordEvent(bakery.db, version === 1 ? tenantCreated : tenantUpdated, {
		subject: id,
		tenantId: id,
		now: new Date(),
		data: { ...tenant, tenant_id: id, use_case: null, org_size: null, version },
	});
const repoints = async () =>
	(await bakery.db.query("select id from outbox where type = 'bakery.tenant.repointed'")).length;

describe("a tenant was renamed, and a new one has its slug", () => {
	test("a token of the new one gives each its own row, and nothing of the old one goes over", async () => {
		const [a, b] = [name("a"), name("b")];
		const old = await known(a);
		const had = await countTenantRows(bakery.db, old.id);
		const before = { ...old };
		old.slug = b;
		const fresh = sign(a);
		expect(await me(fresh)).toBe(200);
		expect(await rowOf(old)).toMatchObject({ slug: b });
		expect(await rowOf(fresh)).toMatchObject({ slug: a });
		expect(await countTenantRows(bakery.db, old.id)).toEqual(had);
		expect(await countTenantRows(bakery.db, fresh.id)).toMatchObject({ ovens: 0, outlets: 0, users: 1 });
		expect(await me(old)).toBe(200);
		expect(await me(before)).toBe(404);
		expect(await me(before, old.id)).toBe(200);
		expect(await repoints()).toBe(0);
	});

	test("a chain of tenants that each took the next one's slug is followed to its end", async () => {
		const slugs = [name("a"), name("b"), name("c"), name("d")] as const;
		const chain = [await known(slugs[0]), await known(slugs[1]), await known(slugs[2])];
		for (const [index, tenant] of chain.entries()) tenant.slug = slugs[index + 1] ?? "";
		const fresh = sign(slugs[0]);
		expect(await me(fresh)).toBe(200);
		for (const tenant of [fresh, ...chain]) expect(await rowOf(tenant)).toMatchObject({ slug: tenant.slug });
		for (const tenant of chain) expect(await me(tenant)).toBe(200);
	});

	test("two that exchanged their slugs have each the other's", async () => {
		const [left, right] = [await known(name("left")), await known(name("right"))];
		[left.slug, right.slug] = [right.slug, left.slug];
		expect(await me(left)).toBe(200);
		expect(await rowOf(left)).toMatchObject({ slug: left.slug });
		expect(await rowOf(right)).toMatchObject({ slug: right.slug });
		expect(await me(right)).toBe(200);
	});

	test("a tenant that was deleted there leaves its slug to the new one, and is erased here", async () => {
		const old = await known(name("gone"));
		old.status = "deleted";
		const fresh = sign(old.slug);
		expect(await me(fresh)).toBe(200);
		expect(await rowOf(old)).toMatchObject({ slug: old.id, status: "deleted" });
		await expect.poll(async () => (await countTenantRows(bakery.db, old.id)).ovens).toBe(0);
		expect(await countTenantRows(bakery.db, fresh.id)).toMatchObject({ ovens: 0, outlets: 0 });
	});

	test("events settle it without a token, in either order", async () => {
		for (const order of [
			[0, 1],
			[1, 0],
		]) {
			const a = name("a");
			const old = await known(a);
			await publish(old, 1);
			old.slug = name("b");
			const fresh = sign(a);
			const events = [() => publish(old, 2), () => publish(fresh, 1)];
			for (const index of order) await events[index]?.();
			await expect.poll(() => rowOf(old)).toMatchObject({ slug: old.slug, wanted_slug: null });
			await expect.poll(() => rowOf(fresh)).toMatchObject({ slug: a, wanted_slug: null });
			expect(await countTenantRows(bakery.db, old.id)).toMatchObject({ ovens: 1 });
		}
		expect(await repoints()).toBe(0);
	});
});

describe("an event that names a slug by another id", () => {
	test("repoints the tenant when the sign-on service knows the new id alone", async () => {
		const tenant = await known(name("event"));
		const before = tenant.id;
		tenant.id = randomUUID();
		await publish(tenant, 1);
		await expect.poll(() => rowOf(tenant)).toMatchObject({ slug: tenant.slug, wanted_slug: null });
		expect(await countTenantRows(bakery.db, before)).toMatchObject({ ovens: 0, users: 0, outlets: 0 });
		expect(await countTenantRows(bakery.db, tenant.id)).toMatchObject({ ovens: 1, outlets: 1 });
		expect(await repoints()).toBe(1);
	});

	test("changes nothing if the sign-on service does not confirm it: the tenant keeps its id as slug", async () => {
		const tenant = await known(name("holder"));
		const stranger = testTenant(tenant.slug);
		await publish(stranger, 1);
		await expect
			.poll(() => rowOf(stranger))
			.toMatchObject({ slug: stranger.id, wanted_slug: null, status: "active" });
		expect(await rowOf(tenant)).toMatchObject({ slug: tenant.slug });
		expect(await countTenantRows(bakery.db, tenant.id)).toMatchObject({ ovens: 1 });
	});
});
