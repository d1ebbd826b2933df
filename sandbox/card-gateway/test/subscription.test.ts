import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { now, startTestGateway, type TestGateway } from "./harness.ts";

let gateway: TestGateway;
const email = "amina@kahawa.example";

beforeAll(async () => {
	gateway = await startTestGateway();
});
afterAll(() => gateway.stop());
beforeEach(async () => {
	await gateway.control("POST reset");
	await gateway.control("PUT clock", { now });
});

const until = (at: string) => gateway.control("PUT clock", { now: at });
const plan = async (members: object = {}) => {
	const asked = { name: "Monthly", interval: "monthly", amount: 50_000, currency: "KES", ...members };
	return (await gateway.call("POST /plan", asked)).body.data.plan_code as string;
};
const subscribe = async (members: object = {}) =>
	gateway.call("POST /subscription", { customer: email, plan: await plan(), ...members });
const charges = async () =>
	(await gateway.call("GET /transaction?status=success")).body.data.filter(
		({ plan }: { plan: object }) => Object.keys(plan).length > 0,
	);

test("a subscription is charged from its start, each charge after its invoice was sent, which is then sent as paid", async () => {
	await gateway.pay();
	const { body } = await subscribe({ start_date: "2026-12-01T08:00:00Z" });
	expect(body.data).toMatchObject({ status: "active", start: 1_796_112_000, amount: 50_000 });
	expect(await gateway.events()).toEqual(["subscription.create"]);
	await until("2026-11-28T08:00:00Z");
	expect(await gateway.events()).toEqual(["subscription.create", "invoice.create"]);
	expect(await charges()).toEqual([]);
	await until("2026-12-01T08:00:00Z");
	expect(await gateway.events()).toEqual(["subscription.create", "invoice.create", "invoice.update"]);
	const [charge] = await charges();
	expect(charge).toMatchObject({ amount: 50_000, plan: { interval: "monthly" } });
	expect(await gateway.latest("invoice.update")).toMatchObject({
		...{ paid: true, transaction: { reference: charge.reference } },
		subscription: { next_payment_date: "2027-01-01T08:00:00.000Z", open_invoice: null },
	});
	const { subscription_code: code } = body.data;
	const subscription = { subscription_code: code };
	expect(await gateway.latest("charge.success")).toMatchObject({ subscription });
	await until("2027-03-01T08:00:00Z");
	expect(await charges()).toHaveLength(4);
});

test("a subscription without a start is charged at once", async () => {
	await gateway.pay();
	await subscribe();
	expect(await charges()).toHaveLength(1);
	await until("2026-11-25T08:00:00Z");
	expect(await charges()).toHaveLength(1);
});

test("a card that is declined later makes the invoice fail and the subscription need attention", async () => {
	await gateway.pay({}, { card_number: "4000000000000341" });
	await subscribe();
	expect(await charges()).toEqual([]);
	expect(await gateway.events()).toEqual(["subscription.create", "invoice.create", "invoice.payment_failed"]);
	expect(await gateway.latest("invoice.payment_failed")).toMatchObject({
		...{ paid: false, transaction: {}, subscription: { status: "attention" } },
	});
});

test("a card is announced in the month in which it expires, and is declined afterwards", async () => {
	await gateway.pay({}, { expiry: "12/26" });
	await subscribe({ start_date: "2026-12-05T08:00:00Z" });
	await until("2027-01-05T08:00:00Z");
	expect(await charges()).toHaveLength(1);
	expect(await gateway.events()).toContain("subscription.expiring_cards");
	expect(await gateway.events()).toContain("invoice.payment_failed");
});

test("a disabled subscription is not renewed and ends at its next charge, and can be enabled before and after", async () => {
	await gateway.pay();
	const { data } = (await subscribe()).body;
	const of = { code: data.subscription_code, token: data.email_token };
	const disable = () => gateway.call("POST /subscription/disable", of);
	const enable = () => gateway.call("POST /subscription/enable", of);
	await disable();
	expect((await disable()).body.code).toBe("subscription_not_found");
	await enable();
	await until("2026-12-24T08:00:00Z");
	expect(await charges()).toHaveLength(2);
	await disable();
	await until("2027-01-24T08:00:00Z");
	expect(await gateway.events()).toContain("subscription.disable");
	const notRenewed = (await gateway.events()).filter((event) => event === "subscription.not_renew");
	expect(notRenewed).toHaveLength(2);
	await until("2027-03-01T08:00:00Z");
	expect(await charges()).toHaveLength(2);
	await enable();
	await until("2027-04-01T08:00:00Z");
	expect(await charges()).toHaveLength(3);
});

test.each([
	["monthly", "2027-01-31T08:00:00Z", "2027-02-28T08:00:00.000Z"],
	["annually", "2028-02-29T08:00:00Z", "2029-02-28T08:00:00.000Z"],
	["weekly", "2027-01-01T08:00:00Z", "2027-01-08T08:00:00.000Z"],
	["quarterly", "2026-11-30T08:00:00Z", "2027-02-28T08:00:00.000Z"],
])("a %s plan that is charged at %s is charged next at %s", async (interval, start, next) => {
	await gateway.pay();
	await subscribe({ plan: await plan({ interval }), start_date: start });
	await until(start);
	expect(await gateway.latest("invoice.update")).toMatchObject({ subscription: { next_payment_date: next } });
});

test("what a subscription needs is refused when it is not there", async () => {
	expect((await subscribe()).body.code).toBe("customer_not_found");
	await gateway.pay({}, { channel: "ussd" });
	expect(await subscribe()).toMatchObject({ status: 404, body: { code: "authorization_not_found" } });
	await gateway.pay();
	expect((await subscribe({ authorization: "AUTH_other" })).body.code).toBe("authorization_not_found");
	expect((await subscribe({ plan: "PLN_none" })).body.code).toBe("plan_not_found");
	expect((await subscribe({ start_date: "soon" })).body.code).toBe("invalid_params");
	const one = await plan();
	await subscribe({ plan: one });
	expect((await subscribe({ plan: one })).body.code).toBe("duplicate_subscription");
	const wrong = { code: "SUB_none", token: "none" };
	expect((await gateway.call("POST /subscription/enable", wrong)).body.code).toBe("subscription_not_found");
	const hourly = { name: "Hourly", interval: "hourly", amount: 1 };
	expect((await gateway.call("POST /plan", hourly)).body.code).toBe("invalid_params");
});
