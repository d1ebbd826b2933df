import { setUp } from "@lango/testkit/set-up";
import { beforeAll, expect, test } from "vitest";
import { openShop, type Somebody, somebody } from "./shop.ts";
import { at, givePin, hire, meet, type OpenTill, openTill, typePin } from "./till.ts";

const shop = setUp(openShop);
let main: OpenTill;
let side: OpenTill;
let keeper: Somebody;
const outlet = (place: 0 | 1) => shop.outlet(shop.kahawa, place).id;
beforeAll(async () => {
	main = await openTill(shop);
	side = await openTill(shop, { place: 1 });
	keeper = await staffAt(1, "pos_manager");
});

/** A person of Kahawa with a role at one outlet; in the whole tenant they can only view outlets. */
async function staffAt(place: 0 | 1, role: string): Promise<Somebody> {
	const who = {
		...somebody(shop.kahawa, "member", "Neema Otieno"),
		claims: { outlet_id: outlet(place) },
	};
	await meet(shop, who);
	const body = { user_id: who.sub, outlet_id: outlet(place) };
	const token = shop.token(main.manager);
	const url = at(shop.kahawa, `/roles/${role}/assignments`);
	const { status } = await shop.call({ method: "POST", url, token, body });
	expect(status).toBe(201);
	return who;
}

/** Sends a request with an outlet named, by default as the manager of the second outlet. */
const ask = (line: `${"GET" | "PUT" | "POST" | "DELETE"} /${string}`, body?: object, who = keeper) => {
	const [method, path = ""] = line.split(" ");
	return shop.call({
		method: method as "GET",
		url: at(shop.kahawa, path),
		token: shop.token(who),
		headers: { "x-outlet-id": outlet(1) },
		...(body && { body }),
	});
};
const set = (who: Somebody, body: object) => ask(`PUT /pins/${who.sub}`, body);
const outcome = ({ status, body }: { status: number; body: Record<string, unknown> }) => [
	status,
	body.code ?? body.outlet_id,
];
const ids = (body: Record<string, unknown>) => (body.items as Array<{ id: string }>).map(({ id }) => id);

test("a manager of one outlet can add, list and revoke tills only there", async () => {
	const made = await ask("POST /terminals", { outlet_id: outlet(1).toUpperCase(), name: "Till 2" });
	expect(made.status).toBe(201);
	const elsewhere = await ask("POST /terminals", { outlet_id: outlet(0), name: "Till 2" });
	expect(outcome(elsewhere)).toEqual([403, "forbidden"]);
	expect(ids((await ask("GET /terminals")).body).sort()).toEqual([side.id, made.body.id].sort());
	expect(outcome(await ask(`DELETE /terminals/${main.id}`))).toEqual([404, "terminal_not_found"]);
	expect((await ask(`DELETE /terminals/${made.body.id}`)).status).toBe(204);
});

test("a manager of one outlet sees only that outlet and its staff", async () => {
	const [there, here] = [await staffAt(0, "cashier"), await staffAt(1, "waiter")];
	await givePin(shop, main, { who: there, pin: "2580", outlet_id: outlet(0) });
	expect(ids((await ask("GET /outlets")).body)).toEqual([outlet(1)]);
	const { body } = await ask("GET /staff?limit=100");
	const seen = (body.items as Array<{ user_id: string }>).map(({ user_id }) => user_id);
	expect([seen.includes(here.sub), seen.includes(there.sub)]).toEqual([true, false]);
});

test("a manager of one outlet gets no tenant-wide access by naming the outlet", async () => {
	const boss = await staffAt(1, "pos_admin");
	for (const [line, body] of [
		["PUT /config", { key: "theme", value: "dark" }],
		["GET /audit"],
		["GET /users"],
		["GET /api-keys"],
		["GET /roles"],
	] as const)
		expect([line, ...outcome(await ask(line, body, boss))]).toEqual([line, 403, "forbidden"]);
});

test("a PIN set by a manager of one outlet is valid at that outlet only", async () => {
	const who = await staffAt(1, "cashier");
	expect(outcome(await set(who, { pin: "2580" }))).toEqual([200, outlet(1)]);
	expect(outcome(await set(who, { pin: "2581", outlet_id: outlet(1) }))).toEqual([200, outlet(1)]);
	expect((await typePin(shop, side, { who, pin: "2581" })).status).toBe(200);
	for (const outlet_id of [null, outlet(0)])
		expect(outcome(await set(who, { pin: "2582", outlet_id }))).toEqual([403, "forbidden"]);
	expect((await typePin(shop, side, { who, pin: "2581" })).status).toBe(200);
	expect((await ask(`DELETE /pins/${who.sub}`)).status).toBe(204);
});

test("a manager of one outlet cannot change or delete a PIN that is valid elsewhere", async () => {
	const [everywhere, there] = [await hire(shop, main), await staffAt(0, "cashier")];
	await givePin(shop, main, { who: there, pin: "2580", outlet_id: outlet(0) });
	for (const who of [everywhere, there]) {
		for (const body of [{ pin: "1234" }, { pin: "1234", outlet_id: outlet(1) }])
			expect(outcome(await set(who, body))).toEqual([403, "forbidden"]);
		const hidden = who === there ? [404, "pin_not_found"] : [403, "forbidden"];
		expect(outcome(await ask(`DELETE /pins/${who.sub}`))).toEqual(hidden);
		expect((await typePin(shop, main, { who, pin: "2580" })).status).toBe(200);
	}
});

test("a manager of one outlet cannot set the PIN of a person with more permissions at any outlet", async () => {
	const [manager, boss] = [somebody(shop.kahawa, "admin"), await staffAt(0, "pos_admin")];
	await meet(shop, manager);
	for (const who of [manager, boss])
		expect(outcome(await set(who, { pin: "1234" }))).toEqual([403, "user_holds_more"]);
});

test("a person of one outlet can set their own PIN, which is valid there", async () => {
	const who = await staffAt(1, "cashier");
	expect(outcome(await ask("PUT /pins/own", { pin: "2580" }, who))).toEqual([200, outlet(1)]);
	const url = at(shop.kahawa, "/pins/own");
	const bare = await shop.call({ method: "PUT", url, token: shop.token(who), body: { pin: "2580" } });
	expect(outcome(bare)).toEqual([403, "forbidden"]);
});
