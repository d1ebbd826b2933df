import { randomUUID } from "node:crypto";
import type { PublicTenant } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import type { Result } from "../src/dispatch/settle.store.ts";
import { purge } from "../src/purge/purge.ts";
import { claimFrom, settleAs } from "./dispatch.ts";
import { greeting, openOffice } from "./office.ts";

const office = setUp(openOffice);

let names = 0;
const addresses = (count: number) => Array.from({ length: count }, () => `again${++names}@uhai.example`);
const rows = <R extends Record<string, unknown>>(
	tenant: PublicTenant,
	query: string,
	values: unknown[] = [],
) => inTenant(office.database.db, tenant.id, (tx) => tx.query<R>(query, values));

type End = Pick<Result, "status"> & { rank?: number; errorClass?: string; errorCode?: string };
const failed: End = { status: "failed", errorClass: "refused", errorCode: "550" };
const unknown: End = { status: "expired", errorClass: "unknown", errorCode: "outcome_unknown", rank: 1 };

/** Sends one message to new addresses whose deliveries end like this. Returns the ids of the deliveries. */
async function ended(tenant: PublicTenant, ends: readonly End[], more: Record<string, unknown> = {}) {
	const { status, body } = await office.send(tenant, greeting(addresses(ends.length), more));
	expect([status, body.code]).toEqual([202, undefined]);
	const messageClass = ends.length > 100 ? ("bulk" as const) : ("normal" as const);
	const lane = { tenantId: tenant.id, channel: "email" as const, messageClass };
	const claimed = await claimFrom(office, lane, 1_000);
	expect(claimed.length).toBe(ends.length);
	await settleAs(
		office,
		tenant.id,
		claimed.map(({ id, attempt }, place) => ({ id, attempt, from: ["sending"], ...(ends[place] ?? failed) })),
	);
	return claimed.map(({ id }) => id);
}
const resend = (
	tenant: PublicTenant,
	id: string | undefined,
	{ role = "admin", ...body }: { role?: string; may_duplicate?: boolean } = {},
) =>
	office.call({
		method: "POST",
		url: `/api/v1/${tenant.slug}/notifications/deliveries/${id}/resend`,
		token: office.token(tenant, role),
		body,
	});
const redrives = (tenant: PublicTenant) => `/api/v1/${tenant.slug}/notifications/deliveries/redrive`;
const redrive = (
	tenant: PublicTenant,
	body: object,
	{ role = "admin", ...headers }: { role?: string; "idempotency-key"?: string } = {},
) =>
	office.call({
		...{ method: "POST", url: redrives(tenant), body, headers },
		token: office.token(tenant, role),
	});
const progressOf = async (tenant: PublicTenant, id: string) =>
	(await office.call({ url: `${redrives(tenant)}s/${id}`, token: office.token(tenant, "admin") })).body;
const resent = (tenant: PublicTenant) =>
	rows<{ resend_of: string; class: string; status: string }>(
		tenant,
		`select m.resend_of, m.class, d.status from messages m
		   join message_deliveries d on d.tenant_id = m.tenant_id and d.message_id = m.id
		  where m.source = 'resend' order by m.resend_of`,
	);
const audited = (tenant: PublicTenant) =>
	rows(tenant, "select action, subject, detail from audit_log where actor_kind = 'user' order by id");
const byId = (...ids: Array<string | undefined>) => ids.toSorted();

test("a delivery that failed is sent again once as a new message, also if two people ask", async () => {
	const tenant = office.tenant({});
	const [id] = await ended(tenant, [failed]);
	const [first, second] = [await resend(tenant, id), await resend(tenant, id, { role: "staff" })];
	expect([first.status, second.status, second.headers["idempotency-replayed"]]).toEqual([202, 202, "true"]);
	expect(second.body.requestId).toBe(first.body.requestId);
	expect(await resent(tenant)).toEqual([{ resend_of: id, class: "normal", status: "queued" }]);
	expect(await audited(tenant)).toEqual([
		{ action: "delivery.resent", subject: id, detail: { message_id: first.body.requestId } },
	]);
	// Keys of requests are removed after a day.
	await rows(tenant, "delete from idempotency_keys");
	const later = await resend(tenant, id);
	expect([later.body.requestId, later.headers["idempotency-replayed"]]).toEqual([
		first.body.requestId,
		"true",
	]);
});

test("cancelling a message is audited, if something was cancelled", async () => {
	const tenant = office.tenant({});
	const { body } = await office.send(tenant, greeting(["asha@uhai.example"]));
	const cancel = () =>
		office.call({
			...{ method: "POST", url: `/api/v1/${tenant.slug}/notifications/messages/${body.requestId}/cancel` },
			token: office.token(tenant, "admin"),
		});
	expect([(await cancel()).body.cancelled, (await cancel()).body.cancelled]).toEqual([1, 0]);
	expect(await audited(tenant)).toEqual([
		{ action: "message.cancelled", subject: body.requestId, detail: { cancelled: 1 } },
	]);
});

test("a delivery that arrived, is open, or is unknown is not sent again", async () => {
	const tenant = office.tenant({});
	const [sent, lost, other] = await ended(tenant, [{ status: "sent", rank: 1 }, unknown, failed]);
	const codes = async (id: string | undefined, body = {}) => {
		const { status, body: answer } = await resend(tenant, id, body);
		return [status, answer.code];
	};
	expect(await codes(sent)).toEqual([409, "delivery_not_final"]);
	expect(await codes(randomUUID())).toEqual([404, "delivery_not_found"]);
	expect(await codes(lost)).toEqual([409, "may_duplicate_required"]);
	expect(await codes(lost, { may_duplicate: true })).toEqual([202, undefined]);
	await purge(office.database.db, new Date(Date.now() + 31 * 86_400_000));
	expect(await codes(other)).toEqual([409, "data_gone"]);
});

test("a redrive sends the deliveries of its filter again, once, and shows how far it is", async () => {
	const tenant = office.tenant({});
	const [one, two, arrived] = await ended(tenant, [failed, failed, { status: "sent", rank: 1 }]);
	await ended(tenant, [{ ...failed, errorCode: "421" }]);
	const begun = await redrive(tenant, { status: ["failed"], error_code: "550" });
	expect([begun.status, begun.body]).toMatchObject([
		202,
		{ status: "running", matched: 2, left_out: 0, counts: {}, finished_at: null },
	]);
	const same = await redrive(tenant, { status: ["failed"], error_code: "550" }, { role: "staff" });
	expect([same.body.id, same.headers["idempotency-replayed"]]).toEqual([begun.body.id, "true"]);
	await office.jobs.runDue();
	expect(await progressOf(tenant, begun.body.id)).toMatchObject({
		status: "finished",
		counts: { accepted: 2 },
	});
	expect((await resent(tenant)).map(({ resend_of }) => resend_of)).toEqual(byId(one, two));
	const filter = { status: ["failed"], error_code: "550" };
	expect(await audited(tenant)).toEqual([
		{ action: "redrive.started", subject: begun.body.id, detail: { ...filter, matched: 2 } },
	]);
	expect(arrived).toBeDefined();
	const again = await redrive(tenant, { status: ["failed"], error_code: "550" });
	expect([again.status, again.body]).toMatchObject([202, { status: "finished", matched: 0 }]);
	const { body } = await office.call({ url: `${redrives(tenant)}s`, token: office.token(tenant, "staff") });
	expect(body.items.map(({ id }) => id)).toEqual([again.body.id, begun.body.id]);
});

test("a redrive leaves out unknown outcomes unless may_duplicate is true", async () => {
	const tenant = office.tenant({});
	const [lost, one] = await ended(tenant, [unknown, failed]);
	const status = ["failed", "expired"];
	const first = await redrive(tenant, { status });
	expect(first.body).toMatchObject({ matched: 1, left_out: 1 });
	await office.jobs.runDue();
	expect((await resent(tenant)).map(({ resend_of }) => resend_of)).toEqual([one]);
	const second = await redrive(tenant, { status, may_duplicate: true });
	expect(second.body).toMatchObject({ matched: 1, left_out: 0 });
	await office.jobs.runDue();
	expect((await resent(tenant)).map(({ resend_of }) => resend_of)).toEqual(byId(lost, one));
});

test("a key names one redrive, and another body under it is refused", async () => {
	const tenant = office.tenant({});
	await ended(tenant, [failed]);
	const headers = { "idempotency-key": "night" };
	const first = await redrive(tenant, { status: ["failed"] }, headers);
	await office.jobs.runDue();
	const second = await redrive(tenant, { status: ["failed"] }, headers);
	expect([second.status, second.body.id]).toEqual([202, first.body.id]);
	const other = await redrive(tenant, { status: ["dead"] }, headers);
	expect([other.status, other.body.code, other.body.field]).toEqual([
		400,
		"idempotency_key_reused",
		"idempotency-key",
	]);
});

test("equal redrives at once are one, and each delivery is sent again once", async () => {
	const tenant = office.tenant({});
	const ids = await ended(
		tenant,
		Array.from({ length: 5 }, () => failed),
	);
	const [first] = ids;
	const all = await Promise.all([
		...Array.from({ length: 6 }, () => redrive(tenant, { status: ["failed"] })),
		redrive(tenant, { status: ["failed", "dead"] }),
	]);
	expect(new Set(all.map(({ body }) => body.id)).size).toBe(2);
	await Promise.all([office.jobs.runDue(), office.jobs.runDue(), resend(tenant, first)]);
	await office.jobs.runDue();
	expect((await resent(tenant)).map(({ resend_of }) => resend_of)).toEqual(byId(...ids));
});

test("a large redrive is bulk, and leaves half of the channel's limit to other messages", async () => {
	const tenant = office.tenant({});
	await ended(
		tenant,
		Array.from({ length: 120 }, () => failed),
	);
	await office.call({
		...{
			method: "PUT",
			url: `/api/v1/${tenant.slug}/notifications/limits`,
			token: office.token(tenant, "admin"),
		},
		body: { email: { per_minute: 60, burst: 60 } },
	});
	await rows(tenant, "update channel_buckets set tokens = 60, refilled_at = now()");
	const begun = await redrive(tenant, { status: ["failed"] });
	await office.jobs.runDue();
	const { status, counts } = await progressOf(tenant, begun.body.id);
	expect(status).toBe("running");
	expect(counts["accepted"]).toBeGreaterThanOrEqual(30);
	expect(counts["accepted"]).toBeLessThan(50);
	expect((await office.send(tenant, greeting(addresses(5)))).status).toBe(202);
	expect(new Set((await resent(tenant)).map((one) => one.class))).toEqual(new Set(["bulk"]));
});

test("the limit of e-mails per day stops a redrive", async () => {
	const tenant = office.tenant({ limits: { max_emails_per_day: 3 } });
	await ended(tenant, [failed, failed]);
	const begun = await redrive(tenant, { status: ["failed"] });
	await office.jobs.runDue();
	expect(await progressOf(tenant, begun.body.id)).toMatchObject({
		...{ status: "stopped", reason: "daily_limit_reached", counts: { accepted: 1 } },
	});
});

test("a delivery that cannot be sent again is counted by its refusal", async () => {
	const tenant = office.tenant({});
	const [, gone] = await ended(tenant, [failed, failed]);
	await rows(tenant, "update message_deliveries set address = null, address_key_id = null where id = $1", [
		gone,
	]);
	const begun = await redrive(tenant, { status: ["failed"] });
	await office.jobs.runDue();
	expect(await progressOf(tenant, begun.body.id)).toMatchObject({
		...{ status: "finished", counts: { accepted: 1, data_gone: 1 } },
	});
});

test("a redrive whose job was lost continues", async () => {
	const tenant = office.tenant({});
	await ended(tenant, [failed]);
	const begun = await redrive(tenant, { status: ["failed"] });
	await office.database.db.query("delete from pgboss.job_common where name = 'deliveries.redrive'");
	office.clock.now = new Date(Date.now() + 16 * 60_000);
	await office.jobs.run("deliveries.redrive.sweep");
	office.clock.now = undefined;
	await office.jobs.runDue();
	expect(await progressOf(tenant, begun.body.id)).toMatchObject({
		status: "finished",
		counts: { accepted: 1 },
	});
});

test("more than 10,000 deliveries, more than five redrives, and filters that are not valid are refused", async () => {
	const tenant = office.tenant({});
	await ended(tenant, [failed]);
	const answerOf = async (body: object) => {
		const { status, body: answer } = await redrive(tenant, body);
		return [status, answer.code, answer.field];
	};
	for (let left = 0; left < 5; left++)
		expect(
			(
				await redrive(tenant, {
					status: ["failed"],
					error_code: "550",
					from: `2026-01-0${left + 1}T00:00:00Z`,
				})
			).body,
		).toMatchObject({ status: "running" });
	expect(await answerOf({ status: ["failed"] })).toEqual([409, "too_many_redrives", undefined]);
	expect(await answerOf({ status: ["sent"] })).toEqual([400, "invalid_input", "status.0"]);
	expect(await answerOf({})).toEqual([400, "invalid_input", "status"]);
	const [from, to] = ["2026-11-02T00:00:00Z", "2026-11-01T00:00:00Z"];
	expect(await answerOf({ status: ["failed"], from, to })).toEqual([400, "invalid_input", "to"]);
	const missing = await office.call({
		...{ url: `${redrives(tenant)}s/${randomUUID()}`, token: office.token(tenant, "admin") },
	});
	expect([missing.status, missing.body.code]).toEqual([404, "redrive_not_found"]);
	const other = office.tenant({});
	await ended(other, [failed]);
	await rows(
		other,
		`insert into message_deliveries (tenant_id, message_id, position, channel, class, address_key, address_masked, status,
		   due_at, expires_at, created_at, final_at)
		 select tenant_id, message_id, n, channel, class, decode(lpad(to_hex(n), 64, '0'), 'hex'), '', status, due_at, expires_at,
		        created_at, final_at
		   from message_deliveries, generate_series(1, 10000) n where tenant_id = $1
		 on conflict do nothing`,
		[other.id],
	);
	const refused = await redrive(other, { status: ["failed"] });
	expect([refused.status, refused.body.code, refused.body.field]).toEqual([
		400,
		"too_many_deliveries",
		"status",
	]);
});
