import { randomUUID } from "node:crypto";
import { openPool } from "@lango/postgres";
import { beforeEach, describe, expect, test } from "vitest";
import { auditOf, codeOf, setUpDesk } from "./desk.ts";

const { service, desk } = setUpDesk();

const plans = "/api/v1/admin/plans";
const version = {
	bundle: "professional",
	price_minor: 500_000,
	currency: "KES",
	interval: "month",
	trial_days: 14,
	grace_days: 7,
	features: ["customer_portal", "multi_outlet"],
	limits: { max_riders: 20, max_admins: -1 },
	overage: { max_orders_per_day: { unit_price_minor: 500, cap: 200 } },
};
let places = 100;
async function newPlan(): Promise<string> {
	places += 1;
	const code = `PLAN${places}`;
	const { status } = await desk.own("POST", plans, { code, name: "A plan", position: places });
	expect(status).toBe(201);
	return code;
}
const publish = (code: string, more: object = {}) =>
	desk.own("POST", `${plans}/${code}/versions`, { ...version, ...more });
const offered = async () =>
	(
		(await desk.own("GET", "/api/v1/plans")).body["items"] as Array<{
			code: string;
			version: number;
			price_minor: number;
		}>
	).map(({ code, version: number, price_minor }) => `${code} ${number} ${price_minor}`);

describe("a plan created by the platform owner", () => {
	test("is on offer in its newest version that is not retired, and is in the audit log", async () => {
		const code = await newPlan();
		expect((await offered()).filter((line) => line.startsWith(code))).toEqual([]);
		expect((await publish(code)).body).toEqual({ code, version: 1 });
		expect((await publish(code, { price_minor: 600_000 })).body).toEqual({ code, version: 2 });
		expect(await offered()).toContain(`${code} 2 600000`);
		expect((await desk.own("POST", `${plans}/${code}/versions/2/retire`)).status).toBe(200);
		expect(await offered()).toContain(`${code} 1 500000`);
		await desk.own("POST", `${plans}/${code}/versions/1/retire`);
		expect((await offered()).filter((line) => line.startsWith(code))).toEqual([]);
		expect(codeOf(await desk.ask("POST", "", { plan: code }))).toEqual([404, "plan_not_found"]);
		const made = ["plan.made", "plan_version.made", "plan_version.made"];
		expect(await auditOf(service, code)).toEqual([...made, "plan_version.retired", "plan_version.retired"]);
	});

	test("lists its versions in pages", async () => {
		const code = await newPlan();
		for (const price_minor of [1, 2, 3]) await publish(code, { price_minor });
		const first = await desk.own("GET", `${plans}/${code}/versions?limit=2&total=true`);
		expect(first.body["total"]).toBe(3);
		expect(first.body["items"]).toMatchObject([
			{ ...version, version: 3, price_minor: 3, retired_at: null },
			{ version: 2 },
		]);
		const next = await desk.own(
			"GET",
			`${plans}/${code}/versions?limit=2&cursor=${first.body["next_cursor"]}`,
		);
		expect(next.body).toMatchObject({ items: [{ version: 1, price_minor: 1 }], next_cursor: null });
	});

	test("does not change the version and the price of a tenant that has it", async () => {
		const code = await newPlan();
		await publish(code);
		await desk.payFor(code);
		await publish(code, { price_minor: 900_000, limits: { max_riders: 1 } });
		expect((await desk.snapshot()).limits).toMatchObject({ max_riders: 20 });
		await desk.daysPass(32);
		expect((await desk.books()).cash).toBe(1_000_000);
		const quoted = await desk.quote(code);
		expect(quoted).toMatchObject({ plan_version: 2, direction: "upgrade" });
	});

	test("numbers two versions created concurrently", async () => {
		const code = await newPlan();
		const answers = await Promise.all([publish(code), publish(code), publish(code)]);
		expect(answers.map(({ body }) => body["version"]).sort()).toEqual([1, 2, 3]);
	});

	test.each<[string, object, string]>([
		["an unknown bundle", { bundle: "everything" }, "bundle"],
		["an unknown feature", { features: ["teleport"] }, "features"],
		["a limit as a feature", { features: ["max_riders"] }, "features"],
		["an unknown limit", { limits: { max_wishes: 1 } }, "limits"],
		[
			"an overage price of 0",
			{ overage: { max_orders_per_day: { unit_price_minor: 0, cap: 1 } } },
			"overage.max_orders_per_day.unit_price_minor",
		],
		[
			"an overage of an unknown limit",
			{ overage: { multi_outlet: { unit_price_minor: 1, cap: 1 } } },
			"overage",
		],
		["a negative price", { price_minor: -1 }, "price_minor"],
		["a fraction of a cent", { price_minor: 0.5 }, "price_minor"],
		["a weekly interval", { interval: "week" }, "interval"],
		["a currency in lower case", { currency: "kes" }, "currency"],
	])("refuses %s", async (_what, more, field) => {
		const answer = await publish("GROWTH", more);
		expect([...codeOf(answer), String(answer.body["field"])]).toEqual([400, "invalid_input", field]);
	});

	test("refuses a second retirement, a taken position, and an unknown version", async () => {
		const code = await newPlan();
		const again = { code, name: "Again", position: 999 };
		expect(codeOf(await desk.own("POST", plans, again))).toEqual([409, "plan_exists"]);
		const place = { code: "PLACE", name: "Place", position: 10 };
		expect(codeOf(await desk.own("POST", plans, place))).toEqual([409, "plan_exists"]);
		expect(codeOf(await publish("NOBODYS"))).toEqual([404, "plan_not_found"]);
		const retire = `${plans}/${code}/versions/1/retire`;
		expect(codeOf(await desk.own("POST", retire))).toEqual([404, "plan_version_not_found"]);
		await publish(code);
		await desk.own("POST", retire);
		expect(codeOf(await desk.own("POST", retire))).toEqual([409, "version_retired"]);
	});
});

describe("a published version", () => {
	test.each([
		"update plan_versions set price_minor = 1",
		"delete from plan_versions where plan_code = 'GROWTH'",
		"truncate plan_versions cascade",
		"update add_on_versions set price_minor = 1",
		"delete from add_on_versions",
		"truncate add_on_versions cascade",
	])("cannot be changed, even by the owner of the tables: %s", async (statement) => {
		const owner = openPool({ url: service.database.ownerUrl, name: "owner", sizeMax: 1 });
		try {
			await expect(owner.query(statement)).rejects.toThrow(/a published version is never changed/);
		} finally {
			await owner.close();
		}
		await expect(service.db.query(statement)).rejects.toThrow(/permission denied/);
	});
});

describe("overrides of a tenant", () => {
	const overrides = () => `/api/v1/admin/tenants/${desk.tenantId}/overrides`;
	const wanted = {
		features: { api_webhooks: true, customer_portal: false },
		limits: { max_riders: 99 },
		products: ["pos"],
		because: "agreed by telephone",
	};

	test("replace the plan's terms, are published, in the audit log, and can be removed", async () => {
		await desk.ask("POST", "", { plan: "STARTER" });
		const { status, body } = await desk.own("PUT", overrides(), wanted);
		expect(status).toBe(200);
		expect(body).toMatchObject({
			features: ["api_webhooks"],
			limits: { max_riders: 99, max_admins: 1 },
			products: ["ordering", "pos", "auth"],
			version: 2,
		});
		const notice = await desk.events("subscription.entitlements_changed");
		expect(notice.at(-1)?.data).toEqual(body);
		expect((await desk.own("DELETE", overrides())).body).toMatchObject({
			features: ["customer_portal"],
			limits: { max_riders: 0 },
			products: ["ordering", "auth"],
		});
		expect(await auditOf(service, desk.tenantId)).toEqual([
			"plan.selected",
			"overrides.set",
			"overrides.removed",
		]);
	});

	test.each<[string, object, string]>([
		["an unknown feature", { features: { teleport: true } }, "features"],
		["an unknown limit", { limits: { max_wishes: 3 } }, "limits"],
		["an unknown product", { products: ["rockets"] }, "0"],
		["no reason", { because: "" }, "because"],
	])("are refused with %s", async (_what, more, field) => {
		await desk.ask("POST", "", { plan: "STARTER" });
		const answer = await desk.own("PUT", overrides(), { ...wanted, ...more });
		expect(codeOf(answer)).toEqual([400, "invalid_input"]);
		expect(String(answer.body["field"])).toContain(field);
	});

	test("are refused for a tenant without a subscription", async () => {
		expect(codeOf(await desk.own("PUT", overrides(), wanted))).toEqual([404, "no_subscription"]);
		expect(codeOf(await desk.own("DELETE", overrides()))).toEqual([404, "no_subscription"]);
	});
});

describe("granted time", () => {
	const grant = (days: unknown) =>
		desk.own("POST", `/api/v1/admin/tenants/${desk.tenantId}/grants`, { days, because: "an outage of ours" });

	test("extends a trial", async () => {
		await desk.ask("POST", "", { plan: "GROWTH" });
		expect((await grant(10)).body).toMatchObject({ status: "TRIAL", trial_end: "2026-03-25T12:00:00.000Z" });
		expect(await auditOf(service, desk.tenantId)).toContain("time.granted");
	});

	test("extends a paid period, and the next one begins at the new end", async () => {
		await desk.payFor("GROWTH");
		expect((await grant(5)).body).toMatchObject({ status: "ACTIVE", expires_at: "2026-04-20T12:00:00.000Z" });
		expect((await desk.daysPass(37)).expires_at).toBe("2026-05-20T12:00:00.000Z");
	});

	test("reactivates an expired subscription from now", async () => {
		await desk.ask("POST", "", { plan: "GROWTH" });
		service.clock.now = new Date("2026-05-01T12:00:00Z");
		expect((await grant(3)).body).toMatchObject({
			status: "ACTIVE",
			access: "full",
			expires_at: "2026-05-04T12:00:00.000Z",
		});
		expect((await desk.books()).cash).toBe(0);
	});

	describe("under an Idempotency-Key", () => {
		const grantUnder = async (
			key: string,
			body: object = { days: 10, because: "an outage of ours" },
			sub?: string,
		) => {
			const token = service.tokenOf(desk.tenantId, {
				roles: ["superuser"],
				tenant_slug: "lango",
				sub: sub ?? owner,
			});
			const answer = await service.app.inject({
				method: "POST",
				url: `/api/v1/admin/tenants/${desk.tenantId}/grants`,
				headers: { authorization: `Bearer ${token}`, "idempotency-key": key },
				payload: body,
			});
			return { status: answer.statusCode, body: answer.json() as Record<string, unknown> };
		};
		const owner = randomUUID();
		const granted = async () =>
			(await auditOf(service, desk.tenantId)).filter((action) => action === "time.granted").length;
		beforeEach(() => desk.ask("POST", "", { plan: "GROWTH" }));

		test("takes effect once, with the same response, even when repeated concurrently", async () => {
			const first = await grantUnder("one");
			expect(first.body).toMatchObject({ trial_end: "2026-03-25T12:00:00.000Z" });
			expect(await grantUnder("one")).toEqual(first);
			// As many as the pool has connections for: on a busy machine one that waits too long is refused.
			const answers = await Promise.all([1, 2, 3].map(() => grantUnder("two")));
			expect(answers.map(({ body }) => body["trial_end"])).toEqual(
				answers.map(() => "2026-04-04T12:00:00.000Z"),
			);
			expect(await granted()).toBe(2);
		});

		test("that was used for another grant is refused, and nothing is granted", async () => {
			await grantUnder("one");
			for (const body of [
				{ days: 11, because: "an outage of ours" },
				{ days: 10, because: "another" },
			])
				expect(codeOf(await grantUnder("one", body))).toEqual([409, "idempotency_key_reused"]);
			expect(await granted()).toBe(1);
		});

		test("of another caller is a separate key", async () => {
			await grantUnder("one");
			expect((await grantUnder("one", undefined, randomUUID())).body).toMatchObject({
				trial_end: "2026-04-04T12:00:00.000Z",
			});
		});

		test("that is malformed is refused", async () => {
			const answer = await grantUnder("a b");
			expect([answer.status, answer.body["field"]]).toEqual([400, "idempotency-key"]);
		});
	});

	test.each([[0], [367], [1.5], ["many"]])("of %s days is refused", async (days) => {
		await desk.ask("POST", "", { plan: "GROWTH" });
		const answer = await grant(days);
		expect([...codeOf(answer), answer.body["field"]]).toEqual([400, "invalid_input", "days"]);
	});

	test("is refused for a tenant without a subscription", async () => {
		expect(codeOf(await grant(1))).toEqual([404, "no_subscription"]);
	});
});

describe("the audit log", () => {
	test("names who did what, latest first, for one tenant or all, in pages", async () => {
		await desk.ask("POST", "", { plan: "GROWTH" });
		await desk.ask("POST", "", { plan: "STARTER" });
		const first = await desk.own("GET", `/api/v1/admin/audit?tenant_id=${desk.tenantId}&limit=1&total=true`);
		expect(first.body["total"]).toBe(2);
		expect(first.body["items"]).toMatchObject([
			{
				tenant_id: desk.tenantId,
				action: "plan.selected",
				detail: { plan: "STARTER" },
				actor: { kind: "user" },
			},
		]);
		const rest = await desk.own(
			"GET",
			`/api/v1/admin/audit?tenant_id=${desk.tenantId}&cursor=${first.body["next_cursor"]}`,
		);
		expect(rest.body).toMatchObject({ items: [{ detail: { plan: "GROWTH" } }], next_cursor: null });
	});

	test("with a malformed cursor is refused", async () => {
		const answer = await desk.own("GET", "/api/v1/admin/audit?cursor=x");
		expect([...codeOf(answer), answer.body["field"]]).toEqual([400, "invalid_input", "cursor"]);
	});
});

describe("every route of the platform owner", () => {
	const routes = (): Array<[method: "GET" | "POST" | "PUT" | "DELETE", url: string, payload?: object]> => [
		["GET", "/api/v1/admin/audit"],
		["GET", plans],
		["GET", "/api/v1/admin/add-ons"],
		["GET", "/api/v1/admin/catalogue"],
		["GET", `/api/v1/admin/tenants/${desk.tenantId}/overrides`],
		["POST", plans, { code: "X1", name: "X", position: 5 }],
		["GET", `${plans}/GROWTH/versions`],
		["POST", `${plans}/GROWTH/versions`, version],
		["POST", `${plans}/GROWTH/versions/1/retire`],
		[
			"PUT",
			`/api/v1/admin/tenants/${desk.tenantId}/overrides`,
			{ features: {}, limits: {}, products: [], because: "x" },
		],
		["DELETE", `/api/v1/admin/tenants/${desk.tenantId}/overrides`],
		["POST", `/api/v1/admin/tenants/${desk.tenantId}/grants`, { days: 1, because: "x" }],
	];

	test.each<[string, () => Record<string, string>, number]>([
		["an admin of the tenant", () => bearer(service.tokenOf(desk.tenantId, { roles: ["admin"] })), 403],
		[
			"a superuser of another tenant than the platform's",
			() => bearer(service.tokenOf(desk.tenantId, { roles: ["superuser"] })),
			403,
		],
		[
			"an admin of the platform owner without the role superuser",
			() => bearer(service.tokenOf(desk.tenantId, { roles: ["admin"], tenant_slug: "lango" })),
			403,
		],
		["a service with its API key", () => ({ "x-api-key": service.apiKey }), 403],
		["an anonymous caller", () => ({}), 401],
	])("is refused to %s", async (_who, headers, status) => {
		for (const [method, url, payload] of routes()) {
			const answer = await service.app.inject({
				method,
				url,
				headers: headers(),
				...(payload && { payload }),
			});
			expect([method, url, answer.statusCode]).toEqual([method, url, status]);
		}
	});

	test("of a tenant is not found by an admin of another tenant", async () => {
		const headers = bearer(service.tokenOf(randomUUID(), { roles: ["admin"] }));
		for (const [method, url, payload] of routes().filter(([, address]) => address.includes("/tenants/"))) {
			const answer = await service.app.inject({ method, url, headers, ...(payload && { payload }) });
			expect([url, answer.statusCode, answer.json().code]).toEqual([url, 404, "tenant_not_found"]);
		}
	});
});

function bearer(token: string): Record<string, string> {
	return { authorization: `Bearer ${token}` };
}
