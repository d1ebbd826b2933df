import { randomUUID } from "node:crypto";
import { authUserCreated, type PublicTenant } from "@lango/contracts";
import { acrossTenants, inTenant, withOutletScope } from "@lango/postgres";
import { testEvent } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { describe, expect, test } from "vitest";
import { claimLane } from "../../services/notifications/src/dispatch/claim.store.ts";
import { recoverDeliveries } from "../../services/notifications/src/dispatch/recover.ts";
import { applyReports } from "../../services/notifications/src/reports/apply-reports.ts";
import { notifications } from "../../services/notifications/src/service.ts";
import { type Arrival, openTruth, vault } from "../../services/notifications/test/ground-truth.ts";
import { greeting } from "../../services/notifications/test/office.ts";
import { truth as arrivalsAt } from "../../services/notifications/test/providers/sandbox.ts";
import { createClusterDatabase, workerCounts } from "./cluster.ts";

describe.for(workerCounts)("notifications on a coordinator and %d workers", (workers) => {
	const opened = setUp(() => openTruth({}, () => createClusterDatabase(notifications, workers)));
	let names = 0;
	const mailboxes = (count: number) => Array.from({ length: count }, () => `person${++names}@uhai.example`);
	const phones = (count: number) => Array.from({ length: count }, () => `+2547${10_001_000 + ++names}`);
	const send = async (tenant: PublicTenant, body: Record<string, unknown>, headers = {}) => {
		const { status, body: answer } = await opened.office.send(tenant, body, { headers });
		expect(status, JSON.stringify(answer)).toBe(202);
		return answer.requestId;
	};
	const statusesOf = async (tenant: PublicTenant, id: string) => {
		const url = `/api/v1/${tenant.slug}/notifications/messages/${id}/deliveries`;
		const { body } = await opened.office.call({ url, token: opened.office.token(tenant, "admin") });
		return body.items.map(({ status }) => status);
	};
	const expectStatuses = (tenant: PublicTenant, id: string, statuses: readonly string[]) =>
		expect.poll(() => statusesOf(tenant, id), { timeout: 30_000 }).toEqual(statuses);
	const arrived = async () => ((await arrivalsAt(opened.sandbox)) as Arrival[]).map(({ address }) => address);
	const addPerson = async (tenant: PublicTenant) => {
		const { database, transport } = opened.office;
		const id = randomUUID();
		const data = {
			user_id: id,
			email: `${id}@uhai.example`,
			name: "Asha",
			roles: ["member"],
			status: "active",
		};
		await transport.publish(testEvent(authUserCreated, { subject: id, data, tenant: { id: tenant.id } }));
		const find = "select from recipients where tenant_id = $1 and id = $2";
		const isKnown = () => inTenant(database.db, tenant.id, (tx) => tx.query(find, [tenant.id, id]));
		await expect.poll(isKnown).toHaveLength(1);
		return id;
	};

	test("e-mail, SMS and WhatsApp messages arrive once, and reports of providers end their deliveries", async () => {
		const { office } = opened;
		const subscribed = office.tenant({ features: ["whatsapp"] });
		const [mails, texts, chats] = [mailboxes(2), phones(2), phones(1)];
		const mail = await send(office.uhai, greeting(mails));
		const sms = await send(
			office.uhai,
			greeting(texts, { channel: "sms", metadata: { provider: "sandbox-africastalking" } }),
		);
		const whatsapp = await send(subscribed, greeting(chats, { channel: "whatsapp" }));
		await expectStatuses(office.uhai, mail, ["sent", "sent"]);
		// A report that arrives before the answer is recorded is applied a minute later.
		const applied = async () => {
			await applyReports({ db: office.database.db, now: () => new Date(Date.now() + 61_000), vault });
			return [await statusesOf(office.uhai, sms), await statusesOf(subscribed, whatsapp)];
		};
		await expect.poll(applied, { timeout: 30_000 }).toEqual([["delivered", "delivered"], ["delivered"]]);
		expect((await arrived()).toSorted()).toEqual([...mails, ...texts, ...chats].toSorted());
		const credit = { url: "/api/v1/uhai/notifications/credits", token: office.token(office.uhai, "admin") };
		expect((await office.call(credit)).body).toMatchObject({ balance: 498, reserved: 0 });
	});

	test("a person reads an item of the inbox, and its delivery becomes read", async () => {
		const { office } = opened;
		const id = await addPerson(office.uhai);
		const inbox = {
			url: "/api/v1/uhai/notifications/inbox",
			token: office.token(office.uhai, "member", { sub: id }),
		};
		const sent = await send(office.uhai, greeting([`user:${id}`], { channel: "in_app" }));
		await expectStatuses(office.uhai, sent, ["delivered"]);
		const [item] = (await office.call(inbox)).body.items;
		const reading = {
			...inbox,
			method: "PATCH" as const,
			url: `${inbox.url}/${item?.id}`,
			body: { read: true },
		};
		expect(await office.call(reading)).toMatchObject({ status: 200 });
		expect(await statusesOf(office.uhai, sent)).toEqual(["read"]);
	});

	test("an address that a provider of the platform refuses for good is suppressed for every tenant", async () => {
		const { office } = opened;
		const refused = await send(office.uhai, greeting(["bounce@sandbox.example"]));
		await expectStatuses(office.uhai, refused, ["failed"]);
		const later = await send(office.kahawa, greeting(["bounce@sandbox.example"]));
		expect(await statusesOf(office.kahawa, later)).toEqual(["suppressed"]);
	});

	test("a message that is refused for the moment is queued again", async () => {
		const { office } = opened;
		const id = await send(office.uhai, greeting(["temporary@sandbox.example"]));
		const attempt = async () => {
			const url = `/api/v1/uhai/notifications/messages/${id}/deliveries`;
			const { body } = await office.call({ url, token: office.token(office.uhai, "admin") });
			return body.items.map(({ status, attempt: count }) => ({ status, attempt: count }));
		};
		await expect.poll(attempt, { timeout: 20_000 }).toEqual([{ status: "queued", attempt: 1 }]);
	});

	test("ten requests at once under one idempotency key are one message", async () => {
		const body = greeting(mailboxes(1));
		const sending = () => send(opened.office.uhai, body, { "idempotency-key": "once" });
		expect(new Set(await Promise.all(Array.from({ length: 10 }, sending))).size).toBe(1);
	});

	test("of thirty e-mails at once the plan's limit of ten admits ten", async () => {
		const { office } = opened;
		const tenant = office.tenant({ limits: { max_emails_per_day: 10 } });
		const answers = await Promise.all(mailboxes(30).map((to) => office.send(tenant, greeting([to]))));
		expect(answers.filter(({ status }) => status === 202)).toHaveLength(10);
		expect(answers.filter(({ body }) => body.code === "daily_limit_reached")).toHaveLength(20);
	});

	test("two hundred messages of ten tenants at once arrive once each", async () => {
		const { office } = opened;
		const tenants = Array.from({ length: 10 }, () => office.tenant({}));
		const to = mailboxes(200);
		await Promise.all(to.map((one, index) => send(tenants[index % 10] ?? office.uhai, greeting([one]))));
		const ours = async () => (await arrived()).filter((one) => to.includes(one)).toSorted();
		await expect.poll(ours, { timeout: 60_000 }).toEqual(to.toSorted());
	});

	test("a tenant sees its own rows; without a tenant none are seen; the platform owner sees all", async () => {
		const { database, uhai, kahawa } = opened.office;
		for (const tenant of [uhai, kahawa]) await send(tenant, greeting(mailboxes(1)));
		for (const table of ["messages", "message_deliveries", "lanes", "idempotency_keys"]) {
			const tenants = `select distinct tenant_id from ${table}`;
			const own = await inTenant(database.db, kahawa.id, (tx) => tx.query(tenants));
			expect(own, table).toEqual([{ tenant_id: kahawa.id }]);
			expect(await database.db.query(tenants), table).toEqual([]);
			expect((await acrossTenants(database.db, (tx) => tx.query(tenants))).length, table).toBeGreaterThan(1);
		}
	});

	test("a message of an outlet is hidden from a transaction of another outlet", async () => {
		const { database, uhai } = opened.office;
		const [here, there] = [randomUUID(), randomUUID()];
		const id = await send(uhai, greeting(mailboxes(1)));
		await inTenant(database.db, uhai.id, async (tx) => {
			const add = `insert into outlets (tenant_id, id, code, name, use_case, is_hq, status, settings, synced_at)
				values ($1, $2, 'ward', 'Ward', 'pharmacy', false, 'active', '{}', now())`;
			await tx.query(add, [uhai.id, here]);
			await tx.query("update messages set outlet_id = $3 where tenant_id = $1 and id = $2", [
				uhai.id,
				id,
				here,
			]);
		});
		const seenAt = (outletId: string) =>
			withOutletScope([outletId], () =>
				inTenant(database.db, uhai.id, (tx) => tx.query("select id from messages where id = $1", [id])),
			);
		expect([await seenAt(here), await seenAt(there)]).toEqual([[{ id }], []]);
	});

	test("a tenant cannot write a delivery of another one, nor claim its deliveries", async () => {
		const { database, uhai, kahawa } = opened.office;
		const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
		const id = await send(uhai, greeting(mailboxes(1), { send_at: tomorrow }));
		const as = (tenant: PublicTenant, text: string, values: unknown[]) =>
			inTenant(database.db, tenant.id, (tx) => tx.query(text, values));
		const delivery = `insert into message_deliveries (tenant_id, message_id, position, channel, class, address_key,
			address_masked, status, due_at, expires_at, created_at)
			values ($1, $2, 9, 'email', 'normal', '\\x00', 'x', 'queued', now(), now(), now())`;
		await expect(as(kahawa, delivery, [uhai.id, id])).rejects.toThrow(/row-level security/);
		const lane = JSON.stringify({ channel: "email", class: "normal", lease_seconds: 30, critical: [] });
		const due = new Date(Date.now() + 2 * 86_400_000);
		const claim = "select message_id from claim_lane($1, $2, 10, $3)";
		expect(await as(kahawa, claim, [uhai.id, lane, due])).toEqual([]);
		expect(await as(uhai, claim, [uhai.id, lane, due])).toContainEqual({ message_id: id });
	});

	test("a message is cancelled, and a delivery whose lease has ended is queued again", async () => {
		const { office } = opened;
		const { db } = office.database;
		const tenant = office.tenant({});
		const at = Date.now() + 86_400_000;
		const later = () => send(tenant, greeting(mailboxes(1), { send_at: new Date(at).toISOString() }));
		const [cancelled, lost] = [await later(), await later()];
		const url = `/api/v1/${tenant.slug}/notifications/messages/${cancelled}/cancel`;
		const answer = await office.call({ method: "POST", url, token: office.token(tenant, "admin") });
		expect(answer).toMatchObject({ status: 200, body: { cancelled: 1 } });
		expect(await statusesOf(tenant, cancelled)).toEqual(["cancelled"]);
		const lane = { tenantId: tenant.id, channel: "email" as const, messageClass: "normal" as const };
		const claiming = { limit: 10, leaseSeconds: 30, critical: [], now: new Date(at + 1_000) };
		await inTenant(db, tenant.id, (tx) => claimLane(tx, lane, claiming));
		expect(await statusesOf(tenant, lost)).toEqual(["sending"]);
		const calls = { lookUp: async () => undefined };
		const now = () => new Date(at + 60_000);
		await recoverDeliveries({ db, now, vault, calls }, AbortSignal.timeout(10_000));
		expect(await statusesOf(tenant, lost)).toEqual(["queued"]);
	});

	test("a tenant sees the platform's providers and none of another tenant", async () => {
		const { database, uhai, kahawa, call, token } = opened.office;
		const own = {
			channel: "sms",
			kind: "africastalking",
			name: "own",
			credentials: { username: "u", apiKey: "atsk_test" },
		};
		const adding = {
			method: "POST" as const,
			url: "/api/v1/uhai/notifications/providers",
			token: token(uhai, "admin"),
		};
		expect(await call({ ...adding, body: own })).toMatchObject({ status: 201 });
		const owners = (tenant: PublicTenant) =>
			inTenant(database.db, tenant.id, (tx) =>
				tx.query("select distinct tenant_id from every_provider order by 1"),
			);
		expect(await owners(uhai)).toEqual([{ tenant_id: uhai.id }, { tenant_id: null }]);
		expect(await owners(kahawa)).toEqual([{ tenant_id: null }]);
	});
});
