import { randomUUID } from "node:crypto";
import {
	authDeviceAdded,
	authUserCreated,
	ispSubscriptionActivated,
	notificationsCreditLow,
	type PublicTenant,
	subscriptionExpired,
} from "@lango/contracts";
import { discardDeadLetter, listDeadLetters } from "@lango/events";
import { inTenant } from "@lango/postgres";
import { testEvent } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { readKeyEncryptionKeys } from "@lango/tokens";
import { expect, onTestFinished, test } from "vitest";
import { createVault } from "../src/addresses/sealed-address.ts";
import { createLetterheads } from "../src/letterheads/letterhead.ts";
import { createPublishedTemplates } from "../src/templates/published-templates.ts";
import { recordRuns } from "../src/triggers/record-runs.ts";
import { type Running, runTrigger } from "../src/triggers/run-trigger.ts";
import { encryptionKeys, openOffice } from "./office.ts";
import { describePerson, publisherOf } from "./publisher.ts";

const office = setUp(openOffice);
const vault = createVault(readKeyEncryptionKeys(encryptionKeys));
const settings = { platformOwnerSlug: "lango", consoleUrl: "https://console.lango.example" };
const now = () => new Date();

const { applied, change, happen, messagesFor } = publisherOf(office);

const runsOf = (tenant: PublicTenant, eventId: string) =>
	inTenant(office.database.db, tenant.id, (tx) =>
		tx.query<{ id: string; status: string; notes: object[]; messages: number; event: Buffer | null }>(
			"select id, status, notes, messages, event from trigger_runs where event_id = $1",
			[eventId],
		),
	);

/** An event of an internet provider, as it is recorded before its job runs. */
async function record(type: string, data: object, time = now()): Promise<string> {
	const id = randomUUID();
	const event = { id, type, time: time.toISOString(), tenantid: office.uhai.id, data };
	await inTenant(office.database.db, office.uhai.id, (tx) => recordRuns({ vault, now, settings }, tx, event));
	return id;
}

const activated = {
	customer: { id: "c-1", name: "Juma", email: "juma@customer.example" },
	...{ username: "juma", password: "very-secret", package_name: "Home 10", package_type: "PPPoE" },
	expiry_at: "2026-12-23T00:00:00Z",
};

test("an expired tenant's administrators get one e-mail of the platform, and one item in their own inbox", async () => {
	const [admin, member] = [randomUUID(), randomUUID()];
	await change({ id: admin, tenant: office.duka, roles: ["admin"] }, 1);
	await change({ id: member, tenant: office.duka }, 1);
	const [at, version] = [now().toISOString(), 4];
	const data = { tenant_id: office.duka.id, plan: "STARTER", version, because: "unpaid", expired_at: at };
	await happen(subscriptionExpired, {
		...{ subject: office.duka.id, tenant: office.duka },
		data: { ...data, grace_until: at },
	});
	const common = { template: "subscription/expired", about: office.duka.id, user_id: admin, exempt: true };
	expect(await messagesFor([admin, member])).toEqual([
		{ ...common, channel: "email", slug: "lango" },
		{ ...common, channel: "in_app", slug: "duka" },
	]);
});

test("administrators are notified of SMS credit below its threshold, by a platform e-mail and in their inbox", async () => {
	const [tenant, admin, staff] = [office.tenant({}), randomUUID(), randomUUID()];
	await change({ id: admin, tenant, roles: ["admin"] }, 1);
	await change({ id: staff, tenant, roles: ["staff"] }, 1);
	const data = { tenant_id: tenant.id, tenant_name: tenant.name, balance: 49, threshold: 50 };
	await happen(notificationsCreditLow, { subject: tenant.id, tenant, data });
	const common = { template: "isp/low_credit_alert", about: tenant.id, user_id: admin, exempt: true };
	expect(await messagesFor([admin, staff])).toEqual([
		{ ...common, channel: "email", slug: "lango" },
		{ ...common, channel: "in_app", slug: tenant.slug },
	]);
});

test("administrators that are not known here are read from the sign-on service, and a run waits while it is unavailable", async () => {
	const tenant = office.tenant({});
	const [admin, staff] = [randomUUID(), randomUUID()];
	const person = { email: `p-${admin}@people.example`, name: "Asha", status: "active", email_verified: true };
	office.issuer.recipients.set(tenant.id, [
		{ ...person, user_id: admin, roles: ["admin"] },
		{ ...person, user_id: staff, roles: ["staff"] },
	]);
	await office.jobs.runDue();
	const data = {
		...{ tenant_id: tenant.id, plan: "STARTER", version: 4 },
		because: "unpaid",
		expired_at: now().toISOString(),
	};
	const event = testEvent(subscriptionExpired, {
		subject: tenant.id,
		tenant,
		data: { ...data, grace_until: data.expired_at },
	});
	await office.call({
		url: `/api/v1/${tenant.slug}/notifications/auth/me`,
		token: office.token(tenant, "staff"),
	});
	await office.transport.publish(event);
	await applied();
	office.issuer.brokenWith = 503;
	await office.jobs.runDue();
	expect(await runsOf(tenant, event.id)).toMatchObject([{ status: "waiting" }]);
	office.issuer.brokenWith = undefined;
	await expect
		.poll(
			async () => {
				await office.jobs.runDue();
				return (await runsOf(tenant, event.id)).map(({ status }) => status);
			},
			{ timeout: 15_000, interval: 500 },
		)
		.toEqual(["sent"]);
	expect((await messagesFor([admin, staff])).map(({ user_id, channel }) => [user_id, channel])).toEqual([
		[admin, "email"],
		[admin, "in_app"],
	]);
});

test("a sign-in on a new device is one e-mail of the platform, and one item in the person's inbox", async () => {
	const [id, tenant] = [randomUUID(), office.kahawa];
	await change({ id, tenant }, 1);
	const data = { user_id: id, device: "Firefox, Windows", client_id: "auth-ui", at: now().toISOString() };
	await happen(authDeviceAdded, { subject: id, tenant, data });
	const common = { template: "sign_on/new_device", about: tenant.id, user_id: id, exempt: true };
	expect(await messagesFor([id])).toEqual([
		{ ...common, channel: "email", slug: "lango" },
		{ ...common, channel: "in_app", slug: "kahawa" },
	]);
});

test.each([
	["rider", "pending"],
	["member", "pending_review"],
])(
	"administrators are asked once for each %s who waits, and the person is notified of the approval",
	async (_, status) => {
		const [admin, person] = [randomUUID(), randomUUID()];
		const tenant = office.kahawa;
		await change({ id: admin, tenant, roles: ["admin"] }, 1);
		const waiting = { id: person, tenant, status };
		await happen(authUserCreated, { subject: person, tenant, data: describePerson(waiting) });
		await change(waiting, 1);
		await change(waiting, 2);
		const asked = await messagesFor([admin]);
		expect(asked.map(({ channel, template }) => `${channel} ${template}`)).toEqual([
			"email shared/approval_required",
			"in_app shared/approval_required",
		]);
		await change({ id: person, tenant }, 4);
		// An event that comes too late changes nothing.
		await change(waiting, 3);
		await change({ id: person, tenant }, 5);
		expect(
			(await messagesFor([admin, person])).map(({ channel, template }) => `${channel} ${template}`),
		).toEqual([
			"email shared/approval_required",
			"in_app shared/approval_required",
			"email sign_on/access_approved",
			"in_app sign_on/access_approved",
		]);
	},
);

test("a customer gets a message on every channel with an address, others are noted, and the password is erased", async () => {
	const eventId = await record("isp.subscription.activated", activated);
	expect(await runsOf(office.uhai, eventId)).toMatchObject([
		{ status: "waiting", event: expect.any(Buffer) },
	]);
	await office.jobs.runDue();
	expect(await runsOf(office.uhai, eventId)).toMatchObject([
		{
			...{ status: "sent", messages: 1, event: null },
			notes: [
				{ channel: "sms", reason: "address_missing", recipients: 1 },
				{ channel: "whatsapp", reason: "address_missing", recipients: 1 },
			],
		},
	]);
	expect(office.logged.join()).not.toContain("very-secret");
});

test("an event of an internet provider arrives by the bus, and becomes a dead letter without its tenant or a member", async () => {
	const tenant = office.uhai;
	const good = testEvent(ispSubscriptionActivated, { subject: "c-1", tenant, data: activated });
	await office.transport.publish(good);
	const { tenantid: _, ...without } = testEvent(ispSubscriptionActivated, {
		subject: "c-2",
		tenant,
		data: activated,
	});
	await office.transport.publish(without as typeof good);
	const { username: __, ...data } = activated;
	await office.transport.publish(testEvent(ispSubscriptionActivated, { subject: "c-3", tenant, data }));
	const { db } = office.database;
	const dead = async () => (await listDeadLetters(db, { service: "notifications" })).items;
	onTestFinished(async () => {
		for (const { id } of await dead())
			await discardDeadLetter(db, { service: "notifications", id, now: now() });
	});
	await expect
		.poll(async () => (await dead()).map(({ reason }) => reason))
		.toEqual(["isp.subscription.activated has no tenantid", expect.stringContaining("username")]);
	await expect
		.poll(
			async () => {
				await office.jobs.runDue();
				return runsOf(tenant, good.id);
			},
			{ timeout: 15_000, interval: 500 },
		)
		.toMatchObject([{ status: "sent", messages: 1, event: null }]);
	const letters = JSON.stringify([
		await db.query("select encode(body, 'escape') from deliveries"),
		await dead(),
	]);
	expect(letters).toContain("juma@customer.example");
	expect(letters + office.logged.join()).not.toContain(activated.password);
});

test("a program that is not on the bus sends an event by REST, and it has an effect once", async () => {
	const id = randomUUID();
	const body = { id, type: "isp.subscription.activated", subject: "c-1", data: activated };
	const post = (more: object = {}) =>
		office.call({
			...{ method: "POST", url: "/api/v1/kahawa/notifications/events", body: { ...body, ...more } },
			token: office.token(office.kahawa, "admin"),
		});
	expect(await Promise.all([post(), post()])).toMatchObject([{ status: 202 }, { status: 202 }]);
	await office.jobs.runDue();
	expect(await post()).toMatchObject({ status: 202, body: { event_id: id } });
	expect(await runsOf(office.kahawa, id)).toMatchObject([{ status: "sent", messages: 1 }]);
	expect(await post({ type: "auth.user.created" })).toMatchObject({ status: 400, body: { field: "type" } });
	const large = { ...activated, notes: "x".repeat(32 * 1024) };
	expect(await post({ data: large })).toMatchObject({
		status: 400,
		body: { code: "event_invalid", field: "data" },
	});
});

test("an event without a variable of the template fails visibly", async () => {
	const { username: _, ...data } = activated;
	const eventId = await record("isp.subscription.activated", data);
	await office.jobs.runDue();
	expect(await runsOf(office.uhai, eventId)).toMatchObject([
		{
			status: "failed",
			messages: 0,
			notes: expect.arrayContaining([expect.objectContaining({ field: "data.username" })]),
		},
	]);
});

test("an event that is older than three days makes no message, and its run says so", async () => {
	const old = new Date(Date.now() - 3 * 24 * 3_600_000 - 1_000);
	const eventId = await record("isp.subscription.activated", activated, old);
	await office.jobs.runDue();
	expect(await runsOf(office.uhai, eventId)).toMatchObject([
		{ status: "skipped", messages: 0, notes: [{ reason: "too_old" }], event: null },
	]);
});

test("a run with more than 200 recipients says that some are left out", async () => {
	const tenant = office.tenant({});
	await change({ id: randomUUID(), tenant, roles: ["admin"] }, 1);
	await inTenant(office.database.db, tenant.id, (tx) =>
		tx.query(
			`insert into recipients (tenant_id, id, name, email_verified, roles, status, version, created_at, updated_at)
			 select $1, gen_random_uuid(), 'A', false, '{admin}', 'active', 1, now(), now() from generate_series(1, 200)
			 on conflict do nothing`,
			[tenant.id],
		),
	);
	const data = { tenant_id: tenant.id, tenant_name: tenant.name, balance: 49, threshold: 50 };
	await happen(notificationsCreditLow, { subject: tenant.id, tenant, data });
	const notes = await inTenant(office.database.db, tenant.id, (tx) =>
		tx.query<{ notes: object[] }>("select notes from trigger_runs"),
	);
	expect(notes[0]?.notes.at(-1)).toEqual({ reason: "recipients_left_out" });
});

test("a run that is tried by many processes at once makes one message for each channel and recipient", async () => {
	const { db } = office.database;
	const both = { ...activated, customer: { ...activated.customer, phone: "0712345678" } };
	const eventId = await record("isp.payment.received", { ...both, amount: 2500, currency: "KES" });
	const [run] = await runsOf(office.uhai, eventId);
	if (run === undefined) throw new Error("the run is missing");
	const tenants = [office.uhai, office.lango];
	const parts = {
		...{ db, now, vault, settings, allowHttp: false },
		templates: createPublishedTemplates({ db, now }),
		letterheads: createLetterheads({ db, now }),
		entitlements: {
			entitlementOf: async () => ({ access: "full", features: [], limits: { max_emails_per_day: 10 } }),
			lastKnown: () => undefined,
		},
		rolePeople: { learn: async () => {} },
		tenancy: {
			findById: async (id: string) => tenants.find((tenant) => tenant.id === id),
			findBySlug: async () => office.lango,
		},
	} as unknown as Running;
	const about = { id: run.id, tenantId: office.uhai.id };
	await Promise.all(Array.from({ length: 8 }, () => runTrigger(parts, about)));
	expect(await runsOf(office.uhai, eventId)).toMatchObject([
		{
			...{ status: "sent", messages: 2 },
			notes: [{ channel: "sms", reason: "skipped_no_credit", recipients: 1 }],
		},
	]);
	const rows = await inTenant(db, office.uhai.id, (tx) =>
		tx.query("select channel from messages where run_id = $1 order by channel", [run.id]),
	);
	expect(rows).toEqual([{ channel: "email" }, { channel: "sms" }]);
});
