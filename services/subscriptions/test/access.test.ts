import { randomUUID } from "node:crypto";
import {
	callMatrix,
	insertDeadJob,
	insertDeadLetter,
	type MatrixRoute,
	routesOfDocument,
} from "@lango/testkit";
import type { InjectOptions } from "fastify";
import { expect, test } from "vitest";
import { recordSubscription } from "../src/demo.store.ts";
import { setUpService } from "./test-service.ts";

// The whole policy as the service answers it. Each cell uses a tenant of its own, in its trial. An allowed
// caller gets 409 where a trial does not permit the change, and 404 for a missing quote or version. Another
// tenant is 404, too.

const service = setUpService({ SUBSCRIPTIONS_SANDBOX_BILLING: "silent" });

type Caller = { name: string; headers: (tenantId: string) => Record<string, string> };
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const person =
	(roles: string[], more: object = {}) =>
	(tenantId: string) =>
		bearer(service.tokenOf(tenantId, { roles, ...more }));

/** A third-party client's token without lango.api: its user has every right, the client none. */
const thirdParty = () =>
	person(["superuser"], { tenant_slug: "lango", client_id: "third-party", scope: "openid tenant roles" })(
		randomUUID(),
	);
const callers: readonly Caller[] = [
	{ name: "no token", headers: () => ({}) },
	{ name: "member", headers: person(["manager"]) },
	{ name: "pending", headers: person(["admin"], { user_status: "pending" }) },
	{ name: "admin", headers: person(["admin"]) },
	{ name: "other's", headers: () => person(["admin"])(randomUUID()) },
	{ name: "superuser", headers: () => person(["superuser"], { tenant_slug: "lango" })(randomUUID()) },
	{
		name: "client",
		headers: () => bearer(service.issuer.token({ client_id: "demo-backend", idtyp: "app" })),
	},
	{ name: "3rd party", headers: thirdParty },
	{ name: "API key", headers: () => ({ "x-api-key": service.apiKey }) },
];

let made = 0;
const next = () => {
	made += 1;
	return 1_000 + made;
};
const plan = { plan: "GROWTH" };
/** The body for routes that need one. */
const bodies: Readonly<Record<string, () => object>> = {
	"POST /api/v1/admin/add-ons": () => ({ code: `a${next()}`, name: "A" }),
	"POST /api/v1/admin/add-ons/:code/versions": () => ({
		price_minor: 1,
		currency: "KES",
		interval: "month",
		products: [],
		features: [],
		limits: { max_riders: 1 },
	}),
	"POST /api/v1/admin/plans": () => ({ code: `P${next()}`, name: "P", position: next() }),
	"POST /api/v1/admin/plans/:code/versions": () => ({
		bundle: "starter",
		price_minor: 1,
		currency: "KES",
		interval: "month",
		trial_days: 14,
		grace_days: 7,
		features: [],
		limits: { max_orders_per_day: 100 },
		overage: {},
	}),
	"POST /api/v1/admin/tenants/:tenant_id/grants": () => ({ days: 1, because: "x" }),
	"PUT /api/v1/admin/tenants/:tenant_id/overrides": () => ({
		features: {},
		limits: {},
		products: [],
		because: "x",
	}),
	"PUT /api/v1/sandbox/billing/:tenant_id": () => ({ answer: "silent" }),
	"PUT /api/v1/test-clock/:tenant_id": () => ({ now: "2026-03-02T00:00:00Z" }),
	"POST /api/v1/tenants/:tenant_id/overage": () => ({ id: randomUUID(), metric: "order_count", quantity: 1 }),
	"POST /api/v1/tenants/:tenant_id/usage": () => ({
		events: [{ id: randomUUID(), metric: "order_count", value: 1, at: service.clock.now.toISOString() }],
	}),
	"POST /api/v1/tenants/:tenant_id/usage/consume": () => ({
		id: randomUUID(),
		limit: "max_orders_per_day",
		metric: "order_count",
		value: 1,
	}),
	"POST /api/v1/tenants/:tenant_id/subscription": () => plan,
	"POST /api/v1/tenants/:tenant_id/subscription/change": () => ({ quote_id: randomUUID(), mode: "now" }),
	"POST /api/v1/tenants/:tenant_id/subscription/checkout": () => plan,
	"POST /api/v1/tenants/:tenant_id/subscription/quote": () => plan,
};

async function statusOf({ method, url }: MatrixRoute, caller: Caller): Promise<number> {
	const tenantId = randomUUID();
	const startedAt = service.clock.now;
	const endsAt = new Date(startedAt.getTime() + 14 * 86_400_000);
	await recordSubscription(service.db, {
		tenantId,
		plan: "STARTER",
		addOns: [],
		trial: { startedAt, endsAt },
		period: null,
		expiresAt: endsAt,
		graceUntil: endsAt,
		isRenewed: true,
	});
	// Puts a failed event and job in place before each call, because an allowed caller removes them.
	const [letter, job] = [
		await insertDeadLetter(service.db, "subscriptions"),
		await insertDeadJob(service.db),
	];
	const payload = bodies[`${method} ${url}`]?.();
	const { statusCode } = await service.app.inject({
		method: method as NonNullable<InjectOptions["method"]>,
		url: url
			.replace(":tenant_id", tenantId)
			.replace("features/:code", "features/customer_portal")
			.replace("add-ons/:code", "add-ons/pos")
			.replace(":code", "STARTER")
			.replace(":version", "999")
			.replace(":metric", "order_count")
			.replace("dead-letters/:id", `dead-letters/${letter}`)
			.replace("dead-jobs/:id", `dead-jobs/${job}`)
			.replace("consume/:id", `consume/${randomUUID()}`)
			.replace("payments/:id", `payments/${randomUUID()}`),
		headers: caller.headers(tenantId),
		...(payload !== undefined && { payload }),
	});
	return statusCode;
}

const routes = () => routesOfDocument(service.app.swagger(), "/api/");

test("every route answers every kind of caller as the reviewed policy in access.txt says", async () => {
	await expect(await callMatrix({ callers, routes: routes(), call: statusOf })).toMatchFileSnapshot(
		"access.txt",
	);
}, 60_000);

test("every prepared request belongs to an existing route", () => {
	const known = new Set(routes().map(({ method, url }) => `${method} ${url}`));
	expect(Object.keys(bodies).filter((route) => !known.has(route))).toEqual([]);
});
