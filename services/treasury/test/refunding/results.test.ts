import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { beforeAll, expect, test } from "vitest";
import { getProfile } from "../../src/gateways/profiles/profile.store.ts";
import { issueCallbackToken } from "../../src/inbox/callback-token.store.ts";
import type { CallbackRoute, CallbackToken } from "../../src/inbox/callback-token.ts";
import { findRefund } from "../../src/refunds/refund.store.ts";
import { addPayout, getPayout } from "../payouts/add-payout.ts";
import { openTill } from "../till.ts";
import { addReversal } from "./add-reversal.ts";

const till = setUp(openTill);
let profileId: string;
const tenantId = () => till.tenants.uhai.id;
beforeAll(async () => {
	profileId = (await getProfile(till.database.db, "mobile_money")).id;
});

type Sent = { route: CallbackRoute; object: Pick<CallbackToken, "objectKind" | "objectId">; body: object };

/** The gateway calls an address that it was given for an object. */
async function send({ route, object, body }: Sent): Promise<void> {
	const { db } = till.database;
	const expiresAt = new Date(Date.now() + 60_000);
	const token = await inTenant(db, tenantId(), (tx) =>
		issueCallbackToken(tx, { tenantId: tenantId(), profileId, route, ...object, expiresAt }, new Date()),
	);
	const url = `/api/v1/webhooks/mobilemoney/${route}/${profileId}/${token}`;
	expect((await till.call({ method: "POST", url, body })).status).toBe(200);
	await till.service.jobs.runDue();
	const [delivery] = await db.query("select status, trust from webhook_deliveries order by id desc limit 1");
	expect(delivery).toEqual({ status: "done", trust: "token" });
}

/** How many questions the gateway was asked about a request. */
const asked = async (originatorId: string | null) =>
	(
		await inTenant(till.database.db, tenantId(), (tx) =>
			tx.query("select from gateway_queries where originator_id = $1", [originatorId]),
		)
	).length;

const resultOf = (ResultCode: string | number, originatorId: string | null) => ({
	Result: {
		...{ ResultType: 0, ResultCode, ResultDesc: "", OriginatorConversationID: originatorId },
		...{ ConversationID: "AG_1", TransactionID: "RHL0000000" },
	},
});
/** Timeouts have no documented body. */
const timeout = { requestId: "1" };

const sent = () => [{ kind: "submitting" }, { kind: "accepted", originatorId: randomUUID() }] as const;

test.each([
	["reversal", "reversal-result", "R000001"],
	["payout", "b2c-result", 15],
	["reversal", "timeout", undefined],
	["payout", "b2c-timeout", undefined],
] as const)(
	"a refund by %s of which the gateway says (%s: %s) that it was done before, or is not finished, does not fail: the gateway is asked",
	async (method, route, code) => {
		const { db } = till.database;
		const { id, originatorId } = await addReversal(db, tenantId(), { method, said: sent() });
		const body = code === undefined ? timeout : resultOf(code, originatorId);
		await send({ route, object: { objectKind: "refund", objectId: id }, body });
		expect(await inTenant(db, tenantId(), (tx) => findRefund(tx, id))).toMatchObject({ status: "pending" });
		expect(await asked(originatorId)).toBe(1);
	},
);

test.each([
	["b2c-result", 15],
	["b2b-result", "15"],
	["b2c-timeout", undefined],
	["b2b-timeout", undefined],
] as const)(
	"a payout of which the gateway says (%s: %s) that its id was used before, or that it is not finished, is unknown: the gateway is asked",
	async (route, code) => {
		const { db } = till.database;
		const payout = await addPayout(db, tenantId(), {
			...{ shortcode: "600200", grossMinor: 10_000n },
			said: [{ kind: "approved" }, { kind: "submitted" }],
		});
		const body = code === undefined ? timeout : resultOf(code, payout.reference);
		await send({ route, object: { objectKind: "payout", objectId: payout.id }, body });
		expect(await getPayout(db, payout)).toMatchObject({ status: "unknown" });
		expect(await asked(payout.reference)).toBe(1);
	},
);
