import { randomUUID } from "node:crypto";
import type { Subscription } from "@lango/contracts";
import { beforeEach, describe, expect, test } from "vitest";
import { codeOf, openDesk, setUpDesk, until } from "./desk.ts";

const { service, desk, changeTenant } = setUpDesk();

describe("an upgrade", () => {
	beforeEach(() => desk.payFor("STARTER"));

	test("is quoted, paid, and changes the plan within the period once it is paid", async () => {
		// 15 March to 15 April are 2,678,400 s; 16 days of them, 1,382,400 s, are left.
		service.clock.now = new Date("2026-03-30T12:00:00Z");
		const quoted = await desk.quote("PROFESSIONAL");
		expect(quoted).toMatchObject({
			direction: "upgrade",
			credit_minor: 77_419,
			charge_minor: 619_355,
			due_minor: 541_936,
			currency: "KES",
			acknowledgement_required: false,
			features_lost: [],
			period_ends_at: "2026-04-15T12:00:00.000Z",
			expires_at: "2026-03-30T12:15:00.000Z",
		});
		const { status, body } = await desk.ask("POST", "/change", { quote_id: quoted.quote_id, mode: "now" });
		expect(status).toBe(202);
		expect(body).toMatchObject({ outcome: "payment_requested", amount_minor: 541_936 });
		expect((body["subscription"] as Subscription).plan).toBe("STARTER");
		await until(desk.isOn("PROFESSIONAL", "ACTIVE"));
		expect(await desk.snapshot()).toMatchObject({
			expires_at: "2026-04-15T12:00:00.000Z",
			features: expect.arrayContaining(["multi_outlet"]),
			limits: { max_riders: 100 },
		});
		expect(await desk.books()).toMatchObject({
			cash: 691_936,
			charged: 769_355,
			credited: 77_419,
			balance: 0,
		});
		const [billing] = (await desk.events("subscription.billing.requested")).slice(-1);
		expect(billing?.data).toMatchObject({
			kind: "change",
			amount_minor: 541_936,
			lines: [
				{ what: "plan", code: "PROFESSIONAL", amount_minor: 619_355 },
				{ what: "credit", code: "STARTER", amount_minor: -77_419 },
			],
		});
		const notice = await desk.events("subscription.entitlements_changed");
		expect(notice.at(-1)?.data).toEqual(await desk.snapshot());
	});

	test.each(["refuses", "silent"] as const)(
		"keeps the old plan if the treasury's answer is: %s",
		async (answer) => {
			await desk.answers(answer);
			const { quote_id } = await desk.quote("GROWTH");
			expect((await desk.ask("POST", "/change", { quote_id, mode: "now" })).status).toBe(202);
			const expected = answer === "refuses" ? "closed" : "requested";
			await until(async () =>
				(await desk.books()).operations.some(({ kind, status }) => kind === "change" && status === expected),
			);
			expect(await desk.snapshot()).toMatchObject({ plan: "STARTER", status: "ACTIVE" });
			expect(await desk.books()).toMatchObject({ cash: 150_000, charged: 150_000, credited: 0 });
		},
	);

	test("to a larger plan at the end of the period is refused, and an unpaid renewal keeps the old plan through all retries", async () => {
		await desk.answers("refuses");
		const { quote_id } = await desk.quote("PROFESSIONAL");
		const answer = await desk.ask("POST", "/change", { quote_id, mode: "period_end" });
		expect([...codeOf(answer), answer.body["field"]]).toEqual([409, "upgrade_needs_payment", "mode"]);
		expect(await desk.daysPass(32)).toMatchObject({
			status: "PAST_DUE",
			plan: "STARTER",
			features: ["customer_portal"],
		});
	});

	test("can be withdrawn before its payment; a later payment becomes credit", async () => {
		await desk.answers("silent");
		const { quote_id } = await desk.quote("GROWTH");
		const { body } = await desk.ask("POST", "/change", { quote_id, mode: "now" });
		expect((await desk.ask("DELETE", "/pending-change")).status).toBe(200);
		await service.payLate(desk.tenantId, String(body["operation_id"]));
		expect(await desk.snapshot()).toMatchObject({ plan: "STARTER" });
		const books = await desk.books();
		const changed = books.operations.find(({ kind }) => kind === "change");
		expect([changed?.status, books.balance]).toEqual(["credited", body["amount_minor"]]);
		const next = await desk.quote("GROWTH");
		expect(next).toMatchObject({ due_minor: 0, balance_minor: body["amount_minor"] });
	});

	test("requested twice concurrently succeeds once and is refused once", async () => {
		const { quote_id } = await desk.quote("GROWTH");
		const other = await desk.quote("PROFESSIONAL");
		const answers = await Promise.all([
			desk.ask("POST", "/change", { quote_id, mode: "now" }),
			desk.ask("POST", "/change", { quote_id: other.quote_id, mode: "now" }),
		]);
		expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
		expect(answers.find(({ status }) => status === 409)?.body["code"]).toBe("quote_stale");
		expect((await desk.books()).operations).toHaveLength(2);
	});

	test("by an expired, stale, foreign or unknown quote is refused", async () => {
		const first = await desk.quote("GROWTH");
		const take = (quote_id: string) => desk.ask("POST", "/change", { quote_id, mode: "now" });
		service.clock.now = new Date(service.clock.now.getTime() + 15 * 60_000);
		expect(codeOf(await take(first.quote_id))).toEqual([409, "quote_expired"]);
		const second = await desk.quote("GROWTH");
		await desk.ask("POST", "/cancel");
		expect(codeOf(await take(second.quote_id))).toEqual([409, "quote_stale"]);
		expect(codeOf(await take(randomUUID()))).toEqual([404, "quote_not_found"]);
		const other = openDesk(service);
		await other.payFor("STARTER");
		const anothers = await other.quote("GROWTH");
		expect(codeOf(await take(anothers.quote_id))).toEqual([404, "quote_not_found"]);
	});

	test("accepts one of the last 50 quotes, and older ones are deleted", async () => {
		const quotes: string[] = [];
		for (let made = 0; made < 51; made += 1) {
			service.clock.now = new Date(service.clock.now.getTime() + 1_000);
			quotes.push((await desk.quote("GROWTH")).quote_id);
		}
		const take = (quote_id: string | undefined) => desk.ask("POST", "/change", { quote_id, mode: "now" });
		expect(codeOf(await take(quotes[0]))).toEqual([404, "quote_not_found"]);
		expect((await take(quotes[1])).status).toBe(202);
	});

	test("to the current plan, or one not on offer, is not quoted", async () => {
		expect(codeOf(await desk.ask("POST", "/quote", { plan: "STARTER" }))).toEqual([409, "plan_unchanged"]);
		expect(codeOf(await desk.ask("POST", "/quote", { plan: "GOLD" }))).toEqual([404, "plan_not_found"]);
	});
});

test("is quoted only for a running paid subscription", async () => {
	expect(codeOf(await desk.ask("POST", "/quote", { plan: "GROWTH" }))).toEqual([404, "no_subscription"]);
	await desk.ask("POST", "", { plan: "STARTER" });
	expect(codeOf(await desk.ask("POST", "/quote", { plan: "GROWTH" }))).toEqual([409, "nothing_to_change"]);
});

describe("a downgrade", () => {
	beforeEach(() => desk.payFor("GROWTH"));
	const loss = {
		features_lost: ["multi_outlet"],
		limits_lowered: expect.arrayContaining([{ limit: "max_riders", from: 15, to: 0 }]),
	};

	test("shows what is lost, and requires an acknowledgement", async () => {
		const quoted = await desk.quote("STARTER");
		expect(quoted).toMatchObject({
			direction: "downgrade",
			acknowledgement_required: true,
			due_minor: 0,
			...loss,
		});
		const answer = await desk.ask("POST", "/change", { quote_id: quoted.quote_id, mode: "period_end" });
		expect(codeOf(answer)).toEqual([409, "acknowledgement_required"]);
		expect(answer.body).toMatchObject(loss);
	});

	test("at the end of the period is scheduled, can be withdrawn, and is renewed at its own price", async () => {
		const schedule = async () => {
			const { quote_id } = await desk.quote("STARTER");
			return desk.ask("POST", "/change", { quote_id, mode: "period_end", acknowledge: true });
		};
		const { status, body } = await schedule();
		expect([status, body["outcome"], body["operation_id"]]).toEqual([200, "scheduled", null]);
		expect((await desk.snapshot()).pending_change).toEqual({
			plan: "STARTER",
			effective_at: "2026-04-15T12:00:00.000Z",
		});
		expect((await desk.ask("DELETE", "/pending-change")).body["pending_change"]).toBeNull();
		expect(codeOf(await desk.ask("DELETE", "/pending-change"))).toEqual([404, "no_pending_change"]);
		await schedule();
		expect(await desk.daysPass(32)).toMatchObject({
			plan: "STARTER",
			status: "ACTIVE",
			features: ["customer_portal"],
			expires_at: "2026-05-15T12:00:00.000Z",
		});
		expect(await desk.books()).toMatchObject({ cash: 600_000, charged: 600_000, credited: 0 });
	});

	test("now takes effect at once, and the surplus becomes credit for later payments", async () => {
		service.clock.now = new Date("2026-03-30T12:00:00Z");
		const { quote_id } = await desk.quote("STARTER");
		const { status, body } = await desk.ask("POST", "/change", { quote_id, mode: "now", acknowledge: true });
		expect([status, body["outcome"]]).toEqual([200, "changed"]);
		expect(body["subscription"]).toMatchObject({ plan: "STARTER", features: ["customer_portal"] });
		expect(await desk.books()).toMatchObject({
			cash: 450_000,
			balance: 154_839,
			charged: 527_419,
			credited: 232_258,
		});
		expect(await desk.daysPass(30)).toMatchObject({
			status: "ACTIVE",
			expires_at: "2026-05-15T12:00:00.000Z",
		});
		expect(await desk.books()).toMatchObject({ cash: 450_000, balance: 4_839 });
	});
});

describe("cancelling", () => {
	beforeEach(() => desk.payFor("GROWTH"));

	test("runs to the end of the period and then expires, without being past due or asked to pay", async () => {
		const { status, body } = await desk.ask("POST", "/cancel");
		expect([status, body["status"], body["next_change_at"]]).toEqual([
			200,
			"ACTIVE",
			"2026-04-15T12:00:00.000Z",
		]);
		expect(await desk.daysPass(32)).toMatchObject({ status: "EXPIRED", access: "grace" });
		const [expired] = (await desk.events("subscription.expired")).slice(-1);
		expect(expired?.data).toMatchObject({ because: "cancelled", expired_at: "2026-04-15T12:00:00.000Z" });
		expect((await desk.books()).operations).toHaveLength(1);
	});

	test("can be resumed while the period runs, and is then renewed", async () => {
		await desk.ask("POST", "/cancel");
		expect((await desk.ask("POST", "/resume")).status).toBe(200);
		expect(await desk.daysPass(32)).toMatchObject({ status: "ACTIVE" });
	});

	test("withdraws a scheduled change, and no other can be scheduled", async () => {
		const { quote_id } = await desk.quote("STARTER");
		await desk.ask("POST", "/change", { quote_id, mode: "period_end", acknowledge: true });
		expect((await desk.ask("POST", "/cancel")).body["pending_change"]).toBeNull();
		const next = await desk.quote("STARTER");
		const taking = { quote_id: next.quote_id, mode: "period_end", acknowledge: true };
		expect(codeOf(await desk.ask("POST", "/change", taking))).toEqual([409, "nothing_to_change"]);
	});

	test("twice is refused, and so is resuming without a cancellation", async () => {
		expect(codeOf(await desk.ask("POST", "/resume"))).toEqual([409, "nothing_to_resume"]);
		await desk.ask("POST", "/cancel");
		expect(codeOf(await desk.ask("POST", "/cancel"))).toEqual([409, "nothing_to_cancel"]);
	});

	test("of a trial is refused, because it ends by itself", async () => {
		changeTenant();
		await desk.ask("POST", "", { plan: "GROWTH" });
		expect(codeOf(await desk.ask("POST", "/cancel"))).toEqual([409, "nothing_to_cancel"]);
	});
});
