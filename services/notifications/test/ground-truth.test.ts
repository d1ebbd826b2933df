import { randomUUID } from "node:crypto";
import { authUserUpdated, type PublicTenant } from "@lango/contracts";
import { acrossTenants, inTenant } from "@lango/postgres";
import type { MessagesSandbox } from "@lango/sandbox-messages";
import { ensureTenant } from "@lango/tenancy";
import {
	contains,
	findInDatabase,
	type Needle,
	startTestCollector,
	type TestCollector,
	testEvent,
} from "@lango/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { saveProvider } from "../src/accounts/provider.store.ts";
import { type Arrival, type Delivery, openTruth, type Truth, untilEnded, vault } from "./ground-truth.ts";
import { greeting, type Office } from "./office.ts";
import { control, truth } from "./providers/sandbox.ts";
import { addresses, ownAddress, secrets, sendSecrets } from "./send-secrets.ts";

// What the service says of its deliveries is compared with what the providers really got, while they fail.

let [truthful, collector] = [undefined as unknown as Truth, undefined as unknown as TestCollector];
let [office, sandbox] = [undefined as unknown as Office, undefined as unknown as MessagesSandbox];
beforeAll(async () => {
	collector = await startTestCollector();
	truthful = await openTruth({
		...{ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: "50" },
	});
	({ office, sandbox } = truthful);
});
afterAll(async () => {
	await truthful.close();
	await collector.close();
});

test("no password, code, link or token is retained, and no address in clear but in the users of the chassis", async () => {
	const made = await sendSecrets(office);
	const open = () =>
		acrossTenants(office.database.db, (tx) =>
			tx.query(
				"select channel, status, error_code from message_deliveries where status in ('queued', 'sending')",
			),
		);
	await expect.poll(open).toEqual([]);
	const items = await truth(sandbox);
	const arrived = JSON.stringify(items);
	const seeded = await webhookTokens();
	const unsubscribing = await unsubscribeFrom(items);
	await control(sandbox, "DELETE /control/truth");
	const sent = Object.entries(secrets).filter(([what]) => !/provider|dead letter/.test(what));
	expect(sent.filter(([, text]) => !arrived.includes(text))).toEqual([]);
	const needles = [
		...made,
		...seeded,
		{ what: "the token of a link to unsubscribe", text: unsubscribing },
		...Object.entries({ ...secrets, ...addresses }).map(([what, text]) => ({ what, text })),
		{ what: "the code of a further address", text: codeIn(items) },
		{ what: "the address of a user", text: ownAddress },
	];
	expect(await passwordsOfDeadLetters()).toEqual([""]);
	// The search itself finds what is stored in clear.
	expect(await findInDatabase(office.database, needles)).toEqual([
		"public.users.email: the address of a user",
	]);
	const metrics = (await office.app.inject({ url: "/metrics" })).body;
	expect(metrics).toContain("http_server_request_duration");
	await expect.poll(() => collector.spans.length).toBeGreaterThan(100);
	const outputs = { logs: office.logged.join(""), spans: JSON.stringify(collector.spans), metrics };
	const inOutputs = Object.entries(outputs).flatMap(([output, text]) =>
		needles.filter((needle) => contains(text, needle)).map(({ what }) => `${output}: ${what}`),
	);
	expect(inOutputs).toEqual([]);
});

/** The passwords in the listing of dead letters, which is waited for. */
async function passwordsOfDeadLetters(): Promise<string[]> {
	const listed = { url: "/api/v1/platform/dead-letters", token: office.token(office.lango, "superuser") };
	const list = async () => (await office.call(listed)).body.items;
	await expect
		.poll(list)
		.toMatchObject([{ type: "isp.subscription.activated", reason: expect.stringContaining("username") }]);
	return (await list()).map(({ body }) => JSON.parse(String(body)).data.password);
}

/** The tokens of the webhooks of the platform's providers. */
async function webhookTokens(): Promise<Needle[]> {
	const webhooks: Record<string, { url: string }> = await control(sandbox, "GET /control/webhooks");
	const tokens = Object.entries(webhooks).map(([kind, { url }]) => ({
		...{ what: `the token of the webhook of ${kind}`, text: new URL(url).searchParams.get("token") ?? "" },
	}));
	expect(tokens.map(({ text }) => text.length > 20)).toEqual([true, true]);
	return tokens;
}

/** Opens a link to unsubscribe and presses its button, as a mail program does. Returns its token. */
async function unsubscribeFrom(
	items: ReadonlyArray<{ id: string; kind: string; subject: string | null }>,
): Promise<string> {
	const mail = items.find(({ kind, subject }) => kind === "smtp" && subject === "Stock is low");
	const { headers } = await control(sandbox, `GET /api/messages/${mail?.id}`);
	const [, link = ""] = headers.find(([name]: [string]) => name === "List-Unsubscribe") ?? [];
	const url = link.slice(1, -1);
	expect((await fetch(url)).status).toBe(200);
	const body = new URLSearchParams({ "List-Unsubscribe": "One-Click" });
	expect((await fetch(url, { method: "POST", body })).status).toBe(200);
	return new URL(url).searchParams.get("t") ?? "";
}

/** The code that the service sent to the further address. */
function codeIn(items: ReadonlyArray<{ address: string; text: string }>): string {
	const mail = items.find(({ address }) => address === addresses["a further address"]);
	const code = /\b\d{6}\b/.exec(mail?.text ?? "")?.[0];
	if (code === undefined) throw new Error("no code arrived");
	return code;
}

const countOf = (rows: readonly Delivery[], ...statuses: string[]) =>
	rows.filter(({ status }) => statuses.includes(status)).length;
const acceptedNow = async () =>
	((await truth(sandbox)) as Arrival[]).filter(({ outcome }) => outcome === "accepted");

/**
 * What is sent arrived. A text message arrived at most once, another one again only after an unknown outcome,
 * and nothing to a suppressed address.
 */
function expectTimes({ address, channel, status, unknown_calls }: Delivery, times: number): void {
	const once = channel === "sms" || channel === "whatsapp" ? 1 : 1 + unknown_calls;
	const most = status === "suppressed" ? 0 : once;
	const least = ["sent", "delivered", "read"].includes(status) ? 1 : 0;
	expect([address, status, times]).toEqual([address, status, Math.min(Math.max(times, least), most)]);
}

/** All mails of one delivery have one Message-ID, so that a mailbox can recognize the second. */
function expectOneMessageId(arrivals: readonly Arrival[]): void {
	const byDelivery = [...Map.groupBy(arrivals, ({ delivery_id }) => delivery_id)];
	const ids = byDelivery.map(([id, own]) => [id, [...new Set(own.map(({ message_id }) => message_id))]]);
	expect(ids).toEqual(byDelivery.map(([id]) => [id, [expect.stringContaining(id)]]));
	expect(byDelivery.some(([, own]) => own.length > 1)).toBe(true);
}

test("while providers fail, whatever was sent arrived, and a text message arrived at most once", {
	timeout: 120_000,
}, async () => {
	const lost = { accept_then_reset: true };
	await control(sandbox, "PUT /control/faults", [
		{ kind: "africastalking", match: { every: 5 }, do: lost },
		{ kind: "africastalking", match: { every: 3 }, do: { refuse: { status: 503 } } },
		{ kind: "twilio", match: { every: 4 }, do: lost },
		{ kind: "twilio", match: { every: 3 }, do: { reset: true } },
		{ kind: "smtp", match: { every: 4 }, do: lost },
	]);
	const phones = Array.from({ length: 20 }, (_, at) => `+2547123500${10 + at}`);
	const mails = Array.from({ length: 20 }, (_, at) => `person${at}@uhai.example`);
	const noticeOf = (message: string) => ({ data: { ...greeting([]).data, message } });
	const notices = new Map<string, string>();
	const send = async (to: readonly string[], notice: string, more: object) => {
		const { status, body } = await office.send(office.uhai, greeting(to, { ...noticeOf(notice), ...more }));
		expect(status).toBe(202);
		notices.set(body.requestId, notice);
	};
	await send(phones, "The first notice", { channel: "sms" });
	await send(phones, "The second notice", { channel: "sms" });
	await send(mails, "A mail", {});
	const late = {
		sms: ["+254712350091", "+254712350092", "+254712350093"],
		email: ["late1@uhai.example", "late2@uhai.example", "late3@uhai.example"],
	};
	const send_at = new Date(Date.now() + 45_000).toISOString();
	const suppressed = new Set<string>();
	for (const [channel, to] of Object.entries(late)) {
		await send(to, "A late notice", { channel, send_at });
		for (const address of to.slice(1)) {
			const add = { method: "POST" as const, url: "/api/v1/uhai/notifications/suppressions" };
			const token = office.token(office.uhai, "admin");
			expect((await office.call({ ...add, token, body: { channel, address } })).status).toBe(201);
			suppressed.add(address);
		}
	}
	const rows = await untilEnded(office, office.uhai);
	expect(rows).toHaveLength(66);
	const arrivals = await acceptedNow();
	const placeOf = (address: string, notice: string) => `${address} ${notice}`;
	const noticeIn = (text: string) => [...notices.values()].find((notice) => text.includes(notice)) ?? "";
	const byPlace = Map.groupBy(arrivals, ({ address, text }) => placeOf(address, noticeIn(text)));
	const places = new Set<string>();
	for (const row of rows) {
		const place = placeOf(row.address, notices.get(row.message_id) ?? "");
		places.add(place);
		expectTimes(row, byPlace.get(place)?.length ?? 0);
		expect([place, row.status === "suppressed"]).toEqual([place, suppressed.has(row.address)]);
	}
	expect([...byPlace.keys()].filter((place) => !places.has(place))).toEqual([]);
	expectOneMessageId(arrivals.filter(({ kind }) => kind === "smtp"));
	const texts = arrivals.filter(({ kind }) => kind !== "smtp");
	const ids = new Set(rows.map(({ id }) => id));
	const foreign = texts.filter(({ kind, delivery_id }) => kind === "twilio" && !ids.has(delivery_id));
	expect(foreign).toEqual([]);
	const [credit] = await inTenant(office.database.db, office.uhai.id, (tx) =>
		tx.query<{ balance: number; reserved: number }>(
			"select balance::integer, reserved::integer from credit_balances",
		),
	);
	const charged = countOf(
		rows.filter(({ channel }) => channel === "sms"),
		"sent",
		"delivered",
		"undelivered",
		"expired",
	);
	expect(credit).toEqual({ balance: 500 - charged, reserved: 0 });
});

/** A tenant that may send WhatsApp messages, and whose e-mail goes through Postmark. */
async function addTenant(): Promise<PublicTenant> {
	const tenant = office.tenant({ limits: { max_emails_per_day: -1 }, features: ["whatsapp"] });
	const { db } = office.database;
	await ensureTenant(db, tenant.id);
	await saveProvider(db, {
		...{ tenantId: tenant.id, now: new Date() },
		change: {
			...{ channel: "email", kind: "postmark", name: "own", baseUrl: `${sandbox.url}/postmark` },
			fromAddress: "info@tenant.example",
			...{ restingWeight: 100, perSecond: 100, inFlightMax: 20, isEnabled: true, createdBy: "test" },
			secrets: vault.sealCredentials({ credentials: { serverToken: "sandbox" } }),
		},
	});
	return tenant;
}

test("while providers fail, a WhatsApp message arrives at most once, and a push or an e-mail by Postmark again only after an unknown outcome", {
	timeout: 120_000,
}, async () => {
	office.clock.now = undefined;
	const tenant = await addTenant();
	const kinds = { whatsapp: "whatsapp_cloud", push: "fcm", email: "postmark" } as const;
	await control(
		sandbox,
		"PUT /control/faults",
		Object.values(kinds).flatMap((kind) => [
			{ kind, match: { every: 4 }, do: { accept_then_reset: true } },
			{ kind, match: { every: 3 }, do: { refuse: { status: 503 } } },
		]),
	);
	const each = <T>(of: (at: number) => T) => Array.from({ length: 20 }, (_, at) => of(at));
	const to = {
		whatsapp: each((at) => `+2547123600${10 + at}`),
		push: each((at) => `fcm-${at}-${randomUUID()}`),
		email: each((at) => `reader${at}@example.com`),
	};
	for (const [channel, addresses] of Object.entries(to))
		expect(await office.send(tenant, greeting(addresses, { channel }))).toMatchObject({ status: 202 });
	const rows = await untilEnded(office, tenant);
	expect(rows).toHaveLength(60);
	const arrivals = await acceptedNow();
	for (const [channel, kind] of Object.entries(kinds)) {
		const own = rows.filter((row) => row.channel === channel);
		const byDelivery = Map.groupBy(
			arrivals.filter((one) => one.kind === kind && to[channel as keyof typeof to].includes(one.address)),
			({ delivery_id }) => delivery_id,
		);
		expect([...byDelivery.keys()].filter((id) => !own.some((row) => row.id === id))).toEqual([]);
		expect(byDelivery.size).toBeGreaterThan(10);
		for (const row of own) expectTimes(row, byDelivery.get(row.id)?.length ?? 0);
		// The fault happened: some outcomes were unknown.
		expect(own.some(({ unknown_calls }) => unknown_calls > 0)).toBe(true);
		if (kind === "postmark") expectOneMessageId([...byDelivery.values()].flat());
	}
});

test("a test of a draft arrives at its author, does not count in statistics, and is not sent again", async () => {
	office.clock.now = undefined;
	await control(sandbox, "PUT /control/faults", []);
	const id = randomUUID();
	const data = {
		...{ user_id: id, email: `${id}@uhai.example`, email_verified: true, name: "Asha", roles: ["admin"] },
		...{ status: "active", is_hq: false, outlet_ids: [], version: 1 },
	};
	await office.transport.publish(
		testEvent(authUserUpdated, { subject: id, data, tenant: { id: office.uhai.id } }),
	);
	const token = office.token(office.uhai, "admin", { sub: id });
	const call = (method: "GET" | "PUT" | "POST", url: string, body?: object) =>
		office.call({ method, url: `/api/v1/uhai/notifications${url}`, token, body });
	const path = "/templates/shared/generic_notification";
	const content = { channel: "email", locale: "en", subject: "Try: {{ title }}" };
	const draft = { contents: [{ ...content, source: "<mj-text>Only a draft, {{ name }}</mj-text>" }] };
	expect((await call("PUT", `${path}/draft`, draft)).body["findings"]).toEqual([]);
	const before = (await call("GET", "/statistics")).body;
	const sent = await call("POST", `${path}/test`, { channel: "email", locale: "en" });
	expect(sent).toMatchObject({ status: 202, body: { status: "accepted" } });
	const arrived = async () =>
		((await truth(sandbox)) as Array<Arrival & { text: string }>).filter(
			({ address }) => address === data.email,
		);
	await expect
		.poll(arrived)
		.toMatchObject([{ outcome: "accepted", text: expect.stringContaining("Only a draft") }]);
	const feed = (await call("GET", `/messages/${sent.body.requestId}/deliveries`)).body.items;
	expect(feed).toMatchObject([{ channel: "email", user_id: id }]);
	await expect
		.poll(async () => {
			const [row] = await inTenant(office.database.db, office.uhai.id, (tx) =>
				tx.query<{ pending: number; data: Buffer | null }>(
					"select pending, data from messages where id = $1",
					[sent.body.requestId],
				),
			);
			return row;
		})
		.toEqual({ pending: 0, data: null });
	expect((await call("GET", "/statistics")).body).toEqual(before);
	expect((await call("POST", `/deliveries/${feed[0]?.id}/resend`, {})).body.code).toBe("test_not_resendable");
	const completed = await office.database.db.query(
		"select from outbox where envelope->>'subject' = $1 and envelope->>'type' = 'notifications.message.completed'",
		[sent.body.requestId],
	);
	expect(completed).toEqual([]);
	expect((await call("GET", path)).body).toMatchObject({ origin: "platform", live: { version: 1 } });
});

test("a provider gets no more calls at once than it takes: others are tried later, and no failure is counted", async () => {
	await control(sandbox, "PUT /control/faults", [
		{ kind: "twilio", match: { every: 1 }, do: { delay: { ms: 700 } } },
	]);
	const asOwner = { token: office.token(office.lango, "superuser") };
	const providers = `/api/v1/lango/notifications/providers`;
	const owner = `tenantId=${office.lango.id}`;
	const { body } = await office.call({ url: `${providers}?${owner}`, ...asOwner });
	const twilio = body.items.find(({ kind }) => kind === "twilio")?.id;
	const change = { method: "PATCH" as const, url: `${providers}/${twilio}?${owner}`, ...asOwner };
	expect((await office.call({ ...change, body: { in_flight_max: 1 } })).status).toBe(200);
	const grant = `/api/v1/kahawa/notifications/credits/grants`;
	await office.call({ method: "POST", url: grant, ...asOwner, body: { segments: 50, reason: "test" } });
	const phones = Array.from({ length: 6 }, (_, at) => `+25471235${200 + at}7`);
	const metadata = { provider: "sandbox-twilio" };
	const sent = await office.send(office.kahawa, greeting(phones, { channel: "sms", metadata }));
	expect(sent.status).toBe(202);
	const busy = () =>
		inTenant(office.database.db, office.kahawa.id, (tx) =>
			tx.query<{ failures: number; status: string }>(
				`select distinct d.failures, d.status from message_deliveries d
				   join delivery_events e on e.tenant_id = d.tenant_id and e.delivery_id = d.id
				  where e.detail->>'code' = 'provider_busy'`,
			),
		);
	await expect.poll(busy).toEqual([{ failures: 0, status: "queued" }]);
	await office.call({ ...change, body: { in_flight_max: 20 } });
	await control(sandbox, "PUT /control/faults", []);
});
