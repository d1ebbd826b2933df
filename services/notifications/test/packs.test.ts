import type { PublicTenant } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { openOffice } from "./office.ts";

const office = setUp(() => openOffice());
const owner = () => office.token(office.lango, "superuser");
const path = (tenant: PublicTenant, rest: string) => `/api/v1/${tenant.slug}/notifications/credits${rest}`;
const terms = { segments: 500, price_minor: 40_000, currency: "KES" };
type From = { of?: PublicTenant; token?: string };
const add = (body: object, { of = office.lango, token = owner() }: From = {}) =>
	office.call({ method: "POST", url: path(of, `/packs?tenantId=${of.id}`), token, body });
const change = (code: string, body: object, { of = office.lango, token = owner() }: From = {}) =>
	office.call({
		...{ method: "PUT", url: path(of, `/packs?tenantId=${of.id}`), token, body: { code, ...body } },
	});
const codes = async (tenant: PublicTenant, token: string) =>
	(await office.call({ url: path(tenant, "/packs"), token })).body.items.map(({ code }) => code);

test("a pack that is withdrawn is shown to the platform owner only, and not sold", async () => {
	const tenant = office.tenant({});
	expect(await add({ code: "sms_500", ...terms, price_minor: 50_000 })).toMatchObject({
		...{ status: 201, body: { code: "sms_500", price_minor: 50_000, is_on_sale: true } },
	});
	expect(await change("sms_500", { ...terms, is_on_sale: true })).toMatchObject({
		...{ status: 200, body: { code: "sms_500", ...terms, is_on_sale: true } },
	});
	await add({ code: "sms_old", ...terms });
	await change("sms_old", { ...terms, is_on_sale: false });
	expect(await codes(tenant, office.token(tenant, "admin"))).toEqual(["sms_500"]);
	expect(await codes(tenant, owner())).toEqual(["sms_500", "sms_old"]);
	const bought = await office.call({
		...{ method: "POST", url: path(tenant, "/top-ups"), token: office.token(tenant, "admin") },
		body: { pack: "sms_old" },
	});
	expect(bought).toMatchObject({ status: 400, body: { code: "pack_unknown", field: "pack" } });
});

test.each([{ segments: 99 }, { price_minor: 1 }, { currency: "UGX" }])(
	"a pack is not sold at other terms than the buyer saw: %j",
	async (seen) => {
		const tenant = office.tenant({});
		const code = `seen_${Object.keys(seen)[0]}`;
		await add({ code, ...terms });
		const buy = (body: object) =>
			office.call({
				...{ method: "POST", url: path(tenant, "/top-ups"), token: office.token(tenant, "admin") },
				body: { pack: code, ...terms, ...body },
			});
		expect(await buy(seen)).toMatchObject({ status: 409, body: { code: "pack_changed" } });
		expect(await buy({})).toMatchObject({
			status: 202,
			body: { pack: code, amount_minor: terms.price_minor },
		});
	},
);

test("a pack is added once: the same code is refused, also of eight at once, and the pack stays as it was", async () => {
	const answers = await Promise.all(
		Array.from({ length: 8 }, (_, n) => add({ code: "sms_once", ...terms, segments: 500 + n })),
	);
	expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(7).fill(409)]);
	const [added, refused] = [201, 409].map((sought) => answers.find(({ status }) => status === sought));
	expect(refused?.body).toMatchObject({ code: "pack_exists", field: "code" });
	const { items } = (await office.call({ url: path(office.lango, "/packs"), token: owner() })).body;
	expect(items.find(({ code }) => code === "sms_once")).toEqual(added?.body);
});

test("a pack is listed after smaller ones, page by page", async () => {
	const sizes = async () => {
		const seen: unknown[] = [];
		for (let cursor: string | null = ""; cursor !== null; ) {
			const query: string = cursor === "" ? "" : `&cursor=${cursor}`;
			const { body } = await office.call({
				...{ url: path(office.lango, `/packs?limit=1${query}`), token: owner() },
			});
			seen.push(...body.items.map(({ segments }) => segments));
			cursor = body.next_cursor;
		}
		return seen;
	};
	const before = await sizes();
	for (const segments of [2_000, 80, 500]) await add({ code: `sms_size_${segments}`, ...terms, segments });
	const all = await sizes();
	expect(all).toEqual([...before, 2_000, 80, 500].map(Number).toSorted((a, b) => a - b));
});

test.each<[string, object, string]>([
	["without segments", { segments: 0 }, "segments"],
	["without a price", { price_minor: 0 }, "price_minor"],
	["of an invalid currency", { currency: "kes" }, "currency"],
	["of an invalid code", { code: "SMS 500" }, "code"],
])("a pack %s is refused", async (_what, wrong, field) => {
	expect(await add({ code: "sms_wrong", ...terms, ...wrong })).toMatchObject({
		...{ status: 400, body: { code: "invalid_input", field } },
	});
});

test("a pack that does not exist is not changed", async () => {
	expect(await change("sms_none", { ...terms, is_on_sale: true })).toMatchObject({
		...{ status: 404, body: { code: "pack_not_found", field: "code" } },
	});
});

test("a pack is added and changed by the platform owner only, at the platform's own address", async () => {
	const tenant = office.tenant({});
	for (const from of [{ of: tenant, token: office.token(tenant, "superuser") }, { of: tenant }]) {
		expect((await add({ code: "sms_other", ...terms }, from)).status).toBe(403);
		expect((await change("sms_500", { ...terms, is_on_sale: false }, from)).status).toBe(403);
	}
});

test("a pack that is added or changed has an entry in the audit log", async () => {
	await add({ code: "sms_seen", ...terms });
	await change("sms_seen", { ...terms, is_on_sale: false });
	const entries = await inTenant(office.database.db, office.lango.id, (tx) =>
		tx.query("select action, detail from audit_log where subject = 'sms_seen' order by id"),
	);
	expect(entries).toEqual([
		{ action: "credit_pack.added", detail: { ...terms, is_on_sale: true } },
		{ action: "credit_pack.changed", detail: { ...terms, is_on_sale: false } },
	]);
});
