import { expect, test } from "vitest";
import { setUpDesk } from "./desk.ts";

const { desk } = setUpDesk();

const grant = async (days: number) => {
	const address = `/api/v1/admin/tenants/${desk.tenantId}/grants`;
	return (await desk.own("POST", address, { days, because: "an outage of ours" })).body;
};
const billing = async () => (await desk.ask("GET", "/billing")).body;
const requested = async () => (await desk.events("subscription.billing.requested")).length;

const cancelled = async () => {
	await desk.payFor("GROWTH");
	await desk.ask("POST", "/cancel");
	await desk.daysPass(40);
};
const neverPaid = async () => {
	await desk.ask("POST", "", { plan: "GROWTH" });
	await desk.daysPass(40);
};

test.each([
	["a cancellation", cancelled],
	["a trial that was never paid for", neverPaid],
])("time granted after %s expires at its end without a payment request", async (...[, begin]) => {
	await begin();
	const before = await requested();
	expect(await grant(5)).toMatchObject({ status: "ACTIVE", access: "full" });
	expect(await desk.daysPass(4)).toMatchObject({ status: "ACTIVE" });
	expect(await desk.daysPass(1)).toMatchObject({ status: "EXPIRED", access: "grace" });
	expect(await desk.daysPass(7)).toMatchObject({ status: "EXPIRED", access: "read_only" });
	await desk.daysPass(60);
	expect(await requested()).toBe(before);
});

test("time granted to a tenant that never paid can be resumed: then its renewal is requested", async () => {
	await neverPaid();
	await grant(5);
	expect((await desk.ask("POST", "/resume")).status).toBe(200);
	expect(await desk.daysPass(6)).toMatchObject({ status: "ACTIVE" });
	expect(await requested()).toBe(1);
});

test("time granted to an overdue tenant is followed by a renewal as before", async () => {
	await desk.payFor("GROWTH");
	await desk.answers("refuses");
	expect(await desk.daysPass(33)).toMatchObject({ status: "PAST_DUE" });
	expect(await grant(5)).toMatchObject({ status: "ACTIVE" });
	await desk.answers("pays");
	expect(await desk.daysPass(6)).toMatchObject({ status: "ACTIVE" });
});

test("a plan waiting for its payment is not billed, and is no longer pending after a grant", async () => {
	await desk.payFor("GROWTH");
	await desk.answers("silent");
	await desk.daysPass(60);
	await desk.ask("POST", "", { plan: "STARTER" });
	expect(await billing()).toMatchObject({ plan: "GROWTH", next_period: { plan: "GROWTH" } });
	expect(await grant(5)).toMatchObject({ status: "ACTIVE", plan: "GROWTH", pending_change: null });
	expect(await billing()).toMatchObject({ next_period: { plan: "GROWTH", amount_minor: 450_000 } });
});
