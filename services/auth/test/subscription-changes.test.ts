import { subscriptionEntitlementsChanged } from "@lango/contracts";
import { testEvent, testSubscription } from "@lango/testkit";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { bearer, claimsOf, obtainTokens, setUpSignOn } from "./sign-on.ts";

// what tokens say of a subscription once it changed (spec §6)

const signOn = setUpSignOn();
let uhai: string;
beforeAll(async () => {
	uhai = signOn.tenants.get("uhai") ?? "";
});

const subscribe = (plan: string) => {
	const subscription = testSubscription(uhai, { plan });
	signOn.subscriptions.answers.set(uhai, subscription);
	return subscription;
};
const planOf = async () =>
	claimsOf((await obtainTokens(signOn.app, "admin@uhai.example")).access_token).sub_plan;
const publish = (data: unknown) =>
	signOn.transport.publish(
		testEvent(subscriptionEntitlementsChanged, {
			subject: uhai,
			tenant: { id: uhai },
			data,
			at: signOn.now.at,
		}),
	);

test("tokens issued after a change of the subscription contain the change before the cache expires", async () => {
	subscribe("STARTER");
	expect(await planOf()).toBe("STARTER");
	const changed = subscribe("PROFESSIONAL");
	expect(await planOf()).toBe("STARTER");
	await publish(changed);
	await vi.waitFor(async () => expect(await planOf()).toBe("PROFESSIONAL"), 15_000);
});

describe("an invalid event", () => {
	const call = async (token: string | undefined, method: "GET" | "POST" | "DELETE", path = "") => {
		const headers = token === undefined ? {} : bearer(token);
		return signOn.app.inject({ method, url: `/api/v1/platform/dead-letters${path}`, headers });
	};
	const tokenOf = async (email: string) => (await obtainTokens(signOn.app, email)).access_token;
	const listed = async (token: string) =>
		(await call(token, "GET")).json<{ items: Array<{ id: string; reason: string; attempts: number }> }>()
			.items;

	test("has no effect and is a dead letter, which the platform owner lists, redrives and discards", async () => {
		const root = await tokenOf("root@lango.example");
		await publish({ tenant_id: "uhai" });
		const [letter] = await vi.waitFor(async () => {
			const items = await listed(root);
			expect(items).toHaveLength(1);
			return items;
		}, 15_000);
		expect(letter?.reason).toMatch(/does not fit its contract/);
		expect((await call(root, "POST", `/${letter?.id}/redrive`)).statusCode).toBe(202);
		await vi.waitFor(async () => expect(await listed(root)).toHaveLength(1), 15_000);
		expect((await call(root, "DELETE", `/${letter?.id}`)).statusCode).toBe(204);
		expect(await listed(root)).toEqual([]);
		const headers = bearer(root);
		const audit = await signOn.app.inject({ url: "/api/v1/admin/audit?limit=2", headers });
		const row = { tenant_id: null, actor_user_id: claimsOf(root).sub, subject: letter?.id };
		const after = { type: subscriptionEntitlementsChanged.type, subject: null, reason: letter?.reason };
		expect(audit.json().items).toMatchObject([
			{ ...row, action: "dead_letter.discarded", after },
			{ ...row, action: "dead_letter.redriven", after },
		]);
	});

	test.each([
		["POST", "/1000/redrive", 404],
		["DELETE", "/1000", 404],
		["POST", "/one/redrive", 400],
		["DELETE", "/1%20or%201", 400],
		["GET", "?cursor=x", 400],
		["GET", "?limit=201", 400],
	] as const)("%s %s by the owner is refused with %i", async (method, path, status) => {
		expect((await call(await tokenOf("root@lango.example"), method, path)).statusCode).toBe(status);
	});

	test("listing them is refused for a tenant administrator and without a token", async () => {
		expect((await call(await tokenOf("admin@uhai.example"), "GET")).statusCode).toBe(403);
		expect((await call(undefined, "GET")).statusCode).toBe(401);
	});
});
