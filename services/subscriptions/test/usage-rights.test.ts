import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { noon } from "./test-service.ts";
import { type Call, setUsageScene } from "./usage-scene.ts";

const scene = setUsageScene();
const consumption = { id: "c-1", limit: "max_riders", metric: "rider_count", value: 1 };
const reads: Call[] = [
	{ path: "/features/multi_outlet" },
	{ path: "/limits" },
	{ path: "/usage" },
	{ path: "/usage/order_count" },
];
const changes: Call[] = [
	{
		method: "POST",
		path: "/usage",
		body: { events: [{ id: "r-1", metric: "order_count", value: 1, at: noon.toISOString() }] },
	},
	{ method: "POST", path: "/overage", body: { id: "o-1", metric: "order_count", quantity: 1 } },
	{ method: "POST", path: "/usage/consume", body: consumption },
	{ method: "DELETE", path: "/usage/consume/c-1" },
];
type Caller = "key" | "admin" | "staff" | "viewer" | "root" | "super";
let credentials: Record<Caller, Partial<Call>>;
beforeEach(() => {
	const { service, tenantId } = scene;
	const token = (roles: string[], more: object = {}) => ({
		token: service.tokenOf(tenantId, { roles, ...more }),
	});
	credentials = {
		key: {},
		admin: token(["admin"]),
		staff: token(["staff"]),
		viewer: token(["viewer"]),
		root: { token: service.tokenOf(randomUUID(), { roles: ["superuser"], tenant_slug: "lango" }) },
		super: { token: service.tokenOf(randomUUID(), { roles: ["superuser"] }) },
	};
});
const answersOf = async (caller: Caller, calls: readonly Call[]) => {
	const answers: string[] = [];
	for (const one of calls) {
		const { status, body } = await scene.call({ ...one, ...credentials[caller] });
		answers.push(`${status} ${body["code"] ?? ""}`.trim());
	}
	return answers;
};

describe("rights on usage", () => {
	// access.txt has the other kinds of callers.
	test.each(["staff", "viewer"] as const)("the role %s allows reading and no reporting", async (caller) => {
		expect(await answersOf(caller, reads)).toEqual(Array(4).fill("200"));
		expect(await answersOf(caller, changes)).toEqual(Array(4).fill("403 forbidden"));
	});

	test("the role superuser has no effect on other tenants unless it is the platform owner's", async () => {
		expect(await answersOf("super", [...reads, ...changes])).toEqual(Array(8).fill("404 tenant_not_found"));
	});

	test("an administrator, who is billed for usage, cannot report negative values; services and the platform owner can", async () => {
		const taking = (id: string) => ({
			method: "POST" as const,
			path: "/usage",
			body: {
				events: [1, -1].map((value) => ({
					id: `${id}.${value}`,
					metric: "order_count",
					value,
					at: noon.toISOString(),
				})),
			},
		});
		const refused = await scene.call({ ...taking("a"), ...credentials.admin });
		expect([refused.status, refused.body]).toEqual([
			403,
			expect.objectContaining({ code: "forbidden", field: "events.1.value" }),
		]);
		expect(await scene.usageOf("order_count")).toMatchObject({ used: 0 });
		for (const caller of ["key", "root"] as const)
			expect((await scene.call({ ...taking(caller), ...credentials[caller] })).status).toBe(200);
	});

	test("an administrator, who is billed for usage, cannot release consumptions", async () => {
		await scene.consume(3, { id: "c-9" });
		const giveBack = { method: "DELETE" as const, path: "/usage/consume/c-9" };
		const refused = await scene.call({ ...giveBack, ...credentials.admin });
		expect([refused.status, refused.body["code"]]).toEqual([403, "forbidden"]);
		expect(await scene.usageOf("order_count")).toMatchObject({ used: 3 });
		expect((await scene.call({ ...giveBack, ...credentials.root })).status).toBe(204);
		expect(await scene.usageOf("order_count")).toMatchObject({ used: 0 });
	});

	test("a caller without the right to report is refused before the body is read", async () => {
		const answer = await scene.call({ method: "POST", path: "/usage", body: {}, ...credentials.staff });
		expect([answer.status, answer.body["code"]]).toEqual([403, "forbidden"]);
	});
});

describe("entitlements of a tenant", () => {
	test("a feature is available when the plan has it (HasFeature)", async () => {
		expect(await scene.call({ path: "/features/multi_outlet" })).toEqual({
			status: 200,
			body: { feature: "multi_outlet", available: true, plan: "GROWTH" },
		});
		expect((await scene.call({ path: "/features/api_webhooks" })).body).toMatchObject({ available: false });
	});

	test("limits are the current ones (GetLimits)", async () => {
		expect(await scene.call({ path: "/limits" })).toEqual({
			status: 200,
			body: {
				plan: "GROWTH",
				limits: { max_admins: 3, max_orders_per_day: 1_000, max_emails_per_day: 2_000, max_riders: 15 },
				version: 1,
			},
		});
	});

	test("no feature is available after the grace period", async () => {
		scene.service.clock.now = new Date("2026-05-01T00:00:00Z");
		expect((await scene.call({ path: "/features/multi_outlet" })).body).toMatchObject({
			available: false,
		});
	});

	test.each(["/features/multi_outlet", "/limits", "/usage", "/usage/order_count"])(
		"%s of a tenant without a subscription is 404 no_subscription",
		async (path) => {
			expect(await scene.call({ path, tenantId: randomUUID() })).toMatchObject({
				status: 404,
				body: { code: "no_subscription" },
			});
		},
	);

	test.each([
		["/usage/moon_phase", "metric_unknown metric"],
		["/usage/Order%20Count", "invalid_input metric"],
		["/usage/order_count?period=last", "invalid_input period"],
		["/usage/order_count?from=x", "invalid_input from"],
		["/features/No", "invalid_input code"],
	])("%s is refused, naming the field", async (path, refusal) => {
		const { status, body } = await scene.call({ path });
		expect(`${status} ${body["code"]} ${body["field"]}`).toBe(`400 ${refusal}`);
	});

	test("a malformed id of a release is refused", async () => {
		const answer = await scene.call({ method: "DELETE", path: "/usage/consume/a%20b" });
		expect([answer.status, answer.body["field"]]).toEqual([400, "id"]);
	});

	test("a tenant's id is accepted in upper case", async () => {
		const tenantId = scene.tenantId.toUpperCase();
		await scene.call({ method: "POST", path: "/usage/consume", body: consumption, tenantId });
		expect(await scene.usageOf("rider_count")).toMatchObject({ used: 1 });
	});
});

test.each(["Africa/Nairobi", "America/New_York", "Pacific/Kiritimati"])(
	"a day in %s is the tenant's own, over HTTP",
	async (timeZone) => {
		await scene.moveTo(timeZone);
		const { ends_at: end } = await scene.usageOf("order_count");
		const boundary = new Date(String(end));
		scene.service.clock.now = new Date(boundary.getTime() - 1);
		await scene.consume(1_000);
		expect((await scene.consume(1)).status).toBe(403);
		scene.service.clock.now = boundary;
		expect(await scene.consume(1)).toMatchObject({
			status: 200,
			body: { usage: { used: 1, starts_at: end, time_zone: timeZone } },
		});
	},
);

test("a tenant that moves to another time zone gets no day twice", async () => {
	await scene.consume(1_000);
	await scene.moveTo("America/New_York");
	scene.service.clock.now = new Date(noon.getTime() + 60_000);
	expect(await scene.consume(1)).toMatchObject({ status: 403, body: { used: 1_000 } });
});

test("a quote for a smaller plan shows the exceeded limits", async () => {
	await scene.consume(7, { limit: "max_riders", metric: "rider_count" });
	await scene.consume(101);
	const answer = await scene.call({
		method: "POST",
		path: "/subscription/quote",
		body: { plan: "STARTER" },
		...credentials.admin,
	});
	expect(JSON.stringify(answer.body)).toContain("max_riders");
	expect(answer.body["limits_exceeded"]).toEqual(
		expect.arrayContaining([
			{ limit: "max_riders", used: 7, allowed: 0 },
			{ limit: "max_orders_per_day", used: 101, allowed: 100 },
		]),
	);
});

test("usage follows a tenant's test clock", async () => {
	await scene.consume(5);
	const moved = await scene.service.app.inject({
		method: "PUT",
		url: `/api/v1/test-clock/${scene.tenantId}`,
		headers: { authorization: `Bearer ${credentials.root.token}` },
		payload: { now: "2026-03-05T12:00:00Z" },
	});
	expect(moved.statusCode).toBe(200);
	expect(await scene.usageOf("order_count")).toMatchObject({
		used: 0,
		starts_at: "2026-03-04T21:00:00.000Z",
	});
	expect(await scene.consume(3)).toMatchObject({ status: 200, body: { usage: { used: 3 } } });
});
