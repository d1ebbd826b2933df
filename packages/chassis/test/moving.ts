import { randomUUID } from "node:crypto";
import type { PublicTenant } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import { testSubscription, testTenant, waitForBlockedQueries } from "@lango/testkit";
import type { BuiltService } from "../src/index.ts";
import { type Bakery, defineBakery, openBakery } from "./bakery.ts";
import { give, ovenBakery } from "./belongings.ts";
import { asOwner } from "./owner.ts";

/**
 * What a service settles before two rows of a kind meet comes in the middle: here it waits while a test
 * holds `pause`.
 */
const pausing = `create function prepare_merge(p_from uuid, p_to uuid) returns void
	language sql as 'select pg_advisory_xact_lock(hashtext(p_from::text))'`;
/** To be held under the id of before, so that its tenant stays half-way from there to the new one. */
export const pause = "select pg_advisory_xact_lock(hashtext($1))";

/** Two replicas of the bakery, and tenants whose ids and slugs change under them. */
export type Moving = Awaited<ReturnType<typeof openMoving>>;

export async function openMoving({ hasOvens = true } = {}) {
	const bakery = await openBakery(hasOvens ? ovenBakery() : defineBakery());
	await asOwner(bakery.ownerUrl, pausing);
	const replica = await bakery.replica();
	const replicas: readonly BuiltService[] = [bakery, replica];
	let turn = 0;
	const call = ({ id, slug }: PublicTenant, { at = slug, sub = randomUUID(), ...more }: Calling = {}) =>
		(replicas[turn++ % 2] ?? bakery).app.inject({
			method: more.body === undefined ? "GET" : "PUT",
			url: `/api/v1/${at}/bakery/${more.body === undefined ? "auth/me" : "config"}`,
			headers: {
				authorization: `Bearer ${bakery.token({ sub, tenant_id: id, tenant_slug: slug, roles: ["admin"] })}`,
			},
			...(more.body !== undefined && { payload: more.body }),
		});
	/** The status of `auth/me` for a person of the tenant; the replicas alternate. */
	const me = async (tenant: PublicTenant, calling?: Calling) => (await call(tenant, calling)).statusCode;
	/** A tenant of the sign-on service that may change things; what is changed of it is changed there. */
	const sign = (slug = `t-${randomUUID().slice(0, 8)}`): PublicTenant => {
		const tenant = testTenant(slug);
		bakery.issuer.tenants.push(tenant);
		bakery.subscriptions.records.set(tenant.id, testSubscription(tenant.id));
		return tenant;
	};
	return {
		bakery,
		me,
		sign,
		/** The same, met by the service, with something in every table where there are ovens. */
		known: async (slug?: string) => {
			const tenant = sign(slug);
			if ((await me(tenant)) !== 200) throw new Error("the tenant was not let in");
			if (hasOvens) await give(bakery.db, tenant.id, { mark: "old" });
			return tenant;
		},
		/** Writes under a key of the tenant's settings. */
		write: async (tenant: PublicTenant, key: string, calling: Calling = {}) =>
			(await call(tenant, { ...calling, body: { key, value: 1 } })).statusCode,
		/** The keys written so, in the order of their names. */
		written: async ({ id }: PublicTenant) => {
			const rows = await inTenant(bakery.db, id, (tx) =>
				tx.query<{ key: string }>(
					"select key from service_config where tenant_id = $1 and key like 'w%' order by key",
					[id],
				),
			);
			return rows.map(({ key }) => key);
		},
		/** How many events report that the tenant moved to its id from another. */
		publishedMoves: async ({ id }: PublicTenant) =>
			(
				await bakery.db.query(
					"select id from outbox where type = 'bakery.tenant.repointed' and subject = $1",
					[id],
				)
			).length,
		rowOf: async ({ id }: PublicTenant) =>
			(await bakery.db.query("select slug, status, version from tenants where id = $1", [id]))[0],
		close: async () => {
			await replica.close();
			await bakery.close();
		},
	};
}

type Calling = { at?: string; sub?: string; body?: object };

/** A tenant known here by its id alone, as an event leaves it. */
export const knownById = (bakery: Bakery, id: string) =>
	bakery.db.query(
		`insert into tenants (id, slug, name, status, time_zone, currency, locale, synced_at)
		 values ($1, $1::uuid::text, '', 'unknown', 'UTC', '', 'und', 'epoch')`,
		[id],
	);

/** Holds what a statement locks, or what it wrote, until it is let go. */
export async function hold(
	bakery: Bakery,
	tenantId: string,
	statement: string,
): Promise<() => Promise<void>> {
	const [locked, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
	const holding = inTenant(bakery.db, tenantId, async (tx) => {
		await tx.query(statement, [tenantId]);
		locked.resolve();
		await go.promise;
	});
	await Promise.race([locked.promise, holding]);
	return async () => {
		go.resolve();
		await holding;
	};
}

/**
 * Ends the connection whose statement, like this one, waits for a lock: as the death of its process would.
 */
export async function killWaiting(bakery: Bakery, like: string): Promise<void> {
	for (const pid of await waitForBlockedQueries(bakery.db, { like }))
		await bakery.db.query("select pg_terminate_backend($1, 5000)", [pid]);
}
