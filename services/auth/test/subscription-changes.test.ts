import { randomUUID } from "node:crypto";
import { subscriptionEntitlementsChanged } from "@lango/contracts";
import { listDeadLetters } from "@lango/events";
import { testSubscription } from "@lango/testkit";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { claimsOf, obtainTokens, type SignOn, startSignOn } from "./sign-on.ts";

// what tokens say of a subscription once it changed (spec §6)

let signOn: SignOn;
let uhai: string;
beforeAll(async () => {
	signOn = await startSignOn();
	uhai = signOn.tenants.get("uhai") ?? "";
});
afterAll(() => signOn.close());

const subscribe = (plan: string) => {
	const subscription = testSubscription(uhai, { plan });
	signOn.subscriptions.answers.set(uhai, subscription);
	return subscription;
};
const planOf = async () =>
	claimsOf((await obtainTokens(signOn.app, "admin@uhai.example")).access_token).sub_plan;
const publish = (data: unknown) =>
	signOn.transport.publish({
		specversion: "1.0",
		id: randomUUID(),
		source: subscriptionEntitlementsChanged.source,
		type: subscriptionEntitlementsChanged.type,
		time: signOn.now.at.toISOString(),
		subject: uhai,
		datacontenttype: "application/json",
		tenantid: uhai,
		data,
	});

test("tokens made after a subscription changed tell of the change, without waiting for the minute to pass", async () => {
	subscribe("STARTER");
	expect(await planOf()).toBe("STARTER");
	const changed = subscribe("PROFESSIONAL");
	expect(await planOf()).toBe("STARTER");
	await publish(changed);
	await vi.waitFor(async () => expect(await planOf()).toBe("PROFESSIONAL"), 5_000);
});

test("an event that is not as its contract says has no effect and is a dead letter", async () => {
	await publish({ tenant_id: "uhai" });
	const { items } = await vi.waitFor(async () => {
		const letters = await listDeadLetters(signOn.db, { service: "auth" });
		expect(letters.items).toHaveLength(1);
		return letters;
	}, 5_000);
	expect(items[0]?.reason).toMatch(/does not fit its contract/);
});
