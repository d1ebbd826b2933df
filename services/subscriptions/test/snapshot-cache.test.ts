import { createCache } from "@lango/memory";
import { inTenant } from "@lango/postgres";
import { describe, expect, test } from "vitest";
import { invalidateOnChange } from "../src/cache/invalidate-on-change.ts";
import { findSubscription } from "../src/snapshots/snapshot.store.ts";
import { setMemoryScene } from "./cache-scene.ts";
import { until } from "./desk.ts";
import { daysAfter } from "./test-service.ts";

const scene = setMemoryScene();
const version = async (app?: typeof scene.service.app) => (await scene.ask(app)).body.version;
/** The responses of both replicas. */
const versions = async () => [await version(), await version(scene.other.app)];
const bearer = () => {
	const root = scene.service.tokenOf(scene.tenantId, { roles: ["superuser"], tenant_slug: "lango" });
	return { authorization: `Bearer ${root}` };
};

describe("a snapshot", () => {
	test("is answered from the cache, with the same body and ETag on each replica", async () => {
		const first = await scene.ask();
		await version(scene.other.app);
		await scene.raiseUntold();
		expect(await scene.ask()).toEqual(first);
		expect(await versions()).toEqual([1, 1]);
	});

	test("is answered from the cache with 304 for its ETag, and with 200 for another", async () => {
		const { etag } = await scene.ask();
		await scene.raiseUntold();
		const same = await scene.ask(undefined, { "if-none-match": etag });
		expect([same.status, same.text, same.etag]).toEqual([304, "", etag]);
		expect((await scene.ask(undefined, { "if-none-match": '"1-other"' })).status).toBe(200);
	});

	test("provides features and limits from the same cache", async () => {
		await scene.ask();
		await scene.raiseUntold();
		const url = `/api/v1/tenants/${scene.tenantId}/limits`;
		const answer = await scene.service.app.inject({ url, headers: { "x-api-key": scene.service.apiKey } });
		expect(answer.json()).toMatchObject({ plan: "GROWTH", version: 1 });
	});

	test("is cached under the tenant's id, in any case", async () => {
		await scene.ask();
		await scene.raiseUntold();
		const url = `/api/v1/tenants/${scene.tenantId.toUpperCase()}/subscription`;
		const answer = await scene.service.app.inject({ url, headers: { "x-api-key": scene.service.apiKey } });
		expect(answer.json().version).toBe(1);
	});

	test("changed in the database is invalidated on every replica", async () => {
		expect(await versions()).toEqual([1, 1]);
		await scene.raise();
		await until(async () => String(await versions()) === "2,2");
	});

	test("changed by one replica is invalidated there at once, and on the other at the commit", async () => {
		await versions();
		const changed = await scene.other.app.inject({
			method: "PUT",
			url: `/api/v1/admin/tenants/${scene.tenantId.toUpperCase()}/overrides`,
			headers: bearer(),
			payload: { features: { api_webhooks: true }, limits: {}, products: [], because: "a test" },
		});
		expect(changed.statusCode).toBe(200);
		expect((await scene.ask(scene.other.app)).body.features).toContain("api_webhooks");
		await until(async () => (await scene.ask()).body.features.includes("api_webhooks"));
	});

	test("expires at its next_change_at, without a notification", async () => {
		expect((await scene.ask()).body).toMatchObject({
			status: "TRIAL",
			next_change_at: daysAfter(14).toISOString(),
		});
		scene.service.clock.now = daysAfter(14);
		expect((await scene.ask()).body).toMatchObject({ status: "EXPIRED", access: "grace" });
	});

	test("follows a tenant's test clock on every replica", async () => {
		await versions();
		const moved = await scene.service.app.inject({
			method: "PUT",
			url: `/api/v1/test-clock/${scene.tenantId}`,
			headers: bearer(),
			payload: { now: daysAfter(15).toISOString() },
		});
		expect(moved.statusCode).toBe(200);
		expect((await scene.ask()).body.access).toBe("grace");
		await until(async () => (await scene.ask(scene.other.app)).body.access === "grace");
	});

	test("of an erased tenant is not found on any replica", async () => {
		await versions();
		await inTenant(scene.service.db, scene.tenantId, (tx) =>
			tx.query("delete from subscriptions where tenant_id = $1", [scene.tenantId]),
		);
		await until(async () => (await scene.ask()).status === 404);
		await until(async () => (await scene.ask(scene.other.app)).status === 404);
	});

	test("has the products of a changed bundle, on every replica", async () => {
		await versions();
		const change = (sql: string) =>
			scene.service.db.query(`update bundles set products = ${sql} where code = 'professional'`);
		const bothHavePos = async (isWanted: boolean) => {
			for (const { app } of [scene.service, scene.other])
				await until(async () => (await scene.ask(app)).body.products.includes("pos") === isWanted);
		};
		await change("products || array['pos']");
		await bothHavePos(true);
		await change("array_remove(products, 'pos')");
		await bothHavePos(false);
	});
});

describe("the cache", () => {
	test("is read again after the listening connection was lost, and is cached again once it is back", async () => {
		await versions();
		await scene.raiseUntold();
		expect(await versions()).toEqual([1, 1]);
		await scene.service.db.query(
			"select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'lango-subscriptions-listen' and datname = current_database()",
		);
		await until(async () => String(await versions()) === "2,2");
		await until(async () => {
			const before = await versions();
			await scene.raiseUntold();
			return String(await versions()) === String(before);
		});
	});

	test("does not include a read that began before a concurrent commit", async () => {
		const { service, tenantId } = scene;
		const cache = createCache<{ version: number }>({
			now: () => service.clock.now,
			sizeMax: 10,
			maxAgeMs: 60_000,
			isListening: false,
		});
		const invalidated: string[] = [];
		const stops: Array<() => Promise<void>> = [];
		let isReady = false;
		const witness = {
			invalidate: (key: string) => void invalidated.push(key),
			invalidateAll: () => undefined,
			setListening: (isListening: boolean) => {
				isReady = isListening;
			},
		};
		const log = { warn: () => undefined } as unknown as Parameters<typeof invalidateOnChange>[0]["log"];
		invalidateOnChange(
			{ log, onStop: (stop) => void stops.push(stop) },
			[cache, witness],
			service.database.url,
		);
		await until(async () => isReady);
		const readIt = async () => {
			const found = await findSubscription(service.db, tenantId);
			return { version: found?.version ?? 0 };
		};
		const early = cache.load(tenantId, async () => {
			const found = await readIt();
			await scene.raise();
			await until(async () => invalidated.includes(tenantId));
			return found;
		});
		expect((await early).version).toBe(1);
		expect((await cache.load(tenantId, readIt)).version).toBe(2);
		for (const stop of stops) await stop();
	});
});

test("usage terms are cached, and a change of the subscription is counted at once", async () => {
	const consume = async (app: typeof scene.service.app, value: number) => {
		const answer = await app.inject({
			method: "POST",
			url: `/api/v1/tenants/${scene.tenantId}/usage/consume`,
			headers: { "x-api-key": scene.service.apiKey },
			payload: { id: `${value}-${Math.random()}`, limit: "max_riders", metric: "rider_count", value },
		});
		return [answer.statusCode, answer.json().code];
	};
	expect(await consume(scene.other.app, 10)).toEqual([200, undefined]);
	await inTenant(scene.service.db, scene.tenantId, (tx) =>
		tx.query(
			`update subscriptions set version = version + 1, overrides = '{"features": {}, "limits": {"max_riders": 11}, "products": []}'
			  where tenant_id = $1`,
			[scene.tenantId],
		),
	);
	expect(await consume(scene.other.app, 2)).toEqual([403, "limit_reached"]);
	expect(await consume(scene.other.app, 1)).toEqual([200, undefined]);
});
