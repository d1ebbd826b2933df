import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { compareDisputes } from "../../src/comparing/cards/compare-disputes.ts";
import { accepted, refused } from "../../src/gateways/calls/answer.ts";
import type { CardGateway } from "../../src/gateways/card-gateway/account.ts";
import { cardDefaults } from "../../src/gateways/profiles/profile.ts";
import { checkDispute } from "../../src/refunding/disputes/check-dispute.ts";
import { openSettling } from "../settling.ts";
import { openCards } from "./card-payments.ts";

const till = setUp(openSettling);
const dayMs = 86_400_000;
const later = (days: number) => new Date(Date.now() + days * dayMs);

type Stated = Readonly<Record<string, unknown>>;

/** A gateway that lists some disputes, and has others that it is asked about. */
function gatewayWith(listed: readonly Stated[], others: readonly Stated[] = []) {
	const asked: string[] = [];
	const send: CardGateway["send"] = async ({ path }, read) => {
		const id = path.split("/").at(2);
		if (id !== undefined) asked.push(id);
		const data = id === undefined ? listed : others.find((one) => String(one["id"]) === id);
		const ids = data === undefined ? undefined : read({ data });
		return ids === undefined ? refused("not_found", "") : accepted(ids, {});
	};
	const profile = { settings: cardDefaults } as CardGateway["profile"];
	return { gateway: { send, profile } as CardGateway, asked };
}

let ids = 9_000;
type Paid = { transactionId: string; reference: string };

/** A dispute of 1,000.00 shillings as the gateway states it. */
function newDispute({ transactionId, reference }: Paid, more: Stated = {}): Stated & { id: number } {
	ids += 1;
	const transaction = { id: Number(transactionId), reference, amount: 100_000, currency: "KES" };
	return {
		...{ id: ids, transaction, refund_amount: 100_000, currency: "KES", category: "chargeback", dueAt: null },
		...{ status: "awaiting-merchant-feedback", resolution: null, ...more },
	};
}

const resolved = (resolution: string | null) => ({ status: "resolved", resolution });

/** Compares disputes at a time. Returns the code of the failure. */
async function compare({ gateway }: { gateway: CardGateway }, at = new Date()): Promise<string | undefined> {
	const domain = { db: till.database.db, now: () => at };
	return compareDisputes(domain, gateway, { from: at, to: at }).then(
		() => undefined,
		(failure: { code: string }) => failure.code,
	);
}

async function stored({ id }: { id: number }) {
	const [row] = await inTenant(till.database.db, till.tenants.uhai.id, (tx) =>
		tx.query<{ id: string; status: string; amount_minor: number; due_at: Date | null }>(
			"select id, status, amount_minor::int, due_at from disputes where gateway_id = $1",
			[String(id)],
		),
	);
	return row;
}

const exceptionsOf = (subject: string) =>
	till.database.db.query<{ class: string; state: string }>(
		"select class, state from exceptions where subject = $1 order by class",
		[subject],
	);

const pay = () => openCards(till).pay();
const disputed = async () => (await till.balances(till.tenants.uhai))["tenant.disputed"] ?? 0;

test.each(["archived", "resolved"])(
	"a state that is not known, such as %s without a known end, holds no money and raises one exception",
	async (status) => {
		const odd = newDispute(await pay(), { status, resolution: null });
		for (const _ of [1, 2]) expect(await compare(gatewayWith([odd]))).toBeUndefined();
		expect(await stored(odd)).toBeUndefined();
		expect(await exceptionsOf(`dispute ${odd.id} ${status}`)).toEqual([{ class: "status", state: "open" }]);
		expect(await disputed()).toBe(0);
	},
);

test("an entry that cannot be read fails the comparison, after all others were applied, also one that takes nothing", async () => {
	const nothing = newDispute(await pay(), { refund_amount: 0, ...resolved("declined") });
	const lost = newDispute(await pay(), resolved("merchant-accepted"));
	const open = newDispute(await pay());
	await compare(gatewayWith([open]));
	const won = { ...open, ...resolved("declined") };
	expect(await compare(gatewayWith([{ id: null }, nothing, lost], [won]))).toBe("gateway_refused");
	expect(await stored(nothing)).toMatchObject({ status: "won", amount_minor: 100_000 });
	expect(await stored(lost)).toMatchObject({ status: "lost" });
	expect(await stored(open)).toMatchObject({ status: "won" });
	expect(await disputed()).toBe(0);
});

test("when it is due is stored when the gateway says it later; until then it is overdue after 60 days, unless the bank decides", async () => {
	const open = newDispute(await pay());
	await compare(gatewayWith([open]));
	const { id = "" } = (await stored(open)) ?? {};
	const check = async (days: number, more: Stated) => {
		const { gateway } = gatewayWith([], [{ ...open, ...more }]);
		const gateways = { findCardGateway: async () => gateway } as never;
		await checkDispute({ db: till.database.db, now: () => later(days), gateways }, till.tenants.uhai.id, id);
		return exceptionsOf(`dispute ${id}`);
	};
	expect(await check(59, {})).toEqual([]);
	expect(await check(61, { status: "awaiting-bank-feedback" })).toEqual([]);
	expect(await check(61, {})).toEqual([{ class: "status", state: "open" }]);
	const dueAt = later(90);
	await compare(gatewayWith([{ ...open, dueAt: dueAt.toISOString() }]), later(61));
	expect(await stored(open)).toMatchObject({ status: "open", due_at: dueAt });
	expect(await exceptionsOf(`dispute ${id}`)).toEqual([{ class: "status", state: "closed" }]);
	await compare(gatewayWith([{ ...open, ...resolved("declined") }]));
	expect(await stored(open)).toMatchObject({ status: "won" });
});

test("the gateway is asked for 120 days about what operators decided, and what it says otherwise is left to a person", async () => {
	const open = newDispute(await pay(), { dueAt: later(-1).toISOString() });
	await compare(gatewayWith([open]));
	const { id = "" } = (await stored(open)) ?? {};
	const body = { as: "won", because: "The bank says so." };
	for (const operator of ["amina", "brian"])
		await till.asOperator("POST", `disputes/${id}/resolve`, { body, operator });
	expect(await stored(open)).toMatchObject({ status: "won" });
	const lost = gatewayWith([], [{ ...open, ...resolved("merchant-accepted") }]);
	expect(await compare(lost, later(121))).toBeUndefined();
	expect(lost.asked).not.toContain(String(open.id));
	expect(await compare(lost)).toBeUndefined();
	expect(await stored(open)).toMatchObject({ status: "won" });
	expect(await exceptionsOf(`dispute ${id} lost`)).toEqual([{ class: "status", state: "open" }]);
});

test("one whose charge is not counted is asked about also after operators waived it; of another currency it is left to them", async () => {
	const paid = await pay();
	const missing = newDispute({ transactionId: "1", reference: "nothing" });
	await compare(gatewayWith([missing]));
	const subject = `dispute ${missing.id}`;
	const [raised] = (await till.exceptions("class=missing_here&state=open")).filter(
		(one) => one["subject"] === subject,
	);
	const body = { as: "waived", because: "Nothing is known of it." };
	await till.asOperator("POST", `reconciliation/exceptions/${raised?.["id"]}/resolve`, { body });
	const { transaction } = newDispute(paid);
	const counted = { ...missing, transaction };
	await compare(gatewayWith([], [{ ...counted, currency: "USD" }]));
	expect(await exceptionsOf(subject)).toEqual([
		{ class: "currency", state: "open" },
		{ class: "missing_here", state: "closed" },
	]);
	await compare(gatewayWith([], [{ ...counted, ...resolved("declined") }]));
	expect(await stored(missing)).toMatchObject({ status: "won" });
});
