import { randomUUID } from "node:crypto";
import { type PublicTenant, treasuryPaymentFailed, treasuryPaymentSucceeded } from "@lango/contracts";
import { discardDeadLetter, listDeadLetters } from "@lango/events";
import { inTenant } from "@lango/postgres";
import { testEvent } from "@lango/testkit";
import { hashSecret, readKeyEncryptionKeys } from "@lango/tokens";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createVault } from "../src/addresses/sealed-address.ts";
import type { Claimed, Lane } from "../src/dispatch/claim.store.ts";
import type { Result } from "../src/dispatch/settle.store.ts";
import { applyReports } from "../src/reports/apply-reports.ts";
import { storeReports } from "../src/reports/report.store.ts";
import { accepted, claimFrom, settleAs } from "./dispatch.ts";
import { encryptionKeys, greeting, type Office, openOffice } from "./office.ts";
import { addPlatformProvider } from "./platform-provider.ts";

let office: Office;
beforeAll(async () => {
	office = await openOffice();
});
afterAll(() => office.close());

type Credit = { balance: number; reserved: number; available: number; threshold: number; is_low: boolean };
let phones = 0;
const newPhones = (count: number) =>
	Array.from({ length: count }, () => `+2547${String(10_000_000 + ++phones)}`);
const smsLane = (tenantId: string): Lane => ({ tenantId, channel: "sms", messageClass: "normal" });
const text = (count: number) => greeting(newPhones(count), { channel: "sms" });
const owner = () => office.token(office.lango, "superuser");
const path = (tenant: PublicTenant, rest = "") => `/api/v1/${tenant.slug}/notifications/credits${rest}`;

const credit = async (tenant: PublicTenant) => {
	const { body } = await office.call({ url: path(tenant), token: office.token(tenant, "admin") });
	return body as unknown as Credit;
};
const grant = (tenant: PublicTenant, segments: number, more: { token?: string; key?: string } = {}) =>
	office.call({
		method: "POST",
		url: path(tenant, "/grants"),
		token: more.token ?? owner(),
		headers: more.key === undefined ? {} : { "idempotency-key": more.key },
		body: { segments, reason: "test" },
	});
const rows = <R extends Record<string, unknown>>(tenant: PublicTenant, query: string) =>
	inTenant(office.database.db, tenant.id, (tx) => tx.query<R>(query));
const lowEvents = async (tenant: PublicTenant) =>
	(
		await office.database.db.query<{ envelope: { data: unknown } }>(
			"select envelope from outbox where envelope->>'type' = 'notifications.credit.low' and envelope->'data'->>'tenant_id' = $1",
			[tenant.id],
		)
	).map(({ envelope }) => envelope.data);

/** The balance that the ledger's entries add up to. */
async function ledger(tenant: PublicTenant) {
	const [sums] = await rows<{ balance: string; reserved: string }>(
		tenant,
		`select coalesce(sum(segments) filter (where kind in ('top_up', 'grant', 'adjust')), 0)
		          - coalesce(sum(segments) filter (where kind = 'settle'), 0) as balance,
		        coalesce(sum(segments) filter (where kind = 'reserve'), 0)
		          - coalesce(sum(segments) filter (where kind in ('settle', 'release')), 0) as reserved
		   from credit_entries`,
	);
	return { balance: Number(sums?.balance), reserved: Number(sums?.reserved) };
}

const ended = (status: Result["status"], { id, attempt }: { id: string; attempt: number }): Result => ({
	...{ id, attempt, from: ["sending"], status },
});

async function settleSome(
	tenant: PublicTenant,
	count: number,
	toResult: (one: Claimed, n: number) => Result,
) {
	const claimed = await claimFrom(office, smsLane(tenant.id), count);
	if (claimed.length > 0) await settleAs(office, tenant.id, claimed.map(toResult));
}

describe("the balance", () => {
	test("a new tenant has no credit, and its texts are skipped; the timeline says so", async () => {
		const tenant = office.tenant({});
		expect(await credit(tenant)).toEqual({
			...{ balance: 0, reserved: 0, available: 0, threshold: 50, is_low: true },
		});
		const { body } = await office.send(tenant, text(1));
		const get = (path: string) =>
			office.call({
				url: `/api/v1/${tenant.slug}/notifications/${path}`,
				token: office.token(tenant, "admin"),
			});
		const found = await get(`messages/${body.requestId}`);
		expect(found.body.counts).toEqual({ skipped_no_credit: 1 });
		const deliveries = await get(`messages/${body.requestId}/deliveries`);
		const { body: delivery } = await get(`deliveries/${deliveries.body.items[0]?.id}`);
		expect(delivery["timeline"]).toEqual([
			{ at: delivery["final_at"], kind: "decision", detail: { decision: "skipped_no_credit" } },
		]);
	});

	test("texts that are accepted, sent, failed and reported while credit is granted never use more than there is", async () => {
		const tenant = office.tenant({});
		await grant(tenant, 40);
		const vault = createVault(readKeyEncryptionKeys(encryptionKeys));
		const providerId = await addPlatformProvider(office, {
			...{ channel: "sms", kind: "twilio", name: "race", restingWeight: 100, perSecond: 10, inFlightMax: 10 },
			secrets: vault.sealCredentials({ credentials: {} }),
		});
		await office.send(tenant, text(16));
		const called = await claimFrom(office, smsLane(tenant.id));
		// Half were sent; of the others nothing is known until their report comes.
		const resultOf = (one: Claimed, n: number): Result => ({
			...(n % 2 === 0 ? accepted(one) : { ...ended("unknown", one), dueAt: new Date(Date.now() + 60_000) }),
			providerId,
		});
		await settleAs(office, tenant.id, called.map(resultOf));
		const applying = { db: office.database.db, now: () => new Date(), vault };
		const report = async ({ id }: Claimed, n: number) => {
			const kind = n % 4 < 2 ? ("delivered" as const) : ("undelivered" as const);
			const sealed = vault.sealData({ eventKey: id, kind, deliveryId: id, tenantId: tenant.id });
			const reports = [{ eventKey: hashSecret(id), report: sealed }];
			await storeReports(applying.db, { providerId, now: new Date(), reports });
			await applyReports(applying);
		};
		const settling = () =>
			settleSome(tenant, 4, (one, n) => (n % 2 === 0 ? accepted(one) : ended("failed", one)));
		await Promise.all([
			...Array.from({ length: 16 }, () => office.send(tenant, text(5))),
			...Array.from({ length: 8 }, () => grant(tenant, 1)),
			...Array.from({ length: 8 }, settling),
			...[...called, ...called].map(report),
		]);
		await applyReports(applying);
		const ofReported = `message_id = (select message_id from message_deliveries where id = '${called[0]?.id}')`;
		const counted = `select status || ' ' || count(*) as n from message_deliveries where ${ofReported} group by status`;
		const counts = (await rows(tenant, counted)).map(({ n }) => n).toSorted();
		expect(counts).toEqual(["delivered 8", "undelivered 8"]);
		const { balance, reserved } = await credit(tenant);
		expect({ balance, reserved }).toEqual(await ledger(tenant));
		const [sum] = await rows<{ n: number }>(
			tenant,
			"select count(*)::int as n from message_deliveries where status in ('queued', 'sending', 'unknown')",
		);
		expect(reserved).toBe(sum?.n);
		expect(balance).toBeGreaterThanOrEqual(reserved);
	}, 30_000);
});

describe("the warning", () => {
	test("is published once when the balance falls below the threshold, and again only after it rose", async () => {
		const tenant = office.tenant({});
		await grant(tenant, 51);
		expect(await lowEvents(tenant)).toEqual([]);
		await office.send(tenant, text(4));
		const claimed = await claimFrom(office, smsLane(tenant.id));
		for (const one of claimed) await settleAs(office, tenant.id, [accepted(one)]);
		expect(await lowEvents(tenant)).toEqual([
			{ tenant_id: tenant.id, tenant_name: tenant.name, balance: 49, threshold: 50 },
		]);
		await grant(tenant, 10);
		await grant(tenant, -20);
		expect(await lowEvents(tenant)).toHaveLength(2);
		expect((await credit(tenant)).is_low).toBe(true);
	});

	test("follows the threshold that the tenant sets: above the balance it is published, and each change is audited", async () => {
		const tenant = office.tenant({});
		await grant(tenant, 60);
		const put = (threshold: number) =>
			office.call({
				method: "PUT",
				url: path(tenant),
				token: office.token(tenant, "admin"),
				body: { threshold },
			});
		expect((await put(100)).body).toMatchObject({ threshold: 100, is_low: true });
		expect((await put(10)).body).toMatchObject({ threshold: 10, is_low: false });
		expect(await put(-1)).toMatchObject({ status: 400, body: { field: "threshold" } });
		expect(await lowEvents(tenant)).toMatchObject([{ balance: 60, threshold: 100 }]);
		await put(10);
		const audited = await rows(
			tenant,
			"select detail from audit_log where action = 'credit.threshold_changed' order by id",
		);
		expect(audited.map(({ detail }) => detail)).toEqual([
			{ before: 50, after: 100 },
			{ before: 100, after: 10 },
		]);
	});
});

describe("a grant", () => {
	test("is for the platform owner only, of at least one segment, and with a reason", async () => {
		const tenant = office.tenant({});
		expect((await grant(tenant, 5, { token: office.token(tenant, "superuser") })).status).toBe(403);
		expect(await grant(tenant, 0)).toMatchObject({ status: 400, body: { field: "segments" } });
		const bare = await office.call({
			method: "POST",
			url: path(tenant, "/grants"),
			token: owner(),
			body: { segments: 1, reason: " " },
		});
		expect(bare).toMatchObject({ status: 400, body: { field: "reason" } });
	});

	test("that is repeated with its key at once is made once, and the key is refused for another grant", async () => {
		const tenant = office.tenant({});
		const key = randomUUID();
		const answers = await Promise.all(Array.from({ length: 8 }, () => grant(tenant, 7, { key })));
		expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201));
		expect(answers.filter(({ headers }) => headers["idempotency-replayed"] === "true")).toHaveLength(7);
		expect((await credit(tenant)).balance).toBe(7);
		expect(await grant(tenant, 8, { key })).toMatchObject({
			status: 400,
			body: { code: "idempotency_key_reused", field: "idempotency-key" },
		});
	});

	test("that takes away segments which messages wait for is refused", async () => {
		const tenant = office.tenant({});
		await grant(tenant, 5);
		await office.send(tenant, text(3));
		expect(await grant(tenant, -3)).toMatchObject({
			status: 409,
			body: { code: "credit_too_low", field: "segments" },
		});
		expect(await credit(tenant)).toMatchObject({ balance: 5, reserved: 3, available: 2 });
	});
});

test("the ledger lists every change with the balance after it, page by page, the newest first", async () => {
	const tenant = office.tenant({});
	for (const segments of [3, 4, -2]) await grant(tenant, segments);
	const seen: Array<Record<string, unknown>> = [];
	for (let cursor: string | null = ""; cursor !== null; ) {
		const query: string = cursor === "" ? "" : `&cursor=${cursor}`;
		const { body } = await office.call({
			url: path(tenant, `/entries?limit=2${query}`),
			token: office.token(tenant, "admin"),
		});
		seen.push(...body.items);
		cursor = body.next_cursor;
	}
	expect(seen.map(({ kind, segments, balance }) => [kind, segments, balance])).toEqual([
		["adjust", -2, 5],
		["grant", 4, 7],
		["grant", 3, 3],
	]);
});

describe("purchases of credit", () => {
	const pack = { code: "sms_100", segments: 100, price_minor: 9_000, currency: "KES" };
	beforeAll(async () => {
		const saved = await office.call({
			...{ method: "POST", url: path(office.lango, `/packs?tenantId=${office.lango.id}`) },
			...{ token: owner(), body: pack },
		});
		expect(saved).toMatchObject({ status: 201, body: pack });
	});
	const buy = (tenant: PublicTenant, body: object = { pack: pack.code }) =>
		office.call({
			...{ method: "POST", url: path(tenant, "/top-ups"), token: office.token(tenant, "admin"), body },
		});
	const bought = async (tenant: PublicTenant): Promise<string> => {
		const { status, body } = await buy(tenant);
		expect({ status, body }).toMatchObject({
			...{ status: 202, body: { status: "open", segments: 100, amount_minor: 9_000, currency: "KES" } },
		});
		return String(body["operation_id"]);
	};
	const listed = async (tenant: PublicTenant) => {
		const { body } = await office.call({
			...{ url: path(tenant, "/top-ups"), token: office.token(tenant, "admin") },
		});
		return body.items;
	};
	const pay = async (tenant: PublicTenant, operation_id: string, more: object = {}) => {
		const data = {
			...{ operation_id, tenant_id: tenant.id, payment_id: randomUUID(), amount_minor: 9_000 },
			...{ currency: "KES", paid_at: new Date().toISOString(), ...more },
		};
		const event = testEvent(treasuryPaymentSucceeded, { subject: operation_id, tenant, data });
		await office.transport.publish(event);
		await office.transport.publish(event);
		await applied();
	};
	const fail = async (tenant: PublicTenant, operation_id: string) => {
		const data = { operation_id, tenant_id: tenant.id, attempt: 1, reason: "cancelled_by_payer" };
		await office.transport.publish(testEvent(treasuryPaymentFailed, { subject: operation_id, tenant, data }));
		await applied();
	};
	const dead = async () => (await listDeadLetters(office.database.db, { service: "notifications" })).items;
	/** Events that are neither applied nor dead. */
	const applied = () =>
		expect
			.poll(() => office.database.db.query("select from deliveries where dead_at is null limit 1"))
			.toEqual([]);

	test("a payment is requested by an event, and its success books the credit once (§8)", async () => {
		const tenant = office.tenant({});
		const id = await bought(tenant);
		const [requested] = await office.database.db.query<{ data: object }>(
			"select envelope->'data' as data from outbox where envelope->>'type' = 'notifications.billing.requested' and envelope->>'subject' = $1",
			[id],
		);
		expect(requested?.data).toMatchObject({
			...{ operation_id: id, tenant_id: tenant.id, kind: "top_up", attempt: 1, amount_minor: 9_000 },
			...{ currency: "KES", lines: [{ what: "sms_credit", code: pack.code, amount_minor: 9_000 }] },
			expires_at: expect.any(String),
		});
		const payment_id = randomUUID();
		await pay(tenant, id, { payment_id });
		await pay(tenant, id, { payment_id });
		expect(await credit(tenant)).toMatchObject({ balance: 100 });
		expect(await ledger(tenant)).toEqual({ balance: 100, reserved: 0 });
		expect(await listed(tenant)).toMatchObject([{ operation_id: id, status: "paid" }]);
	});

	test("a payment to the tenant that names the purchase as its operation books nothing", async () => {
		const tenant = office.tenant({});
		const id = await bought(tenant);
		await pay(tenant, id, { source_service: "ordering" });
		expect(await listed(tenant)).toMatchObject([{ operation_id: id, status: "open" }]);
		await pay(tenant, id, { source_service: "notifications" });
		expect(await listed(tenant)).toMatchObject([{ operation_id: id, status: "paid" }]);
	});

	test("one purchase is open at a time, also of sixteen at once; a failed one makes room", async () => {
		const tenant = office.tenant({});
		const answers = await Promise.all(Array.from({ length: 16 }, () => buy(tenant)));
		expect(answers.map(({ status }) => status).toSorted()).toEqual([202, ...Array(15).fill(409)]);
		expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ code: "top_up_open" });
		const [open] = await listed(tenant);
		await fail(tenant, String(open?.["operation_id"]));
		expect(await listed(tenant)).toMatchObject([{ status: "failed", reason: "cancelled_by_payer" }]);
		await bought(tenant);
	});

	test("a payment that comes after the failure, or after a day, is booked all the same", async () => {
		const tenant = office.tenant({});
		const first = await bought(tenant);
		await fail(tenant, first);
		await pay(tenant, first);
		const second = await bought(tenant);
		await rows(tenant, "update credit_top_ups set expires_at = requested_at where status = 'open'");
		expect(await listed(tenant)).toMatchObject([{ status: "expired" }, { status: "paid" }]);
		const third = await bought(tenant);
		for (const id of [second, third]) await pay(tenant, id);
		expect(await credit(tenant)).toMatchObject({ balance: 300 });
	});

	test("a payment of another amount, currency or number, of another tenant or an unknown purchase, books nothing", async () => {
		const [tenant, other] = [office.tenant({}), office.tenant({})];
		const id = await bought(tenant);
		const before = (await dead()).length;
		await pay(other, id);
		await pay(tenant, randomUUID());
		await pay(tenant, id, { amount_minor: 8_999 });
		await pay(tenant, id, { currency: "USD" });
		expect([await credit(tenant), await credit(other)]).toMatchObject([{ balance: 0 }, { balance: 0 }]);
		await pay(tenant, id);
		await pay(tenant, id);
		expect(await credit(tenant)).toMatchObject({ balance: 100 });
		const letters = await dead();
		expect(letters).toHaveLength(before + 5);
		for (const { id: letter } of letters)
			await discardDeadLetter(office.database.db, { service: "notifications", id: letter, now: new Date() });
	});

	test.each<[string, object, object]>([
		["no pack", {}, { status: 400, body: { code: "invalid_input", field: "pack" } }],
		["an unknown pack", { pack: "none" }, { status: 400, body: { code: "pack_unknown", field: "pack" } }],
	])("a purchase of %s is refused", async (_what, body, refusal) => {
		expect(await buy(office.tenant({}), body)).toMatchObject(refusal);
	});
});
