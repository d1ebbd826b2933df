import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Claimed } from "../src/dispatch/claim.store.ts";
import type { Result } from "../src/dispatch/settle.store.ts";
import { claimFrom, settleAs } from "./dispatch.ts";
import { greeting, openOffice } from "./office.ts";

const office = setUp(() => openOffice());
type Tenant = typeof office.uhai;
type Rate = { per_minute: number; burst: number };
type Change = Record<string, Rate | null>;

const url = ({ slug }: Tenant) => `/api/v1/${slug}/notifications/limits`;
const atPlatform = () => `${url(office.lango)}?tenantId=${office.lango.id}`;
const put = (tenant: Tenant, body: Change) =>
	office.call({ method: "PUT", url: url(tenant), token: office.token(tenant, "admin"), body });
const asOwner = (address: string, body: Change) =>
	office.call({ method: "PUT", url: address, token: office.token(office.lango, "superuser"), body });
const limitOf = async (tenant: Tenant, channel: string) => {
	const { body } = await office.call({ url: url(tenant), token: office.token(tenant, "admin") });
	return body.items.find((one) => one["channel"] === channel);
};

let names = 0;
const sendTo = async (tenant: Tenant, count: number) => {
	const to = Array.from({ length: count }, () => `limited${++names}@uhai.example`);
	const { status, body } = await office.send(tenant, greeting(to));
	return [status, body.code];
};

test("a tenant lowers its limits, and the next requests keep them (§8)", async () => {
	const tenant = office.tenant({});
	expect(await limitOf(tenant, "email")).toMatchObject({ per_minute: 600, burst: 2_000, is_platform: true });
	const { status } = await put(tenant, { email: { per_minute: 1, burst: 3 } });
	expect([status, await limitOf(tenant, "email")]).toMatchObject([200, { burst: 3, is_platform: false }]);
	expect(await sendTo(tenant, 4)).toEqual([400, "too_many_recipients"]);
	expect(await sendTo(tenant, 3)).toEqual([202, undefined]);
	expect(await sendTo(tenant, 1)).toEqual([429, "channel_limited"]);
	expect(await limitOf(tenant, "sms")).toMatchObject({ is_platform: true });
	await put(tenant, { email: null });
	expect(await limitOf(tenant, "email")).toMatchObject({ burst: 2_000, is_platform: true });
});

test("a channel gives its burst, and its rate after it, however many requests come at once (§8)", async () => {
	const tenant = office.tenant({});
	const begin = Date.now();
	onTestFinished(() => {
		office.clock.now = undefined;
	});
	office.clock.now = new Date(begin);
	await put(tenant, { email: { per_minute: 60, burst: 20 } });
	const acceptedOf64 = async () => {
		const answers = await Promise.all(Array.from({ length: 64 }, () => sendTo(tenant, 1)));
		return answers.filter(([status]) => status === 202).length;
	};
	expect(await acceptedOf64()).toBe(20);
	office.clock.now = new Date(begin + 10_000);
	expect(await acceptedOf64()).toBe(10);
	office.clock.now = new Date(begin + 3_600_000);
	expect(await acceptedOf64()).toBe(20);
});

test("a tenant cannot go above the platform's limits, and the platform owner can raise and lower its ceiling", async () => {
	const tenant = office.tenant({});
	const raised = { email: { per_minute: 900, burst: 2_500 } };
	const refused = await put(tenant, raised);
	expect([refused.status, refused.body.code, refused.body.field]).toEqual([
		...[403, "limit_above_platform", "email.per_minute"],
	]);
	const burst = await put(tenant, {
		sms: { per_minute: 1, burst: 1 },
		push: { per_minute: 1, burst: 6_001 },
	});
	expect([burst.status, burst.body.field]).toEqual([403, "push.burst"]);
	expect(await limitOf(tenant, "sms")).toMatchObject({ is_platform: true });
	expect((await asOwner(url(tenant), raised)).status).toBe(200);
	expect(await sendTo(tenant, 1)).toEqual([202, undefined]);
	await put(tenant, { email: { per_minute: 10, burst: 10 } });
	await put(tenant, { email: null });
	expect(await limitOf(tenant, "email")).toMatchObject({ ...raised.email, ceiling: raised.email });
	await asOwner(url(tenant), { email: { per_minute: 5, burst: 5 } });
	expect((await put(tenant, { email: { per_minute: 6, burst: 5 } })).status).toBe(403);
	await asOwner(url(tenant), { email: null });
	expect(await limitOf(tenant, "email")).toMatchObject({ is_platform: true });
});

test("a lower default of the platform counts for tenants that chose more, but not for those with a ceiling", async () => {
	const [chosen, raised] = [office.tenant({}), office.tenant({})];
	await put(chosen, { whatsapp: { per_minute: 250, burst: 1_500 } });
	await asOwner(url(raised), { whatsapp: { per_minute: 400, burst: 2_500 } });
	expect((await asOwner(atPlatform(), { whatsapp: { per_minute: 200, burst: 1_000 } })).status).toBe(200);
	expect(await limitOf(chosen, "whatsapp")).toMatchObject({ per_minute: 200, burst: 1_000 });
	expect(await limitOf(raised, "whatsapp")).toMatchObject({ per_minute: 400, burst: 2_500 });
	const removed = await asOwner(atPlatform(), { whatsapp: null });
	expect([removed.status, removed.body.code, removed.body.field]).toEqual([400, "invalid_input", "whatsapp"]);
});

test.each([
	["nothing", {}],
	["an unknown channel", { fax: { per_minute: 1, burst: 1 } }],
	["a rate of zero", { email: { per_minute: 0, burst: 1 } }],
	["a rate without burst", { email: { per_minute: 1 } }],
])("limits with %s are refused", async (_, body) => {
	const { status, body: answer } = await put(office.uhai, body as Change);
	expect([status, answer.code]).toEqual([400, "invalid_input"]);
});

describe("reputation", () => {
	const base = ({ slug }: Tenant) => `/api/v1/${slug}/notifications`;
	const reputation = async (tenant: Tenant) =>
		(await office.call({ url: `${base(tenant)}/reputation`, token: office.token(tenant, "admin") })).body;
	const decide = (tenant: Tenant, what: string, more: { token?: string; body?: unknown } = {}) =>
		office.call({
			...{ method: "POST", url: `${base(tenant)}/reputation/${what}` },
			token: more.token ?? office.token(office.lango, "superuser"),
			body: more.body ?? { reason: "complaints by telephone" },
		});
	/** Counts e-mails of an hour ago that all arrived. */
	const arrived = async (tenant: Tenant, sent: number, hours = 1) => {
		await reputation(tenant);
		await inTenant(office.database.db, tenant.id, (tx) =>
			tx.query(
				`insert into reputation_hours (tenant_id, hour, slot, sent, bounced, complained)
				 values ($1, date_trunc('hour', now()) - make_interval(hours => $3), 0, $2, 0, 0)`,
				[tenant.id, sent, hours],
			),
		);
	};
	const settleNext = async (tenant: Tenant, count: number, change: (claimed: Claimed) => Result) => {
		await sendTo(tenant, count);
		const lane = { tenantId: tenant.id, channel: "email", messageClass: "normal" } as const;
		await settleAs(office, tenant.id, (await claimFrom(office, lane)).map(change));
	};
	const bounced = ({ id, attempt }: Claimed): Result => ({
		...{ id, attempt, from: ["sending"], status: "bounced", rank: 4 },
	});
	const refused = ({ id, attempt }: Claimed): Result => ({
		...{ id, attempt, from: ["sending"], status: "failed", suppress: "bounce" },
	});
	const changes = async (tenant: Tenant) =>
		(
			await office.database.db.query<{ envelope: { data: { state: string; cause: string } } }>(
				`select envelope from outbox where envelope->>'type' = 'notifications.reputation.changed'
				    and envelope->'data'->>'tenant_id' = $1 order by envelope->'data'->>'at', envelope->>'id'`,
				[tenant.id],
			)
		).map(({ envelope: { data } }) => [data.state, data.cause]);

	test("a tenant is warned from 5 % bounces on and paused from 10 % on, once each, above 1,000 e-mails", async () => {
		const tenant = office.tenant({});
		await arrived(tenant, 960);
		await settleNext(tenant, 40, bounced);
		expect(await reputation(tenant)).toMatchObject({ state: "ok", sent: 1_000, bounced: 40, since: null });
		await settleNext(tenant, 15, refused);
		expect(await reputation(tenant)).toMatchObject({
			state: "warned",
			cause: "bounces",
			bounce_rate: 0.05419,
		});
		await settleNext(tenant, 60, bounced);
		expect(await reputation(tenant)).toMatchObject({ state: "paused", cause: "bounces", sent: 1_075 });
		await settleNext(tenant, 1, bounced);
		expect(await changes(tenant)).toEqual([
			["warned", "bounces"],
			["paused", "bounces"],
		]);
	});

	test("a warning ends when the rates have fallen; a pause only by the platform owner", async () => {
		const [warned, paused] = [office.tenant({}), office.tenant({})];
		await arrived(warned, 1_000);
		await settleNext(warned, 60, bounced);
		await arrived(paused, 1_000);
		await settleNext(paused, 60, bounced);
		await settleNext(paused, 60, bounced);
		await arrived(warned, 1_000, 2);
		await arrived(paused, 3_000, 2);
		await office.jobs.run("reputation.review");
		expect(await reputation(warned)).toMatchObject({ state: "ok" });
		expect(await reputation(paused)).toMatchObject({ state: "paused" });
		expect((await decide(paused, "resume")).body).toMatchObject({ state: "ok", sent: 0, bounced: 0 });
		await settleNext(paused, 1, bounced);
		expect(await reputation(paused)).toMatchObject({ state: "ok", sent: 1 });
		expect((await changes(paused)).at(-1)).toEqual(["ok", "owner"]);
	});

	test("messages of the platform do not count", async () => {
		await sendTo(office.kahawa, 1);
		await inTenant(office.database.db, office.kahawa.id, (tx) =>
			tx.query("update messages set is_exempt = true"),
		);
		const lane = { tenantId: office.kahawa.id, channel: "email", messageClass: "normal" } as const;
		await settleAs(office, office.kahawa.id, (await claimFrom(office, lane)).map(bounced));
		expect(await reputation(office.kahawa)).toMatchObject({ sent: 0, bounced: 0, bounce_rate: null });
	});

	test("two bounces at once above the limit pause a tenant once", async () => {
		const tenant = office.tenant({});
		await arrived(tenant, 1_000);
		await sendTo(tenant, 160);
		const lane = { tenantId: tenant.id, channel: "email", messageClass: "bulk" } as const;
		const claimed = await claimFrom(office, lane, 160);
		await Promise.all(
			Array.from({ length: 8 }, (_, n) =>
				settleAs(office, tenant.id, claimed.slice(n * 20, n * 20 + 20).map(bounced)),
			),
		);
		expect((await changes(tenant)).filter(([state]) => state === "paused")).toEqual([["paused", "bounces"]]);
		expect(await reputation(tenant)).toMatchObject({ state: "paused", bounced: 160 });
	});

	test("the platform owner pauses and resumes a tenant with a reason, which is audited", async () => {
		const tenant = office.tenant({});
		const { status, body } = await decide(tenant, "pause");
		expect([status, body]).toMatchObject([
			200,
			{ state: "paused", cause: "owner", reason: "complaints by telephone" },
		]);
		expect(await decide(tenant, "pause")).toMatchObject({ status: 409, body: { code: "already_paused" } });
		expect((await decide(tenant, "resume")).body).toMatchObject({ state: "ok", reason: null });
		expect(await decide(tenant, "resume")).toMatchObject({ status: 409, body: { code: "not_paused" } });
		const audited = await inTenant(office.database.db, tenant.id, (tx) =>
			tx.query<{ action: string }>(
				"select action from audit_log where action like 'reputation.%' order by id",
			),
		);
		expect(audited.map(({ action }) => action)).toEqual(["reputation.paused", "reputation.resumed"]);
	});

	test.each(["pause", "resume"])("only the platform owner can %s, and only with a reason", async (what) => {
		const asAdmin = await decide(office.uhai, what, { token: office.token(office.uhai, "admin") });
		expect([asAdmin.status, asAdmin.body.code]).toEqual([403, "forbidden"]);
		for (const body of [{}, { reason: "" }, { reason: "  " }, { reason: "x".repeat(301) }]) {
			const answer = await decide(office.uhai, what, { body });
			expect([answer.status, answer.body.field]).toEqual([400, "reason"]);
		}
	});

	test("the platform owner lists tenants by state and name at the platform's own address", async () => {
		const tenant = office.tenant({}, "listed-shop");
		await decide(tenant, "pause");
		const list = (query: string, of = office.lango) =>
			office.call({
				url: `${base(of)}/reputations?tenantId=${of.id}&${query}`,
				token: office.token(office.lango, "superuser"),
			});
		const { status, body } = await list("state=paused&q=LISTED");
		expect([status, body.items]).toMatchObject([
			200,
			[{ slug: "listed-shop", state: "paused", cause: "owner" }],
		]);
		expect((await list("state=ok&q=listed-shop")).body.items).toEqual([]);
		const seen: unknown[] = [];
		for (let cursor: string | null = ""; cursor !== null; ) {
			const page = await list(`limit=2${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
			seen.push(...page.body.items.map(({ slug }) => slug));
			cursor = page.body.next_cursor;
		}
		expect(seen).toEqual([...new Set(seen)].toSorted());
		expect(seen).toContain("listed-shop");
		expect((await list("", office.uhai)).status).toBe(403);
		const asAdmin = await office.call({
			url: `${base(office.uhai)}/reputations`,
			token: office.token(office.uhai, "admin"),
		});
		expect(asAdmin.status).toBe(403);
	});
});
