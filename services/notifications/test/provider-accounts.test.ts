import { createHmac } from "node:crypto";
import type { PublicTenant } from "@lango/contracts";
import { violatedConstraint } from "@lango/postgres";
import { startMessagesSandbox } from "@lango/sandbox-messages";
import { setUp } from "@lango/testkit/set-up";
import { expect, onTestFinished, test } from "vitest";
import { saveProvider } from "../src/accounts/provider.store.ts";
import { listSendingProviders } from "../src/providers/account.store.ts";
import { addCallCounts } from "../src/providers/health.store.ts";
import { weighProviders } from "../src/providers/weigh-providers.ts";
import { openOffice } from "./office.ts";

const office = setUp(() => openOffice());
type Call = { method?: "POST" | "PATCH" | "DELETE"; body?: unknown; role?: string };
const call = async (tenant: PublicTenant, path = "", { method, body, role = "admin" }: Call = {}) =>
	office.call({
		...(method !== undefined && { method }),
		url: `/api/v1/${tenant.slug}/notifications/providers${path}`,
		token: office.token(tenant, role),
		...(body !== undefined && { body }),
	});
const asOwner = (path = "", more: Call = {}) =>
	call(office.lango, `${path}?tenantId=${office.lango.id}`, { ...more, role: "superuser" });
let names = 0;
const sms = (more: Record<string, unknown> = {}) => ({
	...{ channel: "sms", kind: "africastalking", name: `sms ${++names}` },
	credentials: { username: "uhai", apiKey: "atsk_secret" },
	...more,
});
const sending = async (tenant: PublicTenant) =>
	(await listSendingProviders(office.database.db, { tenantId: tenant.id, channel: "sms" })).map(
		({ id }) => id,
	);

test("a tenant's own provider is used for its messages and not for those of others, and never shows its credentials", async () => {
	const added = await call(office.uhai, "", { method: "POST", body: sms() });
	expect(added).toMatchObject({ status: 201, body: { owner: "tenant", weight: 100, enabled: true } });
	const { id } = added.body as unknown as { id: string };
	expect([await sending(office.uhai), await sending(office.kahawa)]).toEqual([
		expect.arrayContaining([id]),
		expect.not.arrayContaining([id]),
	]);
	const listed = await call(office.uhai);
	expect(JSON.stringify([added.body, listed.body])).not.toContain("atsk_secret");
	expect((await call(office.kahawa, `/${id}`)).body).toMatchObject({ code: "provider_not_found" });
	expect(await call(office.uhai, `/${id}`, { method: "PATCH", body: { enabled: false } })).toMatchObject({
		status: 200,
		body: { enabled: false },
	});
	expect(await sending(office.uhai)).not.toContain(id);
	expect((await call(office.uhai, `/${id}`, { method: "DELETE" })).status).toBe(204);
	expect((await call(office.uhai, `/${id}`)).status).toBe(404);
	const audit = await office.call({
		url: `/api/v1/${office.uhai.slug}/notifications/audit?limit=3`,
		token: office.token(office.uhai, "admin"),
	});
	expect(audit.body.items.map(({ action }) => action)).toEqual([
		"provider.removed",
		"provider.changed",
		"provider.added",
	]);
	expect(JSON.stringify(audit.body)).not.toContain("atsk_secret");
});

test("the platform owner manages providers of every tenant, which tenants see and cannot change", async () => {
	const base_url = "http://127.0.0.1:9/africastalking";
	const { status, body } = await asOwner("", { method: "POST", body: sms({ base_url }) });
	expect([status, body]).toMatchObject([201, { owner: "platform" }]);
	const { id } = body as unknown as { id: string };
	expect(await sending(office.kahawa)).toContain(id);
	expect((await call(office.kahawa, `/${id}`)).body).toMatchObject({ id, owner: "platform" });
	for (const more of [{ method: "PATCH", body: { enabled: false } }, { method: "DELETE" }] as const)
		expect((await call(office.kahawa, `/${id}`, more)).body).toMatchObject({ code: "provider_not_found" });
	expect((await asOwner(`/${id}`, { method: "DELETE" })).status).toBe(204);
});

const smtp = (host: string, more: object = {}) => ({
	...{ channel: "email", kind: "smtp", name: `mail ${++names}` },
	credentials: {
		host,
		port: 587,
		secure: false,
		requireTls: true,
		fromAddress: "info@uhai.example",
		...more,
	},
});
const postmark = (fromAddress?: string) => ({
	...{ channel: "email", kind: "postmark", name: `mail ${++names}` },
	credentials: { serverToken: "token", ...(fromAddress !== undefined && { fromAddress }) },
});
test.each<[string, object, string]>([
	["a kind that does not exist", sms({ kind: "pigeon" }), "credentials_invalid kind"],
	["a kind of another channel", sms({ kind: "smtp" }), "credentials_invalid kind"],
	[
		"a member of the credentials that is missing",
		sms({ credentials: { username: "u" } }),
		"credentials_invalid credentials.apiKey",
	],
	[
		"an unknown member of the credentials",
		sms({ credentials: { username: "u", apiKey: "k", more: 1 } }),
		"credentials_invalid credentials",
	],
	["an address of a tenant", sms({ base_url: "http://10.0.0.1" }), "forbidden base_url"],
	["a private mail server", smtp("127.0.0.1"), "host_forbidden credentials.host"],
	[
		"a mail server without encryption",
		smtp("198.51.100.1", { requireTls: false }),
		"host_forbidden credentials.host",
	],
	["a port that is not for mail", smtp("8.8.8.8", { port: 22 }), "host_forbidden credentials.host"],
	["mail without an own sender's address", postmark(), "credentials_invalid credentials.fromAddress"],
	...[
		"uhai.example",
		"info@localhost",
		"info@uhai.example, b@uhai.example",
		"info@uhai.example\r\nBcc: b@c.example",
	].map((address): [string, object, string] => [
		`${JSON.stringify(address)} as the sender's address`,
		postmark(address),
		"credentials_invalid credentials.fromAddress",
	]),
])("%s is refused", async (_what, body, refusal) => {
	const { body: answer } = await call(office.uhai, "", { method: "POST", body });
	expect(`${answer.code} ${answer.field}`).toMatch(refusal);
});

test("the sender's address of a provider of the platform is the setting's, and its credentials have none", async () => {
	const { body } = await asOwner("", { method: "POST", body: postmark("info@lango.example") });
	expect(body).toMatchObject({ code: "credentials_invalid", field: "credentials.fromAddress" });
});

test("a tenant's own provider of e-mail is not stored without a sender's address, and one of the platform not with one", async () => {
	const change = {
		...{ channel: "email" as const, kind: "postmark", restingWeight: 1, perSecond: 1, inFlightMax: 1 },
		...{ isEnabled: true, createdBy: "test", secrets: { keyId: "1", sealed: Buffer.alloc(1) } },
	};
	for (const owner of [
		{ tenantId: office.uhai.id, change: { ...change, name: `mail ${++names}` } },
		{ tenantId: undefined, change: { ...change, name: `mail ${++names}`, fromAddress: "a@lango.example" } },
	]) {
		const saved = saveProvider(office.database.db, { ...owner, now: new Date() });
		const error: unknown = await saved.catch((thrown: unknown) => thrown);
		expect(violatedConstraint(error)).toBe("providers__from_check");
	}
});

test("new credentials of a provider of e-mail name the sender's address again", async () => {
	const added = await call(office.kahawa, "", { method: "POST", body: postmark("Info@Kahawa.example") });
	expect(added).toMatchObject({ status: 201, body: { from_address: "Info@Kahawa.example" } });
	const change = (credentials: object) =>
		call(office.kahawa, `/${added.body.id}`, { method: "PATCH", body: { credentials } });
	expect((await change({ serverToken: "other" })).body).toMatchObject({
		...{ code: "credentials_invalid", field: "credentials.fromAddress" },
	});
	const { credentials } = postmark("info@kahawa.example");
	expect((await change(credentials)).body).toMatchObject({ from_address: "info@kahawa.example" });
});

test("a name is given once on a channel, by a tenant and by the platform", async () => {
	const body = sms({ enabled: false });
	const add = { method: "POST", body } as const;
	for (const ask of [() => call(office.uhai, "", add), () => asOwner("", add)]) {
		expect((await ask()).status).toBe(201);
		expect((await ask()).body).toMatchObject({ code: "provider_exists", field: "name" });
	}
});

test("a new resting weight ends the degraded state of a provider, and it is published that it has recovered", async () => {
	const { db } = office.database;
	const { id } = (await asOwner("", { method: "POST", body: sms({ base_url: "http://127.0.0.1:9" }) })).body;
	const minute = new Date("2026-11-24T08:00:00Z");
	await addCallCounts(db, [{ providerId: id, minute, sent: 1, errors: 60, slow: 0 }]);
	await weighProviders(db, new Date(minute.getTime() + 60_000));
	expect((await asOwner(`/${id}`)).body).toMatchObject({ weight: 90, degraded_at: expect.any(String) });
	await asOwner(`/${id}`, { method: "PATCH", body: { per_second: 5 } });
	const changed = await asOwner(`/${id}`, { method: "PATCH", body: { resting_weight: 80 } });
	expect(changed.body).toMatchObject({ weight: 80, degraded_at: null });
	const events = await db.query<{ type: string; weight: number }>(
		`select envelope->>'type' as type, (envelope->'data'->>'weight')::int as weight from outbox
		  where envelope->>'subject' = $1 and envelope->>'type' like 'notifications.provider.%' order by position`,
		[id],
	);
	expect(events).toEqual([
		{ type: "notifications.provider.degraded", weight: 90 },
		{ type: "notifications.provider.recovered", weight: 80 },
	]);
	await asOwner(`/${id}`, { method: "DELETE" });
});

test("a tenant has at most 20 providers on a channel, also if they are added at once", async () => {
	const tenant = office.tenant({});
	const post = (body: object) => call(tenant, "", { method: "POST", body });
	const answers = await Promise.all(Array.from({ length: 24 }, () => post(sms())));
	const refused = answers.filter(({ status }) => status !== 201);
	expect(refused.map(({ status, body }) => [status, body.code])).toEqual(
		Array(4).fill([409, "too_many_providers"]),
	);
	const credentials = { phoneNumberId: "106540352242922", accessToken: "token", appSecret: "app-secret" };
	const other = { channel: "whatsapp", kind: "whatsapp_cloud", name: "other", credentials };
	expect((await post(other)).status).toBe(201);
});

test("a check says whether the provider accepts the credentials, and new credentials keep the webhook", async () => {
	const sandbox = await startMessagesSandbox({ port: 0, smtpPort: 0 });
	onTestFinished(() => sandbox.stop());
	const body = sms({ base_url: `${sandbox.url}/africastalking` });
	const { id } = (await asOwner("", { method: "POST", body })).body as unknown as { id: string };
	const check = async () => (await asOwner(`/${id}/check`, { method: "POST" })).body;
	expect(await check()).toEqual({ ok: true, code: null });
	const issued = await asOwner(`/${id}/webhook-token`, { method: "POST" });
	const { pathname, search } = new URL((issued.body as unknown as { webhook_url: string }).webhook_url);
	const report = { id: "ATXid_1", status: "Success" };
	const deliver = async () =>
		(
			await office.app.inject({
				method: "POST",
				url: pathname + search,
				headers: { "content-type": "application/x-www-form-urlencoded" },
				payload: new URLSearchParams(report).toString(),
			})
		).statusCode;
	expect(await deliver()).toBe(200);
	const credentials = { username: "invalid", apiKey: "invalid" };
	await asOwner(`/${id}`, { method: "PATCH", body: { credentials } });
	await expect.poll(check).toMatchObject({ ok: false });
	expect(await deliver()).toBe(200);
	await asOwner(`/${id}/webhook-token`, { method: "POST" });
	await expect.poll(deliver).toBe(401);
});

test("a signed webhook with a report of 23 hours ago is stored, one of 25 hours ago changes nothing, a changed one is refused", async () => {
	const [appSecret, phoneNumberId] = ["app-secret", "106540352242922"];
	const credentials = { phoneNumberId, accessToken: "token", appSecret };
	const body = { channel: "whatsapp", kind: "whatsapp_cloud", name: "late", credentials };
	const { id } = (await call(office.uhai, "", { method: "POST", body })).body;
	const issued = await call(office.uhai, `/${id}/webhook-token`, { method: "POST" });
	const { pathname, search } = new URL(String(issued.body["webhook_url"]));
	const receive = async (hours: number, change = "") => {
		const timestamp = String(Math.floor(Date.now() / 1_000) - hours * 3_600);
		const statuses = [{ id: `wamid.${hours}`, status: "delivered", timestamp }];
		const value = { metadata: { phone_number_id: phoneNumberId }, statuses };
		const payload = JSON.stringify({ entry: [{ changes: [{ field: "messages", value }] }] });
		const signature = createHmac("sha256", appSecret).update(payload).digest("hex");
		const headers = { "content-type": "application/json", "x-hub-signature-256": `sha256=${signature}` };
		const url = pathname + search;
		const answer = await office.app.inject({ method: "POST", url, payload: payload + change, headers });
		return [answer.statusCode, answer.json().stored];
	};
	expect(await receive(23)).toEqual([200, 1]);
	expect(await receive(23)).toEqual([200, 0]);
	expect(await receive(25)).toEqual([200, 0]);
	expect(await receive(22, " ")).toEqual([401, undefined]);
});
