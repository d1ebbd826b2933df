import { buildService } from "@lango/chassis";
import { inTenant } from "@lango/postgres";
import { openStand } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { requireNotHalted } from "../src/halts/require-not-halted.ts";
import { treasury } from "../src/service.ts";

const environment = { TREASURY_KEY_ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString("base64")}` };
const stand = setUp(() => openStand({ service: treasury, build: buildService, environment }));

const operator = (method: string, body?: object, query = "") =>
	stand.call({
		...{ method, url: `/api/v1/platform/halts${query}`, body },
		token: stand.token(stand.tenants.lango, "superuser"),
	});
const isHalted = (tenant: "uhai" | "kahawa", scope: "collections" | "payouts") =>
	requireNotHalted(stand.database.db, stand.tenants[tenant].id, scope).then(
		() => false,
		(error) => error.code === "halted",
	);

test("a halt of a tenant stops that tenant in its scope, one without a tenant stops all, until it is switched off", async () => {
	const because = "The gateway reports wrong amounts";
	const tenant_id = stand.tenants.uhai.id;
	expect(await operator("GET")).toMatchObject({ status: 200, body: { items: [] } });
	const ofUhai = await operator("PUT", { scope: "collections", tenant_id, is_on: true, because });
	expect(ofUhai).toMatchObject({
		status: 200,
		body: { items: [{ scope: "collections", tenant_id, because }] },
	});
	expect(await isHalted("uhai", "collections")).toBe(true);
	expect(await isHalted("uhai", "payouts")).toBe(false);
	expect(await isHalted("kahawa", "collections")).toBe(false);
	const ofAll = await operator("PUT", { scope: "payouts", is_on: true, because });
	expect(ofAll.body["items"]).toMatchObject([{ tenant_id: null }, { tenant_id }]);
	expect(await isHalted("kahawa", "payouts")).toBe(true);
	await operator("PUT", { scope: "payouts", is_on: false, because: "Repaired" });
	await operator("PUT", { scope: "collections", tenant_id, is_on: false, because: "Repaired" });
	expect((await operator("GET")).body).toEqual({ items: [], next_cursor: null });
	expect(await isHalted("uhai", "collections")).toBe(false);
	expect(await isHalted("kahawa", "payouts")).toBe(false);
});

test("halts are listed page by page, those of every tenant first", async () => {
	const because = "Test";
	const { uhai, kahawa } = stand.tenants;
	const switchAll = async (is_on: boolean) => {
		for (const tenant_id of [uhai.id, kahawa.id, undefined])
			for (const scope of ["refunds", "payouts"]) await operator("PUT", { scope, tenant_id, is_on, because });
	};
	await switchAll(true);
	const seen: unknown[] = [];
	for (let cursor: unknown = ""; cursor !== null; ) {
		const page = await operator("GET", undefined, `?limit=2${cursor && `&cursor=${cursor}`}`);
		seen.push(...(page.body["items"] as Array<{ tenant_id: string; scope: string }>));
		cursor = page.body["next_cursor"];
	}
	const ofBoth = [uhai.id, kahawa.id].toSorted();
	expect(seen).toMatchObject(
		[null, ...ofBoth].flatMap((tenant_id) => ["payouts", "refunds"].map((scope) => ({ tenant_id, scope }))),
	);
	expect(await operator("GET", undefined, "?cursor=x")).toMatchObject({ status: 400 });
	await switchAll(false);
});

test("a halt of an unknown tenant is not found", async () => {
	const tenant_id = "00000000-0000-4000-8000-000000000000";
	const halt = { scope: "refunds", tenant_id, is_on: true, because: "Test" };
	expect(await operator("PUT", halt)).toMatchObject({ status: 404, body: { code: "tenant_not_found" } });
});

test("inside of a tenant a halt of every tenant is seen, and cannot be switched; one of another tenant is not seen", async () => {
	const { db } = stand.database;
	const because = "Test";
	const { uhai, kahawa } = stand.tenants;
	const halts = { payouts: undefined, refunds: kahawa.id };
	const switchAll = async (is_on: boolean) => {
		for (const [scope, tenant_id] of Object.entries(halts))
			await operator("PUT", { scope, tenant_id, is_on, because });
	};
	await switchAll(true);
	const within = (text: string) => inTenant(db, uhai.id, (tx) => tx.query(text));
	expect(await within("select scope from platform_halts where is_on")).toEqual([{ scope: "payouts" }]);
	expect(await within("select from halts where is_on")).toEqual([]);
	expect(await within("update platform_halts set is_on = false returning scope")).toEqual([]);
	const made = "insert into platform_halts values ('collections', true, 'Test', 'test', now())";
	await expect(within(made)).rejects.toThrow("row-level security");
	await switchAll(false);
});
