import { randomBytes, randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { beforeAll, expect, test } from "vitest";
import { getProfile } from "../src/gateways/profiles/profile.store.ts";
import { issueCallbackToken } from "../src/inbox/callback-token.store.ts";
import { nameAttempt, recordAttempt } from "../src/payments/attempt.store.ts";
import { addBill } from "./add-bill.ts";
import { listRows } from "./inbox/delivery-rows.store.ts";
import { openTill } from "./till.ts";

const till = setUp(openTill);
const phone = "254711000037";
let profileId: string;
beforeAll(async () => {
	profileId = (await getProfile(till.database.db, "mobile_money")).id;
});

/** A prompt that was sent, whose answer with the ids was not read. */
async function promptOf(now = new Date()) {
	const { id: tenantId } = till.tenants.uhai;
	return inTenant(till.database.db, tenantId, async (tx) => {
		const intent = await addBill(tx, tenantId, { now });
		const attempt = await recordAttempt(tx, {
			...{ tenantId, id: randomUUID(), intentId: intent.id, amountMinor: 250_000n, channel: "push" },
			...{ custody: "platform", shortcode: "600100", reference: `pay-${randomBytes(16).toString("hex")}` },
			...{ phone, nextCheckAt: null, expiresAt: new Date(now.getTime() + 180_000), now },
		});
		const about = {
			tenantId,
			profileId,
			route: "callback",
			objectKind: "attempt",
			objectId: attempt.id,
		} as const;
		const token = await issueCallbackToken(tx, { ...about, expiresAt: undefined }, now);
		return { intent, attempt, url: `/webhooks/mobilemoney/callback/${profileId}/${token}` };
	});
}

const paid = (more: { receipt?: string; amount?: number; phone?: string } = {}) => {
	const { receipt = randomBytes(5).toString("hex").toUpperCase(), amount = 2_500 } = more;
	const Item = [
		{ Name: "Amount", Value: amount },
		{ Name: "MobileMoneyReceiptNumber", Value: receipt },
		{ Name: "PhoneNumber", Value: Number(more.phone ?? phone) },
	];
	return callbackOf({ ResultCode: 0, CallbackMetadata: { Item } });
};
const callbackOf = (members: object) => ({
	Body: {
		stkCallback: { MerchantRequestID: randomUUID(), CheckoutRequestID: `ws_CO_${randomUUID()}`, ...members },
	},
});

async function send(url: string, body: object) {
	const answer = await till.call({ method: "POST", url, body: Buffer.from(JSON.stringify(body)) });
	expect(answer).toEqual({ status: 200, body: { ResultCode: 0, ResultDesc: "Accepted" } });
	await till.service.jobs.runDue();
	return (await listRows(till.database.db)).at(-1);
}

const statusOf = async (intentId: string) => {
	const [row] = await inTenant(till.database.db, till.tenants.uhai.id, (tx) =>
		tx.query<{ status: string; received: number }>(
			"select status, received_minor::int as received from intents where id = $1",
			[intentId],
		),
	);
	return row;
};

test("a callback with the token of its prompt pays the bill, although the answer with the ids was not read", async () => {
	const { intent, url } = await promptOf();
	expect(await send(url, paid())).toMatchObject({ status: "done", trust: "token", error: null });
	expect(await statusOf(intent.id)).toEqual({ status: "succeeded", received: 250_000 });
});

test("a callback that comes again, byte for byte or not, has one effect", async () => {
	const { intent, url } = await promptOf();
	const body = paid();
	for (const one of [body, body, { ...body, again: true }]) await send(url, one);
	expect(await statusOf(intent.id)).toEqual({ status: "succeeded", received: 250_000 });
});

test("a callback of a prompt that was cancelled ends the attempt, and the bill stays open", async () => {
	const { intent, url } = await promptOf();
	await send(url, callbackOf({ ResultCode: 1032 }));
	expect(await statusOf(intent.id)).toEqual({ status: "requires_payment", received: 0 });
});

test.each([
	["without a token", { address: () => "/webhooks/mobilemoney/callback", body: paid() }],
	[
		"with a token of nothing",
		{ address: (url: string) => `${url.slice(0, -32)}${"0".repeat(32)}`, body: paid() },
	],
	["of another profile", { address: (url: string) => url.replace(profileId, randomUUID()), body: paid() }],
	["on another route", { address: (url: string) => url.replace("/callback/", "/timeout/"), body: paid() }],
	["with another amount", { address: (url: string) => url, body: paid({ amount: 9_000 }) }],
	["from another phone", { address: (url: string) => url, body: paid({ phone: "254711000038" }) }],
])("a callback %s pays nothing", async (_what, { address, body }) => {
	const { intent, url } = await promptOf();
	const row = await send(address(url), body);
	expect(row?.status).not.toBe("done");
	expect((await statusOf(intent.id))?.received).toBe(0);
});

test("a callback of a sender who is not trusted about a known prompt makes the gateway be asked at once", async () => {
	const { attempt } = await promptOf();
	const { id: tenantId } = till.tenants.uhai;
	const checkoutRequestId = `ws_CO_${randomUUID()}`;
	await inTenant(till.database.db, tenantId, (tx) =>
		nameAttempt(tx, { tenantId, id: attempt.id, checkoutRequestId }),
	);
	const body = callbackOf({ ResultCode: 0, CheckoutRequestID: checkoutRequestId });
	expect(await send("/webhooks/mobilemoney/callback", body)).toMatchObject({
		...{ status: "done", trust: "none" },
		error: "the sender is not trusted: the gateway is asked",
	});
	const jobs = await till.database.db.query(
		"select data->>'id' as id from pgboss.job where name = 'attempts.ask' and data->>'id' = $1",
		[attempt.id],
	);
	expect(jobs).not.toEqual([]);
});

test("forged callbacks do not shorten the time in which the gateway is asked about a prompt", async () => {
	const { attempt } = await promptOf();
	const { id: tenantId } = till.tenants.uhai;
	const checkoutRequestId = `ws_CO_${randomUUID()}`;
	await inTenant(till.database.db, tenantId, async (tx) => {
		await nameAttempt(tx, { tenantId, id: attempt.id, checkoutRequestId });
		await tx.query("update attempts set next_check_at = now() where id = $1", [attempt.id]);
	});
	for (let turn = 0; turn < 10; turn++)
		await send(
			"/webhooks/mobilemoney/callback",
			callbackOf({ ResultCode: 1032, CheckoutRequestID: checkoutRequestId, turn }),
		);
	const rows = await inTenant(till.database.db, tenantId, (tx) =>
		tx.query("select status, checks from attempts where id = $1", [attempt.id]),
	);
	expect(rows).toEqual([{ status: "submitting", checks: 0 }]);
});
