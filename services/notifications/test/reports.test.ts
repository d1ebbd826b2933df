import { createHmac, randomUUID } from "node:crypto";
import type { PublicTenant } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import { hashSecret, readKeyEncryptionKeys } from "@lango/tokens";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { createVault } from "../src/addresses/sealed-address.ts";
import type { Report, ReportKind } from "../src/provider.ts";
import { reportKinds } from "../src/provider.ts";
import { applyReports } from "../src/reports/apply-reports.ts";
import { storeReports } from "../src/reports/report.store.ts";
import { accepted, claimFrom, settleAs } from "./dispatch.ts";
import { encryptionKeys, greeting, type Office, openOffice } from "./office.ts";
import { addPlatformProvider } from "./platform-provider.ts";

let office: Office;
let twilio: string;
let other: string;
const authToken = "twilio-token";
const webhookToken = "token-of-the-webhook";
const vault = createVault(readKeyEncryptionKeys(encryptionKeys));

beforeAll(async () => {
	office = await openOffice({ NOTIFICATIONS_PUBLIC_URL: "https://notifications.lango.example" });
	const save = (name: string) =>
		addPlatformProvider(office, {
			...{ channel: "sms", kind: "twilio", name, restingWeight: 50, perSecond: 100, inFlightMax: 10 },
			secrets: vault.sealCredentials({
				credentials: { accountSid: `AC${"0".repeat(32)}`, authToken, from: "+15005550006" },
				webhookToken,
			}),
			webhookTokenHash: hashSecret(webhookToken),
		});
	[twilio, other] = [await save("twilio"), await save("other")];
});
afterAll(() => office.close());
afterEach(() => {
	office.clock.now = undefined;
});

type Sent = { id: string; ref: string; phone: string; attempt: number };
type Row = { status: string; rank: number; sent_at: Date | null };
const rows = <R extends Record<string, unknown>>(
	tenant: PublicTenant,
	text: string,
	values: unknown[] = [],
) => inTenant(office.database.db, tenant.id, (tx) => tx.query<R>(text, values));
const deliveryOf = async (tenant: PublicTenant, id: string) => {
	const [row] = await rows<Row>(
		tenant,
		"select status, rank, sent_at from message_deliveries where id = $1",
		[id],
	);
	return row;
};
const timelineOf = async (tenant: PublicTenant, id: string) =>
	(
		await rows<{ detail: { report: string } }>(
			tenant,
			"select detail from delivery_events where delivery_id = $1 and kind = 'report'",
			[id],
		)
	).map(({ detail }) => detail.report);
let phones = 0;
const newPhone = () => `+2547${String(20_000_000 + ++phones)}`;

/** A tenant with credit for SMS. */
async function tenantWithCredit(segments = 1_000): Promise<PublicTenant> {
	const tenant = office.tenant({});
	await office.call({
		method: "POST",
		url: `/api/v1/${tenant.slug}/notifications/credits/grants`,
		token: office.token(office.lango, "superuser"),
		body: { segments, reason: "test" },
	});
	return tenant;
}

const sendSms = (tenant: PublicTenant, phone: string) =>
	office.send(tenant, greeting([phone], { channel: "sms" }), {
		headers: { "idempotency-key": randomUUID() },
		token: office.token(tenant, "admin", { exp: Math.floor(Date.now() / 1_000) + 100 * 86_400 }),
	});

/** Sends an SMS to a phone: accepted, claimed, and not settled yet. */
async function claimedSms(tenant: PublicTenant, phone = newPhone()) {
	await sendSms(tenant, phone);
	const [claimed] = await claimFrom(office, { tenantId: tenant.id, channel: "sms", messageClass: "normal" });
	if (claimed === undefined) throw new Error("nothing was claimed");
	return { id: claimed.id, attempt: claimed.attempt, ref: `SM${randomUUID()}`, phone };
}
async function sentSms(tenant: PublicTenant, phone?: string): Promise<Sent> {
	const sms = await claimedSms(tenant, phone);
	await settleAs(office, tenant.id, [{ ...accepted(sms), ref: sms.ref, providerId: twilio }]);
	return sms;
}
const report = (sent: Pick<Sent, "ref">, kind: ReportKind, more: Partial<Report> = {}): Report => ({
	...{ eventKey: `${sent.ref} ${kind}`, kind, ref: sent.ref },
	...more,
});
const store = (providerId: string, reports: readonly Report[]) =>
	storeReports(office.database.db, {
		...{ providerId, now: new Date() },
		reports: reports.map((one) => ({
			eventKey: hashSecret(one.eventKey),
			report: vault.sealData(one),
		})),
	});
const apply = () =>
	applyReports({ db: office.database.db, now: () => office.clock.now ?? new Date(), vault });
const applied = async (providerId: string, reports: readonly Report[]) => {
	await store(providerId, reports);
	await apply();
};

/** Calls a webhook as Twilio does. */
function callWebhook(
	{ ref, status, code }: { ref: string; status: string; code?: number },
	{
		provider = twilio,
		token = webhookToken,
		secret = authToken,
	}: { provider?: string; token?: string; secret?: string } = {},
) {
	const path = `/webhooks/${provider}?token=${token}`;
	const form = {
		MessageSid: ref,
		MessageStatus: status,
		...(code !== undefined && { ErrorCode: String(code) }),
	};
	const text = Object.entries(form)
		.toSorted(([left], [right]) => (left < right ? -1 : 1))
		.map(([name, value]) => name + value)
		.join("");
	const signature = createHmac("sha1", secret)
		.update(`https://notifications.lango.example${path}${text}`)
		.digest("base64");
	return office.app.inject({
		method: "POST",
		url: path,
		headers: { "content-type": "application/x-www-form-urlencoded", "x-twilio-signature": signature },
		payload: new URLSearchParams(form).toString(),
	});
}

describe("webhooks", () => {
	test("a signed webhook moves the delivery that it is about, and a repeated one changes nothing", async () => {
		const tenant = await tenantWithCredit();
		const sent = await sentSms(tenant);
		const answer = await callWebhook({ ref: sent.ref, status: "delivered" });
		expect([answer.statusCode, answer.json()]).toEqual([200, { stored: 1 }]);
		await vi.waitFor(async () => expect((await deliveryOf(tenant, sent.id))?.status).toBe("delivered"));
		expect((await callWebhook({ ref: sent.ref, status: "delivered" })).json()).toEqual({ stored: 0 });
		expect(await timelineOf(tenant, sent.id)).toEqual(["delivered"]);
	});

	test.each([
		["an unknown provider", { provider: randomUUID() }, "404 webhook_unknown"],
		["a wrong token", { token: "wrong" }, "401 webhook_refused"],
		["no token", { token: "" }, "401 webhook_refused"],
		["a wrong signature", { secret: "wrong" }, "401 webhook_refused"],
	])("a webhook with %s is refused, and nothing is stored", async (_what, change, refusal) => {
		const ref = `SM${randomUUID()}`;
		const answer = await callWebhook({ ref, status: "delivered" }, change);
		expect(`${answer.statusCode} ${answer.json().code}`).toBe(refusal);
		expect(await store(twilio, [report({ ref }, "delivered")])).toBe(1);
	});

	test("a body of more than 256 KB is refused", async () => {
		const answer = await office.app.inject({
			method: "POST",
			url: `/webhooks/${twilio}?token=${webhookToken}`,
			payload: Buffer.alloc(256 * 1024 + 1),
		});
		expect(answer.statusCode).toBe(413);
	});

	test("the vendor's question whether the address is ours is answered with its challenge", async () => {
		const ask = (token: string) =>
			office.app.inject({
				url: `/webhooks/${twilio}?hub.mode=subscribe&hub.verify_token=${token}&hub.challenge=1158201444`,
			});
		const answer = await ask(webhookToken);
		expect([answer.statusCode, answer.body]).toEqual([200, "1158201444"]);
		expect((await ask("wrong")).statusCode).toBe(401);
	});
});

describe("reports", () => {
	test("a report moves only deliveries that its provider sent", async () => {
		const tenant = await tenantWithCredit();
		const sent = await sentSms(tenant);
		await applied(other, [report(sent, "delivered", { tenantId: tenant.id, deliveryId: sent.id })]);
		expect((await deliveryOf(tenant, sent.id))?.status).toBe("sent");
	});

	test("reports in any order and number lead to one state, and the timeline keeps each", async () => {
		const tenant = await tenantWithCredit();
		const rank = ["complained", "sent", "undelivered", "soft_bounced", "delivered", "bounced", "read"];
		const state = {
			sent: "sent",
			undelivered: "undelivered",
			soft_bounced: "undelivered",
			complained: "sent",
		};
		await fc.assert(
			fc.asyncProperty(
				fc.array(fc.constantFrom(...reportKinds), { minLength: 1, maxLength: 6 }),
				fc.integer({ min: 1, max: 3 }),
				async (kinds, size) => {
					const sent = await sentSms(tenant);
					const all = kinds.map((kind, at) => report(sent, kind, { eventKey: `${sent.ref} ${at}` }));
					for (let at = 0; at < all.length; at += size) await applied(twilio, all.slice(at, at + size));
					const highest = kinds.toSorted(
						(left, right) => rank.indexOf(right) - rank.indexOf(left),
					)[0] as ReportKind;
					const { status } = (await deliveryOf(tenant, sent.id)) as Row;
					expect(status).toBe(highest in state ? state[highest as keyof typeof state] : highest);
					expect((await timelineOf(tenant, sent.id)).toSorted()).toEqual(kinds.toSorted());
				},
			),
			{ numRuns: 25 },
		);
	});

	test("two processes apply a report once", async () => {
		const tenant = await tenantWithCredit();
		const sent: Sent[] = [];
		while (sent.length < 10) sent.push(await sentSms(tenant));
		await store(
			twilio,
			sent.map((one) => report(one, "delivered")),
		);
		await Promise.all([apply(), apply(), apply()]);
		for (const { id } of sent) expect(await timelineOf(tenant, id)).toEqual(["delivered"]);
	});

	test("a report that comes before the response of the call is recorded is applied afterwards", async () => {
		const tenant = await tenantWithCredit();
		const sms = await claimedSms(tenant);
		await applied(twilio, [report(sms, "delivered", { tenantId: tenant.id, deliveryId: sms.id })]);
		expect((await deliveryOf(tenant, sms.id))?.status).toBe("sending");
		await settleAs(office, tenant.id, [{ ...accepted(sms), ref: sms.ref, providerId: twilio }]);
		office.clock.now = new Date(Date.now() + 61_000);
		await apply();
		expect((await deliveryOf(tenant, sms.id))?.status).toBe("delivered");
	});

	test.each([
		[5, "delivered"],
		[6, "sent"],
	])("a report whose delivery is unknown for %i minutes leaves it %s", async (minutes, status) => {
		const tenant = await tenantWithCredit();
		const sms = await claimedSms(tenant);
		await store(twilio, [report(sms, "delivered")]);
		for (let minute = 0; minute <= minutes; minute++) {
			office.clock.now = new Date(Date.now() + minute * 61_000);
			if (minute === minutes)
				await settleAs(office, tenant.id, [{ ...accepted(sms), ref: sms.ref, providerId: twilio }]);
			await apply();
		}
		expect((await deliveryOf(tenant, sms.id))?.status).toBe(status);
	});

	test("a report ends an unknown outcome, and its credit is settled", async () => {
		const tenant = await tenantWithCredit(5);
		const sms = await claimedSms(tenant);
		await settleAs(office, tenant.id, [
			{ id: sms.id, attempt: sms.attempt, from: ["sending"], status: "unknown", providerId: twilio },
		]);
		const event = { tenantId: tenant.id, deliveryId: sms.id };
		await applied(twilio, [report(sms, "delivered", event)]);
		expect(await deliveryOf(tenant, sms.id)).toMatchObject({
			status: "delivered",
			sent_at: expect.any(Date),
		});
		const [credit] = await rows(tenant, "select balance::integer, reserved::integer from credit_balances");
		expect(credit).toEqual({ balance: 4, reserved: 0 });
	});
});

describe("suppressions", () => {
	const statusOf = async (tenant: PublicTenant, phone: string) => {
		const { body } = await sendSms(tenant, phone);
		const [row] = await rows<Row>(tenant, "select status from message_deliveries where message_id = $1", [
			body.requestId,
		]);
		return row?.status;
	};

	test("a number that does not exist is suppressed for every tenant for 90 days, and the event has no address", async () => {
		const [tenant, another] = [await tenantWithCredit(), await tenantWithCredit()];
		const sent = await sentSms(tenant);
		await applied(twilio, [report(sent, "undelivered", { isAddressBad: true, code: "twilio_30005" })]);
		expect([await statusOf(tenant, sent.phone), await statusOf(another, sent.phone)]).toEqual([
			"suppressed",
			"suppressed",
		]);
		const events = await office.database.db.query<{ envelope: { data: Record<string, unknown> } }>(
			"select envelope from outbox where envelope->>'type' = 'notifications.address.failed' and envelope->>'subject' = $1",
			[sent.id],
		);
		expect(events.map(({ envelope }) => envelope.data)).toMatchObject([
			{
				...{ tenant_id: tenant.id, channel: "sms", user_id: null, reason: "invalid" },
				...{ address_masked: expect.stringContaining("•"), at: expect.any(String) },
			},
		]);
		expect(JSON.stringify(events)).not.toContain(sent.phone);
		office.clock.now = new Date(Date.now() + 91 * 24 * 3_600_000);
		expect(await statusOf(another, sent.phone)).toBe("queued");
	});

	test("an address that the provider refuses as bad is suppressed", async () => {
		const tenant = await tenantWithCredit();
		const sms = await claimedSms(tenant);
		const { id, attempt } = sms;
		await settleAs(office, tenant.id, [
			{ id, attempt, from: ["sending"], status: "failed", providerId: twilio, suppress: "invalid" },
		]);
		expect(await statusOf(tenant, sms.phone)).toBe("suppressed");
	});

	test("a complaint suppresses the category for the tenant only", async () => {
		const [tenant, another] = [await tenantWithCredit(), await tenantWithCredit()];
		const sent = await sentSms(tenant);
		await applied(twilio, [report(sent, "complained")]);
		expect([await statusOf(tenant, sent.phone), await statusOf(another, sent.phone)]).toEqual([
			"suppressed",
			"queued",
		]);
	});

	test("the third soft bounce within a week suppresses the address for a day", async () => {
		const tenant = await tenantWithCredit();
		const phone = newPhone();
		for (let times = 1; times <= 3; times++) {
			await applied(twilio, [report(await sentSms(tenant, phone), "soft_bounced")]);
		}
		expect(await statusOf(tenant, phone)).toBe("suppressed");
		office.clock.now = new Date(Date.now() + 25 * 3_600_000);
		expect(await statusOf(tenant, phone)).toBe("queued");
	});

	test("a tenant is warned from 0.1 % complaints on, and its e-mail is paused from 0.3 % on", async () => {
		const tenant = office.tenant({});
		const to = Array.from({ length: 7 }, (_, n) => `complains${n}@uhai.example`);
		await office.send(tenant, greeting(to));
		await rows(
			tenant,
			"insert into reputation_hours values (current_setting('app.tenant_id')::uuid, date_trunc('hour', now()), 99, 1993, 0, 0)",
		);
		const lane = { tenantId: tenant.id, channel: "email", messageClass: "normal" } as const;
		const sent = (await claimFrom(office, lane)).map((one) => ({ ...one, ref: randomUUID() }));
		await settleAs(
			office,
			tenant.id,
			sent.map((one) => ({ ...accepted(one), ref: one.ref, providerId: twilio })),
		);
		const states: unknown[] = [];
		for (const one of sent) {
			await applied(twilio, [report(one, "complained"), report(one, "complained")]);
			const { body } = await office.call({
				url: `/api/v1/${tenant.slug}/notifications/reputation`,
				token: office.token(tenant, "admin"),
			});
			states.push([body["complained"], body["state"]]);
		}
		expect(states).toEqual([
			...[
				[1, "ok"],
				[2, "warned"],
				[3, "warned"],
				[4, "warned"],
				[5, "warned"],
				[6, "paused"],
				[7, "paused"],
			],
		]);
	});
});
