import { randomUUID } from "node:crypto";
import { type PublicTenant, tenantCreated, tenantUpdated } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import { testSubscription } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openMoving } from "./moving.ts";

const moving = setUp(openMoving);

/** What may befall the tenants of the sign-on service; which of them, as far as there are so many. */
const step = fc.record({
	what: fc.constantFrom(
		"is made",
		"is renamed",
		"is renamed to a slug left by another",
		"drifts",
		"is deleted",
	),
	which: fc.nat({ max: 5 }),
	/** Requests right after it: tenants by their number, with the current token or the previous one. */
	asking: fc.array(fc.record({ which: fc.nat({ max: 5 }), isOfBefore: fc.boolean() }), { maxLength: 6 }),
	isKilled: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

type Lived = { tenant: PublicTenant; before: PublicTenant; slugs: string[]; mark: string };

/** Ends what is being settled at this moment, if anything is. */
const killSettling = () =>
	moving.bakery.db.query(
		`select pg_terminate_backend(pid) from pg_locks
		  where locktype = 'advisory' and granted and objid = hashtext('settle_slug')::oid
		    and database = (select oid from pg_database where datname = current_database())`,
	);

/** Publishes the current state. Without the event, an unknown slug stays cached as unknown for a while. */
async function publish(tenant: PublicTenant, version: number): Promise<void> {
	const { id, ...rest } = tenant;
	await recordEvent(moving.bakery.db, version === 1 ? tenantCreated : tenantUpdated, {
		...{ subject: id, tenantId: id, now: new Date() },
		data: { ...rest, tenant_id: id, use_case: null, org_size: null, version },
	});
	await expect.poll(() => moving.rowOf(tenant)).toMatchObject({ version });
}

async function make(slug?: string): Promise<Lived> {
	const tenant = moving.sign(slug);
	const mark = `w-${randomUUID().slice(0, 8)}`;
	const publishing = publish(tenant, 1);
	// The token of the new tenant may reveal that another was renamed. That look-up may be interrupted.
	await expect.poll(() => moving.write(tenant, mark)).toBe(200);
	await publishing;
	return { tenant, before: { ...tenant }, slugs: [tenant.slug], mark };
}

async function befall(all: Lived[], { what, which }: Step): Promise<void> {
	const one = all[which % Math.max(all.length, 1)];
	const isTaken = (slug: string) => all.some(({ tenant }) => tenant.slug === slug);
	const freed = all
		.flatMap(({ slugs }) => slugs)
		.find((slug) => !isTaken(slug) && !one?.slugs.includes(slug));
	if (one === undefined || what === "is made") return void all.push(await make(freed));
	const { tenant } = one;
	if (what === "drifts") return drift(one);
	one.before = { ...tenant };
	if (what === "is deleted") {
		tenant.status = "deleted";
		all.splice(all.indexOf(one), 1);
		return;
	}
	tenant.slug = (what === "is renamed" ? undefined : freed) ?? `t-${randomUUID().slice(0, 8)}`;
	one.slugs.push(tenant.slug);
	if (tenant.slug === freed) await publish(tenant, one.slugs.length);
}

/** It is met under its slug before and after: an unknown id with an unknown slug would be a new tenant. */
async function drift(one: Lived): Promise<void> {
	await meet(one);
	one.before = { ...one.tenant };
	one.tenant.id = randomUUID();
	moving.bakery.subscriptions.records.set(one.tenant.id, testSubscription(one.tenant.id));
	await meet(one);
}
const meet = ({ tenant }: Lived) => expect.poll(() => moving.me(tenant)).toBe(200);

async function live(steps: readonly Step[]): Promise<void> {
	const all: Lived[] = [await make(), await make()];
	for (const each of steps) {
		const falling = befall(all, each);
		const asking = each.asking.map(({ which, isOfBefore }) => {
			const one = all[which % Math.max(all.length, 1)];
			return one === undefined ? undefined : moving.me({ ...(isOfBefore ? one.before : one.tenant) });
		});
		if (each.isKilled) await killSettling();
		const answers = await Promise.all(asking);
		await falling;
		expect(answers.filter((status) => ![200, 404, 503, undefined].includes(status))).toEqual([]);
	}
	for (const one of all) await meet(one);
	for (const { tenant, mark } of all) {
		expect(await moving.rowOf(tenant)).toMatchObject({ slug: tenant.slug, status: "active" });
		expect(await moving.written(tenant)).toEqual([mark]);
	}
}

test("after any changes, concurrent requests and killed repairs, each tenant has its own slug and its own rows only", {
	timeout: 120_000,
}, async () => {
	await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), live), {
		numRuns: 15,
		endOnFailure: true,
	});
});
