import { randomUUID } from "node:crypto";
import type { PublicTenant } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import { testSubscription } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { acceptMessage } from "../src/messages/accept-message.ts";
import { acceptingIn } from "./accepting.ts";
import { greeting, openOffice } from "./office.ts";

const office = setUp(() => openOffice());

let names = 0;
const addresses = (count: number) => Array.from({ length: count }, () => `trial${++names}@uhai.example`);
const phones = (count: number) => Array.from({ length: count }, () => `+2547${10_000_000 + ++names}`);
const plan = { limits: { max_emails_per_day: -1 }, features: ["whatsapp"] };

/** A tenant whose plan is a trial. */
const onTrial = () => {
	const tenant = office.tenant(plan);
	const products = ["notifications", "auth"];
	office.subscriptions.records.set(
		tenant.id,
		testSubscription(tenant.id, { ...plan, products, status: "TRIAL" }),
	);
	return tenant;
};
const rows = <R extends Record<string, unknown>>(tenant: PublicTenant, statement: string) =>
	inTenant(office.database.db, tenant.id, (tx) => tx.query<R>(statement));
const sent = async (tenant: PublicTenant, to: readonly string[], more: Record<string, unknown> = {}) => {
	const { status, body } = await office.send(
		tenant,
		greeting(to, { metadata: { attempt: randomUUID() }, ...more }),
	);
	return status === 202 ? 202 : [status, body.code];
};
const refused = [429, "trial_limit_reached"];
/** Lets so many new recipients remain of today. */
const leave = async (tenant: PublicTenant, count: number) => {
	expect(await sent(tenant, addresses(1))).toBe(202);
	await rows(tenant, `update send_days set new_recipients = ${200 - count}`);
};
const reached = (tenant: PublicTenant) =>
	office.database.db.query(
		`select envelope->'data'->>'limit' as limit, envelope->'data'->'limit_value' as value from outbox
		  where envelope->>'type' = 'notifications.limit.reached' and envelope->'data'->>'tenant_id' = $1`,
		[tenant.id],
	);

test("of 3,200 new recipients on 16 connections exactly the 200 of a day of the trial are accepted, the rest is 429 until midnight, and one event says so", async () => {
	const tenant = onTrial();
	const lanes = Array.from({ length: 16 }, async () => {
		const answers = [];
		for (let n = 0; n < 20; n++) answers.push(await office.send(tenant, greeting(addresses(10))));
		return answers;
	});
	const answers = (await Promise.all(lanes)).flat();
	expect(answers.filter(({ status }) => status === 202).length).toBe(20);
	const refusal = answers.find(({ status }) => status === 429);
	expect(refusal?.body).toMatchObject({
		...{ code: "trial_limit_reached", limit: "max_new_recipients_per_day", limit_value: 200 },
	});
	// The tenant is in Africa/Nairobi, three hours before UTC all year.
	const sinceMidnight = (Date.now() / 1_000 + 3 * 3_600) % 86_400;
	expect(Math.abs(86_400 - sinceMidnight - Number(refusal?.headers["retry-after"]))).toBeLessThan(60);
	expect(await reached(tenant)).toEqual([{ limit: "max_new_recipients_per_day", value: 200 }]);
	expect(await rows(tenant, "select count(*)::int as stored from message_deliveries")).toEqual([
		{ stored: 200 },
	]);
});

test("a request with more new recipients than remain is refused whole, and recipients of before do not count", async () => {
	const tenant = onTrial();
	const known = addresses(3);
	expect(await sent(tenant, known)).toBe(202);
	await leave(tenant, 1);
	expect(await sent(tenant, [...known, ...addresses(2)])).toEqual(refused);
	expect(await sent(tenant, [...known, ...addresses(1)])).toBe(202);
	expect(await sent(tenant, addresses(1))).toEqual(refused);
	expect(await sent(tenant, known)).toBe(202);
	const tomorrow = new Date(Date.now() + 24 * 3_600_000).toISOString();
	expect(await sent(tenant, addresses(200), { send_at: tomorrow })).toBe(202);
	expect(await sent(tenant, addresses(1), { send_at: tomorrow })).toEqual(refused);
});

test("an address counts once, however many requests write to it at the same time", async () => {
	const tenant = onTrial();
	await leave(tenant, 1);
	const to = addresses(1);
	const answers = await Promise.all(Array.from({ length: 16 }, () => sent(tenant, to)));
	expect(answers).toEqual(Array(16).fill(202));
	expect(await rows(tenant, "select new_recipients from send_days")).toEqual([{ new_recipients: 200 }]);
});

test("e-mail, WhatsApp and SMS count together; what is skipped does not count", async () => {
	const tenant = onTrial();
	const [suppressed = ""] = addresses(1);
	await office.call({
		...{ method: "POST", url: `/api/v1/${tenant.slug}/notifications/suppressions` },
		...{ token: office.token(tenant, "admin"), body: { channel: "email", address: suppressed } },
	});
	await leave(tenant, 2);
	expect(await sent(tenant, [suppressed, ...addresses(1)])).toBe(202);
	expect(await sent(tenant, phones(2), { channel: "sms" })).toEqual(refused);
	// There is no credit.
	expect(await sent(tenant, phones(1), { channel: "sms" })).toBe(202);
	expect(await sent(tenant, phones(2), { channel: "whatsapp" })).toEqual(refused);
	expect(await sent(tenant, phones(1), { channel: "whatsapp" })).toBe(202);
	expect(await sent(tenant, phones(1), { channel: "sms" })).toEqual(refused);
});

test("a message of a rule is skipped instead, and leaves the count of e-mails as it is", async () => {
	const tenant = onTrial();
	await leave(tenant, 0);
	const { counts } = await acceptMessage(acceptingIn(office, { ...plan, status: "TRIAL" }), {
		...{ tenantId: tenant.id, source: "event", channel: "email", overLimit: "skip", to: addresses(1) },
		...{ template: "shared/generic_notification", data: greeting([]).data },
		requester: { kind: "trigger", id: "test" },
	});
	expect(counts).toEqual({ skipped_limit: 1 });
	expect(await rows(tenant, "select used, new_recipients from send_days")).toEqual([
		{ used: 1, new_recipients: 200 },
	]);
	expect(await reached(tenant)).toEqual([{ limit: "max_new_recipients_per_day", value: 200 }]);
});

test("superusers, and tenants whose plan is not a trial, have no such limit", async () => {
	const [trial, paid] = [onTrial(), office.tenant(plan)];
	await leave(trial, 0);
	const asSuperuser = { token: office.token(trial, "superuser") };
	expect((await office.send(trial, greeting(addresses(1)), asSuperuser)).status).toBe(202);
	expect(await sent(paid, addresses(201))).toBe(202);
	expect(await rows(paid, "select new_recipients from send_days")).toEqual([{ new_recipients: 0 }]);
});

test("the limit stops a redrive", async () => {
	const tenant = onTrial();
	expect(await sent(tenant, addresses(2))).toBe(202);
	await rows(tenant, "update message_deliveries set status = 'skipped_limit', final_at = now()");
	await rows(tenant, "update messages set pending = 0");
	await rows(tenant, "update send_days set new_recipients = 199");
	const url = `/api/v1/${tenant.slug}/notifications/deliveries/redrive`;
	const token = office.token(tenant, "admin");
	const body = { status: ["skipped_limit"] };
	const begun = await office.call({ method: "POST", url, token, body });
	await office.jobs.runDue();
	const { body: progress } = await office.call({ url: `${url}s/${begun.body.id}`, token });
	expect(progress).toMatchObject({
		...{ status: "stopped", reason: "trial_limit_reached", counts: { accepted: 1 } },
	});
});
