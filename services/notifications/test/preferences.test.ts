import { randomUUID } from "node:crypto";
import type { PublicTenant } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Channel, channels } from "../src/channel.ts";
import { categories, criticalCategories } from "../src/template.ts";
import { claimFrom } from "./dispatch.ts";
import { greeting, openOffice } from "./office.ts";

const office = setUp(() => openOffice());
const base = (tenant: PublicTenant) => `/api/v1/${tenant.slug}/notifications`;
const rows = <R extends Record<string, unknown>>(
	tenant: PublicTenant,
	text: string,
	values: unknown[] = [],
) => inTenant(office.database.db, tenant.id, (tx) => tx.query<R>(text, values));

/** A person who has called once: a first change of preferences makes the recipient. */
async function person(tenant = office.uhai, body: object = {}) {
	const id = randomUUID();
	const email = `p-${id}@uhai.example`;
	const token = office.token(tenant, "member", { sub: id, email });
	const url = `${base(tenant)}/preferences`;
	const put = (change: object) => office.call({ method: "PUT", url, token, body: change });
	expect((await put(body)).status).toBe(200);
	return { id, email, put, get: () => office.call({ url, token }) };
}

type Sent = { status: string; due_at: Date; expires_at: Date };
async function send(to: string, more: Record<string, unknown> = {}, tenant = office.uhai) {
	const answer = await office.send(tenant, greeting([to], more), {
		headers: { "idempotency-key": randomUUID() },
	});
	expect([answer.status, answer.body]).toMatchObject([202, { status: "accepted" }]);
	const [row] = await rows<Sent>(
		tenant,
		"select status, due_at, expires_at from message_deliveries where message_id = $1",
		[answer.body.requestId],
	);
	if (row === undefined) throw new Error("no delivery");
	return row;
}

const credentials = {
	template: "isp/subscription_credentials",
	data: {
		...{ customer_name: "Asha", username: "asha", password: "p4ss-w0rd" },
		...{ package_name: "Home", package_type: "fibre", expiry_at: "2030-01-01T00:00:00Z" },
	},
};

type Shown = Record<string, Record<string, { is_on: boolean; chosen_by: string | null }>>;
const shown = (body: Record<string, unknown>): Shown =>
	Object.fromEntries(
		(body["categories"] as Array<{ category: string; channels: Shown[string] }>).map(
			({ category, channels: of }) => [category, of],
		),
	);

test("a person's choice wins over the tenant's default, and that over the platform's", async () => {
	const tenant = office.tenant({});
	const admin = { method: "PUT" as const, token: office.token(tenant, "admin") };
	const owner = { method: "PUT" as const, token: office.token(office.lango, "superuser") };
	const asha = await person(tenant);
	const url = `${base(tenant)}/preferences/defaults`;
	const platform = `${base(office.lango)}/preferences/defaults?tenantId=${office.lango.id}`;
	const general = async () => shown((await asha.get()).body)["general"]?.["email"];
	expect(await general()).toEqual({ is_on: true, chosen_by: null });
	await office.call({ ...owner, url: platform, body: { categories: { general: { email: false } } } });
	expect(await general()).toEqual({ is_on: false, chosen_by: "platform" });
	expect((await send(`user:${asha.id}`, {}, tenant)).status).toBe("skipped_preference");
	await office.call({ ...admin, url, body: { categories: { general: { email: true } } } });
	expect(await general()).toEqual({ is_on: true, chosen_by: "tenant" });
	expect((await send(`user:${asha.id}`, {}, tenant)).status).toBe("queued");
	await asha.put({ categories: { general: { email: false } } });
	expect(await general()).toEqual({ is_on: false, chosen_by: "person" });
	expect((await send(`user:${asha.id}`, {}, tenant)).status).toBe("skipped_preference");
	await asha.put({});
	expect(await general()).toEqual({ is_on: true, chosen_by: "tenant" });
	await office.call({ ...owner, url: platform, body: {} });
	await office.call({ ...admin, url, body: {} });
	expect(await general()).toEqual({ is_on: true, chosen_by: null });
});

test("a preference counts for messages to the person's verified address, on its channel and for its category only", async () => {
	const asha = await person(office.uhai, { categories: { general: { email: false } } });
	expect((await send(asha.email)).status).toBe("queued");
	await rows(office.uhai, "update recipients set email_verified = true where id = $1", [asha.id]);
	expect((await send(asha.email)).status).toBe("skipped_preference");
	expect((await send(`user:${asha.id}`, { channel: "in_app" })).status).toBe("queued");
	const contact = {
		template: "cafe/cafe_contact_form",
		data: { name: "A", email: "a@a.example", message: "Hi", submitted_at: "2026-01-01T00:00:00Z" },
	};
	expect((await send(asha.email, contact)).status).toBe("queued");
});

test("no preference ever drops a critical message", async () => {
	const asha = await person();
	await rows(office.uhai, "update recipients set email_verified = true where id = $1", [asha.id]);
	const choice = fc.record({
		...{ category: fc.constantFrom(...categories), channel: fc.constantFrom(...channels) },
		...{ isOn: fc.boolean(), isDefault: fc.boolean() },
	});
	await fc.assert(
		fc.asyncProperty(fc.array(choice, { maxLength: 20 }), fc.boolean(), async (choices, byUser) => {
			await rows(office.uhai, "delete from preferences");
			// Directly, because the routes refuse critical categories.
			for (const { category, channel, isOn, isDefault } of choices)
				await rows(
					office.uhai,
					`insert into preferences (tenant_id, user_id, category, channel, is_on, updated_at) values ($1, $2, $3, $4, $5, now())
					 on conflict on constraint preferences__place_unique do update set is_on = excluded.is_on`,
					[office.uhai.id, isDefault ? null : asha.id, category, channel, isOn],
				);
			expect((await send(byUser ? `user:${asha.id}` : asha.email, credentials)).status).toBe("queued");
		}),
		{ numRuns: 25 },
	);
	await rows(office.uhai, "delete from preferences");
});

/** A person whose quiet hours include now. */
async function sleeper(tenant = office.uhai) {
	const now = new Date();
	const at = (minutes: number) => new Date(now.getTime() + minutes * 60_000).toISOString().slice(11, 16);
	const quiet = { time_zone: "UTC", quiet_hours: { from: at(-60), until: at(60) } };
	const asha = await person(tenant, quiet);
	return { ...asha, quiet, ends: at(60) };
}
const addPhone = (tenant: PublicTenant, userId: string, channel: Channel) =>
	rows(
		tenant,
		`insert into contact_points (tenant_id, user_id, channel, address_key_id, address, address_key, address_masked, verified_at, created_at)
		 select tenant_id, id, $3, email_key_id, email, email_address_key, 'x', now(), now() from recipients
		  where tenant_id = $1 and id = $2 on conflict do nothing`,
		[tenant.id, userId, channel],
	);

test("quiet hours move push notifications to their end, and with them the expiry; critical ones and e-mails are sent at once", async () => {
	const asha = await sleeper();
	await addPhone(office.uhai, asha.id, "push");
	const before = Date.now();
	const moved = await send(`user:${asha.id}`, { channel: "push" });
	expect([moved.status, moved.due_at.toISOString().slice(11, 16)]).toEqual(["queued", asha.ends]);
	expect(moved.expires_at.getTime() - moved.due_at.getTime()).toBe(24 * 3_600_000);
	for (const body of [{}, credentials])
		expect((await send(`user:${asha.id}`, body)).due_at.getTime()).toBeLessThan(before + 30_000);
	const expires_at = new Date(before + 30 * 60_000).toISOString();
	const fixed = await send(`user:${asha.id}`, { channel: "push", expires_at });
	expect(fixed.expires_at.toISOString()).toBe(expires_at);
	await asha.put({});
	expect((await send(`user:${asha.id}`, { channel: "push" })).due_at.getTime()).toBeLessThan(before + 60_000);
});

test("a delivery that is claimed in quiet hours is moved to their end and not sent", async () => {
	const tenant = office.tenant({});
	const asha = await sleeper(tenant);
	await asha.put({});
	await addPhone(tenant, asha.id, "push");
	await send(`user:${asha.id}`, { channel: "push" }, tenant);
	await asha.put(asha.quiet);
	const lane = { tenantId: tenant.id, channel: "push" as const, messageClass: "normal" as const };
	expect(await claimFrom(office, lane)).toEqual([]);
	const [row] = await rows<{ status: string; due_at: Date; attempt: number; detail: object }>(
		tenant,
		`select d.status, d.due_at, d.attempt, e.detail from message_deliveries d
		   join delivery_events e on e.tenant_id = d.tenant_id and e.delivery_id = d.id`,
	);
	expect(row).toMatchObject({ status: "queued", attempt: 0, detail: { decision: "quiet_hours" } });
	expect(row?.due_at.toISOString().slice(11, 16)).toBe(asha.ends);
	await asha.put({});
	await rows(tenant, "update message_deliveries set due_at = now() - interval '1 second'");
	expect(await claimFrom(office, lane)).toHaveLength(1);
});

test.each([
	["before midnight", "22:00", "07:00", "2026-03-01T21:30:00Z", "2026-03-02T04:00:00.000Z"],
	["after midnight", "22:00", "07:00", "2026-03-01T23:30:00Z", "2026-03-02T04:00:00.000Z"],
	["within a day", "12:00", "14:00", "2026-03-01T10:00:00Z", "2026-03-01T11:00:00.000Z"],
	["at their end", "22:00", "07:00", "2026-03-01T04:00:00Z", undefined],
	["outside", "22:00", "07:00", "2026-03-01T12:00:00Z", undefined],
])("quiet hours %s in Nairobi end in the person's time zone", async (...[, from, until, at, ends]) => {
	const [row] = await rows<{ ends: Date | null }>(
		office.uhai,
		"select end_of_quiet_hours($1, 'Africa/Nairobi', $2, $3) as ends",
		[at, from, until],
	);
	expect(row?.ends?.toISOString()).toBe(ends);
});

test("changes of one person at once leave one of them whole", async () => {
	const asha = await person();
	const all = { general: { email: false, sms: false }, reports: { email: false } };
	const answers = await Promise.all([
		...Array.from({ length: 4 }, () => asha.put({ categories: all, locale: "sw" })),
		...Array.from({ length: 4 }, () => asha.put({ locale: "en" })),
	]);
	expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
	const { body } = await asha.get();
	const isOff = shown(body)["general"]?.["sms"]?.is_on === false;
	expect(body["locale"]).toBe(isOff ? "sw" : "en");
	expect(shown(body)["reports"]?.["email"]?.is_on).toBe(!isOff);
});

const bodies: ReadonlyArray<[title: string, body: object, refusal: [code: string, field: string]]> = [
	...criticalCategories.map(
		(category) =>
			[
				`the critical category ${category}`,
				{ categories: { [category]: { email: false } } },
				["category_critical", `categories.${category}`],
			] as [string, object, [string, string]],
	),
	["an unknown category", { categories: { news: {} } }, ["invalid_input", "categories.news"]],
	["an unknown time zone", { time_zone: "Africa/Atlantis" }, ["invalid_input", "time_zone"]],
	[
		"quiet hours without length",
		{ quiet_hours: { from: "22:00", until: "22:00" } },
		["invalid_input", "quiet_hours.until"],
	],
	[
		"a malformed time",
		{ quiet_hours: { from: "24:00", until: "07:00" } },
		["invalid_input", "quiet_hours.from"],
	],
	["a malformed locale", { locale: "<b>" }, ["invalid_input", "locale"]],
];
test.each(bodies)("preferences with %s are 400 and name the field", async (_, body, [code, field]) => {
	const asha = await person();
	const answer = await asha.put(body);
	expect([answer.status, answer.body.code, answer.body.field]).toEqual([400, code, field]);
});

test("administrators see a person's preferences; a person of another tenant, and the platform owner, have none here", async () => {
	const asha = await person(office.uhai, { locale: "sw", categories: { reports: { sms: false } } });
	const read = (tenant: PublicTenant) =>
		office.call({
			url: `${base(tenant)}/people/${asha.id}/preferences`,
			token: office.token(tenant, "admin"),
		});
	const seen = await read(office.uhai);
	expect([seen.status, seen.body["locale"]]).toEqual([200, "sw"]);
	expect(shown(seen.body)["reports"]?.["sms"]).toEqual({ is_on: false, chosen_by: "person" });
	const foreign = await read(office.kahawa);
	expect([foreign.status, foreign.body.code]).toEqual([404, "person_not_found"]);
	const owner = await office.call({
		...{ method: "PUT", url: `${base(office.uhai)}/preferences`, body: {} },
		token: office.token(office.lango, "superuser"),
	});
	expect([owner.status, owner.body.code]).toEqual([404, "person_not_found"]);
});

test("preferences can be changed after the subscription has expired", async () => {
	const asha = await person(office.duka, { locale: "en" });
	expect((await asha.get()).body["locale"]).toBe("en");
});
