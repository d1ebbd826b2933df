import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { openOffice } from "./office.ts";

const office = setUp(openOffice);

const get = (path: string, slug: "uhai" | "kahawa" | "lango" = "uhai") =>
	office.call({
		url: `/api/v1/${slug}/notifications/templates${path}`,
		token: office.token(office[slug], "admin"),
	});

/** Adds a template of uhai with a published version if `live` is 1, and with a draft. */
const addOwn = (path: string, live: 1 | null) =>
	inTenant(office.database.db, office.uhai.id, (tx) =>
		tx.query(
			`with t as (
			   insert into templates (tenant_id, path, category, live_version, created_at, updated_at)
			   values ($1, $2, 'contact', $3, now(), now()) returning id),
			 v as (
			   insert into template_versions (tenant_id, template_id, version, variables, samples, digest, created_by,
			     created_at, updated_at, published_at)
			   select $1, t.id, n, '[]', '{}', '', 'test', now(), now(), case when n = $3 then now() end
			     from t, generate_series(coalesce($3::integer, 2), 2) n returning id, version)
			 insert into template_contents (tenant_id, version_id, channel, locale, source, text)
			 select $1, v.id, 'sms', 'en', 'Version ' || v.version, 'Version ' || v.version from v`,
			[office.uhai.id, path, live],
		),
	);

test("the list is paged, has every template of the platform once, and says what is in force", async () => {
	const paths: string[] = [];
	let cursor: string | null = "";
	while (cursor !== null) {
		const { body } = await get(`?limit=7${cursor === "" ? "" : `&cursor=${cursor}`}`);
		expect(body.items.length).toBeLessThanOrEqual(7);
		paths.push(...body.items.map(({ path }) => String(path)));
		cursor = body.next_cursor;
	}
	expect(paths).toEqual([...new Set(paths)].toSorted());
	expect(paths.length).toBeGreaterThan(20);
	const { body } = await get("?group=cafe");
	expect(body.items).toMatchObject([
		{
			...{ path: "cafe/cafe_contact_form", origin: "platform", version: 1, has_draft: false },
			...{ channels: ["email", "in_app"], locales: ["en", "sw"] },
		},
	]);
});

test("a template shows its variables, samples and contents, and its versions", async () => {
	const { status, body } = await get("/cafe/cafe_contact_form");
	expect({ status, body }).toMatchObject({
		status: 200,
		body: { origin: "platform", draft: null, platform: null, live: { version: 1 } },
	});
	const { live } = body as unknown as { live: { variables: object[]; contents: object[]; samples: object } };
	expect(live.variables).toContainEqual({ name: "submitted_at", kind: "date" });
	expect(Object.keys(live.samples)).toContain("message");
	expect(live.contents).toHaveLength(4);
	expect((await get("/cafe/cafe_contact_form/versions")).body.items).toMatchObject([
		{ version: 1, is_platform: true, is_live: true },
	]);
	expect((await get("/cafe/cafe_contact_form/versions/1")).body).toEqual(live);
});

test.each(["/cafe/unknown", "/cafe/unknown/versions", "/cafe/cafe_contact_form/versions/99"])(
	"%s is not found",
	async (path) => {
		expect(await get(path)).toMatchObject({ status: 404, body: { code: "template_not_found" } });
	},
);

test("an override is in force for its tenant only, and the platform's version stays visible", async () => {
	await get("");
	await addOwn("reports/report_ready", 1);
	const { body, headers } = await get("/reports/report_ready");
	expect(body).toMatchObject({
		...{ origin: "override", category: "reports" },
		live: { version: 1, contents: [{ channel: "sms", locale: "en", source: "Version 1" }] },
		draft: { version: 2, published_at: null, etag: headers["etag"], contents: [{ source: "Version 2" }] },
		platform: { version: 1 },
	});
	expect(headers["etag"]).toMatch(/^"[0-9a-f-]{36}\.1"$/);
	expect((await get("/reports/report_ready/versions")).body.items).toMatchObject([
		{ version: 1, is_platform: false, is_live: true },
	]);
	expect((await get("?group=reports&limit=100")).body.items).toContainEqual(
		expect.objectContaining({ path: "reports/report_ready", origin: "override", channels: ["sms"] }),
	);
	for (const other of ["kahawa", "lango"] as const)
		expect((await get("/reports/report_ready", other)).body).toMatchObject({
			...{ origin: "platform", draft: null, platform: null },
		});
});

test("a draft is visible to its tenant, but not as a version, and another tenant does not find it", async () => {
	await get("");
	await addOwn("shop/welcome", null);
	expect((await get("/shop/welcome")).body).toMatchObject({
		origin: "none",
		live: null,
		draft: { version: 2 },
	});
	expect((await get("/shop/welcome/versions")).body.items).toEqual([]);
	expect((await get("/shop/welcome/versions/2")).status).toBe(404);
	for (const path of ["/shop/welcome", "/shop/welcome/versions", "/shop/welcome/versions/2"])
		expect((await get(path, "kahawa")).status).toBe(404);
	expect((await get("?group=shop", "kahawa")).body.items).toEqual([]);
});
