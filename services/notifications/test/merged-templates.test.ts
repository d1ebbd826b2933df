import { randomUUID } from "node:crypto";
import type { PublicTenant } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import { repointTenant } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { greeting, openOffice } from "./office.ts";

const office = setUp(openOffice);
const path = "shared/generic_notification";
let phone = 712_345_000;

const edit = (tenant: PublicTenant, action: string, more: object = {}) =>
	office.call({
		...{ method: action === "publish" ? "POST" : "PUT", token: office.token(tenant, "admin"), ...more },
		url: `/api/v1/${tenant.slug}/notifications/templates/${path}/${action}`,
	});

const saveDraft = (tenant: PublicTenant, source: string, headers: object = {}) =>
	edit(tenant, "draft", { headers, body: { contents: [{ channel: "sms", locale: "en", source }] } });

const send = (tenant: PublicTenant) => office.send(tenant, greeting([`+254${++phone}`], { channel: "sms" }));

/** Publishes a template of a tenant's own, and sends a message with it. */
async function sendByOwn(tenant: PublicTenant, source: string): Promise<void> {
	const saved = await saveDraft(tenant, source);
	const headers = { "if-match": String(saved.headers["etag"]) };
	expect((await edit(tenant, "publish", { headers })).status).toBe(200);
	await send(tenant);
}

/** The own templates that the messages of a tenant use. */
const listUsed = (tenantId: string) =>
	inTenant(office.database.db, tenantId, (tx) =>
		tx.query(
			`select t.path, c.source from messages m join template_versions v on v.id = m.template_version_id
			   join templates t on t.id = v.template_id join template_contents c on c.version_id = v.id
			  order by m.created_at, m.id`,
		),
	);

test("when a tenant gets another id, its templates and the messages that use them go with it", async () => {
	const { db } = office.database;
	const [tenant, to] = [office.tenant({}), randomUUID()];
	await sendByOwn(tenant, "Ours: {{ title }}");
	// The outlet is moved before the templates, and the message with it.
	await inTenant(db, tenant.id, (tx) =>
		tx.query(
			`with outlet as (
			   insert into outlets (id, tenant_id, code, name, use_case, is_hq, status, settings, synced_at)
			   values ($2, $1, 'HQ', 'Main', 'retail', true, 'active', '{}', now()) returning id)
			 update messages set outlet_id = outlet.id from outlet`,
			[tenant.id, randomUUID()],
		),
	);
	await repointTenant(db, { slug: tenant.slug, from: tenant.id, to });
	expect(await listUsed(to)).toEqual([{ path, source: "Ours: {{ title }}" }]);
});

test.each([
	["from", "to"],
	["to", "from"],
] as const)(
	"of two ids that become one and have the same template, the one of %s that was published after that of %s is in force, and each message keeps its version",
	async (last, first) => {
		const tenants = { from: office.tenant({}), to: office.tenant({}) };
		const { from, to } = tenants;
		for (const which of [first, last]) await sendByOwn(tenants[which], `${which}: {{ title }}`);
		await repointTenant(office.database.db, { slug: from.slug, from: from.id, to: to.id });
		const sources = async () => (await listUsed(to.id)).map(({ source }) => source);
		expect(await sources()).toEqual([first, last].map((of) => `${of}: {{ title }}`));
		const sendNext = async () => {
			await send(to);
			return (await sources()).at(-1);
		};
		await expect.poll(sendNext).toBe(`${last}: {{ title }}`);
	},
);

test("of two ids that become one and both have a draft of a template, the draft that was changed last stays, and can be published", async () => {
	const [from, to] = [office.tenant({}), office.tenant({})];
	await sendByOwn(from, "Published: {{ title }}");
	for (const [tenant, source] of [
		[from, "Earlier"],
		[to, "Later"],
	] as const)
		expect((await saveDraft(tenant, source)).status).toBe(200);
	await repointTenant(office.database.db, { slug: from.slug, from: from.id, to: to.id });
	const url = `/api/v1/${to.slug}/notifications/templates/${path}`;
	const { body, headers } = await office.call({ method: "GET", url, token: office.token(to, "admin") });
	expect(body).toMatchObject({ live: { version: 2 }, draft: { contents: [{ source: "Later" }] } });
	const published = await edit(to, "publish", { headers: { "if-match": String(headers["etag"]) } });
	expect(published).toMatchObject({ status: 200, body: { live: { version: 3 } } });
});

test("of two ids that become one and have a template of the same name with different categories, it has the category of the version in force", async () => {
	const [from, to] = [office.tenant({}), office.tenant({})];
	const named = {
		path: "shop/offer",
		variables: [{ name: "name", kind: "text" }],
		samples: { name: "Asha" },
	};
	const body = { ...named, contents: [{ channel: "sms", locale: "en", source: "Hi {{ name }}" }] };
	const url = (tenant: PublicTenant, rest = "") => `/api/v1/${tenant.slug}/notifications/templates${rest}`;
	for (const [tenant, category] of [
		[to, "general"],
		[from, "reports"],
	] as const) {
		const asked = { method: "POST", token: office.token(tenant, "admin") } as const;
		const made = await office.call({ ...asked, url: url(tenant), body: { ...body, category } });
		expect(made.status).toBe(201);
		const headers = { "if-match": String(made.headers["etag"]) };
		const published = await office.call({ ...asked, url: url(tenant, "/shop/offer/publish"), headers });
		expect(published.status).toBe(200);
	}
	await repointTenant(office.database.db, { slug: from.slug, from: from.id, to: to.id });
	const token = office.token(to, "admin");
	const found = await office.call({ method: "GET", url: url(to, "/shop/offer"), token });
	expect(found.body).toMatchObject({ category: "reports", live: { version: 2 } });
});
