import { randomUUID } from "node:crypto";
import { setUp } from "@lango/testkit/set-up";
import { beforeAll, describe, expect, test } from "vitest";
import { openCafe } from "./cafe.ts";

const cafe = setUp(openCafe);
beforeAll(async () => {
	await cafe.item(cafe.kahawa, { category: "Coffee", name: "Espresso", price_minor: 18_000 });
	await cafe.item(cafe.kahawa, { category: "Coffee", name: "Cappuccino", price_minor: 28_000 });
	await cafe.item(cafe.kahawa, { category: "Bakery", name: "Mandazi", price_minor: 6_000 });
	await cafe.item(cafe.kahawa, { category: "Secret", name: "Tomorrow's", is_available: false });
	await cafe.item(cafe.soko, { name: "Of another tenant" });
});

const names = async (path: string) => (await cafe.call({ url: path })).body.items.map(({ name }) => name);

describe("without a token", () => {
	test("the menu has the items on sale by category and name, and none of another tenant", async () => {
		expect(await names("/api/v1/kahawa/menu/items")).toEqual(["Mandazi", "Cappuccino", "Espresso"]);
		expect(await names(`/api/v1/${cafe.kahawa.id}/menu/items?category=Coffee`)).toEqual([
			"Cappuccino",
			"Espresso",
		]);
	});

	test("the menu is read page by page without gaps", async () => {
		const first = await cafe.call({ url: "/api/v1/kahawa/menu/items?limit=2" });
		const next = await cafe.call({
			url: `/api/v1/kahawa/menu/items?limit=2&cursor=${first.body.next_cursor}`,
		});
		expect([...first.body.items, ...next.body.items].map(({ name }) => name)).toEqual([
			"Mandazi",
			"Cappuccino",
			"Espresso",
		]);
		expect(next.body.next_cursor).toBeNull();
	});

	test("names are in natural order, also from page to page", async () => {
		for (const name of ["Table 10", "Table 2", "Table 1"])
			await cafe.item(cafe.soko, { category: "Reservations", name });
		const url = "/api/v1/soko/menu/items?category=Reservations";
		expect(await names(url)).toEqual(["Table 1", "Table 2", "Table 10"]);
		const { body } = await cafe.call({ url: `${url}&limit=2` });
		expect(await names(`${url}&limit=2&cursor=${body.next_cursor}`)).toEqual(["Table 10"]);
	});

	test("categories with items on sale are listed with counts, page by page", async () => {
		const { body } = await cafe.call({ url: "/api/v1/kahawa/menu/categories?limit=1" });
		expect(body["items"]).toEqual([{ name: "Bakery", items: 1 }]);
		const next = await cafe.call({
			url: `/api/v1/kahawa/menu/categories?limit=1&cursor=${body["next_cursor"]}`,
		});
		expect(next.body).toEqual({ items: [{ name: "Coffee", items: 2 }], next_cursor: null });
	});

	test("cafes are the outlets that sell, without archived ones", async () => {
		expect(await names("/api/v1/kahawa/cafes")).toEqual(["COUNTER"]);
		expect(await names("/api/v1/soko/cafes")).toEqual([]);
	});

	test("config returns currency, time zone and only the public settings", async () => {
		const token = cafe.token(cafe.kahawa, "admin");
		const set = (key: string, value: unknown) =>
			cafe.call({ method: "PUT", url: "/api/v1/kahawa/config", token, body: { key, value } });
		await set("public.opening_hours", "7 to 19");
		await set("supplier.price", 12);
		const { status, body } = await cafe.call({ url: "/api/v1/kahawa/config" });
		expect(status).toBe(200);
		expect(body).toEqual({
			...{ name: "kahawa", slug: "kahawa", currency: "KES", time_zone: "Africa/Nairobi", locale: "en-KE" },
			...{ items: [{ key: "public.opening_hours", value: "7 to 19" }], next_cursor: null },
		});
		const all = await cafe.call({ url: "/api/v1/kahawa/config/entries", token });
		expect(all.body.items.map(({ key }) => key)).toEqual(["public.opening_hours", "supplier.price"]);
	});

	test.each(["menu/items", "menu/categories", "cafes", "config"])(
		"%s can be cached for a minute with any token, and an unknown tenant is not found",
		async (path) => {
			const url = `/api/v1/kahawa/${path}`;
			const [bare, wrong] = [await cafe.call({ url }), await cafe.call({ url, token: "no token at all" })];
			expect([bare.status, wrong.status]).toEqual([200, 200]);
			expect(bare.headers["cache-control"]).toBe("public, max-age=60, stale-while-revalidate=300");
			const { status, body } = await cafe.call({ url: `/api/v1/unknown/${path}` });
			expect([status, body.code]).toEqual([404, "tenant_not_found"]);
		},
	);

	test.each([
		["/menu/items?limit=201", "limit"],
		["/menu/items?cursor=x", "cursor"],
		["/menu/categories?limit=0", "limit"],
		["/cafes?limit=none", "limit"],
		["/config?limit=101", "limit"],
	])("%s is refused and the field is named", async (path, field) => {
		expect(await cafe.call({ url: `/api/v1/kahawa${path}` })).toMatchObject({
			status: 400,
			body: { code: "invalid_input", field },
		});
	});

	test.each(["catalog/items", "orders", "config/entries"])("%s is refused", async (path) => {
		expect((await cafe.call({ url: `/api/v1/kahawa/${path}` })).status).toBe(401);
	});
});

describe("the catalogue", () => {
	const url = "/api/v1/kahawa/catalog/items";
	const admin = () => cafe.token(cafe.kahawa, "admin");
	const add = (body: unknown) => cafe.call({ method: "POST", url, token: admin(), body });

	test("lists items that are not on sale, too, and filters by category", async () => {
		const { body } = await cafe.call({ url: `${url}?category=Secret`, token: admin() });
		expect(body.items).toMatchObject([{ name: "Tomorrow's", is_available: false, currency: "KES" }]);
	});

	test("of all tenants is listed for the platform owner", async () => {
		const token = cafe.token(cafe.lango, "superuser");
		const { body } = await cafe.call({ url: "/api/v1/lango/catalog/items", token });
		expect(new Set(body.items.map(({ currency }) => currency))).toEqual(new Set(["KES", "TZS"]));
	});

	test("cannot have two items with the same name in a category", async () => {
		const item = { category: "Coffee", name: "Espresso", price_minor: 1 };
		expect(await add(item)).toMatchObject({ status: 409, body: { code: "item_exists", field: "name" } });
		const other = (await add({ ...item, name: "Doppio" })).body.id;
		const renamed = await cafe.call({
			method: "PATCH",
			url: `${url}/${other}`,
			token: admin(),
			body: { name: "Espresso" },
		});
		expect(renamed).toMatchObject({ status: 409, body: { code: "item_exists" } });
	});

	test("does not find an unknown item or one of another tenant", async () => {
		const theirs = await cafe.item(cafe.soko, { category: "Tea", name: "Theirs", price_minor: 100 });
		for (const id of [randomUUID(), theirs]) {
			const change = {
				method: "PATCH" as const,
				url: `${url}/${id}`,
				token: admin(),
				body: { price_minor: 1 },
			};
			expect(await cafe.call(change)).toMatchObject({ status: 404, body: { code: "item_not_found" } });
		}
	});

	test.each([
		[{ category: "Tea", name: "", price_minor: 1 }, "name"],
		[{ category: "Tea", name: "Chai\u202e", price_minor: 1 }, "name"],
		[{ category: "Tea\u200b", name: "Chai", price_minor: 1 }, "category"],
		[{ category: "Tea", name: "Chai", price_minor: -1 }, "price_minor"],
		[{ category: "Tea", name: "Chai", price_minor: 12.5 }, "price_minor"],
		[{ category: "Tea", name: "Chai", price_minor: 1_000_000_000_001 }, "price_minor"],
		[{ category: "Tea", name: "Chai", price_minor: 1, currency: "EUR" }, "currency"],
		[{ name: "Chai", price_minor: 1 }, "category"],
	])("refuses %j and names the field", async (body, field) => {
		expect(await add(body)).toMatchObject({ status: 400, body: { code: "invalid_input", field } });
	});

	test("an item with a price in a previous currency of the tenant is not on sale until it gets a new price", async () => {
		const id = await cafe.item(cafe.soko, { category: "Old", name: "Old price", price_minor: 500 });
		await cafe.db.query("update tenants set currency = 'USD' where id = $1", [cafe.soko.id]);
		expect(await names("/api/v1/soko/menu/items?category=Old")).toEqual([]);
		const token = cafe.token(cafe.soko, "admin");
		const { body } = await cafe.call({
			method: "PATCH",
			url: `/api/v1/soko/catalog/items/${id}`,
			token,
			body: { price_minor: 200 },
		});
		expect([body.currency, body.price_minor]).toEqual(["USD", 200]);
		expect(await names("/api/v1/soko/menu/items?category=Old")).toEqual(["Old price"]);
	});
});
