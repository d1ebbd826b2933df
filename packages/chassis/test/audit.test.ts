import { randomUUID } from "node:crypto";
import { setUp } from "@lango/testkit/set-up";
import { beforeAll, expect, test } from "vitest";
import { openFloor } from "./shop-floor.ts";

const floor = setUp(openFloor);
let admin: { id: string; token: string };
beforeAll(async () => {
	admin = await floor.meet("admin");
});

type Entry = {
	id: string;
	tenant_id: string | null;
	action: string;
	actor_id: string;
	at: string;
	detail: unknown;
};
const audit = async (query: string, token = admin.token, at = floor.tenants.uhai) =>
	(await floor.ask("GET", `/audit${query}`, { token, at })).body as { items: Entry[]; next_cursor: string };
const change = (key: string, token = admin.token, at = floor.tenants.uhai) =>
	floor.ask("PUT", "/config", { token, at, body: { key, value: 1 } });

test("the audit log is paged, the newest first, and filtered by time, actor and action", async () => {
	const other = await floor.meet("admin");
	for (const key of ["a", "b", "c"]) await change(key);
	const between = new Date().toISOString();
	await new Promise((resolve) => setTimeout(resolve, 5));
	await change("d", other.token);
	await floor.ask("POST", "/roles", { token: other.token, body: { code: "x", permissions: [] } });

	const all = (await audit("?limit=200")).items;
	expect(all.map(({ at }) => at)).toEqual(
		all
			.map(({ at }) => at)
			.toSorted()
			.toReversed(),
	);
	const paged: Entry[] = [];
	let cursor = "";
	do {
		const page = await audit(`?limit=2${cursor}`);
		paged.push(...page.items);
		cursor = page.next_cursor === null ? "" : `&cursor=${page.next_cursor}`;
	} while (cursor !== "");
	expect(paged).toEqual(all);
	expect((await audit(`?from=${between}`)).items.map(({ action }) => action)).toEqual([
		"role.created",
		"config.changed",
	]);
	expect((await audit(`?to=${between}`)).items).toHaveLength(3);
	expect((await audit(`?actor=${other.id}`)).items).toHaveLength(2);
	expect((await audit("?action=config.changed")).items).toHaveLength(4);
	expect(await floor.ask("GET", "/audit?from=yesterday", admin)).toMatchObject({
		status: 400,
		body: { field: "from" },
	});
});

test("every pass by a special right is in it: of a superuser permission and subscription, of the platform's owner the tenant", async () => {
	const { duka, lango } = floor.tenants;
	const [superuser, owner] = [randomUUID(), randomUUID()];
	const own = floor.token(duka, "superuser", { sub: superuser });
	await change("a", own, duka);
	await change("b", floor.token(lango, "superuser", { sub: owner }), duka);
	const passes = await audit("?action=access.passed", own, duka);
	expect(passes.items.map(({ actor_id, detail }) => [actor_id, detail])).toEqual(
		expect.arrayContaining([
			[superuser, { passed: ["subscription", "permission"] }],
			[owner, { passed: ["tenant", "subscription", "permission"] }],
		]),
	);
});

test("a superuser who passes what a route asks of the plan or of the use case leaves a row, and none where nothing was passed", async () => {
	const { uhai } = floor.tenants;
	const [sub, outlet_id] = [randomUUID(), randomUUID()];
	const bound = { sub, outlet_id, outlet_use_case: "retail", is_hq_user: false };
	const token = floor.token(uhai, "superuser", bound);
	await floor.ask("GET", "/product", { token });
	await floor.ask("GET", "/pharmacy", { token });
	await floor.ask("GET", "/outlet", { token, headers: { "x-outlet-id": floor.outletOf(uhai) } });
	await floor.ask("GET", "/outlet", { token });
	expect((await audit(`?actor=${sub}`)).items.map(({ detail }) => detail)).toEqual([
		{ passed: ["outlet"] },
		{ passed: ["subscription"] },
	]);
});

test("a list of all tenants is the platform's owner's alone, and reading it is in the platform's audit log", async () => {
	const { lango, kahawa } = floor.tenants;
	await change("k", floor.token(kahawa, "admin"), kahawa);
	const sub = randomUUID();
	const token = floor.token(lango, "superuser", { sub });
	for (const path of ["/roles", "/users", "/api-keys", "/roles/guest/assignments", "/permissions"])
		expect((await floor.ask("GET", path, { token, at: lango })).status).toBe(200);
	const { items } = await audit("?limit=200", token, lango);
	expect(new Set(items.map(({ tenant_id }) => tenant_id))).toEqual(
		new Set([floor.tenants.uhai.id, floor.tenants.duka.id, kahawa.id, lango.id, null]),
	);
	const read = items.filter(({ actor_id, tenant_id }) => actor_id === sub && tenant_id === null);
	expect(read).toHaveLength(5);
	expect(read[0]).toMatchObject({ action: "access.passed", detail: { passed: ["tenant"] } });
	const people = (await floor.ask("GET", "/users", { token, at: lango })).body.items as Entry[];
	expect(new Set(people.map(({ tenant_id }) => tenant_id)).size).toBeGreaterThan(1);
	const ownAdmin = floor.token(lango, "admin");
	expect((await audit("", ownAdmin, lango)).items.every(({ tenant_id }) => tenant_id === lango.id)).toBe(
		true,
	);
});
