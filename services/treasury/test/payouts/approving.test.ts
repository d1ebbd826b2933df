import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { beforeEach, expect, test, vi } from "vitest";
import { revokeRecipient } from "../../src/recipients/recipient.store.ts";
import { makeAvailable, openPaying, people } from "./paying.ts";

const till = setUp(openPaying);
const rail = "card_gateway";
const refused = (status: number, code: string) => ({ status, body: { code } });

beforeEach(() => makeAvailable(till.database.db, till.tenants.uhai.id, { amountMinor: 100_000n }));

/** Asks for a payout that needs an approval, by the maker unless an API key is given. Returns its id. */
async function askToApprove(apiKey?: string, recipient?: string): Promise<string> {
	const recipient_id = recipient ?? (await till.addRecipient("0001", { isNew: true }));
	const body = { rail, recipient_id, amount_minor: 1_000 };
	const asked =
		apiKey === undefined
			? await till.ask("POST", "/payouts", { body })
			: await till.call({
					...{ method: "POST", url: "/api/v1/uhai/treasury/payouts", body },
					headers: { "idempotency-key": randomUUID(), "x-api-key": apiKey },
				});
	expect(asked).toMatchObject({ status: 202, body: { status: "awaiting_approval" } });
	return String(asked.body["id"]);
}

type Slug = "uhai" | "lango";
const superuser = () => till.token(till.tenants.lango, "superuser", { sub: people.operator });
const approveAs = (token: string, id: string) =>
	till.call({
		method: "POST",
		url: `/api/v1/uhai/treasury/payouts/${id}/approve?tenantId=${till.tenants.uhai.id}`,
		token,
	});
async function makeKey(token: string, { on, ...more }: { on: Slug; all_tenants?: true }): Promise<string> {
	const body = { name: "wages", permissions: ["treasury.payouts.add"], ...more };
	const url = `/api/v1/${on}/treasury/api-keys?tenantId=${till.tenants[on].id}`;
	const made = await till.call({ method: "POST", url, body, token });
	if (made.status !== 201) throw new Error(`the key was refused: ${JSON.stringify(made.body)}`);
	return String(made.body["key"]);
}

test("the person who made an API key does not approve what was asked for with it: a member, a visiting superuser, the maker of a key for all tenants", async () => {
	const maker = till.token(till.tenants.uhai, "admin", { sub: people.maker });
	for (const [token, made] of [
		[maker, { on: "uhai" }],
		[superuser(), { on: "uhai" }],
		[superuser(), { on: "lango", all_tenants: true }],
	] as const) {
		const id = await askToApprove(await makeKey(token, made));
		expect(await approveAs(token, id)).toMatchObject(refused(403, "approver_is_creator"));
		expect(await till.ask("POST", `/payouts/${id}/approve`, { by: "checker" })).toMatchObject({
			status: 200,
		});
	}
});

test("a payout whose maker is not known cannot be approved", async () => {
	const { db } = till.database;
	const id = await askToApprove();
	const setMaker = (kind: string, maker: string) =>
		inTenant(db, till.tenants.uhai.id, (tx) =>
			tx.query("update payouts set created_by_kind = $2, created_by = $3 where id = $1", [id, kind, maker]),
		);
	for (const [kind, maker] of [
		["key", "no-such-key"],
		["client", "wages"],
	] as const) {
		await setMaker(kind, maker);
		const approved = await till.ask("POST", `/payouts/${id}/approve`, { by: "checker" });
		expect(approved).toMatchObject(refused(403, "creator_unknown"));
	}
});

test("of two approvals at the same time one is counted, and the payout is approved once, a hundred times", async () => {
	const recipient = await till.addRecipient("0001", { isNew: true });
	for (let run = 0; run < 100; run += 1) {
		const id = await askToApprove(undefined, recipient);
		const approve = (by: "checker" | "second") => till.ask("POST", `/payouts/${id}/approve`, { by });
		const answers = await Promise.all([approve("checker"), approve("second")]);
		expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
		const { status, approvals } = await till.payout(id);
		expect({ status, approvals }).toMatchObject({
			...{ status: "approved", approvals: [{ decision: "approved" }] },
		});
		expect(approvals).toHaveLength(1);
		await till.ask("POST", `/payouts/${id}/cancel`);
	}
}, 120_000);

test("a recipient is not removed while a payout to it has not ended", async () => {
	const id = await askToApprove();
	const { recipient_id } = await till.payout(id);
	const remove = () => till.ask("DELETE", `/recipients/${recipient_id}`);
	expect(await remove()).toMatchObject(refused(409, "recipient_in_use"));
	await till.ask("POST", `/payouts/${id}/cancel`);
	expect((await remove()).status).toBe(204);
});

test("a payout to a recipient that was removed meanwhile is not sent, and what it held is available again", async () => {
	const { db } = till.database;
	const before = await till.balances(till.tenants.uhai);
	const id = await askToApprove();
	const { recipient_id, reference } = await till.payout(id);
	await inTenant(db, till.tenants.uhai.id, (tx) => revokeRecipient(tx, String(recipient_id), new Date()));
	await till.ask("POST", `/payouts/${id}/approve`, { by: "checker" });
	// Others of the tenant are sent before it.
	await vi.waitFor(async () => {
		await till.wait(5);
		expect(await till.payout(id)).toMatchObject({ status: "failed", failure_code: "recipient_removed" });
	}, 10_000);
	expect(await till.moved(String(reference))).toEqual([]);
	const after = await till.balances(till.tenants.uhai);
	expect(after["tenant.available"]).toBe(before["tenant.available"]);
});
