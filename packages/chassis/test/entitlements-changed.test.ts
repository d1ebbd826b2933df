import { randomUUID } from "node:crypto";
import { type Subscription, subscriptionEntitlementsChanged } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import { expiredSubscription, testSubscription } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { BuiltService } from "../src/index.ts";
import { openBakery } from "./bakery.ts";

const bakery = setUp(openBakery);
let replicas: Array<BuiltService & { url: string }>;

const listening = async (one: BuiltService) => ({
	...one,
	url: await one.app.listen({ port: 0, host: "127.0.0.1" }),
});
beforeAll(async () => {
	replicas = [await listening(bakery), await listening(await bakery.replica())];
});
afterAll(() => replicas[1]?.close());

let version = 1;
let subscription: (more?: Partial<Subscription>) => Subscription;
/** Every replica holds a snapshot in which the feature is on; a minute would pass before it asks again. */
beforeEach(async () => {
	version += 10;
	subscription = (more = {}) =>
		testSubscription(bakery.tenant.id, { features: ["loyalty_program"], version, ...more });
	await publish(subscription());
	await expect.poll(() => statuses("/feature")).toEqual([200, 200]);
});

/** The event as the subscription service publishes it, through outbox, relay and transport. */
const publish = (data: Subscription) =>
	recordEvent(bakery.db, subscriptionEntitlementsChanged, {
		subject: data.tenant_id,
		tenantId: data.tenant_id,
		now: new Date(),
		data,
	});
/** What each replica answers over HTTP, with a token that says nothing of the subscription. */
const statuses = async (path: string, method: "GET" | "POST" = "GET") =>
	Promise.all(
		replicas.map(async ({ url }) => {
			const answer = await fetch(`${url}/api/v1/mkate/bakery${path}`, {
				method,
				headers: { authorization: `Bearer ${bakery.token({ roles: ["admin"] })}` },
			});
			await answer.arrayBuffer();
			return answer.status;
		}),
	);

describe("a change of what a tenant may use", () => {
	test("closes and opens the gate of a feature on every replica without a request to the subscription service", async () => {
		const asked = bakery.subscriptions.asked;
		for (const [features, status] of [
			[[], 403],
			[["loyalty_program"], 200],
		] as const) {
			version += 1;
			await publish(subscription({ features: [...features] }));
			await expect.poll(() => statuses("/feature"), { interval: 10 }).toEqual([status, status]);
		}
		expect(bakery.subscriptions.asked).toBe(asked);
	});

	test("closes the gate of changes when the subscription is over", async () => {
		version += 1;
		await publish({ ...expiredSubscription(bakery.tenant.id), version });
		await expect.poll(() => statuses("/loaves", "POST"), { interval: 10 }).toEqual([403, 403]);
		expect(await statuses("/loaves")).toEqual([200, 200]);
	});

	test("that comes late, after a newer one, changes nothing", async () => {
		const later = randomUUID();
		await publish(subscription({ features: [], version: version - 1 }));
		await publish(testSubscription(later));
		const published = () => bakery.db.query("select from outbox where published_at is null");
		await expect.poll(published).toEqual([]);
		expect(await statuses("/feature")).toEqual([200, 200]);
	});
});
