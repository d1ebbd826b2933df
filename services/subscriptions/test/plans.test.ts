import { describe, expect, test } from "vitest";
import { setUpService } from "./test-service.ts";

const service = setUpService();
const ask = (query = "") => service.app.inject({ method: "GET", url: `/api/v1/plans${query}` });

/** The cursor after an item with this code. */
const cursorOf = (code: string) => Buffer.from(`\n${code}`).toString("base64url");

describe("the plans", () => {
	test("are public, with price, features, limits and products", async () => {
		const answer = await ask();
		expect(answer.statusCode).toBe(200);
		expect(answer.headers["cache-control"]).toBe("public, max-age=60");
		const { items, next_cursor } = answer.json();
		expect(next_cursor).toBeNull();
		const shared = {
			version: 1,
			currency: "KES",
			interval: "month",
			trial_days: 14,
			grace_days: 7,
			overage: {},
		};
		expect(items).toEqual([
			{
				...shared,
				code: "STARTER",
				name: "Starter",
				price_minor: 150_000,
				products: ["ordering", "auth"],
				features: ["customer_portal"],
				limits: { max_admins: 1, max_orders_per_day: 100, max_emails_per_day: 200, max_riders: 0 },
			},
			{
				...shared,
				code: "GROWTH",
				name: "Growth",
				price_minor: 450_000,
				products: ["ordering", "logistics", "treasury", "notifications", "auth"],
				version: 2,
				features: ["customer_portal", "multi_outlet"],
				limits: { max_admins: 3, max_orders_per_day: 1_000, max_emails_per_day: 2_000, max_riders: 15 },
			},
			{
				...shared,
				code: "PROFESSIONAL",
				name: "Professional",
				price_minor: 1_200_000,
				products: [
					"ordering",
					"logistics",
					"treasury",
					"pos",
					"analytics",
					"notifications",
					"auth",
					"inventory",
					"hospital",
				],
				version: 2,
				features: ["customer_portal", "multi_outlet"],
				limits: { max_admins: 10, max_orders_per_day: 10_000, max_emails_per_day: 20_000, max_riders: 100 },
			},
		]);
	});

	test("show the overage on sale: unit, price and cap", async () => {
		const overage = {
			max_orders_per_day: { unit_price_minor: 250, cap: 50 },
			max_riders: { unit_price_minor: 9_900, cap: 5 },
		};
		await service.db.query("insert into plans (code, name, position) values ('MORE', 'More', 999)");
		await service.db.query(
			`insert into plan_versions (plan_code, version, bundle_code, price_minor, currency, billing_interval, trial_days,
			                            grace_days, features, limits, overage)
			 values ('MORE', 1, 'starter', 100, 'KES', 'month', 14, 7, '{}', '{"max_orders_per_day": 10, "max_riders": 1}', $1)`,
			[overage],
		);
		const shown = (await ask()).json().items.find(({ code }: { code: string }) => code === "MORE");
		await service.db.query("update plans set retired_at = now() where code = 'MORE'");
		// Riders are existing things: nothing is sold beyond that limit.
		expect(shown.overage).toEqual({
			max_orders_per_day: { unit: "order_count", window: "day", unit_price_minor: 250, cap: 50 },
		});
	});

	test("have pages, each plan once", async () => {
		const codes: string[] = [];
		let cursor: string | null = null;
		do {
			const page: { items: Array<{ code: string }>; next_cursor: string | null } = (
				await ask(`?limit=1${cursor === null ? "" : `&cursor=${cursor}`}`)
			).json();
			expect(page.items).toHaveLength(1);
			codes.push(...page.items.map(({ code }) => code));
			cursor = page.next_cursor;
		} while (cursor !== null);
		expect(codes).toEqual(["STARTER", "GROWTH", "PROFESSIONAL"]);
	});

	test("that are retired are not on offer", async () => {
		await service.db.query("update plans set retired_at = now() where code = 'GROWTH'");
		const { items } = (await ask()).json();
		await service.db.query("update plans set retired_at = null where code = 'GROWTH'");
		expect(items.map(({ code }: { code: string }) => code)).toEqual(["STARTER", "PROFESSIONAL"]);
	});

	test.each([
		["?limit=0", "limit"],
		["?limit=101", "limit"],
		["?limit=many", "limit"],
		["?cursor=abc", "cursor"],
		["?page=2", "page"],
	])("requested with %s are refused, naming %s", async (query, field) => {
		const answer = await ask(query);
		expect([answer.statusCode, answer.json().code, answer.json().field]).toEqual([
			400,
			"invalid_input",
			field,
		]);
	});
});

describe("the add-ons", () => {
	const askAddOns = (query = "") => service.app.inject({ method: "GET", url: `/api/v1/add-ons${query}` });

	test("are public, in their newest version and in pages", async () => {
		await service.db.query(
			"insert into add_ons (code, name) values ('extra', 'Extra'), ('unmade', 'Unmade')",
		);
		await service.db.query(
			`insert into add_on_versions (add_on_code, version, price_minor, currency, billing_interval, products, features, limits)
			 values ('extra', 1, 1, 'KES', 'month', '{}', '{}', '{}'), ('extra', 2, 20, 'KES', 'year', '{*}', '{x}', '{"max_riders": 5}')`,
		);
		const first = await askAddOns("?limit=1");
		expect([first.statusCode, first.headers["cache-control"]]).toEqual([200, "public, max-age=60"]);
		expect(first.json()).toEqual({
			items: [
				{
					code: "extra",
					name: "Extra",
					version: 2,
					price_minor: 20,
					currency: "KES",
					interval: "year",
					products: expect.arrayContaining(["pos", "hospital"]),
					features: ["x"],
					limits: { max_riders: 5 },
				},
			],
			next_cursor: cursorOf("extra"),
		});
		const second = (await askAddOns(`?limit=1&cursor=${cursorOf("extra")}`)).json();
		expect(second).toMatchObject({
			items: [{ code: "pos", name: "Point of sale", price_minor: 100_000, products: ["pos"] }],
			next_cursor: cursorOf("pos"),
		});
		const third = (await askAddOns(`?limit=1&cursor=${cursorOf("pos")}`)).json();
		expect(third).toMatchObject({
			items: [{ code: "whatsapp", name: "WhatsApp", features: ["whatsapp"] }],
			next_cursor: null,
		});
	});

	test.each([
		["?limit=0", "limit"],
		["?cursor=A", "cursor"],
		["?page=2", "page"],
	])("requested with %s are refused, naming %s", async (query, field) => {
		const answer = await askAddOns(query);
		expect([answer.statusCode, answer.json().code, answer.json().field]).toEqual([
			400,
			"invalid_input",
			field,
		]);
	});
});

describe("the catalogue", () => {
	test("is the same after a second start, and after two concurrent ones", async () => {
		const before = await everything();
		const replicas = await Promise.all([service.again(), service.again()]);
		await Promise.all(replicas.map((replica) => replica.close()));
		expect(await everything()).toEqual(before);
	});

	test("cannot be changed once published: the service can only add versions", async () => {
		await expect(service.db.query("update plan_versions set price_minor = 1")).rejects.toThrow(
			/permission denied/,
		);
		await expect(service.db.query("delete from plan_versions")).rejects.toThrow(/permission denied/);
		await expect(service.db.query("update add_on_versions set price_minor = 1")).rejects.toThrow(
			/permission denied/,
		);
	});

	test("keeps an operator's changes of a plan through a start", async () => {
		await service.db.query("update plans set name = 'Duka' where code = 'STARTER'");
		await (await service.again()).close();
		expect((await ask()).json().items[0].name).toBe("Duka");
		await service.db.query("update plans set name = 'Starter' where code = 'STARTER'");
	});
});

async function everything(): Promise<unknown> {
	return service.db.query(`
		select (select json_agg(b order by b.code) from bundles b) as bundles, (select json_agg(f order by f.code) from features f) as features,
		       (select json_agg(p order by p.code) from plans p) as plans, (select json_agg(v order by v.id) from plan_versions v) as plan_versions,
		       (select json_agg(a order by a.code) from add_ons a) as add_ons, (select json_agg(v order by v.id) from add_on_versions v) as add_on_versions`);
}
