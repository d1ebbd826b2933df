import { randomUUID } from "node:crypto";
import { type PublicTenant, subscriptionEntitlementsChanged } from "@lango/contracts";
import { EntitlementsUnavailable } from "@lango/entitlements";
import { inTenant } from "@lango/postgres";
import { testEvent, testSubscription } from "@lango/testkit";
import { mintApiKey } from "@lango/tokens";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Sending, sendDelivery } from "../src/dispatch/send-delivery.ts";
import { acceptMessage } from "../src/messages/accept-message.ts";
import type { Rendered } from "../src/rendering/rendered.ts";
import { acceptingIn } from "./accepting.ts";
import { claimFrom, sendingIn, settleAs } from "./dispatch.ts";
import { greeting, type Office, openOffice, platformApiKey } from "./office.ts";

let office: Office;
beforeAll(async () => {
	office = await openOffice();
});
afterAll(() => office.close());

let names = 0;
const address = () => `person${++names}@uhai.example`;

const statusesOf = async (id: string, tenant = office.uhai) => {
	const rows = await inTenant(office.database.db, tenant.id, (tx) =>
		tx.query<{ status: string }>(
			"select status from message_deliveries where message_id = $1 order by position",
			[id],
		),
	);
	return rows.map(({ status }) => status);
};

test("a message is answered 202 with its requestId, and each recipient has a queued delivery (§2.1)", async () => {
	const { status, body } = await office.send(office.uhai, greeting([address(), address()]));
	expect({ status, body }).toEqual({
		status: 202,
		body: { status: "accepted", requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) },
	});
	expect(await statusesOf(body.requestId)).toEqual(["queued", "queued"]);
});

test("the address without /api/v1 is the same route, for messages and for auth/me (§2.1, identity §4.3)", async () => {
	const body = greeting([address()]);
	const [first, second] = [
		await office.send(office.uhai, body, { url: "/uhai/notifications/messages" }),
		await office.send(office.uhai, body, { url: `/${office.uhai.id}/notifications/messages` }),
	];
	expect([first.status, second.status]).toEqual([202, 202]);
	expect(second.headers["idempotency-replayed"]).toBe("true");
	expect(second.body.requestId).toBe(first.body.requestId);
	const token = office.token(office.uhai, "admin");
	for (const url of ["/uhai/auth/me", "/api/v1/uhai/auth/me", "/uhai/notifications/auth/me"]) {
		const me = await office.call({ url, token });
		expect([url, me.status, me.body]).toMatchObject([url, 200, { service_role: "super_admin" }]);
	}
	const missing = await office.call({ url: "/uhai/notifications/nothing", token });
	expect([missing.status, missing.body]).toMatchObject([404, { code: "not_found" }]);
});

test("an address and a caller may send 60,000 requests a minute", async () => {
	const limits = await office.database.db.query("select requests from rate_limit_config");
	expect(limits).toEqual([{ requests: 60_000 }, { requests: 60_000 }]);
});

test("an unauthenticated request is 401 (§5)", async () => {
	const answer = await office.call({
		method: "POST",
		url: "/api/v1/uhai/notifications/messages",
		body: greeting([address()]),
	});
	expect(answer.status).toBe(401);
});

const inDays = (days: number) => new Date(Date.now() + days * 24 * 3_600_000).toISOString();

const refusals: ReadonlyArray<[title: string, change: Record<string, unknown>, code: string, field: string]> =
	[
		["an unknown template", { template: "shared/nothing" }, "template_unknown", "template"],
		[
			"a channel without content",
			{ template: "sign_on/email_verification", channel: "sms", to: ["+254712345678"] },
			"channel_unsupported",
			"channel",
		],
		[
			"a missing variable",
			{ data: { name: "Asha", title: "T", action_link: "https://a.example" } },
			"variable_missing",
			"data.message",
		],
		[
			"a variable of the wrong kind",
			{ data: { ...greeting([]).data, action_link: "ftp://a" } },
			"variable_invalid",
			"data.action_link",
		],
		["a malformed address", { to: ["fine@uhai.example", "a@b@c"] }, "address_invalid", "to.1"],
		["a repeated address", { to: ["twice@uhai.example", "TWICE@Uhai.example"] }, "address_repeated", "to.1"],
		["an unknown provider", { metadata: { provider: "nobody" } }, "provider_unknown", "metadata.provider"],
		["no recipient", { to: [] }, "invalid_input", "to"],
		["an unknown channel", { channel: "fax" }, "invalid_input", "channel"],
		["a start in more than 90 days", { send_at: inDays(91) }, "invalid_input", "send_at"],
		["an end in the past", { expires_at: inDays(-1) }, "invalid_input", "expires_at"],
		["an end before the start", { send_at: inDays(2), expires_at: inDays(1) }, "invalid_input", "expires_at"],
		[
			"an end more than 30 days after the start",
			{ send_at: inDays(2), expires_at: inDays(33) },
			"invalid_input",
			"expires_at",
		],
		[
			"more than 20 labels",
			{ metadata: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`label${n}`, "x"])) },
			"invalid_input",
			"metadata",
		],
		[
			"data of more than 32 KB",
			{ data: { ...greeting([]).data, message: "x".repeat(33_000) } },
			"invalid_input",
			"data",
		],
	];

test.each(refusals)("%s is 400 and names the field", async (...[, change, code, field]) => {
	const { status, body } = await office.send(office.uhai, greeting([address()], change));
	expect({ status, code: body.code, field: body.field }).toEqual({ status: 400, code, field });
});

test("a body of more than 512 KB is 413", async () => {
	const data = { message: "x".repeat(512 * 1024) };
	expect((await office.send(office.uhai, greeting([address()], { data }))).status).toBe(413);
});

test("a past time of sending means now", async () => {
	const { body } = await office.send(office.uhai, greeting([address()], { send_at: inDays(-1) }));
	const [message] = await inTenant(office.database.db, office.uhai.id, (tx) =>
		tx.query("select send_at > created_at - interval '1 minute' as is_now from messages where id = $1", [
			body.requestId,
		]),
	);
	expect(message).toEqual({ is_now: true });
});

const limitEvents = (tenant: PublicTenant) =>
	office.database.db.query<{ data: { day: string } }>(
		`select envelope->'data' as data from outbox
		  where envelope->>'type' = 'notifications.limit.reached' and envelope->'data'->>'tenant_id' = $1 order by 1`,
		[tenant.id],
	);

test("of 3,200 e-mails on 16 connections exactly the day's 200 are accepted, the rest is 429 until midnight, and one event says so", async () => {
	const tenant = office.tenant({ limits: { max_emails_per_day: 200 } });
	const lanes = Array.from({ length: 16 }, async () => {
		const answers = [];
		for (let n = 0; n < 20; n++)
			answers.push(await office.send(tenant, greeting(Array.from({ length: 10 }, address))));
		return answers;
	});
	const answers = (await Promise.all(lanes)).flat();
	const accepted = answers.filter(({ status }) => status === 202);
	expect(accepted.length).toBe(20);
	const refused = answers.find(({ status }) => status === 429);
	expect(refused?.body).toMatchObject({
		code: "daily_limit_reached",
		limit: "max_emails_per_day",
		limit_value: 200,
	});
	// The tenant is in Africa/Nairobi, three hours before UTC all year.
	const sinceMidnight = (Date.now() / 1_000 + 3 * 3_600) % 86_400;
	const late = 86_400 - sinceMidnight - Number(refused?.headers["retry-after"]);
	expect(Math.abs(late)).toBeLessThan(60);
	expect(await limitEvents(tenant)).toMatchObject([
		{ data: { limit: "max_emails_per_day", limit_value: 200 } },
	]);
});

test("a plan without max_emails_per_day has none", async () => {
	const { status, body } = await office.send(office.tenant({ limits: {} }), greeting([address()]));
	expect({ status, code: body.code, limit: body.limit_value }).toEqual({
		status: 429,
		code: "daily_limit_reached",
		limit: 0,
	});
});

test("a larger plan lifts the day's limit with its event, also for a token from before", async () => {
	const tenant = office.tenant({ limits: { max_emails_per_day: 1 } });
	const send = async () => (await office.send(tenant, greeting([address()]))).status;
	expect([await send(), await send()]).toEqual([202, 429]);
	const products = ["notifications", "auth"];
	const larger = { version: 2, products, limits: { max_emails_per_day: 2_000 } };
	const data = testSubscription(tenant.id, larger);
	await office.transport.publish(
		testEvent(subscriptionEntitlementsChanged, { subject: tenant.id, tenant, data }),
	);
	// What was fetched before is used for a minute, so it is the event that lifts the limit.
	await expect.poll(send, { interval: 20, timeout: 10_000 }).toBe(202);
});

test("messages of triggers that are skipped because the day is full are published once a day, however many", async () => {
	const tenant = office.tenant({ limits: { max_emails_per_day: 1 } });
	expect((await office.send(tenant, greeting(["first@uhai.example"]))).status).toBe(202);
	const accepting = acceptingIn(office, { limits: { max_emails_per_day: 1 } });
	const skip = (n: number, sendAt?: Date) =>
		acceptMessage(accepting, {
			...{ tenantId: tenant.id, source: "event", channel: "email", overLimit: "skip" },
			...{ template: "shared/generic_notification", to: [`late${n}@uhai.example`] },
			...{ data: greeting([]).data, requester: { kind: "trigger", id: "test" } },
			...(sendAt && { sendAt }),
		});
	const accepted = await Promise.all([1, 2, 3, 4].map((n) => skip(n)));
	expect(accepted.map(({ counts }) => counts)).toEqual(Array(4).fill({ skipped_limit: 1 }));
	const tomorrow = new Date(Date.now() + 24 * 3_600_000);
	expect((await skip(5, tomorrow)).counts).toEqual({ queued: 1 });
	await skip(6, tomorrow);
	const events = await limitEvents(tenant);
	expect(events.length).toBe(2);
	expect(events[0]?.data).toMatchObject({
		tenant_id: tenant.id,
		limit: "max_emails_per_day",
		limit_value: 1,
	});
	expect(new Set(events.map(({ data }) => data.day)).size).toBe(2);
});

test("without a WhatsApp subscription the message is accepted and skipped (§2.2)", async () => {
	const tenant = office.tenant({});
	const { status, body } = await office.send(tenant, greeting(["+254712345678"], { channel: "whatsapp" }));
	expect([status, await statusesOf(body.requestId, tenant)]).toEqual([202, ["skipped_no_subscription"]]);
});

test("the WhatsApp subscription is asked again before the call if an hour has passed since accept", async () => {
	const tenant = office.tenant({ features: ["whatsapp"] });
	const { body } = await office.send(tenant, greeting(["+254712345679"], { channel: "whatsapp" }));
	const lane = { tenantId: tenant.id, channel: "whatsapp", messageClass: "normal" } as const;
	const [claimed] = await claimFrom(office, lane);
	if (claimed === undefined) throw new Error("nothing was claimed");
	const sent: Rendered[] = [];
	const sendAfter = (minutes: number, hasWhatsapp: Sending["hasWhatsapp"]) => {
		const now = () => new Date(Date.now() + minutes * 60_000);
		return sendDelivery(sendingIn(office, { hasWhatsapp, now, sent }), lane, claimed);
	};
	const no = async () => false;
	expect(await sendAfter(59, no)).toMatchObject({ status: "sent" });
	expect(await sendAfter(61, async () => true)).toMatchObject({ status: "sent" });
	const away = await sendAfter(61, () => Promise.reject(new EntitlementsUnavailable("away")));
	expect(away).toMatchObject({ status: "queued", errorCode: "entitlements_unavailable", isFailure: false });
	const result = await sendAfter(61, no);
	expect(sent).toHaveLength(2);
	await settleAs(office, tenant.id, [result]);
	expect(await statusesOf(body.requestId, tenant)).toEqual(["skipped_no_subscription"]);
});

test("while the subscription service is unavailable, a recent token's plan counts, and without one the answer is 503 (§2.3)", async () => {
	const tenant = office.tenant({});
	const now = Math.floor(Date.now() / 1_000);
	const limits = { sub_limits: { max_emails_per_day: 1 } };
	const plan = { sub_plan: "GROWTH", sub_status: "ACTIVE", sub_expires: now + 9_999, ...limits } as const;
	const send = (iat: number) =>
		office.send(tenant, greeting([address()]), { token: office.token(tenant, "admin", { ...plan, iat }) });
	office.subscriptions.brokenWith = 503;
	const answers = [await send(now - 120), await send(now), await send(now)];
	office.subscriptions.brokenWith = undefined;
	expect(answers).toMatchObject([
		{
			status: 503,
			body: { code: "entitlements_unavailable" },
			headers: { "retry-after": expect.stringMatching(/^\d+$/) },
		},
		{ status: 202 },
		{ status: 429, body: { code: "daily_limit_reached", limit_value: 1 } },
	]);
	expect((await send(now - 120)).status).toBe(202);
});

test("a message that cannot be rendered counts as a failure, is tried later, and is logged", async () => {
	const tenant = office.tenant({});
	await office.send(tenant, greeting([address()]));
	const lane = { tenantId: tenant.id, channel: "email", messageClass: "normal" } as const;
	const [claimed] = await claimFrom(office, lane);
	if (claimed === undefined) throw new Error("nothing was claimed");
	const unrendered: string[] = [];
	const sending = sendingIn(office, { onUnrendered: (_err, id) => unrendered.push(id) });
	const data = { ...claimed.data, sealed: Buffer.from("not encrypted") };
	const result = await sendDelivery(sending, lane, { ...claimed, data });
	expect(result).toMatchObject({ status: "queued", errorCode: "not_rendered", isFailure: true });
	expect(result.dueAt?.getTime()).toBeGreaterThan(Date.now());
	expect(unrendered).toEqual([claimed.id]);
	expect(await sendDelivery(sending, lane, { ...claimed, data, failures: 11 })).toMatchObject({
		status: "dead",
	});
});

const byKey = (key: string, more: object) =>
	office.call({ method: "POST", ...more, headers: { "x-api-key": key } } as never);

test("NOTIFICATIONS_API_KEY sends for every tenant that the address names, in both forms (§2.2, §5)", async () => {
	const body = greeting([address()]);
	for (const base of ["/uhai", "/api/v1/uhai", `/${office.kahawa.id}`, "/lango"])
		expect([
			base,
			(await byKey(platformApiKey, { url: `${base}/notifications/messages`, body })).status,
		]).toEqual([base, 202]);
	const event = { id: randomUUID(), type: "custom.stock.low", subject: "item", data: {} };
	expect((await byKey(platformApiKey, { url: "/uhai/notifications/events", body: event })).status).toBe(202);
});

test("NOTIFICATIONS_API_KEY may state addresses of people, and nothing else", async () => {
	const put = { method: "PUT", url: `/uhai/notifications/people/${randomUUID()}/contact-points` };
	const body = { channel: "sms", address: "0712345678" };
	expect(await byKey(platformApiKey, { ...put, body })).toMatchObject({
		status: 404,
		body: { code: "person_not_found" },
	});
	for (const path of ["messages", "suppressions", "templates", "api-keys", "audit", "config", "credits"])
		expect([
			path,
			(await byKey(platformApiKey, { method: "GET", url: `/api/v1/uhai/notifications/${path}` })).status,
		]).toEqual([path, 403]);
});

test("NOTIFICATIONS_API_KEY does not send for a tenant whose subscription has ended, or that does not exist", async () => {
	const body = greeting([address()]);
	const of = (slug: string) => byKey(platformApiKey, { url: `/${slug}/notifications/messages`, body });
	expect(await of("duka")).toMatchObject({ status: 403, body: { code: "subscription_inactive" } });
	expect(await of("nowhere")).toMatchObject({ status: 404, body: { code: "tenant_not_found" } });
});

test("a wrong key is answered 401 in both forms, and no key is logged (§5, §7)", async () => {
	const [, id = "", ...rest] = platformApiKey.split("_");
	const secret = rest.join("_");
	const wrong = [
		`lk_${id}_${secret.slice(0, -1)}${secret.endsWith("x") ? "y" : "x"}`,
		mintApiKey().text,
		platformApiKey.slice(0, 20),
		"",
	];
	for (const key of wrong)
		for (const base of ["/uhai", "/api/v1/uhai"]) {
			const answer = await byKey(key, { url: `${base}/notifications/messages`, body: greeting([address()]) });
			expect([key, answer.status, answer.body.code]).toEqual([key, 401, "api_key_invalid"]);
		}
	expect(office.logged.join()).not.toContain(secret);
});
