import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { expect, onTestFinished, test } from "vitest";
import { publishPlatformTemplate } from "../src/catalogue/catalogue.store.ts";
import { greeting, openOffice } from "./office.ts";

const office = setUp(openOffice);

type Slug = "uhai" | "kahawa" | "lango";
type Call = { slug?: Slug; tag?: unknown; body?: object };

/** The platform owner names the tenant by the query, also at the platform's own address. */
const ofPlatform = (slug: Slug) => (slug === "lango" ? `?tenantId=${office.lango.id}` : "");

const call = (
	method: "GET" | "PUT" | "POST" | "DELETE",
	url: string,
	{ slug = "uhai", tag, body }: Call = {},
) =>
	office.call({
		...{ method, url: `/api/v1/${slug}/notifications/templates${url}${ofPlatform(slug)}`, body },
		token: office.token(office[slug], slug === "lango" ? "superuser" : "admin"),
		headers: tag === undefined ? {} : { "if-match": String(tag) },
	});
const sms = (source: string, locale = "en") => ({ channel: "sms", locale, source });
const save = (path: string, contents: object[], more: Call = {}) =>
	call("PUT", `/${path}/draft`, { ...more, body: { contents, ...more.body } });
const publish = (path: string, tag: unknown, slug: Slug = "uhai") =>
	call("POST", `/${path}/publish`, { tag, slug });

/** Saves the first draft of a template and publishes it. */
const override = async (path: string, source: string, slug: Slug = "uhai") => {
	const saved = await save(path, [sms(source)], { slug });
	expect(saved).toMatchObject({ status: 200, body: { findings: [] } });
	return publish(path, saved.headers["etag"], slug);
};

let phone = 712_345_000;
const textOf = async (slug: Slug, requestId: string) => {
	const [row] = await inTenant(office.database.db, office[slug].id, (tx) =>
		tx.query<{ source: string }>(
			`select c.source
			   from messages m
			   join (select version_id, channel, locale, source from template_contents
			         union all
			         select version_id, channel, locale, source from platform_template_contents) c
			     on c.version_id = coalesce(m.template_version_id, m.platform_version_id)
			  where m.id = $1 and c.channel = 'sms' and c.locale = 'en'`,
			[requestId],
		),
	);
	return row?.source;
};
/** The text that a message of a tenant uses. */
const usedBy = async (slug: Slug) => {
	const sent = await office.send(office[slug], greeting([`+254${++phone}`], { channel: "sms" }));
	return textOf(slug, sent.body.requestId);
};

const own = (path: string, more: object = {}) => ({
	...{ path, category: "general", variables: [{ name: "name", kind: "text" }], samples: { name: "Asha" } },
	...{ contents: [sms("Hi {{ name }}")], ...more },
});
const create = (body: object, slug: Slug = "uhai") => call("POST", "", { slug, body });

test("a published override is in force at once for its tenant's messages, and for no other tenant's", async () => {
	const before = await usedBy("uhai");
	expect(await override("shared/generic_notification", "Duka: {{ title }}")).toMatchObject({
		status: 200,
		body: { origin: "override", draft: null, live: { version: 1, contents: [sms("Duka: {{ title }}")] } },
	});
	expect(await usedBy("uhai")).toBe("Duka: {{ title }}");
	expect(await usedBy("kahawa")).toBe(before);
});

test("the platform owner's version is in force for every tenant, and stays so when the catalogue changes", async () => {
	const path = "shared/generic_notification";
	expect(await override(path, "Lango: {{ title }}", "lango")).toMatchObject({
		body: { origin: "platform", live: { version: 2 } },
	});
	expect(await usedBy("kahawa")).toBe("Lango: {{ title }}");
	const { live } = (await call("GET", `/${path}`, { slug: "lango" })).body as unknown as {
		live: { variables: []; samples: object };
	};
	const draft = await save(path, [sms("Next: {{ title }}")], { slug: "lango" });
	const seed = async (digest: string) => {
		const { db } = office.database;
		const content = { ...{ channel: "sms" as const, locale: "en" }, source: "Seeded", text: "Seeded" };
		const template = { path, category: "general" as const, variables: live.variables, contents: [content] };
		const compiled = { template, samples: { ...live.samples }, digest: Buffer.from(digest) };
		await publishPlatformTemplate(db, compiled, new Date());
	};
	await seed("a");
	await seed("a");
	expect(await usedBy("kahawa")).toBe("Lango: {{ title }}");
	const { body } = await call("GET", `/${path}/versions`, { slug: "lango" });
	expect(body.items).toMatchObject([
		{ version: 4, is_live: false },
		{ version: 2, is_live: true },
		{ version: 1 },
	]);
	expect((await publish(path, draft.headers["etag"], "lango")).body).toMatchObject({ live: { version: 5 } });
});

test("an administrator of the platform owner's tenant without the role of a superuser changes that tenant's templates only", async () => {
	const path = "isp/subscription_renewal";
	const asAdmin = (method: "PUT" | "POST", url: string, more: object) =>
		office.call({
			...{ method, url: `/api/v1/lango/notifications/templates/${path}${url}`, ...more },
			token: office.token(office.lango, "admin"),
		});
	const saved = await asAdmin("PUT", "/draft", { body: { contents: [sms("Lango: {{ package_name }}")] } });
	const tag = { "if-match": String(saved.headers["etag"]) };
	expect((await asAdmin("POST", "/publish", { headers: tag })).body).toMatchObject({ origin: "override" });
	const platforms = { origin: "platform", live: { version: 1 } };
	for (const slug of ["lango", "kahawa"] as const)
		expect((await call("GET", `/${path}`, { slug })).body).toMatchObject(platforms);
});

test.each([
	["visits_ticket", 200],
	[`HX${"0a".repeat(16)}`, 200],
	["HX0a", 400],
	["Visits", 400],
])("a WhatsApp content with the approved template %s is answered %i", async (whatsapp_name, status) => {
	const content = { channel: "whatsapp", locale: "en", source: "{{ title }}", whatsapp_name };
	expect((await save("shared/generic_notification", [content], { slug: "kahawa" })).status).toBe(status);
	await call("DELETE", "/shared/generic_notification/override", { slug: "kahawa" });
});

test("a draft with findings is saved but not published", async () => {
	const path = "cafe/cafe_contact_form";
	const saved = await save(path, [sms("{{ password }}"), sms("{% include 'a' %}", "sw")]);
	expect(saved).toMatchObject({
		status: 200,
		body: {
			template: { origin: "platform", draft: { version: 1 } },
			findings: [
				{
					...{ place: "sms.en.source", code: "variable_undeclared", params: { name: "password", line: 1 } },
					reason: "The variable password is not declared, line 1.",
				},
				{ place: "sms.sw.source", code: "tag_unknown", params: { tag: "include", line: 1 } },
			],
		},
	});
	expect(await publish(path, saved.headers["etag"])).toMatchObject({
		status: 400,
		body: {
			...{ code: "template_invalid", field: "draft" },
			problems: [{ place: "sms.en.source", code: "variable_undeclared" }, { code: "tag_unknown" }],
		},
	});
});

test.each<[string, object, string]>([
	["without English", { contents: [sms("Hujambo", "sw")] }, "sms.en"],
	["without content", { contents: [] }, "contents"],
	["without the sample of a variable", { samples: {} }, "samples.name"],
	["with a sample of the wrong kind", { samples: { name: [] } }, "samples.name"],
	["with a name of JavaScript", { contents: [sms("{{ constructor }}")] }, "sms.en.source"],
	[
		"with a script",
		{ contents: [{ ...sms("<script>1</script>"), channel: "email", subject: "A" }] },
		"email.en",
	],
])("a template %s is not published", async (title, body, place) => {
	const path = `shop/${title.replaceAll(/[^a-z]/gi, "_").toLowerCase()}`;
	const made = await create(own(path, body));
	expect(made).toMatchObject({ status: 201, body: { template: { origin: "none" } } });
	const { status, body: refusal } = await publish(path, made.headers["etag"]);
	expect({ status, code: refusal.code }).toEqual({ status: 400, code: "template_invalid" });
	expect(refusal["problems"]).toContainEqual(
		expect.objectContaining({
			...{ place: expect.stringContaining(place), code: expect.any(String), params: expect.any(Object) },
			reason: expect.stringMatching(/^[^{]*\.$/),
		}),
	);
});

test("a draft that changed since its author saw it is neither saved nor published, and of two equal calls one wins", async () => {
	const path = "shop/raced";
	const first = (await create(own(path))).headers["etag"];
	expect((await save(path, [sms("A")])).body.code).toBe("draft_changed");
	const saves = await Promise.all([1, 2, 3].map((n) => save(path, [sms(`Text ${n}`)], { tag: first })));
	expect(saves.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
	expect(await publish(path, first)).toMatchObject({ status: 409, body: { code: "draft_changed" } });
	expect((await publish(path, undefined)).body.code).toBe("draft_changed");
	const tag = saves.find(({ status }) => status === 200)?.headers["etag"];
	const published = await Promise.all([1, 2, 3].map(() => publish(path, `W/${tag}`)));
	expect(published.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
	expect((await publish(path, "*")).body.code).toBe("draft_changed");
	expect((await call("GET", `/${path}/versions`)).body.items).toHaveLength(1);
});

test.each<[string, object, string]>([
	["a group of the platform", own("shared/mine"), "path"],
	["a critical category", own("shop/a", { category: "security" }), "category"],
	[
		"a reserved variable",
		own("shop/a", { variables: [{ name: "tenant", kind: "text" }] }),
		"variables.tenant",
	],
	[
		"a variable twice",
		own("shop/a", { variables: [1, 2].map(() => ({ name: "a", kind: "text" })) }),
		"variables.a",
	],
	["a list without members", own("shop/a", { variables: [{ name: "a", kind: "list" }] }), "variables.a"],
	["a content twice", own("shop/a", { contents: [sms("A"), sms("B")] }), "contents.1"],
	["NUL", own("shop/a", { contents: [sms("\u0000")] }), "contents.0.source"],
])("a new template with %s is refused", async (_title, body, field) => {
	expect(await create(body)).toMatchObject({ status: 400, body: { field } });
});

test("paths are used once, an override has the platform's variables, and others do not find an own template", async () => {
	expect((await create(own("shop/once"))).status).toBe(201);
	expect((await create(own("shop/once"))).body).toMatchObject({ code: "template_invalid", field: "path" });
	expect((await create(own("lango_only/a"), "lango")).body).toMatchObject({ field: "path" });
	expect((await save("isp/payment_received", [sms("A")], { body: { variables: [] } })).body).toMatchObject({
		...{ code: "template_invalid", field: "variables" },
	});
	const other = { slug: "kahawa", tag: "*" } as const;
	expect((await save("shop/once", [sms("A")], other)).body.code).toBe("template_not_found");
	expect((await publish("shop/once", "*", "kahawa")).body.code).toBe("template_not_found");
});

test("a rollback publishes a copy, and without the override the platform's template is in force at once", async () => {
	const path = "shared/generic_notification";
	const [before, url] = [await usedBy("kahawa"), `/${path}/override`];
	await override(path, "First: {{ title }}", "kahawa");
	await override(path, "Second: {{ title }}", "kahawa");
	expect(await usedBy("kahawa")).toBe("Second: {{ title }}");
	const back = await call("POST", `/${path}/rollback`, { slug: "kahawa", body: { version: 1 } });
	expect(back).toMatchObject({ status: 200, body: { origin: "override", live: { version: 3 } } });
	expect(await usedBy("kahawa")).toBe("First: {{ title }}");
	await save(path, [sms("Draft")], { slug: "kahawa" });
	expect((await call("POST", `/${path}/rollback`, { slug: "kahawa", body: { version: 4 } })).status).toBe(
		404,
	);
	expect((await call("DELETE", url, { slug: "kahawa" })).status).toBe(204);
	expect(await usedBy("kahawa")).toBe(before);
	expect((await call("GET", `/${path}`, { slug: "kahawa" })).body).toMatchObject({
		...{ origin: "platform", draft: null },
	});
	const unknown = { slug: "kahawa", body: { version: 1 } } as const;
	expect((await call("POST", "/isp/payment_received/rollback", unknown)).body.code).toBe(
		"template_not_found",
	);
	expect((await call("DELETE", "/isp/low_credit_alert/override", { slug: "kahawa" })).body.code).toBe(
		"template_not_found",
	);
});

test("the platform owner returns to the catalogue's version", async () => {
	const path = "isp/payment_received";
	await override(path, "Paid {{ amount }}", "lango");
	expect((await call("DELETE", `/${path}/override`, { slug: "lango" })).status).toBe(204);
	expect((await call("GET", `/${path}`, { slug: "lango" })).body).toMatchObject({
		...{ origin: "platform", live: { version: 1 }, draft: null },
	});
});

test("another process uses a published version at once, although it has the earlier one in its cache", async () => {
	const other = await office.replica();
	onTestFinished(() => other.close());
	const path = "shared/generic_notification";
	const usedByOther = async (slug: "uhai" | "kahawa") => {
		const sent = await other.app.inject({
			...{ method: "POST", url: `/api/v1/${slug}/notifications/messages` },
			headers: { authorization: `Bearer ${office.token(office[slug], "admin")}` },
			payload: greeting([`+254${++phone}`], { channel: "sms" }),
		});
		return textOf(slug, sent.json().requestId);
	};
	for (const slug of ["uhai", "kahawa"] as const) expect(await usedByOther(slug)).toEqual(expect.any(String));
	for (const text of ["One: {{ title }}", "Two: {{ title }}", "Three: {{ title }}"]) {
		await override(path, text);
		await expect.poll(() => usedByOther("uhai"), { timeout: 2_000, interval: 10 }).toBe(text);
	}
	await override(path, "Every: {{ title }}", "lango");
	await expect.poll(() => usedByOther("kahawa"), { timeout: 2_000, interval: 10 }).toBe("Every: {{ title }}");
	for (const slug of ["uhai", "lango"] as const) await call("DELETE", `/${path}/override`, { slug });
	for (const slug of ["uhai", "kahawa"] as const)
		await expect
			.poll(() => usedByOther(slug), { timeout: 2_000, interval: 10 })
			.toContain("{{ tenant.name }}");
});

test("a tenant has at most 500 templates of its own", async () => {
	const [template] = await inTenant(office.database.db, office.kahawa.id, (tx) =>
		tx.query<{ n: number }>(
			`with added as (
			   insert into templates (tenant_id, path, category, created_at, updated_at)
			   select $1, 'many/t_' || n, 'general', now(), now()
			     from generate_series(1 + (select count(*)::int from templates t where t.tenant_id = $1), 500) n returning 1)
			 select count(*)::int as n from added`,
			[office.kahawa.id],
		),
	);
	expect(template?.n).toBeGreaterThan(400);
	const refused = await create(own("own/one_more"), "kahawa");
	expect([refused.status, refused.body.code]).toEqual([409, "too_many_templates"]);
});

test("contents of a published version cannot be changed, removed or added, by no statement", async () => {
	const path = "reports/report_ready";
	expect((await override(path, "Ready: {{ name }}")).status).toBe(200);
	const run = (statement: string) =>
		inTenant(office.database.db, office.uhai.id, (tx) =>
			tx.query(
				`${statement} (select v.id from template_versions v join templates t on t.id = v.template_id
				    where t.tenant_id = $1 and t.path = $2)`,
				[office.uhai.id, path],
			),
		);
	const published = /is published/;
	await expect(
		run("update template_contents set source = 'x', text = 'x' where version_id in"),
	).rejects.toThrow(published);
	await expect(run("delete from template_contents where version_id in")).rejects.toThrow(published);
	await expect(run("delete from template_versions where id in")).rejects.toThrow(published);
	await expect(run("update template_versions set variables = '[]' where id in")).rejects.toThrow(published);
	const adding = `insert into template_contents (tenant_id, version_id, channel, locale, source, text)
		select $1, v.id, 'sms', 'sw', 'x', 'x' from template_versions v where v.id in`;
	await expect(run(adding)).rejects.toThrow(published);
});

test.each(["platform_templates", "platform_template_versions", "platform_template_contents"])(
	"a tenant reads %s and cannot write it",
	async (table) => {
		const within = (text: string) => inTenant(office.database.db, office.uhai.id, (tx) => tx.query(text));
		expect(await within(`select from ${table} limit 1`)).toHaveLength(1);
		for (const statement of [`update ${table} set id = id`, `delete from ${table}`])
			await expect(within(statement), statement).rejects.toThrow("permission denied");
	},
);
