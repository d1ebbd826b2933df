import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { accepted, claimFrom, settleAs } from "./dispatch.ts";
import { greeting, openOffice } from "./office.ts";

const office = setUp(openOffice);

let names = 0;
const addresses = (count: number) => Array.from({ length: count }, () => `person${++names}@uhai.example`);
type Statistics = {
	from: string;
	to: string;
	days: Array<{ day: string; channel: string; status: string; count: number }>;
	totals: Array<Record<string, unknown>>;
};
const get = async (slug: string, path: string, token: string) => {
	const answer = await office.call({ url: `/api/v1/${slug}/notifications/${path}`, token });
	return { ...answer, body: answer.body as unknown as Statistics & Record<string, unknown> };
};

test("deliveries are counted by the tenant's day, channel and status, with the rates of the whole span", async () => {
	const tenant = office.tenant({});
	const token = office.token(tenant, "admin");
	await office.send(tenant, greeting(addresses(5)));
	const claimed = await claimFrom(office, { tenantId: tenant.id, channel: "email", messageClass: "normal" });
	await settleAs(office, tenant.id, claimed.slice(0, 4).map(accepted));
	const [bounced] = claimed;
	await settleAs(office, tenant.id, [{ id: bounced?.id ?? "", from: ["sent"], status: "bounced", rank: 4 }]);
	await inTenant(office.database.db, tenant.id, (tx) =>
		tx.query(
			`insert into suppressions (tenant_id, channel, address_key_id, address_key, address_masked, reason, created_at)
			 values ($1, 'email', 'k', 'x', '', 'complaint', now())`,
			[tenant.id],
		),
	);
	const { body } = await get(tenant.slug, "statistics", token);
	const [zone] = await office.database.db.query<{ today: string }>(
		"select (now() at time zone time_zone)::date::text as today from tenants where id = $1",
		[tenant.id],
	);
	expect(body.to).toBe(zone?.today);
	expect(Date.parse(body.to) - Date.parse(body.from)).toBe(6 * 24 * 3_600_000);
	expect(body.days.map(({ channel, status, count }) => [channel, status, count])).toEqual([
		["email", "bounced", 1],
		["email", "sending", 1],
		["email", "sent", 3],
	]);
	expect(body.totals).toEqual([
		{
			...{ channel: "email", accepted: 5, sent: 4, bounced: 1, complaints: 1 },
			...{ bounce_rate: 0.25, complaint_rate: 0.25 },
		},
	]);
	const earlier = await get(tenant.slug, "statistics?to=2020-01-31&channel=email", token);
	expect(earlier.body).toEqual({ from: "2020-01-25", to: "2020-01-31", days: [], totals: [] });
});

test("a span of more than 31 days, or one that ends before it begins, is refused", async () => {
	const token = office.token(office.uhai, "admin");
	for (const query of ["from=2026-01-01&to=2026-02-01", "from=2026-01-02&to=2026-01-01"])
		expect(await get("uhai", `statistics?${query}`, token)).toMatchObject({
			status: 400,
			body: { field: "from" },
		});
	expect((await get("uhai", "statistics?from=2026-01-01&to=2026-01-31", token)).status).toBe(200);
});

test("WhatsApp is active with the feature while the tenant is not read-only, and lists templates without a name at the vendor", async () => {
	const admin = (tenant: typeof office.uhai) => office.token(tenant, "admin");
	const subscribed = office.tenant({ features: ["whatsapp"] });
	const active = { active: true, because: "subscribed" };
	expect((await get(subscribed.slug, "whatsapp", admin(subscribed))).body).toEqual({
		...{ ...active, templates_missing: [] },
	});
	await inTenant(office.database.db, subscribed.id, (tx) =>
		tx.query(
			`with template as (
			   insert into templates (tenant_id, path, category, live_version, created_at, updated_at)
			   values ($1, 'shared/generic_notification', 'general', 1, now(), now()) returning id
			 ), version as (
			   insert into template_versions (tenant_id, template_id, version, variables, samples, digest, created_by, created_at,
			     updated_at, published_at)
			   select $1, id, 1, '[]', '{}', '', 'test', now(), now(), now() from template returning id
			 )
			 insert into template_contents (tenant_id, version_id, channel, locale, source, text)
			 select $1, id, 'whatsapp', 'en', '', '' from version`,
			[subscribed.id],
		),
	);
	expect((await get(subscribed.slug, "whatsapp", admin(subscribed))).body).toEqual({
		...{ ...active, templates_missing: ["shared/generic_notification"] },
	});
	expect((await get("uhai", "whatsapp", admin(office.uhai))).body).toMatchObject({
		...{ active: false, because: "not_subscribed" },
	});
	const expired = office.tenant({ features: ["whatsapp"] });
	const record = office.subscriptions.records.get(expired.id);
	if (record === undefined) throw new Error("the tenant has no subscription");
	office.subscriptions.records.set(expired.id, { ...record, access: "read_only" });
	expect((await get(expired.slug, "whatsapp", admin(expired))).body).toMatchObject({
		...{ active: false, because: "read_only" },
	});
});
