import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Desk, isOn, openDesk, payFor, until } from "./desk.ts";
import { type Standing, standUp } from "./standing.ts";

// What waits for the end of the period, and what else a change leaves as it was.

let standing: Standing;
let desk: Desk;
beforeAll(async () => {
	standing = await standUp();
	desk = openDesk(standing);
	await desk.own("POST", "/api/v1/admin/plans", { code: "YEARLY", name: "Yearly", position: 991 });
	const { status } = await desk.own("POST", "/api/v1/admin/plans/YEARLY/versions", {
		bundle: "starter",
		price_minor: 1_500_000,
		currency: "KES",
		interval: "year",
		trial_days: 14,
		grace_days: 7,
		features: ["customer_portal"],
		limits: { max_orders_per_day: 100 },
		overage: {},
	});
	if (status !== 201) throw new Error(`no plan: ${status}`);
});
afterAll(() => standing.end());
beforeEach(() => {
	standing.clock.now = new Date("2026-03-01T12:00:00Z");
	desk = openDesk(standing);
});

const endsAt = "2026-04-15T12:00:00.000Z";
const change = async (body: object, mode: "now" | "period_end") => {
	const quoted = await desk.ask("POST", "/quote", body);
	const taking = { quote_id: quoted.body["quote_id"], mode, acknowledge: true };
	const taken = await desk.ask("POST", "/change", taking);
	if (taken.status >= 300) throw new Error(`not changed: ${taken.status} ${JSON.stringify(taken.body)}`);
	return quoted.body;
};
const addOns = async () => {
	const { body } = await desk.ask("GET", "/add-ons");
	return (body as { items: Array<{ code: string; ends_at: string | null }> }).items.map(
		({ code, ends_at }) => `${code} ${ends_at === null ? "stays" : "goes"}`,
	);
};
const pending = async () => (await desk.snapshot()).pending_change;
const billing = async () => (await desk.ask("GET", "/billing")).body;

describe("a smaller plan that comes where the period ends", () => {
	beforeEach(async () => {
		await payFor(standing, desk, "GROWTH");
		await change({ plan: "STARTER" }, "period_end");
	});

	test("still comes when an add-on is bought meanwhile, and the add-on with it", async () => {
		await change({ add_ons: ["pos"] }, "now");
		await until(async () => (await addOns()).join() === "pos stays");
		expect(await desk.snapshot()).toMatchObject({
			plan: "GROWTH",
			pending_change: { plan: "STARTER", effective_at: endsAt },
		});
		expect(await billing()).toMatchObject({ next_period: { plan: "STARTER", amount_minor: 250_000 } });
		expect(await desk.daysPass(32)).toMatchObject({
			plan: "STARTER",
			status: "ACTIVE",
			products: ["ordering", "pos", "auth"],
		});
	});

	test("still comes when an add-on is dropped there too", async () => {
		await change({ add_ons: ["pos"] }, "now");
		await until(async () => (await addOns()).join() === "pos stays");
		await change({ add_ons: [] }, "period_end");
		expect([await pending(), await addOns()]).toEqual([
			{ plan: "STARTER", effective_at: endsAt },
			["pos goes"],
		]);
		expect(await desk.daysPass(32)).toMatchObject({ plan: "STARTER", products: ["ordering", "auth"] });
	});

	test("does not come when another plan is taken now", async () => {
		await change({ plan: "PROFESSIONAL" }, "now");
		await until(isOn(desk, "PROFESSIONAL", "ACTIVE"));
		expect(await pending()).toBeNull();
	});
});

test("an add-on that goes where the period ends still goes when the plan is changed now", async () => {
	await payFor(standing, desk, "STARTER");
	await change({ add_ons: ["pos"] }, "now");
	await until(async () => (await addOns()).join() === "pos stays");
	await change({ add_ons: [] }, "period_end");
	await change({ plan: "GROWTH" }, "now");
	await until(isOn(desk, "GROWTH", "ACTIVE"));
	expect(await addOns()).toEqual(["pos goes"]);
	expect(await desk.daysPass(32)).toMatchObject({ plan: "GROWTH", pending_change: null });
	expect(await addOns()).toEqual([]);
});

test("a cancelled subscription stays cancelled when its interval is changed, and ends where the new period does", async () => {
	await payFor(standing, desk, "STARTER");
	await desk.ask("POST", "/cancel");
	await change({ plan: "YEARLY" }, "now");
	await until(isOn(desk, "YEARLY", "ACTIVE"));
	expect(await billing()).toMatchObject({
		cancelled_at: "2026-03-15T12:00:00.000Z",
		period_ends_at: "2027-03-15T12:00:00.000Z",
	});
	expect(await desk.daysPass(366)).toMatchObject({ status: "EXPIRED" });
});

test("a change of the interval in a trial that is paid already begins where the trial ends, as it was quoted", async () => {
	await desk.ask("POST", "", { plan: "STARTER" });
	await desk.ask("POST", "/checkout", { plan: "STARTER" });
	await until(isOn(desk, "STARTER", "ACTIVE"));
	const quoted = await change({ plan: "YEARLY" }, "now");
	expect(quoted).toMatchObject({
		credit_minor: 150_000,
		charge_minor: 1_500_000,
		period_ends_at: "2027-03-15T12:00:00.000Z",
	});
	await until(isOn(desk, "YEARLY", "ACTIVE"));
	expect(await billing()).toMatchObject({
		period_started_at: "2026-03-15T12:00:00.000Z",
		period_ends_at: "2027-03-15T12:00:00.000Z",
	});
});

test.each([true, false])("a change loses nothing that an override sets for the tenant (%s)", async (isOn) => {
	await payFor(standing, desk, "GROWTH");
	const overrides = {
		features: { multi_outlet: isOn },
		limits: { max_riders: 15 },
		products: [],
		because: "agreed",
	};
	const put = await desk.own("PUT", `/api/v1/admin/tenants/${desk.tenantId}/overrides`, overrides);
	expect(put.status).toBe(200);
	const { body } = await desk.ask("POST", "/quote", { plan: "STARTER" });
	expect(body["features_lost"]).toEqual([]);
	const lowered = (body["limits_lowered"] as Array<{ limit: string }>).map(({ limit }) => limit);
	expect(lowered).not.toContain("max_riders");
	expect(lowered).toContain("max_admins");
});

test("what a job has not done yet is in the bill already: the plan that was to come, at its price", async () => {
	await payFor(standing, desk, "GROWTH");
	await change({ plan: "STARTER" }, "period_end");
	standing.clock.now = new Date("2026-04-15T12:00:00Z");
	expect(await billing()).toMatchObject({
		plan: "STARTER",
		price_minor: 150_000,
		next_period: { plan: "STARTER", amount_minor: 150_000 },
	});
});
