import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openDesk, setUpDesk, until } from "./desk.ts";

// What is scheduled for the end of the period, and what another change leaves as it was.

const { service, desk } = setUpDesk();
beforeAll(async () => {
	const { own } = openDesk(service);
	await own("POST", "/api/v1/admin/plans", { code: "YEARLY", name: "Yearly", position: 991 });
	const { status } = await own("POST", "/api/v1/admin/plans/YEARLY/versions", {
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

describe("a smaller plan scheduled for the end of the period", () => {
	beforeEach(async () => {
		await desk.payFor("GROWTH");
		await change({ plan: "STARTER" }, "period_end");
	});

	test("still takes effect when an add-on is bought meanwhile, together with the add-on", async () => {
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

	test("still takes effect when an add-on is removed at that time, too", async () => {
		await change({ add_ons: ["pos"] }, "now");
		await until(async () => (await addOns()).join() === "pos stays");
		await change({ add_ons: [] }, "period_end");
		expect([await pending(), await addOns()]).toEqual([
			{ plan: "STARTER", effective_at: endsAt },
			["pos goes"],
		]);
		expect(await desk.daysPass(32)).toMatchObject({ plan: "STARTER", products: ["ordering", "auth"] });
	});

	test("is removed by an immediate change to another plan", async () => {
		await change({ plan: "PROFESSIONAL" }, "now");
		await until(desk.isOn("PROFESSIONAL", "ACTIVE"));
		expect(await pending()).toBeNull();
	});
});

test("an add-on removed at the end of the period is still removed after an immediate change of plan", async () => {
	await desk.payFor("STARTER");
	await change({ add_ons: ["pos"] }, "now");
	await until(async () => (await addOns()).join() === "pos stays");
	await change({ add_ons: [] }, "period_end");
	await change({ plan: "GROWTH" }, "now");
	await until(desk.isOn("GROWTH", "ACTIVE"));
	expect(await addOns()).toEqual(["pos goes"]);
	expect(await desk.daysPass(32)).toMatchObject({ plan: "GROWTH", pending_change: null });
	expect(await addOns()).toEqual([]);
});

test("a cancelled subscription stays cancelled after a change of interval, and ends with the new period", async () => {
	await desk.payFor("STARTER");
	await desk.ask("POST", "/cancel");
	await change({ plan: "YEARLY" }, "now");
	await until(desk.isOn("YEARLY", "ACTIVE"));
	expect(await billing()).toMatchObject({
		cancelled_at: "2026-03-15T12:00:00.000Z",
		period_ends_at: "2027-03-15T12:00:00.000Z",
	});
	expect(await desk.daysPass(366)).toMatchObject({ status: "EXPIRED" });
});

test("a change of interval in a paid trial begins at the end of the trial, as quoted", async () => {
	await desk.ask("POST", "", { plan: "STARTER" });
	await desk.ask("POST", "/checkout", { plan: "STARTER" });
	await until(desk.isOn("STARTER", "ACTIVE"));
	const quoted = await change({ plan: "YEARLY" }, "now");
	expect(quoted).toMatchObject({
		credit_minor: 150_000,
		charge_minor: 1_500_000,
		period_ends_at: "2027-03-15T12:00:00.000Z",
	});
	await until(desk.isOn("YEARLY", "ACTIVE"));
	expect(await billing()).toMatchObject({
		period_started_at: "2026-03-15T12:00:00.000Z",
		period_ends_at: "2027-03-15T12:00:00.000Z",
	});
});

test.each([true, false])("a change keeps what an override grants the tenant (%s)", async (isOn) => {
	await desk.payFor("GROWTH");
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

test("billing shows a scheduled plan that is due, even before a job has run", async () => {
	await desk.payFor("GROWTH");
	await change({ plan: "STARTER" }, "period_end");
	service.clock.now = new Date("2026-04-15T12:00:00Z");
	expect(await billing()).toMatchObject({
		plan: "STARTER",
		price_minor: 150_000,
		next_period: { plan: "STARTER", amount_minor: 150_000 },
	});
});
