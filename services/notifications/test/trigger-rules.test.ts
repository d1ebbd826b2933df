import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { purgeRuns } from "../src/triggers/run.store.ts";
import { openOffice } from "./office.ts";

const office = setUp(openOffice);

const rule = (more: object = {}) => ({
	...{
		name: randomUUID(),
		event: "custom.stock.low",
		template: "shared/generic_notification",
		channels: ["email"],
	},
	recipients: ["event.email"],
	map: {
		...{ name: { value: "Asha" }, title: { from: "event.title" }, message: { value: "Stock is low." } },
		action_link: { value: "https://lango.example/stock" },
	},
	...more,
});
const forPeople = { recipients: ["role:admin"] };
const hourly = { every: "1h", items_max: 10 };
type Method = "GET" | "POST" | "PATCH" | "DELETE";
const callIn = (slug: "uhai" | "kahawa") => (method: Method, path: string, body?: object) =>
	office.call({
		...{ method, url: `/api/v1/${slug}/notifications${path}`, token: office.token(office[slug], "admin") },
		...(body !== undefined && { body }),
	});
const [call, callElsewhere] = [callIn("uhai"), callIn("kahawa")];
const create = async (more: object = {}): Promise<string> => {
	const { status, body } = await call("POST", "/triggers", rule(more));
	expect(body).toMatchObject({ is_platform: false });
	expect(status).toBe(201);
	return (body as unknown as { id: string }).id;
};
const send = async (data: object, type = "custom.stock.low"): Promise<string> => {
	const id = randomUUID();
	expect((await call("POST", "/events", { id, type, subject: "item", data })).status).toBe(202);
	return id;
};
const address = () => `${randomUUID()}@people.example`;
const runs = async (id: string) => (await call("GET", `/triggers/${id}/runs`)).body.items;

test("a tenant's rule makes messages of its events while its conditions hold and it is enabled", async () => {
	const event = `custom.e${Date.now()}`;
	const conditions = [{ path: "event.left", op: "lt", value: 5 }];
	const id = await create({ event, conditions });
	const matching = await send({ left: 3, title: "Low", email: address() }, event);
	await send({ left: 9, title: "Fine", email: address() }, event);
	await call("PATCH", `/triggers/${id}`, { enabled: false });
	await send({ left: 1, title: "Low", email: address() }, event);
	await office.jobs.runDue();
	expect(await runs(id)).toMatchObject([{ event_id: matching, status: "sent", messages: 1 }]);
});

test.each<[string, object, string]>([
	["an event of the service itself", { event: "notifications.credit.low" }, "event event_forbidden"],
	["an event of another tenant's kind", { event: "auth.user.deleted" }, "event event_forbidden"],
	["a template that does not exist", { template: "shared/unknown" }, "template template_unknown"],
	[
		"a template of the category security",
		{ template: "sign_on/verify_contact" },
		"template template_forbidden",
	],
	[
		"a channel that the template lacks",
		{ template: "cafe/cafe_contact_form", channels: ["sms"] },
		"channels.0 channel_unsupported",
	],
	["a variable without a value", { map: { name: { value: "Asha" } } }, "map.title variable_missing"],
	[
		"a variable that the template lacks",
		{ map: { ...rule().map, other: { value: 1 } } },
		"map.other variable_unknown",
	],
	[
		"a path into something else",
		{ map: { ...rule().map, title: { from: "platform.key" } } },
		"map.title path_forbidden",
	],
	[
		"a condition on something else",
		{ conditions: [{ path: "tenant.name", op: "eq", value: "x" }] },
		"conditions.0.path path_forbidden",
	],
	["a digest without a time", { ...forPeople, digest: { items_max: 10 } }, "digest digest_time"],
	[
		"a digest with two times",
		{ ...forPeople, digest: { every: "1h", daily_at: "08:00", items_max: 10 } },
		"digest digest_time",
	],
	[
		"a digest by SMS",
		{ ...forPeople, channels: ["email", "sms"], digest: hourly },
		"channels.1 digest_channel",
	],
	["a digest to an address of the event", { digest: hourly }, "recipients.0 digest_recipient"],
	[
		"a digest of secrets",
		{ ...forPeople, template: "isp/subscription_credentials", digest: hourly },
		"digest digest_forbidden",
	],
	[
		"a value that is not a list",
		{ conditions: [{ path: "event.a", op: "in", value: "x" }] },
		"conditions.0.value value_invalid",
	],
])("a rule is refused with %s, and the field and a reason are named", async (_name, more, place) => {
	const [field, reason] = place.split(" ");
	const { status, body } = await call("POST", "/triggers", rule(more));
	expect({ status, body }).toMatchObject({ status: 400, body: { code: "trigger_invalid", field, reason } });
});

test.each([
	["the platform as recipient", { recipients: ["platform"] }],
	["a delay of more than five days", { delay_seconds: 432_001 }],
	["a page of the console", { map: { ...rule().map, action_link: { page: "/people" } } }],
	["a message of the platform", { sender: "platform" }],
])("a tenant's rule cannot have %s", async (_name, more) => {
	expect((await call("POST", "/triggers", rule(more))).status).toBe(400);
});

test("a name is used once per tenant", async () => {
	const name = randomUUID();
	const both = await Promise.all([
		call("POST", "/triggers", rule({ name })),
		call("POST", "/triggers", rule({ name })),
	]);
	expect(both.map(({ status }) => status).toSorted()).toEqual([201, 400]);
	expect(both.find(({ status }) => status === 400)?.body).toMatchObject({
		code: "trigger_invalid",
		...{ field: "name", reason: "name_used" },
	});
	expect((await callElsewhere("POST", "/triggers", rule({ name }))).status).toBe(201);
});

test("a tenant has at most 200 rules", async () => {
	const full = office.tenant({});
	const create = () =>
		office.call({
			...{ method: "POST", url: `/api/v1/${full.slug}/notifications/triggers`, body: rule() },
			token: office.token(full, "admin"),
		});
	expect((await create()).status).toBe(201);
	await inTenant(office.database.db, full.id, (tx) =>
		tx.query(
			`insert into triggers (tenant_id, name, event_type, template, channels, mode, recipients, conditions, map,
			   delay_seconds, is_enabled, created_by, created_at, updated_at)
			 select $1, 'rule ' || n, 'custom.stock.low', 'shared/generic_notification', '{email}', 'all',
			        '{event.email}', '[]', '{}', 0, true, 'test', now(), now()
			   from generate_series(1 + (select count(*)::int from triggers t where t.tenant_id = $1), 200) n`,
			[full.id],
		),
	);
	expect(await create()).toMatchObject({
		...{ status: 409, body: { code: "too_many_triggers" } },
	});
});

test("a rule of the platform can be switched off for one tenant, but not changed or removed", async () => {
	const all = (await call("GET", "/triggers?limit=100")).body.items;
	const renewed = all.find(({ name }) => String(name).startsWith("isp.subscription.renewed"));
	expect(renewed).toMatchObject({ is_platform: true, enabled: true });
	const path = `/triggers/${renewed?.id}`;
	expect((await call("PATCH", path, { name: "mine" })).body).toMatchObject({
		code: "trigger_invalid",
		...{ field: "name", reason: "platform_kept" },
	});
	expect((await call("DELETE", path)).body).toMatchObject({
		code: "trigger_invalid",
		...{ field: "id", reason: "platform_kept" },
	});
	expect((await call("PATCH", path, { enabled: false })).body).toMatchObject({ enabled: false });
	expect((await callElsewhere("GET", path)).body).toMatchObject({ enabled: true });
	const data = {
		customer: { id: "c", name: "Juma", email: address() },
		package_name: "Home",
		package_type: "PPPoE",
		expiry_at: "2026-12-01",
	};
	await send(data, "isp.subscription.renewed");
	expect(await runs(renewed?.id ?? "")).toEqual([]);
	expect((await call("PATCH", path, { enabled: true })).body).toMatchObject({ enabled: true });
});

test("a failed run is run again after the rule was repaired, and makes its messages once", async () => {
	const event = `custom.f${Date.now()}`;
	const id = await create({ event });
	const eventId = await send({ email: address() }, event);
	await office.jobs.runDue();
	expect(await runs(id)).toMatchObject([
		{
			...{ status: "failed", replayable: true, first_messages: [] },
			notes: [{ field: "data.title", reason: "variable_missing" }],
		},
	]);
	await call("PATCH", `/triggers/${id}`, { map: { ...rule().map, title: { value: "Low" } } });
	const replay = () => call("POST", `/triggers/${id}/replay`, { event_id: eventId });
	expect(await Promise.all([replay(), replay()])).toMatchObject([{ status: 202 }, { status: 202 }]);
	const audited = await inTenant(office.database.db, office.uhai.id, (tx) =>
		tx.query("select detail from audit_log where action = 'trigger.replayed' and subject = $1", [id]),
	);
	expect(audited).toContainEqual({ detail: { event_id: eventId } });
	await office.jobs.runDue();
	const [run] = await runs(id);
	expect(run).toMatchObject({ status: "sent", messages: 1, notes: [], replayable: false });
	const [made] = (run?.["first_messages"] ?? []) as Array<{ id: string }>;
	expect(made).toMatchObject({ channel: "email", statuses: ["queued"] });
	expect((await call("GET", `/messages/${made?.id}`)).body).toMatchObject({ source: "event" });
	expect(await replay()).toMatchObject({ status: 409, body: { code: "data_gone" } });
	const unknown = await call("POST", `/triggers/${id}/replay`, { event_id: randomUUID() });
	expect(unknown).toMatchObject({ status: 404, body: { code: "run_not_found" } });
});

test("with the mode first the next channel is used only if the one before is skipped", async () => {
	const event = `custom.g${Date.now()}`;
	const id = await create({
		event,
		channels: ["sms", "email", "push"],
		mode: "first",
		recipients: ["event.customer"],
	});
	// The tenant has no SMS credit.
	await send({ title: "Low", customer: { name: "Juma", phone: "0712345678", email: address() } }, event);
	await office.jobs.runDue();
	expect(await runs(id)).toMatchObject([
		{
			...{ status: "sent", messages: 2 },
			notes: [{ channel: "sms", reason: "skipped_no_credit", recipients: 1 }],
		},
	]);
});

test("a run of which no message is sent is skipped, and says why", async () => {
	const event = `custom.k${Date.now()}`;
	const id = await create({ event, channels: ["sms", "email"], recipients: ["event.customer"] });
	const email = address();
	await call("POST", "/suppressions", { channel: "email", address: email });
	await send({ title: "Low", customer: { name: "Juma", phone: "0712345678", email } }, event);
	await office.jobs.runDue();
	expect(await runs(id)).toMatchObject([
		{
			...{ status: "skipped", messages: 2, replayable: false },
			notes: [
				{ channel: "sms", reason: "skipped_no_credit", recipients: 1 },
				{ channel: "email", reason: "suppressed", recipients: 1 },
			],
			first_messages: expect.arrayContaining([
				expect.objectContaining({ channel: "email", statuses: ["suppressed"] }),
			]),
		},
	]);
});

test("a rule says how its newest run in this tenant ended", async () => {
	const event = `custom.l${Date.now()}`;
	const id = await create({ event });
	const lastRun = async () => (await call("GET", `/triggers/${id}`)).body["last_run"];
	expect(await lastRun()).toBeNull();
	await send({ email: address() }, event);
	await office.jobs.runDue();
	await send({ title: "Low", email: address() }, event);
	await office.jobs.runDue();
	expect(await lastRun()).toMatchObject({ status: "sent", messages: 1 });
	const data = { customer: { id: "c", name: "Juma", email: address() }, amount: 5, currency: "KES" };
	await send({ ...data, package_name: "Home", expiry_at: "2026-12-01" }, "isp.payment.received");
	const ofPlatform = async (ask: typeof call) =>
		(await ask("GET", "/triggers?limit=100")).body.items.find(
			({ event: type }) => type === "isp.payment.received",
		);
	expect(await ofPlatform(call)).toMatchObject({ last_run: { status: "waiting", messages: 0 } });
	expect(await ofPlatform(callElsewhere)).toMatchObject({ last_run: null });
});

test("a removed rule leaves nothing, and is not found", async () => {
	const id = await create();
	await send({ title: "Low", email: address() });
	expect((await call("DELETE", `/triggers/${id}`)).status).toBe(204);
	for (const [method, path] of [
		["GET", ""],
		["DELETE", ""],
		["GET", "/runs"],
	] as const)
		expect(await call(method, `/triggers/${id}${path}`)).toMatchObject({
			status: 404,
			body: { code: "trigger_not_found" },
		});
	await office.jobs.runDue();
});

test("an event is erased after seven days, and a run after ninety", async () => {
	const event = `custom.h${Date.now()}`;
	const id = await create({ event });
	const failed = await send({ email: address() }, event);
	await office.jobs.runDue();
	await call("PATCH", `/triggers/${id}`, { delay_seconds: 432_000 });
	const waiting = await send({ email: address() }, event);
	const { db } = office.database;
	const purgeAfter = (days: number) => {
		const at = (back: number) => new Date(Date.now() + (days - back) * 86_400_000);
		return purgeRuns(db, { waitingSince: at(7), before: at(90), limit: 1_000, now: at(0) });
	};
	const read = () =>
		inTenant(db, office.uhai.id, (tx) =>
			tx.query("select status, event is null as is_erased from trigger_runs where event_id = any ($1)", [
				[failed, waiting],
			]),
		);
	await purgeAfter(6);
	expect((await read()).filter(({ is_erased }) => is_erased === true)).toEqual([]);
	await purgeAfter(8);
	expect(await read()).toEqual([
		{ status: "failed", is_erased: true },
		{ status: "failed", is_erased: true },
	]);
	await purgeAfter(91);
	expect(await read()).toEqual([]);
	expect(await runs(id)).toEqual([]);
});

test("the types of events that a rule can listen to are listed with their data", async () => {
	const { items } = (await call("GET", "/event-types")).body;
	expect(items).toContainEqual(
		expect.objectContaining({ type: "subscription.expired", data: expect.anything() }),
	);
	expect(items.map(({ type }) => type)).not.toContain("auth.user.deleted");
});
