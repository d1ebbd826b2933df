import { acrossTenants } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { beforeAll, expect, test } from "vitest";
import { openWard } from "./ward.ts";

const ward = setUp(openWard);
let admin: string;
beforeAll(async () => {
	admin = ward.token(ward.uhai, "admin");
});

const url = "/api/v1/uhai/hospital/config";
const put = (body: unknown, token = admin, address = url) =>
	ward.call({ method: "PUT", url: address, token, body });
const list = async (token = admin, address = url) => (await ward.call({ url: address, token })).body;

test("a setting is set, read, changed and removed, and each change has an audit row with the values before and after", async () => {
	expect(await put({ key: "theme", value: "dark" })).toMatchObject({
		status: 200,
		body: { key: "theme", value: "dark", source: "tenant" },
	});
	await put({ key: "theme", value: { colour: "#0b6e4f", levels: [1, 2] } });
	expect(await list()).toEqual({
		items: [{ key: "theme", value: { colour: "#0b6e4f", levels: [1, 2] }, source: "tenant" }],
		next_cursor: null,
	});
	expect(await put({ key: "theme", value: null })).toMatchObject({
		status: 200,
		body: { key: "theme", value: null, source: "platform" },
	});
	expect(await list()).toEqual({ items: [], next_cursor: null });
	const log = await acrossTenants(ward.database.db, (tx) =>
		tx.query(
			"select tenant_id, actor_kind, detail from audit_log where action = 'config.changed' and subject = 'theme' order by id",
		),
	);
	const line = (before: unknown, after: unknown) => ({
		tenant_id: ward.uhai.id,
		actor_kind: "user",
		detail: { before, after },
	});
	const object = { colour: "#0b6e4f", levels: [1, 2] };
	expect(log).toEqual([line(null, "dark"), line("dark", object), line(object, null)]);
});

test("a tenant's settings are separate from those of other tenants", async () => {
	await put({ key: "private", value: 1 });
	const other = await list(ward.token(ward.kahawa, "admin"), "/api/v1/kahawa/hospital/config");
	expect(other).toEqual({ items: [], next_cursor: null });
	await put({ key: "private", value: null });
});

test("the platform owner sets a default for all tenants, a tenant's value overrides it, and removing the value restores the default", async () => {
	const root = ward.token(ward.lango, "superuser");
	const platform = `/api/v1/lango/hospital/config?tenantId=${ward.lango.id}`;
	expect(await put({ key: "language", value: "en" }, root, platform)).toMatchObject({
		status: 200,
		body: { source: "platform" },
	});
	expect((await list()).items).toEqual([{ key: "language", value: "en", source: "platform" }]);
	await put({ key: "language", value: "sw" });
	expect((await list()).items).toEqual([{ key: "language", value: "sw", source: "tenant" }]);
	expect(await put({ key: "language", value: null })).toMatchObject({
		body: { value: "en", source: "platform" },
	});
	await put({ key: "language", value: null }, root, platform);
	expect((await list()).items).toEqual([]);
	const log = await acrossTenants(ward.database.db, (tx) =>
		tx.query("select detail from platform_audit_log where action = 'config.changed' order by id"),
	);
	expect(log).toEqual([{ detail: { before: null, after: "en" } }, { detail: { before: "en", after: null } }]);
});

test("the list is paged, in order, with each entry once", async () => {
	for (const key of ["c", "a", "e", "b", "d"]) await put({ key, value: key });
	const keys: string[] = [];
	let cursor: unknown = "";
	for (let page = 0; cursor !== null && page < 5; page += 1) {
		const body = await list(admin, `${url}?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`);
		keys.push(...(body.items as Array<{ key: string }>).map(({ key }) => key));
		cursor = body.next_cursor;
	}
	expect(keys).toEqual(["a", "b", "c", "d", "e"]);
	for (const key of keys) await put({ key, value: null });
});

test("a tenant can have at most 200 settings, and can still change them", async () => {
	for (let index = 0; index < 200; index += 1) await put({ key: `k${index}`, value: index });
	expect(await put({ key: "one-more", value: 1 })).toMatchObject({
		status: 409,
		body: { code: "config_full" },
	});
	expect(await put({ key: "k7", value: "again" })).toMatchObject({ status: 200 });
});

test.each<[string, unknown, string]>([
	["without a key", { value: 1 }, "key"],
	["without a value", { key: "a" }, "value"],
	["with a key that begins with a digit", { key: "1a", value: 1 }, "key"],
	["with a key that is a number", { key: 7, value: 1 }, "key"],
	["with an unknown member", { key: "a", value: 1, tenant_id: "x" }, "tenant_id"],
])("a change %s is refused and the field is named", async (_what, body, field) => {
	const answer = await put(body);
	expect({ status: answer.status, field: answer.body.field }).toEqual({ status: 400, field });
});

test("a value of more than 8 KB is refused with its code, and the field is named", async () => {
	expect(await put({ key: "a", value: "x".repeat(8_200) })).toMatchObject({
		status: 400,
		body: { code: "config_value_too_large", field: "value" },
	});
});

test("the platform can have at most 200 defaults, and can still change and remove them", async () => {
	const root = ward.token(ward.lango, "superuser");
	const platform = `/api/v1/lango/hospital/config?tenantId=${ward.lango.id}`;
	const set = (key: string, value: unknown) => put({ key, value }, root, platform);
	for (let index = 0; index < 200; index += 1) await set(`d${index}`, index);
	expect(await set("one-more", 1)).toMatchObject({ status: 409, body: { code: "config_full" } });
	expect(await set("d7", "again")).toMatchObject({ status: 200 });
	expect(await set("d8", null)).toMatchObject({ status: 200 });
	expect(await set("one-more", 1)).toMatchObject({ status: 200 });
});

test.each(["limit=0", "limit=101", "limit=x", "cursor=A"])(
	"a page request with %s is refused",
	async (query) => {
		expect(await ward.call({ url: `${url}?${query}`, token: admin })).toMatchObject({
			status: 400,
			body: { in: "query" },
		});
	},
);
