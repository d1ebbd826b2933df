import { createHmac } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { defaultSecretKey } from "@lango/sandbox-card-gateway";
import { setUp } from "@lango/testkit/set-up";
import { beforeEach, expect, test } from "vitest";
import { raiseException } from "../../src/exceptions/raise-exception.ts";
import { getProfile } from "../../src/gateways/profiles/profile.store.ts";
import { issueCallbackToken } from "../../src/inbox/callback-token.store.ts";
import type { Payout } from "../../src/payouts/payout.ts";
import { addPayout, getPayout, say } from "./add-payout.ts";
import { makeAvailable, openPaying } from "./paying.ts";

const till = setUp(openPaying);
const tenantId = () => till.tenants.uhai.id;
const sent = [{ kind: "approved" }, { kind: "submitted" }] as const;

beforeEach(() => makeAvailable(till.database.db, tenantId(), { amountMinor: 100_000n }));

const statusOf = async ({ id }: Pick<Payout, "id">) =>
	(await getPayout(till.database.db, { tenantId: tenantId(), id })).status;
const raised = async (of: string, { reference }: Payout) => {
	const { body } = await till.operate("GET", `/reconciliation/exceptions?class=${of}&state=open`);
	const items = body["items"] as Array<{ id: string; subject: string; theirs: object }>;
	return items.filter(({ subject }) => subject === reference);
};

/** Sends an event that is signed, as somebody could who has stolen the key, and applies it. */
async function sendEvent({ reference, netMinor }: Payout): Promise<Record<string, unknown>> {
	const data = { id: 1, reference, amount: Number(netMinor), currency: "KES", status: "success" };
	const body = JSON.stringify({ event: "transfer.success", data: { ...data, id: reference } });
	const answer = await till.call({
		...{ method: "POST", url: "/api/v1/webhooks/cardgateway", body: Buffer.from(body) },
		headers: {
			"content-type": "application/json",
			"x-cardgw-signature": createHmac("sha512", defaultSecretKey).update(body).digest("hex"),
		},
	});
	expect(answer.status).toBe(200);
	await till.service.jobs.runDue();
	const [delivery] = await till.database.db.query<Record<string, unknown>>(
		"select status, error from webhook_deliveries order by id desc limit 1",
	);
	return delivery ?? {};
}

test.each([
	["waits for its approval", []],
	["is approved", [sent[0]]],
	["was cancelled", [{ kind: "cancelled" }]],
	["was rejected", [{ kind: "rejected", because: "No" }]],
] as const)(
	"an event about a payout that %s, and was not sent, counts only if the gateway knows the transfer",
	async (_, said) => {
		const { db } = till.database;
		const payout = await addPayout(db, tenantId(), { said });
		expect(await sendEvent(payout)).toMatchObject({ status: "parked" });
		expect(await statusOf(payout)).not.toBe("paid");
		await say(db, payout, { kind: "cancelled" });
	},
);

/** The gateway's statement about a payout to a phone, with a token of ours in its address. */
async function sendResult(payout: Payout, finishedAt: string): Promise<void> {
	const { db } = till.database;
	const { id: profileId } = await getProfile(db, "mobile_money");
	const token = await inTenant(db, tenantId(), (tx) =>
		issueCallbackToken(
			tx,
			{
				...{
					tenantId: tenantId(),
					profileId,
					route: "b2c-result",
					objectKind: "payout",
					objectId: payout.id,
				},
				expiresAt: new Date(Date.now() + 60_000),
			},
			new Date(),
		),
	);
	const body = {
		Result: {
			...{ ResultType: 0, ResultCode: 0, ResultDesc: "", OriginatorConversationID: payout.reference },
			...{ ConversationID: "AG_1", TransactionID: "SG632NMUAB" },
			ResultParameters: { ResultParameter: [{ Key: "TransactionCompletedDateTime", Value: finishedAt }] },
		},
	};
	const url = `/api/v1/webhooks/mobilemoney/b2c-result/${profileId}/${token}`;
	expect((await till.call({ method: "POST", url, body })).status).toBe(200);
	await till.service.jobs.runDue();
}

/** As the gateway writes it, in Nairobi. */
const written = (at: Date) => {
	const [date = "", time = ""] = new Date(at.getTime() + 3 * 3_600_000).toISOString().split("T");
	return `${date.split("-").toReversed().join(".")} ${time.slice(0, 8)}`;
};
const asked = async ({ reference }: Payout) =>
	(
		await inTenant(till.database.db, tenantId(), (tx) =>
			tx.query("select from gateway_queries where originator_id = $1", [reference]),
		)
	).length;

test("a result with a token whose time is before the sending, or in the future, is not applied: the gateway is asked", async () => {
	const { db } = till.database;
	for (const minutes of [-6, 6]) {
		const payout = await addPayout(db, tenantId(), { shortcode: "600200", said: sent });
		await sendResult(payout, written(new Date(Date.now() + minutes * 60_000)));
		expect([await statusOf(payout), await asked(payout)]).not.toContain("paid");
		expect(await asked(payout)).toBe(1);
	}
	const payout = await addPayout(db, tenantId(), { shortcode: "600200", said: sent });
	await sendResult(payout, written(new Date()));
	expect([await statusOf(payout), await asked(payout)]).toEqual(["paid", 0]);
});

test("a result about a payout that was not sent is not applied: the gateway is asked, whatever the payout is", async () => {
	const { db } = till.database;
	for (const said of [[], [{ kind: "cancelled" }]] as const) {
		const payout = await addPayout(db, tenantId(), { shortcode: "600200", said });
		await sendResult(payout, written(new Date()));
		expect([await statusOf(payout), await asked(payout)]).toEqual([payout.status, 1]);
	}
});

test("a transfer in another currency or of another amount is not booked, and a person has to look", async () => {
	const { db } = till.database;
	for (const [of, said] of [
		["currency", { currency: "USD" }],
		["amount", { amountMinor: 99_999n, currency: "KES" }],
	] as const) {
		const payout = await addPayout(db, tenantId(), { said: sent });
		await say(db, payout, { kind: "paid", ...said });
		expect(await statusOf(payout)).toBe("submitting");
		expect(await raised(of, payout)).toHaveLength(1);
		await say(db, payout, { kind: "paid", amountMinor: 100_000n, currency: "KES" });
		expect(await statusOf(payout)).toBe("paid");
		expect(await raised(of, payout)).toEqual([]);
		await makeAvailable(db, tenantId(), { amountMinor: 100_000n });
	}
});

test.each([{ kind: "failed", code: "declined" }, { kind: "paid" }] as const)(
	"a payout that ends ($kind) closes what had to be looked at until then",
	async (end) => {
		const { db } = till.database;
		const odd = { kind: "in_flight", oddWord: "on_hold" } as const;
		const payout = await addPayout(db, tenantId(), { said: [...sent, odd] });
		const { reference: subject, netMinor: amountMinor, currency } = payout;
		await inTenant(db, tenantId(), (tx) =>
			raiseException(tx, {
				...{ class: "missing_there", subject, amountMinor, currency, ours: {}, theirs: {}, now: new Date() },
			}),
		);
		const both = async () => [
			...(await raised("status", payout)),
			...(await raised("missing_there", payout)),
		];
		expect(await both()).toHaveLength(2);
		await say(db, payout, end);
		expect(await both()).toEqual([]);
	},
);

test("a refusal after the operator closed the exception of the one before opens it again", async () => {
	const { db } = till.database;
	const refused = { kind: "not_sent", code: "http_401", needsOperator: true } as const;
	const payout = await addPayout(db, tenantId(), { said: [...sent, refused] });
	const [exception] = await raised("status", payout);
	const body = { as: "waived", because: "The key is corrected" };
	await till.operate("POST", `/reconciliation/exceptions/${exception?.id}/resolve`, { body });
	expect(await raised("status", payout)).toEqual([]);
	for (const one of [{ kind: "submitted" }, { ...refused, code: "http_403" }] as const)
		await say(db, payout, one);
	expect(await raised("status", payout)).toMatchObject([{ theirs: { code: "http_403" } }]);
	await say(db, payout, { kind: "cancelled" });
});

test("each version of a payout has its event, also one that needs a review for long", async () => {
	const { db } = till.database;
	const payout = await addPayout(db, tenantId(), {
		said: [...sent, { kind: "unknown", because: "timeout" }],
	});
	const drop = [{ operation: "verify_transfer", fault: "drop" }];
	await till.cards("PUT", "/_control/faults", drop);
	await inTenant(db, tenantId(), (tx) =>
		tx.query(
			"update payouts set submitted_at = now() - interval '2 days', next_check_at = now() where id = $1",
			[payout.id],
		),
	);
	for (const _ of ["first", "again"]) {
		await inTenant(db, tenantId(), (tx) =>
			tx.query("update payouts set next_check_at = now() - interval '1 hour' where id = $1", [payout.id]),
		);
		await till.service.jobs.run("payouts.query.sweep");
		await till.service.jobs.runDue();
	}
	await till.cards("PUT", "/_control/faults", []);
	const { version, needsReview } = await getPayout(db, payout);
	const events = await till.published("treasury.payout.changed", till.tenants.uhai);
	const versions = events.filter((one) => one["payout_id"] === payout.id).map((one) => one["version"]);
	expect(needsReview).toBe(true);
	expect(versions).toEqual(Array.from({ length: version }, (_, index) => index + 1));
});

test("a payout that is not approved within 14 days is cancelled, and what it held is available again", async () => {
	const { db } = till.database;
	const payout = await addPayout(db, tenantId());
	const before = await till.balances(till.tenants.uhai);
	const lookAt = async (ms: number) => {
		till.clock.now = new Date(payout.createdAt.getTime() + 14 * 86_400_000 + ms);
		await till.service.jobs.run("payouts.expire.sweep");
		await till.service.jobs.runDue();
		till.clock.now = undefined;
	};
	await lookAt(0);
	expect(await statusOf(payout)).toBe("awaiting_approval");
	await lookAt(1);
	expect(await getPayout(db, payout)).toMatchObject({ status: "cancelled", failureCode: "not_approved" });
	const after = await till.balances(till.tenants.uhai);
	expect(after["tenant.available"]).toBe((before["tenant.available"] ?? 0) + 100_000);
});

test("the row of a payout has no name: it is read from the recipient, as long as there is one", async () => {
	const recipient_id = await till.addRecipient();
	const body = { rail: "card_gateway", recipient_id, amount_minor: 1_000 };
	const asked = await till.ask("POST", "/payouts", { body });
	expect(asked.body).toMatchObject({ to: expect.stringMatching(/^Uhai Hospital .*0001$/) });
	const { toMasked } = await getPayout(till.database.db, {
		tenantId: tenantId(),
		id: String(asked.body["id"]),
	});
	expect(toMasked).not.toContain("Uhai");
});

test("a recipient is not removed while the settings choose it, also at the same time", async () => {
	const choose = (recipient_id: string | null) =>
		till.ask("PUT", "/payout-config", { body: { recipient_id, schedule: "manual", minimum_minor: 0 } });
	for (let run = 0; run < 10; run += 1) {
		const id = await till.addRecipient();
		const [chosen, removed] = await Promise.all([choose(id), till.ask("DELETE", `/recipients/${id}`)]);
		expect([
			[200, 409],
			[404, 204],
		]).toContainEqual([chosen.status, removed.status]);
		await choose(null);
	}
});

test("a payout from a shortcode is at most what the profile says", async () => {
	const limit = (payment_max_minor: number) =>
		till.operate("PUT", "/gateways/mobile-money", { body: { settings: { payment_max_minor } } });
	const request = (amount_minor: number) =>
		till.ask("POST", "/payouts", {
			body: { rail: "mobile_money", kind: "customer", to: "0712345678", amount_minor, remarks: "Wages" },
		});
	expect((await limit(100_000)).status).toBe(200);
	expect((await request(100_000)).status).toBe(202);
	expect(await request(100_100)).toMatchObject({ status: 400, body: { code: "amount_out_of_range" } });
	await limit(25_000_000);
});
