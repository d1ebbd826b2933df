import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { codeOf, openDesk, setUpDesk, until } from "./desk.ts";

const { service, desk } = setUpDesk();
const version = {
	bundle: "starter",
	price_minor: 1_000,
	currency: "USD",
	interval: "month",
	trial_days: 14,
	grace_days: 7,
	features: [],
	limits: {},
	overage: {},
};
beforeAll(async () => {
	const { own } = openDesk(service);
	await own("POST", "/api/v1/admin/plans", { code: "DOLLAR", name: "Dollar", position: 990 });
	const { status } = await own("POST", "/api/v1/admin/plans/DOLLAR/versions", version);
	if (status !== 201) throw new Error(`no plan: ${status}`);
});

const checkOut = (plan: string, more: object = {}) => desk.ask("POST", "/checkout", { plan, ...more });
const preview = (plan: string, more = "") => desk.ask("GET", `/checkout?plan=${plan}${more}`);
const addOnsOf = async () => {
	const { body } = await desk.ask("GET", "/add-ons");
	return (body as { items: Array<{ code: string }> }).items.map(({ code }) => code);
};
/** Buys an add-on beside the current plan. */
const take = async (add_ons: string[]) => {
	const { body } = await desk.ask("POST", "/quote", { add_ons });
	await desk.ask("POST", "/change", { quote_id: body["quote_id"], mode: "now", acknowledge: true });
	await until(async () => (await addOnsOf()).join() === add_ons.join());
};
const openOf = async () => {
	const { body } = await desk.ask("GET", "/billing");
	return body["open_payment_id"];
};

describe("a plan in another currency than a current add-on", () => {
	beforeEach(async () => {
		await desk.payFor("GROWTH");
		await take(["pos"]);
		await desk.answers("silent");
		await desk.daysPass(60);
		await desk.answers("pays");
	});

	test("cannot be selected, previewed or paid for, because it would be one sum", async () => {
		expect(codeOf(await desk.ask("POST", "", { plan: "DOLLAR" }))).toEqual([409, "currency_differs"]);
		expect(codeOf(await preview("DOLLAR"))).toEqual([409, "currency_differs"]);
		expect(codeOf(await checkOut("DOLLAR"))).toEqual([409, "currency_differs"]);
	});

	test("can be paid for if the add-ons are removed with it", async () => {
		expect(await preview("DOLLAR", "&add_ons=")).toMatchObject({
			status: 200,
			body: { add_ons: [], currency: "USD", amount_minor: 1_000 },
		});
		const { status, body } = await checkOut("DOLLAR", { add_ons: [] });
		expect([status, body["amount_minor"], body["currency"]]).toEqual([202, 1_000, "USD"]);
		await until(desk.isOn("DOLLAR", "ACTIVE"));
		expect(await addOnsOf()).toEqual([]);
	});
});

describe("the add-ons of a checkout", () => {
	beforeEach(async () => {
		await desk.payFor("GROWTH");
		await take(["pos"]);
		await desk.answers("silent");
		await desk.daysPass(60);
	});

	test("are all current ones unless named, and a repeated request keeps them", async () => {
		expect((await preview("GROWTH")).body["add_ons"]).toEqual(["pos"]);
		const { body } = await checkOut("GROWTH", { add_ons: [] });
		const again = await checkOut("GROWTH");
		expect(again.body).toEqual(body);
		const whole = await checkOut("GROWTH", { add_ons: ["pos"] });
		expect(whole.body["operation_id"]).not.toBe(body["operation_id"]);
		expect(Number(whole.body["amount_minor"])).toBeGreaterThan(Number(body["amount_minor"]));
	});

	test("cannot be extended: an add-on the tenant does not have is not found", async () => {
		const answer = await checkOut("GROWTH", { add_ons: ["pos", "riders"] });
		expect([...codeOf(answer), answer.body["field"]]).toEqual([404, "add_on_not_found", "add_ons"]);
		expect(codeOf(await preview("GROWTH", "&add_ons=riders"))).toEqual([404, "add_on_not_found"]);
		expect(codeOf(await preview("GROWTH", "&add_ons=POS"))).toEqual([400, "invalid_input"]);
	});
});

describe("an overdue tenant", () => {
	beforeEach(async () => {
		await desk.payFor("GROWTH");
		await desk.answers("silent");
		// 15 March to 15 April is paid; it is 20 April.
		service.clock.now = new Date("2026-03-15T12:00:00Z");
		expect(await desk.daysPass(36)).toMatchObject({ status: "PAST_DUE" });
	});
	const loss = {
		features_lost: ["multi_outlet"],
		limits_lowered: expect.arrayContaining([{ limit: "max_riders", from: 15, to: 0 }]),
	};

	test("that pays for a smaller plan must acknowledge the loss once", async () => {
		expect((await preview("STARTER")).body).toMatchObject({ acknowledgement_required: true, ...loss });
		const refused = await checkOut("STARTER");
		expect(codeOf(refused)).toEqual([409, "acknowledgement_required"]);
		expect(refused.body).toMatchObject(loss);
		const { status, body } = await checkOut("STARTER", { acknowledge: true });
		expect(status).toBe(202);
		const again = await checkOut("STARTER");
		expect([again.status, again.body["operation_id"]]).toEqual([202, body["operation_id"]]);
	});

	test("that pays for another plan has it from the payment on, with a new anchor", async () => {
		expect((await preview("STARTER")).body).toMatchObject({
			starts_at: "2026-04-20T12:00:00.000Z",
			ends_at: "2026-05-20T12:00:00.000Z",
		});
		await desk.answers("pays");
		await checkOut("STARTER", { acknowledge: true });
		await until(desk.isOn("STARTER", "ACTIVE"));
		expect((await desk.snapshot()).expires_at).toBe("2026-05-20T12:00:00.000Z");
	});

	test("that pays for its own plan pays from the end of the last period, without an acknowledgement", async () => {
		expect((await preview("GROWTH")).body).toMatchObject({
			starts_at: "2026-04-15T12:00:00.000Z",
			ends_at: "2026-05-15T12:00:00.000Z",
			acknowledgement_required: false,
			features_lost: [],
			limits_lowered: [],
		});
		await desk.answers("pays");
		expect((await checkOut("GROWTH")).status).toBe(202);
		await until(desk.isOn("GROWTH", "ACTIVE"));
		expect((await desk.snapshot()).expires_at).toBe("2026-05-15T12:00:00.000Z");
		const { lines } = await desk.books();
		expect(lines.map(({ starts_at, ends_at }) => [starts_at, ends_at])).toEqual([
			[new Date("2026-03-15T12:00:00Z"), new Date("2026-04-15T12:00:00Z")],
			[new Date("2026-04-15T12:00:00Z"), new Date("2026-05-15T12:00:00Z")],
		]);
	});

	test("that selects a plan or requests a quote must pay for this plan or another", async () => {
		const answers = [
			await desk.ask("POST", "", { plan: "STARTER" }),
			await desk.ask("POST", "/quote", { plan: "STARTER" }),
		];
		for (const answer of answers) {
			expect(codeOf(answer)).toEqual([409, "payment_overdue"]);
			expect(answer.body["error"]).toContain("checkout");
		}
	});
});

test.each([
	["one moment before the retries end", "2026-04-29T11:59:59.999Z", "2026-04-15T12:00:00.000Z"],
	["at the moment they end", "2026-04-29T12:00:00.000Z", "2026-04-29T12:00:00.000Z"],
	["one moment before the grace period ends", "2026-05-06T11:59:59.999Z", "2026-05-06T11:59:59.999Z"],
	["at the end of the grace period", "2026-05-06T12:00:00.000Z", "2026-05-06T12:00:00.000Z"],
])("a payment %s counts from then, or from the end of the last period", async (...[, at, startsAt]) => {
	await desk.payFor("GROWTH");
	await desk.answers("silent");
	service.clock.now = new Date(at);
	const { body } = await preview("GROWTH");
	expect(body["starts_at"]).toBe(startsAt);
	await desk.answers("pays");
	await checkOut("GROWTH");
	await until(desk.isOn("GROWTH", "ACTIVE"));
	expect((await desk.snapshot()).expires_at).toBe(body["ends_at"]);
});

describe("an expired tenant", () => {
	test.each([
		["in the grace period", 47, "grace", "2026-05-01T12:00:00.000Z"],
		["after it", 100, "read_only", "2026-06-23T12:00:00.000Z"],
	])("%s pays for the time after the payment", async (...[, days, access, startsAt]) => {
		await desk.payFor("GROWTH");
		await desk.answers("refuses");
		expect(await desk.daysPass(days)).toMatchObject({ status: "EXPIRED", access });
		await desk.answers("pays");
		const { body } = await preview("GROWTH");
		expect([body["starts_at"], body["acknowledgement_required"]]).toEqual([startsAt, false]);
		await checkOut("GROWTH");
		await until(desk.isOn("GROWTH", "ACTIVE"));
		expect((await desk.snapshot()).expires_at).toBe(body["ends_at"]);
	});

	test("that selects its current plan receives its renewal requests as before", async () => {
		await desk.payFor("GROWTH");
		await desk.answers("silent");
		const before = await desk.daysPass(60);
		const open = await openOf();
		expect((await desk.ask("POST", "", { plan: "GROWTH" })).body).toEqual(before);
		expect([open, await openOf()]).toEqual([expect.any(String), open]);
		await desk.answers("pays");
		expect(await desk.daysPass(8)).toMatchObject({ status: "ACTIVE" });
	});

	test.each([
		["withdraws it", () => desk.ask("DELETE", "/pending-change")],
		["selects its own again", () => desk.ask("POST", "", { plan: "GROWTH" })],
	])(
		"that selects another plan and %s receives its next renewal request on schedule",
		async (...[, entry]) => {
			await desk.payFor("GROWTH");
			await desk.answers("silent");
			await desk.daysPass(60);
			await desk.ask("POST", "", { plan: "STARTER" });
			expect(await openOf()).toBeNull();
			expect((await entry()).body).toMatchObject({ status: "EXPIRED", plan: "GROWTH", pending_change: null });
			await desk.answers("pays");
			// The next retry is on day 35: 35 days after 15 April is 20 May.
			expect(await desk.daysPass(5)).toMatchObject({ status: "EXPIRED" });
			expect(await desk.daysPass(1)).toMatchObject({ status: "ACTIVE", plan: "GROWTH" });
		},
	);
});

describe("a requested change that is not paid", () => {
	test("is closed at the end of the period, and a checkout of its plan is a new payment for a whole period", async () => {
		await desk.payFor("STARTER");
		await desk.ask("POST", "/cancel");
		service.clock.now = new Date("2026-04-15T00:00:00Z");
		await desk.answers("silent");
		const { quote_id } = await desk.quote("GROWTH");
		const { body } = await desk.ask("POST", "/change", { quote_id, mode: "now" });
		service.clock.now = new Date("2026-04-15T12:00:00Z");
		expect((await preview("GROWTH")).body).toMatchObject({ amount_minor: 450_000 });
		const requested = await checkOut("GROWTH");
		expect(requested.body).toMatchObject({ amount_minor: 450_000 });
		expect(requested.body["operation_id"]).not.toBe(body["operation_id"]);
		const given = await desk.ask("GET", `/payments/${body["operation_id"]}`);
		expect(given.body).toMatchObject({ status: "unanswered", settled_at: "2026-04-15T12:00:00.000Z" });
	});
});
