import { randomUUID } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { codeOf, setUpDesk, until } from "./desk.ts";

const { service, desk, changeTenant } = setUpDesk();
beforeAll(async () => {
	await service.db.query("insert into add_ons (code, name) values ('more_riders', 'More riders')");
	await publish(1, 50_000);
});
beforeEach(async () => {
	await desk.payFor("STARTER");
	// 15 March to 15 April are 2,678,400 s; 16 days of them, 1,382,400 s, are left.
	service.clock.now = new Date("2026-03-30T12:00:00Z");
});

const publish = (version: number, price: number) =>
	service.db.query(
		`insert into add_on_versions (add_on_code, version, price_minor, currency, billing_interval, products, features, limits)
		 values ('more_riders', $1, $2, 'KES', 'month', '{}', '{route_optimization}', '{"max_riders": 10}')`,
		[version, price],
	);
const quote = async (body: object) => {
	const { status, body: quoted } = await desk.ask("POST", "/quote", body);
	if (status !== 200) throw new Error(`no quote: ${status} ${JSON.stringify(quoted)}`);
	return quoted as { quote_id: string; due_minor: number } & Record<string, unknown>;
};
const change = async (body: object, mode = "now", more: object = {}) => {
	const { quote_id } = await quote(body);
	return desk.ask("POST", "/change", { quote_id, mode, ...more });
};
const subscription = async () => {
	const { items } = (await desk.ask("GET", "/add-ons")).body as { items: Array<{ code: string }> };
	return items;
};
const codes = async () => (await subscription()).map(({ code }) => code);
/** Adds add-ons and waits until they are paid. */
const takeAndPay = async (...wanted: string[]) => {
	expect((await change({ add_ons: wanted })).status).toBe(202);
	await until(async () => (await codes()).join() === wanted.join());
};

describe("adding an add-on", () => {
	test("is quoted for the rest of the period, and takes effect at the quoted price when it is paid", async () => {
		const quoted = await quote({ add_ons: ["pos"] });
		expect(quoted).toMatchObject({
			plan: "STARTER",
			add_ons: ["pos"],
			direction: "upgrade",
			charge_minor: 51_613,
			credit_minor: 0,
			due_minor: 51_613,
			lines: [{ what: "add_on", code: "pos", amount_minor: 51_613 }],
			period_ends_at: "2026-04-15T12:00:00.000Z",
			acknowledgement_required: false,
		});
		await desk.answers("silent");
		const taken = await desk.ask("POST", "/change", { quote_id: quoted.quote_id, mode: "now" });
		expect(taken).toMatchObject({
			status: 202,
			body: { outcome: "payment_requested", amount_minor: 51_613 },
		});
		expect((await desk.snapshot()).products).not.toContain("pos");
		await service.payLate(desk.tenantId, String(taken.body["operation_id"]));
		expect(await desk.snapshot()).toMatchObject({ plan: "STARTER", products: ["ordering", "pos", "auth"] });
		const [billing] = (await desk.events("subscription.billing.requested")).slice(-1);
		expect(billing?.data).toMatchObject({ kind: "change", amount_minor: 51_613 });
		const { cash, charged, credited, balance } = await desk.books();
		expect([cash, charged - credited, balance]).toEqual([201_613, 201_613, 0]);
	});

	test("adds its features and limits to the plan's, and publishes them", async () => {
		const before = (await desk.snapshot()).version;
		await takeAndPay("more_riders");
		const now = await desk.snapshot();
		expect(now).toMatchObject({
			features: ["customer_portal", "route_optimization"],
			limits: { max_riders: 10, max_orders_per_day: 100 },
		});
		expect(now.version).toBeGreaterThan(before);
		expect((await desk.events("subscription.entitlements_changed")).at(-1)?.data).toEqual(now);
	});

	test.each(["refuses", "silent"] as const)(
		"has no effect if the treasury's answer is: %s",
		async (answer) => {
			await desk.answers(answer);
			await change({ add_ons: ["pos"] });
			const expected = answer === "refuses" ? "closed" : "requested";
			await until(async () => (await desk.books()).operations.some(({ status }) => status === expected));
			expect([await codes(), (await desk.snapshot()).products]).toEqual([[], ["ordering", "auth"]]);
		},
	);

	test("is renewed with the plan, each at its own price", async () => {
		await takeAndPay("pos");
		await desk.daysPass(17);
		expect((await desk.books()).operations.at(-1)).toMatchObject({ kind: "renewal", amount: 250_000 });
	});

	test("together with another plan is one change", async () => {
		const quoted = await quote({ plan: "GROWTH", add_ons: ["pos"] });
		expect(quoted["lines"]).toEqual([
			{ what: "plan", code: "GROWTH", amount_minor: 232_258 },
			{ what: "add_on", code: "pos", amount_minor: 51_613 },
			{ what: "credit", code: "STARTER", amount_minor: -77_419 },
		]);
		await desk.ask("POST", "/change", { quote_id: quoted.quote_id, mode: "now" });
		await until(desk.isOn("GROWTH", "ACTIVE"));
		expect(await codes()).toEqual(["pos"]);
		expect((await desk.books()).cash).toBe(150_000 + quoted.due_minor);
	});

	test("at the end of the period is refused, because it would precede its payment", async () => {
		const refused = await change({ add_ons: ["pos"] }, "period_end");
		expect(codeOf(refused)).toEqual([409, "upgrade_needs_payment"]);
		expect([await subscription(), (await desk.snapshot()).pending_change]).toEqual([[], null]);
	});

	test("in granted time charges only the add-on, because the plan was not paid", async () => {
		changeTenant();
		await desk.ask("POST", "", { plan: "STARTER" });
		service.clock.now = new Date("2026-05-01T12:00:00Z");
		const grant = { days: 30, because: "sorry" };
		expect((await desk.own("POST", `/api/v1/admin/tenants/${desk.tenantId}/grants`, grant)).status).toBe(200);
		const { lines } = await quote({ add_ons: ["pos"] });
		expect(lines).toEqual([{ what: "add_on", code: "pos", amount_minor: 96_774 }]);
	});
});

describe("removing an add-on", () => {
	beforeEach(() => takeAndPay("pos"));

	test("shows what is lost, and requires an acknowledgement", async () => {
		const quoted = await quote({ add_ons: [] });
		expect(quoted).toMatchObject({
			direction: "downgrade",
			add_ons: [],
			products_lost: ["pos"],
			acknowledgement_required: true,
			credit_minor: 51_612,
			due_minor: 0,
		});
		const answer = await desk.ask("POST", "/change", { quote_id: quoted.quote_id, mode: "period_end" });
		expect(codeOf(answer)).toEqual([409, "acknowledgement_required"]);
		expect(answer.body).toMatchObject({ products_lost: ["pos"] });
	});

	test("at the end of the period takes effect then, can be withdrawn, and is not renewed", async () => {
		const schedule = () => change({ add_ons: [] }, "period_end", { acknowledge: true });
		expect((await schedule()).body).toMatchObject({ outcome: "scheduled", amount_minor: 0 });
		const endsAt = "2026-04-15T12:00:00.000Z";
		expect(await subscription()).toMatchObject([
			{ code: "pos", version: 1, price_minor: 100_000, ends_at: endsAt },
		]);
		expect((await desk.snapshot()).pending_change).toEqual({ plan: "STARTER", effective_at: endsAt });
		expect((await desk.ask("DELETE", "/pending-change")).status).toBe(200);
		expect(await subscription()).toMatchObject([{ code: "pos", ends_at: null }]);
		await schedule();
		// No job has run: reads follow the time.
		service.clock.now = new Date("2026-04-15T12:00:00Z");
		expect([(await desk.snapshot()).products, await codes()]).toEqual([["ordering", "auth"], []]);
		await desk.daysPass(1);
		expect((await desk.books()).operations.at(-1)).toMatchObject({ kind: "renewal", amount: 150_000 });
		expect(await codes()).toEqual([]);
	});

	test("now takes effect at once, and the rest of its payment becomes credit", async () => {
		const { status, body } = await change({ add_ons: [] }, "now", { acknowledge: true });
		expect([status, body["outcome"]]).toEqual([200, "changed"]);
		expect([(await desk.snapshot()).products, await codes()]).toEqual([["ordering", "auth"], []]);
		const { cash, charged, credited, balance } = await desk.books();
		expect([cash, balance, charged - credited]).toEqual([201_613, 51_612, 150_001]);
	});

	test("after a change of plan still credits its payment, which was carried over", async () => {
		await desk.ask("POST", "/change", { quote_id: (await quote({ plan: "GROWTH" })).quote_id, mode: "now" });
		await until(desk.isOn("GROWTH", "ACTIVE"));
		expect(await codes()).toEqual(["pos"]);
		expect(await quote({ add_ons: [] })).toMatchObject({ credit_minor: 51_612 });
	});

	test("names the limits that are exceeded, and deletes nothing", async () => {
		await takeAndPay("more_riders", "pos");
		const consumed = await service.app.inject({
			method: "POST",
			url: `/api/v1/tenants/${desk.tenantId}/usage/consume`,
			headers: { "x-api-key": service.apiKey },
			payload: { id: randomUUID(), limit: "max_riders", metric: "rider_count", value: 4 },
		});
		expect(consumed.statusCode).toBe(200);
		const loss = {
			features_lost: ["route_optimization"],
			limits_lowered: [{ limit: "max_riders", from: 10, to: 0 }],
			limits_exceeded: [{ limit: "max_riders", used: 4, allowed: 0 }],
		};
		expect(await quote({ add_ons: ["pos"] })).toMatchObject(loss);
		expect((await change({ add_ons: ["pos"] }, "now")).body).toMatchObject(loss);
		expect((await change({ add_ons: ["pos"] }, "now", { acknowledge: true })).status).toBe(200);
		expect(await codes()).toEqual(["pos"]);
	});
});

test("a tenant keeps the version of its add-on, and adds the newest one", async () => {
	await takeAndPay("more_riders");
	await publish(2, 80_000);
	expect(await quote({ add_ons: ["more_riders", "pos"] })).toMatchObject({
		lines: [{ what: "add_on", code: "pos" }],
	});
	expect(await subscription()).toMatchObject([{ version: 1, price_minor: 50_000 }]);
	const mine = { ...desk };
	changeTenant();
	service.clock.now = new Date("2026-03-01T12:00:00Z");
	await desk.payFor("STARTER");
	await takeAndPay("more_riders");
	expect(await subscription()).toMatchObject([{ version: 2, price_minor: 80_000 }]);
	changeTenant(mine);
});

describe("a quote for add-ons", () => {
	test.each<[string, object, string]>([
		["that do not exist", { add_ons: ["moon"] }, "404 add_on_not_found add_ons"],
		["that the tenant already has", { add_ons: [] }, "409 plan_unchanged undefined"],
		["named twice", { add_ons: ["pos", "pos"] }, "400 invalid_input add_ons"],
		["that is not a list", { add_ons: "pos" }, "400 invalid_input add_ons"],
		["with an unknown field", { addons: ["pos"] }, "400 invalid_input addons"],
	])("%s is refused", async (_what, body, refusal) => {
		const answer = await desk.ask("POST", "/quote", body);
		expect([...codeOf(answer), answer.body["field"]].join(" ")).toBe(refusal.replace("undefined", ""));
	});

	test("with an empty body is refused", async () => {
		expect(codeOf(await desk.ask("POST", "/quote", {}))).toEqual([400, "invalid_input"]);
	});

	test("in another currency than the plan's is refused", async () => {
		await service.db.query("insert into add_ons (code, name) values ('dollar', 'D') on conflict do nothing");
		await service.db.query(
			`insert into add_on_versions (add_on_code, version, price_minor, currency, billing_interval, products, features, limits)
			 values ('dollar', 1, 1, 'USD', 'month', '{}', '{}', '{}')`,
		);
		expect(codeOf(await desk.ask("POST", "/quote", { add_ons: ["dollar"] }))).toEqual([
			409,
			"currency_differs",
		]);
	});

	test("requires a running paid subscription; without a subscription there are no add-ons to list", async () => {
		changeTenant();
		expect(codeOf(await desk.ask("GET", "/add-ons"))).toEqual([404, "no_subscription"]);
		await desk.ask("POST", "", { plan: "STARTER" });
		expect(codeOf(await desk.ask("POST", "/quote", { add_ons: ["pos"] }))).toEqual([
			409,
			"nothing_to_change",
		]);
		expect(await subscription()).toEqual([]);
	});
});
