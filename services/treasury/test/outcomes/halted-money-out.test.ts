import { randomUUID } from "node:crypto";
import { tenantDeleted } from "@lango/contracts";
import { acrossTenants, inTenant } from "@lango/postgres";
import { testEvent } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { beforeEach, expect, test } from "vitest";
import { changeProfile } from "../../src/gateways/profiles/profile.store.ts";
import { findRefund } from "../../src/refunds/refund.store.ts";
import { findViolations } from "../ledger/invariants.ts";
import { getPayout } from "../payouts/add-payout.ts";
import { makeAvailable, openPaying } from "../payouts/paying.ts";
import { openCards } from "../refunding/card-payments.ts";
import { countRequests } from "./count-requests.ts";

/** The calls that move money out. Every other one only asks the gateway. */
const sending = /\/transfer(\/bulk)?$|\/refund$|\/b2c\/v\d\/paymentrequest$|\/reversal\/v1\/request$/;

const till = setUp(async () => {
	const opened = await openPaying();
	const { db } = opened.database;
	const phones = await countRequests(opened.mobileMoney.url);
	const cards = await countRequests(opened.cardGateway.url);
	const changes = [
		["mobile_money", { baseUrl: phones.url, settings: { per_second: 1_000 } }],
		["card_gateway", { baseUrl: cards.url }],
	] as const;
	for (const [kind, change] of changes) await changeProfile(db, kind, { change, now: new Date() });
	await opened.registerUrls(opened.tenants.uhai);
	await opened.sandbox("PUT", "/_control/shortcodes", [{ shortcode: "600200", utility_minor: 10_000_000 }]);
	return {
		...opened,
		/** How many requests to move money out the gateways got. */
		countSent: () => [...phones.posts, ...cards.posts].filter((path) => sending.test(path)).length,
		close: async () => {
			await opened.close();
			await Promise.all([phones.close(), cards.close()]);
		},
	};
});
const cards = () => openCards(till);
const tenantId = () => till.tenants.uhai.id;
beforeEach(() => makeAvailable(till.database.db, tenantId(), { amountMinor: 100_000n }));

const fail = async (
	of: "cards" | "sandbox",
	faults: ReadonlyArray<readonly [operation: string, fault: string]>,
) =>
	till[of](
		"PUT",
		"/_control/faults",
		faults.map(([operation, fault]) => ({ operation, fault, count: 1 })),
	);

async function askForPayout(body: object): Promise<string> {
	const asked = await till.ask("POST", "/payouts", { body });
	expect(asked.status).toBe(202);
	const id = String(asked.body["id"]);
	if (asked.body["status"] === "awaiting_approval")
		expect((await till.ask("POST", `/payouts/${id}/approve`, { by: "checker" })).status).toBe(200);
	return id;
}

/**
 * What moves money out. Each is prepared, which runs jobs, then asked for; the next jobs send it. Returns its
 * id.
 */
const prepare = {
	transfer: async () => {
		const recipient_id = await till.addRecipient();
		return () => askForPayout({ rail: "card_gateway", recipient_id, amount_minor: 10_000 });
	},
	"payout to a phone": async () => () =>
		askForPayout({
			...{ rail: "mobile_money", kind: "customer", to: "0712345678", amount_minor: 10_000, remarks: "Wages" },
		}),
	"refund by card": async () => {
		const { paymentId: payment_id } = await cards().pay();
		return async () => String((await cards().refund({ payment_id })).body["id"]);
	},
	reversal: async () => {
		const receipt = await till.payAtCounter({ shortcode: "600200", amountMinor: 10_000 });
		return async () => {
			const { body } = await cards().ask("POST", "/reversals", {
				body: { receipt, remarks: "Paid to the wrong shop" },
				headers: { "idempotency-key": randomUUID() },
			});
			return String(body["id"]);
		};
	},
} as const;
type Kind = keyof typeof prepare;
const kinds = Object.keys(prepare) as Kind[];
const isRefund = (kind: Kind) => kind === "refund by card" || kind === "reversal";

const statusOf = (kind: Kind, id: string): Promise<string | undefined> =>
	isRefund(kind)
		? inTenant(till.database.db, tenantId(), async (tx) => (await findRefund(tx, id))?.status)
		: getPayout(till.database.db, { tenantId: tenantId(), id }).then(({ status }) => status);

const refundEvents = ["refund.pending", "refund.processing", "refund.processed"];

/** Sends one of each; the answers, and the events about them, are lost. */
async function sendUnanswered(): Promise<Map<Kind, string>> {
	const sent = new Map<Kind, string>();
	for (const kind of kinds) {
		const id = await (await prepare[kind]())();
		await fail("cards", [
			...(["transfer", "refund"] as const).map((one) => [one, "reset_after_commit"] as const),
			...["transfer.success", ...refundEvents].map((event) => [event, "drop"] as const),
		]);
		await fail(
			"sandbox",
			(["payout", "reversal"] as const).flatMap((one) => [
				...([
					[one, "reset_after_commit"],
					[one, "drop"],
				] as const),
			]),
		);
		await till.service.jobs.runDue();
		expect([kind, await statusOf(kind, id)]).toEqual([kind, "unknown"]);
		sent.set(kind, id);
	}
	return sent;
}

/** A transfer that never came to the gateway. */
async function sendInVain(): Promise<string> {
	const id = await (await prepare.transfer())();
	await fail("cards", [["transfer", "drop"]]);
	await till.service.jobs.runDue();
	expect(await statusOf("transfer", id)).toBe("unknown");
	return id;
}

async function becomes(objects: ReadonlyMap<Kind, string>, statuses: (kind: Kind) => string): Promise<void> {
	for (const [kind, id] of objects)
		await expect
			.poll(async () => {
				await till.service.jobs.runDue();
				return [kind, await statusOf(kind, id)];
			})
			.toEqual([kind, statuses(kind)]);
}

const halt = async (tenant_id: string | undefined, is_on: boolean) => {
	for (const scope of ["payouts", "refunds"]) {
		const body = {
			scope,
			is_on,
			because: "The gateway reports wrong amounts",
			...(tenant_id && { tenant_id }),
		};
		expect((await till.operate("PUT", "/halts", { body })).status).toBe(200);
	}
};
const setStatus = (status: string) =>
	till.database.db.query("update tenants set status = $2 where id = $1", [tenantId(), status]);

async function returnToPresent(): Promise<void> {
	till.clock.now = undefined;
	for (const gateway of [till.sandbox, till.cards])
		await gateway("PUT", "/_control/clock", { now: new Date().toISOString() });
}

test.each([
	["all tenants are halted", () => halt(undefined, true), () => halt(undefined, false), []],
	["the tenant is halted", () => halt(tenantId(), true), () => halt(tenantId(), false), []],
	[
		"the tenant is suspended",
		() => setStatus("suspended"),
		() => setStatus("active"),
		kinds.filter(isRefund),
	],
] as const)(
	"while %s, what was sent before reaches its end without being sent again, and what waits is sent once afterwards (I24)",
	async (...[, begin, end, areSent]) => {
		const lost = await sendInVain();
		const sent = await sendUnanswered();
		const prepared = new Map<Kind, () => Promise<string>>();
		for (const kind of kinds) prepared.set(kind, await prepare[kind]());
		const waiting = new Map<Kind, string>();
		for (const [kind, ask] of prepared) waiting.set(kind, await ask());
		const [reference, before] = [
			(await getPayout(till.database.db, { tenantId: tenantId(), id: lost })).reference,
			till.countSent(),
		];
		await begin();
		for (const of of ["cards", "sandbox"] as const) await fail(of, []);
		for (const seconds of [31, 90, 500]) await till.wait(seconds);
		const processed = (kind: Kind) => (isRefund(kind) ? "processed" : "paid");
		await becomes(sent, processed);
		await becomes(waiting, (kind) => {
			if ((areSent as readonly Kind[]).includes(kind)) return processed(kind);
			return isRefund(kind) ? "requested" : "approved";
		});
		expect(till.countSent()).toBe(before + areSent.length);
		expect([await statusOf("transfer", lost), await till.moved(reference)]).toEqual(["unknown", []]);
		await end();
		for (const seconds of [3_001, 20]) await till.wait(seconds);
		await becomes(waiting, processed);
		await becomes(new Map([["transfer", lost]]), processed);
		expect(await till.moved(reference)).toEqual([-10_000]);
		expect(till.countSent()).toBe(before + kinds.length + 1);
		expect(
			await findViolations({ read: (text) => acrossTenants(till.database.db, (tx) => tx.query(text)) }),
		).toEqual([]);
		await returnToPresent();
	},
	90_000,
);

/** Sends a result to its address that the gateway has dropped, as soon as the gateway has it. */
async function sendDropped(id: string): Promise<void> {
	const findDropped = async () => {
		const { items } = await till.sandbox("GET", "/_control/deliveries?limit=10000");
		return (items as Array<{ url: string; body: string }>).find(({ body }) => body.includes(id));
	};
	await expect.poll(findDropped).toBeDefined();
	const dropped = await findDropped();
	const answer = await fetch(dropped?.url ?? "", { method: "POST", body: dropped?.body ?? "" });
	expect(answer.status).toBe(200);
}

test("what was sent before its tenant was deleted reaches its end without being sent again: by the gateway's answers, or by a late result", async () => {
	const sent = await sendUnanswered();
	const before = till.countSent();
	const { uhai } = till.tenants;
	const data = { tenant_id: uhai.id, slug: uhai.slug, version: 9 };
	await till.transport.publish(testEvent(tenantDeleted, { subject: uhai.id, tenant: { id: uhai.id }, data }));
	const left = () => inTenant(till.database.db, uhai.id, (tx) => tx.query("select from tenant_gateways"));
	await expect.poll(left).toEqual([]);
	for (const of of ["cards", "sandbox"] as const) await fail(of, []);
	await sendDropped(sent.get("reversal") ?? "");
	const payout = await getPayout(till.database.db, {
		tenantId: uhai.id,
		id: sent.get("payout to a phone") ?? "",
	});
	await sendDropped(payout.reference);
	for (const seconds of [31, 90]) await till.wait(seconds);
	await becomes(sent, (kind) => (isRefund(kind) ? "processed" : "paid"));
	expect(till.countSent()).toBe(before);
	expect(
		await findViolations({ read: (text) => acrossTenants(till.database.db, (tx) => tx.query(text)) }),
	).toEqual([]);
}, 90_000);
