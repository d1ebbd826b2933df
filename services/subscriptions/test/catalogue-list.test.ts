import { expect, test } from "vitest";
import { codeOf, setUpDesk } from "./desk.ts";

// What the platform owner sees before changing anything.

const { desk } = setUpDesk();

const plans = "/api/v1/admin/plans";
const version = {
	bundle: "starter",
	price_minor: 1,
	currency: "KES",
	interval: "month",
	trial_days: 14,
	grace_days: 7,
	features: [],
	limits: {},
	overage: {},
};
const listed = async (query = "") => (await desk.own("GET", `${plans}${query}`)).body;

test("every plan is listed with its offer, including those without a version or with retired versions only", async () => {
	for (const code of ["BARE", "GONE"])
		await desk.own("POST", plans, { code, name: code, position: code === "BARE" ? 70 : 80 });
	await desk.own("POST", `${plans}/GONE/versions`, version);
	await desk.own("POST", `${plans}/GONE/versions/1/retire`);
	await desk.own("POST", `${plans}/STARTER/versions`, { ...version, price_minor: 175_000 });
	expect((await listed())["items"]).toEqual([
		{
			code: "STARTER",
			name: "Starter",
			position: 10,
			versions: 2,
			offered: { version: 2, price_minor: 175_000, currency: "KES", interval: "month" },
		},
		expect.objectContaining({ code: "GROWTH", versions: 1 }),
		expect.objectContaining({ code: "PROFESSIONAL" }),
		{ code: "BARE", name: "BARE", position: 70, versions: 0, offered: null },
		{ code: "GONE", name: "GONE", position: 80, versions: 1, offered: null },
	]);
});

test("plans are listed in pages", async () => {
	const first = await listed("?limit=2&total=true");
	expect(first["total"]).toBe(((await listed())["items"] as object[]).length);
	expect(first["items"]).toMatchObject([{ code: "STARTER" }, { code: "GROWTH" }]);
	const second = await listed(`?limit=2&cursor=${first["next_cursor"]}`);
	expect((second["items"] as object[])[0]).toMatchObject({ code: "PROFESSIONAL" });
	expect(codeOf(await desk.own("GET", `${plans}?cursor=x`))).toEqual([400, "invalid_input"]);
});

test("every add-on is listed by code, in pages, with its offer", async () => {
	const addOns = "/api/v1/admin/add-ons";
	for (const code of ["bare", "gone"]) await desk.own("POST", addOns, { code, name: code });
	const { bundle: _, trial_days: __, grace_days: ___, overage: ____, ...price } = version;
	await desk.own("POST", `${addOns}/gone/versions`, { ...price, products: ["pos"] });
	await desk.own("POST", `${addOns}/gone/versions/1/retire`);
	const first = (await desk.own("GET", `${addOns}?limit=2&total=true`)).body;
	expect(first["total"]).toBe(((await desk.own("GET", addOns)).body["items"] as object[]).length);
	expect(first["items"]).toEqual([
		{ code: "bare", name: "bare", versions: 0, offered: null },
		{ code: "gone", name: "gone", versions: 1, offered: null },
	]);
	const rest = (await desk.own("GET", `${addOns}?limit=2&cursor=${first["next_cursor"]}`)).body;
	expect(rest).toMatchObject({
		items: [
			{ code: "pos", offered: { version: 1 } },
			{ code: "whatsapp", offered: { version: 1, price_minor: 50_000 } },
		],
		next_cursor: null,
	});
	expect(codeOf(await desk.own("GET", `${addOns}?cursor=POS`))).toEqual([400, "invalid_input"]);
});

test("the catalogue lists its bundles with their products, and its features by kind", async () => {
	const { body } = await desk.own("GET", "/api/v1/admin/catalogue");
	expect(body["bundles"]).toContainEqual({
		code: "starter",
		name: "Starter",
		products: ["ordering", "auth"],
	});
	expect(JSON.stringify(body["bundles"])).not.toContain("*");
	expect(body["features"]).toContainEqual({ code: "max_riders", kind: "limit", description: "Riders" });
	expect(body["features"]).toContainEqual(expect.objectContaining({ code: "multi_outlet", kind: "boolean" }));
});

test("the overrides of a tenant are read as they were set, empty before; without a subscription they are not found", async () => {
	const url = `/api/v1/admin/tenants/${desk.tenantId}/overrides`;
	expect(codeOf(await desk.own("GET", url))).toEqual([404, "no_subscription"]);
	await desk.ask("POST", "", { plan: "GROWTH" });
	expect((await desk.own("GET", url)).body).toEqual({ features: {}, limits: {}, products: [] });
	const wanted = { features: { multi_outlet: false }, limits: { max_riders: 40 }, products: ["pos"] };
	await desk.own("PUT", url, { ...wanted, because: "a pilot" });
	expect((await desk.own("GET", url)).body).toEqual(wanted);
});
