import { randomUUID } from "node:crypto";
import { defaultSecretKey } from "@lango/sandbox-card-gateway";
import { setUp } from "@lango/testkit/set-up";
import { afterEach, expect, test } from "vitest";
import { getProfile } from "../../src/gateways/profiles/profile.store.ts";
import { setSecrets } from "../../src/gateways/profiles/set-secrets.ts";
import { keys } from "../add-bill.ts";
import { openTill } from "../till.ts";

const till = setUp(openTill);
afterEach(() => till.cards("PUT", "/_control/faults", []));

const person = randomUUID();
const growth = { name: "Growth", interval: "yearly", amount_minor: 500_000, currency: "KES" };

function call(method: string, { body, key }: { body?: object; key?: string } = {}) {
	return till.call({
		...{ method, url: "/api/v1/uhai/treasury/plans" },
		token: till.token(till.tenants.uhai, "admin", { sub: person }),
		...(body && { body }),
		...(key !== undefined && { headers: { "idempotency-key": key } }),
	});
}

/** Sets the secret key with which the gateway is called. */
async function setSecretKey(secret_key: string): Promise<void> {
	const { db } = till.database;
	const { id: profileId } = await getProfile(db, "card_gateway");
	const change = { secret_key };
	await setSecrets(db, keys, {
		...{ tenantId: undefined, purpose: "card_gateway", change, profileId, now: new Date() },
	});
}

const listed = async () => (await call("GET")).body["items"] as Array<Record<string, unknown>>;

test("a plan is made once for an Idempotency-Key, in the gateway's words, and another request under the key is refused", async () => {
	const key = randomUUID();
	const made = await Promise.all([1, 2].map(() => call("POST", { body: growth, key })));
	expect(made.map(({ status }) => status).sort()).toEqual([200, 201]);
	expect(await listed()).toMatchObject([
		{ ...growth, status: "active", plan_code: expect.stringMatching(/^PLN_/) },
	]);
	const reused = await call("POST", { body: { ...growth, amount_minor: 600_000 }, key });
	expect([reused.status, reused.body["code"]]).toEqual([409, "idempotency_key_reused"]);
});

test.each(["http_500_after_commit", "reset_after_commit"])(
	"after %s it is not known whether the gateway has the plan: it stays as creating, and is not asked for again",
	async (fault) => {
		await till.cards("PUT", "/_control/faults", [{ operation: "create_plan", fault, count: 1 }]);
		const [before, key] = [await listed(), randomUUID()];
		const made = await call("POST", { body: growth, key });
		expect(made).toMatchObject({ status: 201, body: { status: "creating", plan_code: null } });
		expect(await call("POST", { body: growth, key })).toMatchObject({ status: 200, body: made.body });
		expect(await listed()).toHaveLength(before.length + 1);
	},
);

test("a plan that the gateway does not take now can be asked for again with the same Idempotency-Key", async () => {
	await till.cards("PUT", "/_control/faults", [{ operation: "create_plan", fault: "quota", count: 1 }]);
	const [before, key] = [await listed(), randomUUID()];
	const refused = await call("POST", { body: growth, key });
	expect([refused.status, refused.body["code"]]).toEqual([503, "gateway_unavailable"]);
	expect(await listed()).toEqual(before);
	expect((await call("POST", { body: growth, key })).body).toMatchObject({ status: "active" });
});

test("a plan that the gateway refuses has failed with the gateway's code, also for its Idempotency-Key", async () => {
	const key = randomUUID();
	await setSecretKey("sk_test_other");
	const refused = await call("POST", { body: growth, key });
	expect(refused).toMatchObject({ status: 409, body: { code: "gateway_refused" } });
	await setSecretKey(defaultSecretKey);
	expect(await call("POST", { body: growth, key })).toMatchObject({
		...{ status: 200, body: { status: "failed", failure_code: expect.any(String), plan_code: null } },
	});
});
