import { inTenant } from "@lango/postgres";
import { defaultSecretKey } from "@lango/sandbox-card-gateway";
import { setUp } from "@lango/testkit/set-up";
import { beforeEach, expect, test, vi } from "vitest";
import type { Payout } from "../../src/payouts/payout.ts";
import { addPayout, say } from "./add-payout.ts";
import { makeAvailable, openPaying } from "./paying.ts";

const till = setUp(openPaying);
const refused = (status: number, code: string) => ({ status, body: { code } });

beforeEach(() => makeAvailable(till.database.db, till.tenants.uhai.id, { amountMinor: 100_000n }));

/** A payout whose end the gateway has not said. */
async function inReview(more: { shortcode?: string } = {}): Promise<string> {
	const { db } = till.database;
	const said = [
		{ kind: "approved" },
		{ kind: "submitted" },
		{ kind: "unknown", because: "no_answer" },
	] as const;
	const { id } = await addPayout(db, till.tenants.uhai.id, { ...more, grossMinor: 10_000n, said });
	await needReview(id);
	return id;
}
const needReview = (id: string) =>
	inTenant(till.database.db, till.tenants.uhai.id, (tx) =>
		tx.query("update payouts set needs_review = true where id = $1", [id]),
	);
const resolve = (id: string, as: "paid" | "failed", by?: "second") =>
	till.operate("POST", `/payouts/${id}/resolve`, { body: { as, because: "By the bank" }, ...(by && { by }) });

test("that a payout failed takes two operators, after the gateway was asked: then what it held is available again", async () => {
	const before = await till.balances(till.tenants.uhai);
	const id = await inReview();
	for (const _ of ["first", "repeated"]) {
		const proposed = await resolve(id, "failed");
		expect(proposed).toMatchObject({ status: 200, body: { status: "unknown", needs_review: true } });
		expect(proposed.body["approvals"]).toHaveLength(1);
	}
	expect((await resolve(id, "paid", "second")).body).toMatchObject({ status: "unknown" });
	expect(await resolve(id, "failed", "second")).toMatchObject({
		status: 200,
		body: { status: "failed", failure_code: "resolved", needs_review: false },
	});
	expect(await till.balances(till.tenants.uhai)).toMatchObject({
		"tenant.available": before["tenant.available"],
	});
	expect(await resolve(id, "failed", "second")).toMatchObject(refused(409, "payout_not_waiting"));
	expect(await resolve(crypto.randomUUID(), "failed")).toMatchObject(refused(404, "payout_not_found"));
});

test("the word of a person about a payout counts for a day, and only the latest one", async () => {
	const id = await inReview();
	const status = async (as: "paid" | "failed", by?: "second") => (await resolve(id, as, by)).body["status"];
	expect(await status("failed")).toBe("unknown");
	await inTenant(till.database.db, till.tenants.uhai.id, (tx) =>
		tx.query(
			"update payout_approvals set at = (at at time zone 'UTC' - interval '25 hours') at time zone 'UTC' where payout_id = $1",
			[id],
		),
	);
	expect(await status("failed", "second")).toBe("unknown");
	expect(await status("paid", "second")).toBe("unknown");
	expect(await status("failed")).toBe("unknown");
	expect(await status("paid")).toBe("paid");
});

test("what the gateway says when it is asked counts, and while a transfer has not ended there it is not resolved", async () => {
	const recipient_id = await till.addRecipient();
	const setClock = (now: Date) => till.cards("PUT", "/_control/clock", { now: now.toISOString() });
	// The clock does not move, so that the transfer does not end.
	await setClock(new Date());
	const id = await till.pay({ recipient_id, amount_minor: 10_000 });
	expect(await till.payout(id)).toMatchObject({ status: "in_flight" });
	await needReview(id);
	expect(await resolve(id, "failed")).toMatchObject(refused(409, "payout_pending"));
	await setClock(new Date(Date.now() + 600_000));
	expect(await resolve(id, "failed")).toMatchObject({ status: 200, body: { status: "paid", approvals: [] } });
});

/** Sends a transfer of another amount than its payout, which the gateway pays. */
async function paidOtherwise(): Promise<Payout> {
	const { db } = till.database;
	const tenantId = till.tenants.uhai.id;
	const recipientId = await till.addRecipient();
	const [{ code } = { code: "" }] = await inTenant(db, tenantId, (tx) =>
		tx.query<{ code: string }>("select recipient_code as code from recipients where id = $1", [recipientId]),
	);
	const said = [{ kind: "approved" }, { kind: "submitted" }] as const;
	const recipient = { id: recipientId, code };
	const payout = await addPayout(db, tenantId, { grossMinor: 10_000n, recipient, said });
	const { reference } = payout;
	const sent = {
		source: "balance",
		currency: "KES",
		amount: 9_000,
		recipient: code,
		reason: "Food",
		reference,
	};
	await fetch(`${till.cardGateway.url}/transfer`, {
		...{ method: "POST", body: JSON.stringify(sent) },
		headers: { authorization: `Bearer ${defaultSecretKey}`, "content-type": "application/json" },
	});
	await till.cards("POST", `/_control/transfers/${reference}`, { outcome: "success" });
	await needReview(payout.id);
	return payout;
}

test("a transfer of which the gateway says that another amount was paid is decided by two people, and the difference is not raised again once they have closed it", async () => {
	const payout = await paidOtherwise();
	const { id, reference } = payout;
	expect((await resolve(id, "paid")).body).toMatchObject({
		...{ status: "submitting", needs_review: true, approvals: [{ decision: "resolve_paid" }] },
	});
	expect(await resolve(id, "paid", "second")).toMatchObject({
		...{ status: 200, body: { status: "paid", net_minor: 10_000, needs_review: false } },
	});
	const open = async () => {
		const { body } = await till.operate("GET", "/reconciliation/exceptions?class=amount&state=open");
		const items = body["items"] as Array<{ id: string; subject: string; theirs: object }>;
		return items.filter(({ subject }) => subject === reference);
	};
	const [raised] = await open();
	expect(raised).toMatchObject({ theirs: { amount_minor: 9_000, currency: "KES" } });
	const body = { as: "waived", because: "An adjustment has the difference." };
	await till.operate("POST", `/reconciliation/exceptions/${raised?.id}/resolve`, { body });
	await say(till.database.db, payout, { kind: "paid", amountMinor: 9_000n, currency: "KES" });
	expect(await open()).toEqual([]);
});

test("a payout from a shortcode is resolved only after a question about it was answered: that the gateway does not know it (2032) changes nothing", async () => {
	const id = await inReview({ shortcode: "600200" });
	expect(await resolve(id, "failed")).toMatchObject(refused(409, "verify_pending"));
	const proposed = await vi.waitFor(async () => {
		await till.service.jobs.runDue();
		const answer = await resolve(id, "failed");
		expect(answer.status).toBe(200);
		return answer.body as Record<string, unknown> & Pick<Payout, "status">;
	}, 10_000);
	expect(proposed).toMatchObject({ status: "unknown", approvals: [{ decision: "resolve_failed" }] });
	expect((await resolve(id, "failed", "second")).body).toMatchObject({ status: "failed" });
});

test("a transfer that waits for its one-time password is sent with it; a wrong or expired password, and one that no transfer waits for, is refused", async () => {
	const { id: closed } = await addPayout(till.database.db, till.tenants.uhai.id, { grossMinor: 1_000n });
	expect(await till.operate("POST", `/payouts/${closed}/resend-otp`)).toMatchObject(
		refused(409, "payout_closed"),
	);
	const recipient_id = await till.addRecipient();
	await till.cards("PUT", "/_control/otp", { is_required: true });
	const id = await till.pay({ recipient_id, amount_minor: 10_000 });
	await till.cards("PUT", "/_control/otp", { is_required: false });
	expect(await till.payout(id)).toMatchObject({ status: "needs_otp" });
	const give = (otp: string) => till.operate("POST", `/payouts/${id}/otp`, { body: { otp } });
	const setStatus = (status: string) =>
		till.database.db.query("update tenants set status = $2 where id = $1", [till.tenants.uhai.id, status]);
	await setStatus("suspended");
	expect(await give("123456")).toMatchObject(refused(409, "tenant_suspended"));
	await setStatus("active");
	expect(await give("wrong")).toMatchObject(refused(409, "otp_refused"));
	const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
	await till.cards("PUT", "/_control/clock", { now: inAnHour });
	expect(await give("123456")).toMatchObject(refused(409, "otp_expired"));
	expect(await till.operate("POST", `/payouts/${id}/resend-otp`)).toMatchObject({ status: 202 });
	const overview = await till.cards("GET", "/_control/overview");
	const [{ otp } = { otp: "" }] = overview["transfers"] as Array<{ otp: string }>;
	expect(await give(otp)).toMatchObject({ status: 202, body: { status: "in_flight" } });
	expect(await give(otp)).toMatchObject(refused(409, "payout_closed"));
});
