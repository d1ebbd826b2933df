import { setUp } from "@lango/testkit/set-up";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { addPayout } from "./add-payout.ts";
import { makeAvailable, openPaying } from "./paying.ts";

const till = setUp(openPaying);
const limit = 50_000;
const reached = { status: 409, body: { code: "daily_limit_reached" } };
const db = () => till.database.db;
const tenantId = () => till.tenants.uhai.id;
let recipient_id: string;
/** Each test has a day of its own. */
let day = Date.parse("2027-03-01T09:00:00Z");

beforeEach(async () => {
	recipient_id ??= await till.addRecipient();
	till.clock.now = new Date(day);
	day += 7 * 86_400_000;
	const body = { settings: { daily_payout_minor: limit } };
	expect((await till.operate("PUT", "/gateways/card-gateway", { body })).status).toBe(200);
	await makeAvailable(db(), tenantId(), { amountMinor: 200_000n });
});
afterEach(() => {
	till.clock.now = undefined;
});

const toBank = (amount_minor: number) => ({ rail: "card_gateway", recipient_id, amount_minor });
const toPhone = (amount_minor: number, kind = "customer") => ({
	...{ rail: "mobile_money", kind, amount_minor, remarks: "Wages" },
	...(kind === "customer" && { to: "0712345678" }),
});
const ask = (body: object) => till.ask("POST", "/payouts", { body });
const accept = async (body: object): Promise<string> => {
	const answer = await ask(body);
	expect(answer).toMatchObject({ status: 202 });
	return String(answer.body["id"]);
};

test("what was asked for on other days is sent as far as the limit of the day allows, and the rest on the next day", async () => {
	const askForAll = async (...amounts: number[]) => {
		const items = amounts.map(toBank);
		const { status, body } = await till.ask("POST", "/payouts/bulk", { body: { items } });
		expect(status).toBe(202);
		const ids = (body["items"] as Array<{ id: string }>).map(({ id }) => id);
		const approve = async () => {
			const approved = `/payouts/bulk/${body["batch_id"]}/approve`;
			expect((await till.ask("POST", approved, { by: "checker" })).status).toBe(200);
			await till.service.jobs.runDue();
		};
		return { ids, approve };
	};
	const first = await askForAll(30_000, 20_000);
	await till.wait(86_400);
	const second = await askForAll(30_000);
	await till.wait(86_400);
	await second.approve();
	await first.approve();
	await till.wait(300);
	const statuses = async () => {
		const payouts = await Promise.all([...second.ids, ...first.ids].map(till.payout));
		return payouts.map(({ status }) => (status === "approved" ? "waits" : "sent"));
	};
	expect(await statuses()).toEqual(["sent", "waits", "sent"]);
	await till.wait(86_400);
	expect(await statuses()).toEqual(["sent", "sent", "sent"]);
});

test("payouts of a day are added up, by both rails and within a bulk request: the one that exceeds the limit is refused, and what reaches it is not", async () => {
	await accept(toBank(20_000));
	await accept(toPhone(10_000));
	expect(await ask(toBank(20_001))).toMatchObject(reached);
	const items = [toPhone(10_000), toBank(10_000), toPhone(100)];
	const bulk = (of: readonly object[]) => till.ask("POST", "/payouts/bulk", { body: { items: of } });
	expect(await bulk(items)).toMatchObject({ ...reached, body: { ...reached.body, item: 2 } });
	expect(await bulk(items.slice(0, 2))).toMatchObject({ status: 202 });
	expect(await ask(toPhone(100))).toMatchObject(reached);
	expect(await ask(toBank(1))).toMatchObject(reached);
});

test("what was rejected or cancelled, failed or came back does not count, and neither does what stays in the own shortcode", async () => {
	const rejected = await accept(toPhone(limit));
	const body = { because: "The number is wrong" };
	expect(await till.ask("POST", `/payouts/${rejected}/reject`, { by: "checker", body })).toMatchObject({
		body: { status: "rejected" },
	});
	expect(await till.ask("POST", `/payouts/${await accept(toBank(limit))}/cancel`)).toMatchObject({
		body: { status: "cancelled" },
	});
	const sent = [{ kind: "approved" }, { kind: "submitted" }, { kind: "in_flight" }] as const;
	for (const ends of [
		[{ kind: "failed", code: "invalid_account" }],
		[{ kind: "paid" }, { kind: "reversed" }],
	] as const)
		await addPayout(db(), tenantId(), { at: till.clock.now ?? expect.fail(), said: [...sent, ...ends] });
	await accept(toPhone(2 * limit, "own_working"));
	await accept(toBank(limit));
	expect(await ask(toBank(1))).toMatchObject(reached);
	await accept(toPhone(100, "own_working"));
});

/** Here and at the sign-on service, which is asked again on another day. */
async function setTimeZone(timeZone: string): Promise<void> {
	till.tenants.uhai.time_zone = timeZone;
	await db().query("update tenants set time_zone = $2 where id = $1", [tenantId(), timeZone]);
}

test.each([
	{ zone: "Africa/Nairobi", before: "20:59:59", midnight: "21:00:00" },
	{ zone: "Asia/Tokyo", before: "14:59:59", midnight: "15:00:00" },
])("the day is that of the tenant's time zone: $zone", async ({ zone, before, midnight }) => {
	await setTimeZone(zone);
	onTestFinished(() => setTimeZone("Africa/Nairobi"));
	const today = till.clock.now?.getTime() ?? 0;
	const at = (days: number, time: string) => {
		const date = new Date(today + days * 86_400_000).toISOString().slice(0, 10);
		till.clock.now = new Date(`${date}T${time}Z`);
	};
	at(0, before);
	await accept(toBank(limit));
	expect(await ask(toBank(1))).toMatchObject(reached);
	at(0, midnight);
	await accept(toBank(limit));
	at(1, before);
	expect(await ask(toBank(1))).toMatchObject(reached);
	at(1, midnight);
	await accept(toBank(1));
});

test("of two payouts at once that come to more than the limit together one is refused, whatever their rails", async () => {
	for (const two of [
		[toBank(30_000), toBank(30_000)],
		[toBank(30_000), toPhone(30_000)],
		[toPhone(30_000), toPhone(30_000)],
	]) {
		const answers = await Promise.all(two.map(ask));
		const codes = answers.map(({ status, body }) => body["code"] ?? status);
		expect(codes.toSorted()).toEqual([202, "daily_limit_reached"]);
		till.clock.now = new Date((till.clock.now?.getTime() ?? 0) + 86_400_000);
	}
});
