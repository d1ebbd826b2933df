import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { auditOf, codeOf, openDesk, setUpDesk, until } from "./desk.ts";

const { service, desk } = setUpDesk();

const addOns = "/api/v1/admin/add-ons";
const version = {
	price_minor: 50_000,
	currency: "KES",
	interval: "month",
	products: ["pos"],
	features: ["route_optimization"],
	limits: { max_riders: 10, max_admins: -1 },
};
async function newAddOn(): Promise<string> {
	const code = `x${randomUUID().replaceAll("-", "")}`;
	expect((await desk.own("POST", addOns, { code, name: "An add-on" })).status).toBe(201);
	return code;
}
const publish = (code: string, more: object = {}) =>
	desk.own("POST", `${addOns}/${code}/versions`, { ...version, ...more });
const retire = (code: string, number: number) =>
	desk.own("POST", `${addOns}/${code}/versions/${number}/retire`);
const offered = async (wanted: string) =>
	(
		(await desk.own("GET", "/api/v1/add-ons?limit=100")).body["items"] as Array<{
			code: string;
			version: number;
			price_minor: number;
		}>
	)
		.filter(({ code }) => code === wanted)
		.map(({ version: number, price_minor }) => `${number} ${price_minor}`);

describe("an add-on created by the platform owner", () => {
	test("is on offer in its newest version that is not retired, and is in the audit log", async () => {
		const code = await newAddOn();
		expect(await offered(code)).toEqual([]);
		expect((await publish(code)).body).toEqual({ code, version: 1 });
		expect((await publish(code, { price_minor: 60_000 })).body).toEqual({ code, version: 2 });
		expect(await offered(code)).toEqual(["2 60000"]);
		expect((await retire(code, 2)).body).toEqual({ code, version: 2 });
		expect(await offered(code)).toEqual(["1 50000"]);
		await retire(code, 1);
		expect(await offered(code)).toEqual([]);
		const made = ["add_on.made", "add_on_version.made", "add_on_version.made"];
		expect(await auditOf(service, code)).toEqual([
			...made,
			"add_on_version.retired",
			"add_on_version.retired",
		]);
	});

	test("lists all its versions in pages, including retired ones", async () => {
		const code = await newAddOn();
		for (const price_minor of [1, 2, 3]) await publish(code, { price_minor });
		await retire(code, 2);
		const first = await desk.own("GET", `${addOns}/${code}/versions?limit=2&total=true`);
		expect(first.body["total"]).toBe(3);
		expect(first.body["items"]).toEqual([
			{ ...version, version: 3, price_minor: 3, retired_at: null, created_at: expect.any(String) },
			{
				...version,
				version: 2,
				price_minor: 2,
				retired_at: service.clock.now.toISOString(),
				created_at: expect.any(String),
			},
		]);
		const { body } = await desk.own(
			"GET",
			`${addOns}/${code}/versions?limit=2&cursor=${first.body["next_cursor"]}`,
		);
		expect(body).toMatchObject({ items: [{ version: 1, price_minor: 1 }], next_cursor: null });
	});

	test("stays with a tenant that has it when its version is retired, and cannot be added by others", async () => {
		const code = await newAddOn();
		await publish(code);
		await desk.payFor("STARTER");
		const quoted = await desk.ask("POST", "/quote", { add_ons: [code] });
		expect(quoted.body["lines"]).toMatchObject([{ what: "add_on", code, amount_minor: 50_000 }]);
		const taken = await desk.ask("POST", "/change", { quote_id: quoted.body["quote_id"], mode: "now" });
		expect(taken.status).toBe(202);
		await until(async () => (await desk.snapshot()).products.includes("pos"));
		await retire(code, 1);
		expect(await desk.snapshot()).toMatchObject({
			features: ["customer_portal", "route_optimization"],
			limits: { max_riders: 10, max_admins: -1 },
		});
		const other = openDesk(service);
		await other.payFor("STARTER");
		expect(codeOf(await other.ask("POST", "/quote", { add_ons: [code] }))).toEqual([404, "add_on_not_found"]);
	});

	test("numbers three versions created concurrently", async () => {
		const code = await newAddOn();
		const answers = await Promise.all([publish(code), publish(code), publish(code)]);
		expect(answers.map(({ body }) => body["version"]).sort()).toEqual([1, 2, 3]);
	});

	test.each<[string, object, string]>([
		["an unknown product", { products: ["rockets"] }, "products.0"],
		["an unknown feature", { features: ["teleport"] }, "features"],
		["a limit as a feature", { features: ["max_riders"] }, "features"],
		["an unknown limit", { limits: { max_wishes: 1 } }, "limits"],
		["a negative price", { price_minor: -1 }, "price_minor"],
		["a weekly interval", { interval: "week" }, "interval"],
		["a currency in lower case", { currency: "kes" }, "currency"],
	])("refuses %s", async (_what, more, field) => {
		const answer = await publish("pos", more);
		expect([...codeOf(answer), String(answer.body["field"])]).toEqual([400, "invalid_input", field]);
	});

	test("refuses a second retirement, and an unknown version", async () => {
		const code = await newAddOn();
		expect(codeOf(await desk.own("POST", addOns, { code, name: "Again" }))).toEqual([409, "add_on_exists"]);
		expect(codeOf(await publish("nobodys"))).toEqual([404, "add_on_not_found"]);
		expect(codeOf(await retire(code, 1))).toEqual([404, "add_on_version_not_found"]);
		await publish(code);
		await retire(code, 1);
		expect(codeOf(await retire(code, 1))).toEqual([409, "version_retired"]);
	});
});
