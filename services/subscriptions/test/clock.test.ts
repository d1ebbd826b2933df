import { randomUUID } from "node:crypto";
import { tenantCreated } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import { inTenant } from "@lango/postgres";
import { describe, expect, test } from "vitest";
import { findTimeZone } from "../src/record/tenant-calendar.store.ts";
import { codeOf, openDesk, setUpDesk, until } from "./desk.ts";

const { service, desk } = setUpDesk();

const attempts = async () =>
	(await desk.events("subscription.billing.requested"))
		.filter(({ data }) => data["kind"] === "renewal")
		.map(({ data }) => data["attempt"]);
const url = () => `/api/v1/test-clock/${desk.tenantId}`;

describe("moving a tenant's clock", () => {
	test("by five years renews sixty times, each period where the last one ended, and paid once", async () => {
		await desk.payFor("GROWTH");
		const now = await desk.daysPass(1_826);
		expect(now).toMatchObject({ status: "ACTIVE", plan: "GROWTH", expires_at: "2031-04-15T12:00:00.000Z" });
		const { lines, cash, operations } = await desk.books();
		expect(lines).toHaveLength(61);
		for (const [index, line] of lines.entries())
			if (index > 0) expect(line.starts_at).toEqual(lines[index - 1]?.ends_at);
		expect(cash).toBe(61 * 450_000);
		expect(operations.every(({ status, attempt }) => status === "succeeded" && attempt === 1)).toBe(true);
	});

	test("bills the overage of each period at its end, and requests an unpaid bill again", async () => {
		await desk.payFor("GROWTH");
		const used = { price: 300, units: 4 };
		await inTenant(service.db, desk.tenantId, (tx) =>
			tx.query(
				`insert into overage_lines (tenant_id, metric, period_starts_at, unit_price_minor, currency, units)
				 select $1, 'order_count', starts, $2, 'KES', $3
				   from unnest(array['2026-03-15T12:00:00Z', '2026-04-15T12:00:00Z']::timestamptz[]) starts
				 on conflict do nothing`,
				[desk.tenantId, used.price, used.units],
			),
		);
		const bills = async () => {
			const { items } = (await desk.ask("GET", "/bills")).body as { items: Array<Record<string, unknown>> };
			return items.map((bill) => [
				bill["period_ends_at"],
				bill["status"],
				bill["attempt"],
				bill["amount_minor"],
			]);
		};
		await desk.daysPass(20);
		expect(await bills()).toEqual([]);
		await desk.daysPass(12);
		const first = ["2026-04-15T12:00:00.000Z", "paid", 1, 1_200];
		expect(await bills()).toEqual([first]);
		await desk.answers("refuses");
		await desk.daysPass(35);
		expect(await bills()).toEqual([["2026-05-15T12:00:00.000Z", "requested", 4, 1_200], first]);
		await desk.answers("pays");
		expect((await desk.daysPass(20)).status).toBe("ACTIVE");
		expect((await bills())[0]).toEqual(["2026-05-15T12:00:00.000Z", "paid", 5, 1_200]);
		const kinds = (await desk.events("subscription.billing.requested")).map(({ data }) => data["kind"]);
		expect(kinds.filter((kind) => kind === "overage")).toHaveLength(6);
		// The sandbox's events arrive later, and are not counted twice.
		expect((await desk.books()).cash).toBe(3 * 450_000 + 2 * 1_200);
	});

	test("does not affect other tenants", async () => {
		const other = openDesk(service);
		await other.ask("POST", "", { plan: "GROWTH" });
		await desk.ask("POST", "", { plan: "GROWTH" });
		expect((await desk.daysPass(15)).status).toBe("EXPIRED");
		expect((await other.snapshot()).status).toBe("TRIAL");
	});

	test("through refused payments leads to past due, seven requests in 14 days, and expiry; later events have no effect", async () => {
		await desk.payFor("GROWTH");
		await desk.answers("refuses");
		expect(await desk.daysPass(32)).toMatchObject({ status: "PAST_DUE", access: "full" });
		expect(await attempts()).toEqual([1, 2]);
		expect(await desk.daysPass(14)).toMatchObject({ status: "EXPIRED", access: "grace" });
		expect(await attempts()).toEqual([1, 2, 3, 4, 5, 6, 7]);
		expect(await desk.daysPass(7)).toMatchObject({ status: "EXPIRED", access: "read_only", features: [] });
		await desk.answers("pays");
		expect(await desk.daysPass(7)).toMatchObject({ status: "ACTIVE", access: "full" });
		const books = await desk.books();
		expect([books.cash, books.operations.length]).toEqual([900_000, 2]);
	});

	test("without answers ends the retries and requests nothing more", async () => {
		await desk.payFor("GROWTH");
		await desk.answers("silent");
		expect(await desk.daysPass(400)).toMatchObject({ status: "EXPIRED", access: "read_only" });
		expect((await attempts()).length).toBe(17);
		expect((await desk.books()).operations.map(({ status }) => status)).toEqual(["succeeded", "closed"]);
	});

	test("counts months in the tenant's time zone, as received from the sign-on service", async () => {
		await recordEvent(service.db, tenantCreated, {
			subject: desk.tenantId,
			tenantId: desk.tenantId,
			now: service.clock.now,
			data: {
				tenant_id: desk.tenantId,
				slug: "kiwi",
				name: "Kiwi",
				status: "active",
				use_case: null,
				org_size: null,
				branding: { logo_url: null, colour: null },
				time_zone: "Pacific/Auckland",
				currency: "KES",
				locale: "en",
				version: 1,
			},
		});
		await until(async () => (await findTimeZone(service.db, desk.tenantId)).isKnown);
		// 15 March, 12:00 UTC is 16 March, 1:00 in Auckland in summer time; a month later it is winter there.
		await desk.payFor("GROWTH");
		expect((await desk.snapshot()).expires_at).toBe("2026-04-15T13:00:00.000Z");
	});

	test("keeps it there until it is moved again, from where it was", async () => {
		await desk.ask("POST", "", { plan: "GROWTH" });
		await desk.daysPass(10);
		service.clock.now = new Date("2026-03-31T12:00:00Z");
		expect((await desk.snapshot()).status).toBe("TRIAL");
		const answer = await desk.own("PUT", url(), { now: "2026-03-10T12:00:00Z" });
		expect([...codeOf(answer), answer.body["now"]]).toEqual([
			409,
			"clock_goes_forward",
			"2026-03-11T12:00:00.000Z",
		]);
	});

	test("of a tenant without a subscription returns none, and a trial begins at that time", async () => {
		const answer = await desk.own("PUT", url(), { now: "2027-01-01T00:00:00Z" });
		expect(answer.body).toEqual({ now: "2027-01-01T00:00:00.000Z", subscription: null });
		expect((await desk.ask("POST", "", { plan: "GROWTH" })).body["trial_end"]).toBe(
			"2027-01-15T00:00:00.000Z",
		);
	});

	test.each([
		["no date", { now: "tomorrow" }, "now"],
		["more than ten years ahead", { now: "2036-03-02T00:00:00Z" }, "now"],
		["nothing", {}, "now"],
	])("to %s is refused, naming the field", async (_what, body, field) => {
		const answer = await desk.own("PUT", url(), body);
		expect([...codeOf(answer), answer.body["field"]]).toEqual([400, "invalid_input", field]);
	});
});

describe("test clocks and the sandbox", () => {
	const addresses = () => [
		[url(), { now: "2026-04-01T00:00:00Z" }] as const,
		[`/api/v1/sandbox/billing/${desk.tenantId}`, { answer: "silent" }] as const,
	];
	const put = async (
		target: string,
		{ payload, token }: { payload: object; token: string },
		app = service.app,
	) => {
		const headers = { authorization: `Bearer ${token}` };
		const answer = await app.inject({ method: "PUT", url: target, headers, payload });
		return [answer.statusCode, answer.json().code];
	};

	test("are for the platform owner only", async () => {
		for (const [target, payload] of addresses()) {
			const own = service.tokenOf(desk.tenantId, { roles: ["admin"] });
			expect(await put(target, { payload, token: own })).toEqual([403, "forbidden"]);
			const others = service.tokenOf(randomUUID(), { roles: ["admin"] });
			expect(await put(target, { payload, token: others })).toEqual([404, "tenant_not_found"]);
		}
	});

	test.each(["", "production", "staging"])(
		"do not exist when NODE_ENV is %j, and a clock set before has no effect",
		async (NODE_ENV) => {
			await desk.ask("POST", "", { plan: "GROWTH" });
			await desk.daysPass(15);
			const production = await service.again({ NODE_ENV });
			try {
				const token = service.tokenOf(randomUUID(), { roles: ["superuser"], tenant_slug: "lango" });
				for (const [target, payload] of addresses())
					expect(await put(target, { payload, token }, production.app)).toEqual([404, "not_found"]);
				const read = await production.app.inject({
					url: `/api/v1/tenants/${desk.tenantId}/subscription`,
					headers: { "x-api-key": service.apiKey },
				});
				expect(read.json().status).toBe("TRIAL");
			} finally {
				await production.close();
			}
		},
	);

	test.each([
		["pays", "production"],
		["refuses", ""],
		["silent", "staging"],
	])("the sandbox setting %s is refused when NODE_ENV is %j", async (answer, NODE_ENV) => {
		const start = service.again({ NODE_ENV, SUBSCRIPTIONS_SANDBOX_BILLING: answer });
		await expect(start).rejects.toThrow(/SUBSCRIPTIONS_SANDBOX_BILLING is for development only/);
	});

	test("an unknown sandbox setting is a settings error", async () => {
		const start = service.again({ SUBSCRIPTIONS_SANDBOX_BILLING: "maybe" });
		await expect(start).rejects.toThrow(/is pays, refuses, silent or off/);
	});

	test("an unknown sandbox answer is refused, naming the field", async () => {
		const answer = await desk.own("PUT", `/api/v1/sandbox/billing/${desk.tenantId}`, { answer: "maybe" });
		expect([...codeOf(answer), answer.body["field"]]).toEqual([400, "invalid_input", "answer"]);
	});
});
