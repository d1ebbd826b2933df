import { randomUUID } from "node:crypto";
import type { PublicTenant } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import { repointTenant, testSubscription } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { digestsIn } from "./digesting.ts";
import { greeting, openOffice } from "./office.ts";

const office = setUp(openOffice);
const { rows, open } = digestsIn(office);
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

const creditsOf = (tenant: PublicTenant, rest = "") => `/api/v1/${tenant.slug}/notifications/credits${rest}`;

test("two ids of a tenant that are merged keep every entry of both: the credit is their sum", async () => {
	const [from, to] = [office.tenant({}), office.tenant({})];
	for (const tenant of [from, to]) {
		const granted = await office.call({
			...{
				method: "POST",
				url: creditsOf(tenant, "/grants"),
				token: office.token(office.lango, "superuser"),
			},
			...{ headers: { "idempotency-key": "grant-1" }, body: { segments: 10, reason: "test" } },
		});
		expect(granted.status).toBe(201);
		await rows(
			tenant,
			`insert into reputation_hours (tenant_id, hour, slot, sent, bounced, complained)
			 values ('${tenant.id}', date_trunc('hour', now()), 1, 100, 4, 1)`,
		);
	}
	for (const [tenant, state] of [[from, "paused"] as const, [to, "warned"] as const])
		await rows(
			tenant,
			`insert into reputation_periods (tenant_id, state, cause, began_at)
			 values ('${tenant.id}', '${state}', 'bounces', now())`,
		);
	await repointTenant(office.database.db, { slug: from.slug, from: from.id, to: to.id });
	expect(await rows(to, "select kind, segments::int from credit_entries")).toEqual([
		{ kind: "grant", segments: 10 },
		{ kind: "grant", segments: 10 },
	]);
	const credit = await office.call({ url: creditsOf(to), token: office.token(to, "admin") });
	expect(credit.body).toMatchObject({ balance: 20, reserved: 0 });
	expect(await rows(to, "select sent, bounced, complained from reputation_hours")).toEqual([
		{ sent: 200, bounced: 8, complained: 2 },
	]);
	expect(await rows(to, "select state from reputation_periods where ended_at is null")).toEqual([
		{ state: "paused" },
	]);
});

test("when a tenant gets another id, its digests go with it", async () => {
	const { tenant, rule, happen } = await open();
	await rule({ every: "1h", items_max: 10 });
	await happen("One", "Two");
	const to = randomUUID();
	await repointTenant(office.database.db, { slug: tenant.slug, from: tenant.id, to });
	expect(await rows({ ...tenant, id: to }, "select items from digest_windows")).toEqual([{ items: 2 }]);
	expect(await rows({ ...tenant, id: to }, "select from digest_items")).toHaveLength(2);
});

test("two ids of a tenant that are merged keep one rule of each name, and every digest", async () => {
	const [from, to] = [await open(), await open()];
	for (const { rule } of [from, to]) await rule({ every: "1h", items_max: 10 }, { name: "Low stock" });
	const other = await from.rule({ every: "1h", items_max: 10 });
	for (const { happen } of [from, to]) await happen("One");
	const known = await office.call({
		...{ method: "PUT", url: `/api/v1/${to.tenant.slug}/notifications/preferences` },
		...{ body: { time_zone: "Africa/Nairobi" }, token: office.token(to.tenant, "member", { sub: from.id }) },
	});
	expect(known.status).toBe(200);
	await repointTenant(office.database.db, { slug: from.tenant.slug, from: from.tenant.id, to: to.tenant.id });
	expect(
		await rows(
			to.tenant,
			`select t.name = 'Low stock' as is_kept, t.id = $1 as is_other from digest_windows w
			   left join triggers t on t.id = w.trigger_id order by is_kept`,
			[other],
		),
	).toEqual([
		{ is_kept: false, is_other: true },
		{ is_kept: true, is_other: false },
		{ is_kept: null, is_other: null },
	]);
});

/** A tenant in its trial that can reach so many new recipients today. */
async function onTrial(left: number): Promise<PublicTenant> {
	const plan = { limits: { max_emails_per_day: -1 }, features: [] };
	const tenant = office.tenant(plan);
	const products = ["notifications", "auth"];
	office.subscriptions.records.set(
		tenant.id,
		testSubscription(tenant.id, { ...plan, products, status: "TRIAL" }),
	);
	expect((await office.send(tenant, greeting([`${tenant.slug}@uhai.example`]))).status).toBe(202);
	await rows(tenant, `update send_days set new_recipients = ${200 - left}`);
	return tenant;
}

test("two ids of a tenant that are merged have the new recipients of both", async () => {
	const [from, to] = [await onTrial(150), await onTrial(100)];
	await repointTenant(office.database.db, { slug: from.slug, from: from.id, to: to.id });
	expect(await rows(to, "select used, new_recipients from send_days")).toEqual([
		{ used: 2, new_recipients: 150 },
	]);
});
