import { randomUUID } from "node:crypto";
import { Subscription } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import { besideOthers, waitForBlockedQueries } from "@lango/testkit";
import Schema from "typebox/schema";
import { describe, expect, test } from "vitest";
import { recordSubscription } from "../src/demo.store.ts";
import { auditOf, codeOf, type Desk, setUpDesk, until } from "./desk.ts";

const { service, desk } = setUpDesk();

describe("selecting a plan", () => {
	test("starts a trial of 14 days, and publishes the whole snapshot", async () => {
		const { status, body } = await desk.ask("POST", "", { plan: "GROWTH" });
		expect([status, Schema.Compile(Subscription).Check(body)]).toEqual([201, true]);
		expect(body).toMatchObject({
			status: "TRIAL",
			plan: "GROWTH",
			trial_end: "2026-03-15T12:00:00.000Z",
			version: 1,
		});
		expect(await desk.events()).toEqual([{ type: "subscription.entitlements_changed", data: body }]);
		expect(await auditOf(service, desk.tenantId)).toEqual(["plan.selected"]);
	});

	test("in a trial changes the plan and keeps the end", async () => {
		await desk.ask("POST", "", { plan: "GROWTH" });
		service.clock.now = new Date("2026-03-10T12:00:00Z");
		const { status, body } = await desk.ask("POST", "", { plan: "STARTER" });
		expect(status).toBe(200);
		expect(body).toMatchObject({
			status: "TRIAL",
			plan: "STARTER",
			trial_end: "2026-03-15T12:00:00.000Z",
			version: 2,
		});
	});

	test("after the trial waits for a payment: a tenant has one trial", async () => {
		await desk.ask("POST", "", { plan: "GROWTH" });
		service.clock.now = new Date("2026-03-16T12:00:00Z");
		const { status, body } = await desk.ask("POST", "", { plan: "STARTER" });
		expect(status).toBe(200);
		expect(body).toMatchObject({
			status: "EXPIRED",
			access: "grace",
			plan: "GROWTH",
			pending_change: { plan: "STARTER", effective_at: null },
		});
		expect(codeOf(await desk.ask("POST", "/checkout", { plan: "STARTER" }))[0]).toBe(202);
		await until(desk.isOn("STARTER", "ACTIVE"));
		expect(await desk.snapshot()).toMatchObject({
			pending_change: null,
			expires_at: "2026-04-16T12:00:00.000Z",
		});
	});

	test("twice concurrently is one trial, and a conflict or the same plan", async () => {
		const answers = await Promise.all([1, 2, 3].map(() => desk.ask("POST", "", { plan: "GROWTH" })));
		expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
		expect(answers.every(({ status }) => [200, 201, 409].includes(status))).toBe(true);
		expect((await desk.snapshot()).trial_end).toBe("2026-03-15T12:00:00.000Z");
	});

	test("for the first time while a concurrent request does is refused as a conflict", async () => {
		let selecting: ReturnType<Desk["ask"]> | undefined;
		await inTenant(
			service.db,
			desk.tenantId,
			besideOthers(async (tx) => {
				const endsAt = new Date("2026-03-15T12:00:00Z");
				await recordSubscription(tx, {
					tenantId: desk.tenantId,
					plan: "STARTER",
					addOns: [],
					trial: { startedAt: service.clock.now, endsAt },
					period: null,
					expiresAt: endsAt,
					graceUntil: endsAt,
					isRenewed: false,
				});
				selecting = desk.ask("POST", "", { plan: "GROWTH" });
				await waitForBlockedQueries(service.db);
			}),
		);
		expect(selecting && codeOf(await selecting)).toEqual([409, "subscription_changed"]);
		expect((await desk.snapshot()).plan).toBe("STARTER");
	});

	test("with another length and grace period in a trial keeps the end and gets the new grace period", async () => {
		await desk.own("POST", "/api/v1/admin/plans", { code: "LONG", name: "Long", position: 992 });
		const made = await desk.own("POST", "/api/v1/admin/plans/LONG/versions", {
			bundle: "starter",
			price_minor: 1,
			currency: "KES",
			interval: "month",
			trial_days: 30,
			grace_days: 2,
			features: [],
			limits: {},
			overage: {},
		});
		expect(made.status).toBe(201);
		await desk.ask("POST", "", { plan: "GROWTH" });
		const { body } = await desk.ask("POST", "", { plan: "LONG" });
		expect(body).toMatchObject({ plan: "LONG", trial_end: "2026-03-15T12:00:00.000Z" });
		service.clock.now = new Date("2026-03-15T12:00:00Z");
		expect(await desk.snapshot()).toMatchObject({
			status: "EXPIRED",
			access: "grace",
			grace_until: "2026-03-17T12:00:00.000Z",
		});
	});

	test.each([
		["a plan that is not on offer", "", { plan: "GOLD" }, 404, "plan_not_found", "plan"],
		["a plan in lower case", "", { plan: "growth" }, 400, "invalid_input", "plan"],
		["no plan", "", {}, 400, "invalid_input", "plan"],
		["an unknown member", "", { plan: "GROWTH", price: 0 }, 400, "invalid_input", "price"],
	])("%s is refused", async (...[, path, body, status, code, field]) => {
		const answer = await desk.ask("POST", path, body);
		expect([...codeOf(answer), answer.body["field"]]).toEqual([status, code, field]);
	});

	test("is refused while a paid subscription runs", async () => {
		await desk.payFor("STARTER");
		expect(codeOf(await desk.ask("POST", "", { plan: "GROWTH" }))).toEqual([409, "change_needs_quote"]);
	});

	test("is refused for the platform owner's own tenant", async () => {
		const platform = randomUUID();
		const token = service.tokenOf(platform, { roles: ["superuser"], tenant_slug: "lango" });
		const answer = await service.app.inject({
			method: "POST",
			url: `/api/v1/tenants/${platform}/subscription`,
			headers: { authorization: `Bearer ${token}` },
			payload: { plan: "GROWTH" },
		});
		expect([answer.statusCode, answer.json().code]).toEqual([409, "platform_has_no_subscription"]);
	});

	test("by the platform owner for an unknown tenant is refused", async () => {
		const url = `/api/v1/tenants/${randomUUID()}/subscription`;
		expect(codeOf(await desk.own("POST", url, { plan: "GROWTH" }))).toEqual([404, "tenant_not_found"]);
	});
});

describe("paying", () => {
	test("in a trial keeps the rest of it before the period begins", async () => {
		await desk.ask("POST", "", { plan: "GROWTH" });
		const { status, body } = await desk.ask("POST", "/checkout", { plan: "GROWTH" });
		expect(status).toBe(202);
		expect(body).toEqual({ operation_id: expect.any(String), amount_minor: 450_000, currency: "KES" });
		await until(desk.isOn("GROWTH", "ACTIVE"));
		expect((await desk.snapshot()).expires_at).toBe("2026-04-15T12:00:00.000Z");
	});

	test("requested twice is one operation, and is paid once", async () => {
		await desk.ask("POST", "", { plan: "GROWTH" });
		await desk.answers("silent");
		const one = await desk.ask("POST", "/checkout", { plan: "GROWTH" });
		await desk.answers("pays");
		const other = await desk.ask("POST", "/checkout", { plan: "GROWTH" });
		expect(other.body["operation_id"]).toBe(one.body["operation_id"]);
		await until(desk.isOn("GROWTH", "ACTIVE"));
		expect(await desk.books()).toMatchObject({ cash: 450_000, charged: 450_000, balance: 0 });
	});

	test("that is refused changes nothing", async () => {
		await desk.ask("POST", "", { plan: "GROWTH" });
		await desk.answers("refuses");
		await desk.ask("POST", "/checkout", { plan: "PROFESSIONAL" });
		await until(async () => (await desk.books()).operations[0]?.status === "closed");
		expect(await desk.snapshot()).toMatchObject({ status: "TRIAL", plan: "GROWTH" });
		expect(await desk.books()).toMatchObject({ cash: 0, charged: 0 });
	});

	test("is refused if nothing is due, and without a subscription", async () => {
		expect(codeOf(await desk.ask("POST", "/checkout", { plan: "GROWTH" }))).toEqual([404, "no_subscription"]);
		await desk.payFor("GROWTH");
		expect(codeOf(await desk.ask("POST", "/checkout", { plan: "GROWTH" }))).toEqual([409, "nothing_to_pay"]);
		expect(codeOf(await desk.ask("POST", "/checkout", { plan: "GOLD" }))).toEqual([404, "plan_not_found"]);
	});
});

describe("changing a subscription", () => {
	const paths = ["", "/checkout", "/quote", "/change", "/cancel", "/resume"];
	const post = (path: string, headers: Record<string, string>) =>
		service.app.inject({
			method: "POST",
			url: `/api/v1/tenants/${desk.tenantId}/subscription${path}`,
			headers,
			...(path === "/cancel" || path === "/resume"
				? {}
				: { payload: path === "/change" ? { quote_id: randomUUID(), mode: "now" } : { plan: "GROWTH" } }),
		});
	const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

	test.each<[string, () => Record<string, string>, number, string]>([
		[
			"a member without the role admin",
			() => bearer(service.tokenOf(desk.tenantId, { roles: ["manager"] })),
			403,
			"forbidden",
		],
		["a service with its API key", () => ({ "x-api-key": service.apiKey }), 403, "forbidden"],
		[
			"another tenant's admin",
			() => bearer(service.tokenOf(randomUUID(), { roles: ["admin"] })),
			404,
			"tenant_not_found",
		],
		[
			"an admin whose account is pending",
			() => bearer(service.tokenOf(desk.tenantId, { roles: ["admin"], user_status: "pending" })),
			403,
			"account_pending",
		],
		["an anonymous caller", () => ({}), 401, "token_invalid"],
	])("not %s", async (...[, headers, status, code]) => {
		for (const path of paths) {
			const answer = await post(path, headers());
			expect([path, answer.statusCode, answer.json().code]).toEqual([path, status, code]);
		}
	});

	test("is allowed to the platform owner for a tenant with a subscription", async () => {
		await desk.ask("POST", "", { plan: "GROWTH" });
		const url = `/api/v1/tenants/${desk.tenantId}/subscription`;
		expect((await desk.own("POST", url, { plan: "STARTER" })).body["plan"]).toBe("STARTER");
	});
});
