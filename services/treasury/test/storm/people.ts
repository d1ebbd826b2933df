import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { acrossTenants, inTenant } from "@lango/postgres";
import { payAtPage, payElsewhere, resume, subscribe, unsubscribe } from "./cards.ts";
import { mix, type Request } from "./payers.ts";
import {
	fillWorking,
	payBusiness,
	payMany,
	payOutAll,
	payOutPart,
	payPersonalTill,
	payPhone,
} from "./payouts.ts";
import type { Shop, StormTill } from "./storm-till.ts";

type Act = (till: StormTill, shop: Shop, nth: number) => Promise<unknown>;

/** What people do besides paying: shops, payers, their banks and the platform. Each may be refused. */
const acts: readonly Act[] = [
	(till, shop) => refund(till, shop),
	(till, shop) => refund(till, shop, 2_500),
	async (till, shop) => {
		const payment = await findPayment(till, shop, "card_gateway");
		for (const part of [1_000, 1_000]) await refundOf(till, shop, { payment, part });
	},
	async (till, shop) => refundOf(till, shop, { payment: await findPayment(till, shop, "mobile_money") }),
	reverse,
	(till, shop) => dispute(till, shop, "declined"),
	(till, shop) => dispute(till, shop, "merchant-accepted"),
	// The shop says nothing, is reminded, and loses.
	(till, shop) => dispute(till, shop),
	payOutAll,
	payOutPart,
	(till, shop, nth) => payMany(till, shop, { nth, rail: "card_gateway" }),
	payPhone,
	payPhone,
	(till, shop, nth) => payMany(till, shop, { nth, rail: "mobile_money" }),
	payBusiness,
	payBusiness,
	payPersonalTill,
	fillWorking,
	orderPayments,
	subscribe,
	payAtPage,
	(till, shop) => unsubscribe(till, shop),
	(till, shop) => resume(till, shop),
	halt,
	(till, shop, nth) => payAtCounter(till, shop, { nth, account: "" }),
	(till, shop, nth) => payAtCounter(till, shop, { nth, account: "UNKNOWN" }),
	(till) => payElsewhere(till, `guest-${randomUUID()}`),
	(till) => topUp(till, 500_000),
	(till) => settle(till),
];

/**
 * What every storm does, and how: money that shortcodes receive or send, and the ends of refunds, payouts and
 * disputes, as `findMissing` names them. Payers push anyway.
 */
export const requiredActs: Readonly<Record<string, Act>> = {
	"moved push": async () => undefined,
	"moved paybill": (till, shop, nth) => payAtCounter(till, shop, { nth, account: "UNKNOWN" }),
	"moved till": (till, shop, nth) => payAtCounter(till, shop, { nth, account: "" }),
	"moved standing_order": orderPayments,
	"moved payout": payPhone,
	"moved business": payBusiness,
	"moved reversal": reverse,
	"payout customer of several paid": (till, shop, nth) => payMany(till, shop, { nth, rail: "mobile_money" }),
	"payout personal_till paid": payPersonalTill,
	"payout own_working paid": fillWorking,
	"card subscription": subscribe,
	"paid at a page": payAtPage,
	"refund card processed": (till, shop) => refund(till, shop),
	"dispute lost": (till, shop) => dispute(till, shop, "merchant-accepted"),
	"dispute won": (till, shop) => dispute(till, shop, "declined"),
};

/** Does one of the acts, in turn, for one of the shops. What is refused does not happen. */
export async function act(till: StormTill, nth: number): Promise<void> {
	const shop = till.shops[mix(nth) % till.shops.length];
	const chosen = acts[nth % acts.length];
	if (shop === undefined || chosen === undefined) throw new Error("a storm has shops");
	await chosen(till, shop, nth).catch(ignoreRefusal);
}

/** A sandbox refuses, for example, a dispute about a charge that was returned. */
export function ignoreRefusal(error: Error): void {
	if (!error.message.includes(" answered ")) throw error;
}

type Payment = { id: string; receipt: string | null; reference: string | null };

/** A payment of the shop's own trade of which nothing is returned or disputed yet: the newest. */
async function findPayment(till: StormTill, shop: Shop, gateway: string): Promise<Payment | undefined> {
	const [found] = await inTenant(till.database.db, shop.id, (tx) =>
		tx.query<Payment>(
			`select p.id, r.receipt, a.reference from payments p
			   join intents i on i.tenant_id = p.tenant_id and i.id = p.intent_id and i.payee = 'tenant'
			   join receipts r on r.tenant_id = p.tenant_id and r.id = p.receipt_id and r.gateway = $1
			   left join attempts a on a.tenant_id = r.tenant_id and a.id = r.attempt_id
			  where not exists (select from refunds f where f.tenant_id = p.tenant_id and f.receipt_id = r.id)
			    and not exists (select from disputes d where d.tenant_id = p.tenant_id and d.receipt_id = r.id)
			  order by p.id desc limit 1`,
			[gateway],
		),
	);
	return found;
}

const refund = async (till: StormTill, shop: Shop, part = 0) =>
	refundOf(till, shop, { payment: await findPayment(till, shop, "card_gateway"), part });

async function refundOf(till: StormTill, shop: Shop, asked: { payment: Payment | undefined; part?: number }) {
	const { payment, part } = asked;
	if (payment === undefined) return;
	const body = { payment_id: payment.id, reason: "A mistake", ...(part && { amount_minor: part }) };
	await till.ask(shop, "POST refunds", { body });
}

async function reverse(till: StormTill, shop: Shop): Promise<void> {
	const payment = await findPayment(till, shop, "mobile_money");
	const body = { receipt: payment?.receipt, remarks: "A mistake" };
	if (payment !== undefined) await till.ask(shop, "POST reversals", { body });
}

/** A payer disputes a charge, and the gateway decides, at once or when it is due. */
async function dispute(till: StormTill, shop: Shop, resolution?: string): Promise<void> {
	const payment = await findPayment(till, shop, "card_gateway");
	if (payment === undefined || payment.reference === null) return;
	const { id } = await till.cards("POST", "/_control/dispute", { reference: payment.reference });
	if (resolution !== undefined) await till.cards("POST", `/_control/disputes/${id}/resolve`, { resolution });
}

const scopes = ["collections", "payouts", "refunds"];
const haltMs = 300;

/** The platform stops what is sent for a shop, or for all of them, and lets it continue a moment later. */
async function halt(till: StormTill, shop: Shop, nth: number): Promise<void> {
	const round = Math.floor(nth / acts.length);
	const of = round % 4 === 3 ? {} : { tenant_id: shop.id };
	const body = { scope: scopes[round % scopes.length], because: "A storm.", ...of };
	await till.operate("PUT", "halts", { body: { ...body, is_on: true } });
	await sleep(haltMs);
	await till.operate("PUT", "halts", { body: { ...body, is_on: false } });
}

/** Payers' banks end the refunds that wait for somebody. */
export async function endWaitingRefunds(till: StormTill): Promise<void> {
	const waiting = await acrossTenants(till.database.db, (tx) =>
		tx.query<{ id: string }>(
			"select gateway_ref as id from refunds where status = 'needs_attention' and gateway_ref is not null order by id",
		),
	);
	for (const [at, { id }] of waiting.entries()) {
		const outcome = at % 2 === 0 ? "processed" : "failed";
		await till.cards("POST", `/_control/refunds/${id}`, { outcome });
	}
}

/** A payer agrees to pay a shop every day, by itself. */
async function orderPayments(till: StormTill, shop: Shop, nth: number): Promise<void> {
	const day = (days: number) =>
		new Date(till.now().getTime() + 3 * 3_600_000 + days * dayMs).toISOString().slice(0, 10);
	const body = {
		...{ phone: `2541${String(nth).padStart(5, "0")}001`, amount_minor: 4_000, frequency: "daily" },
		...{ start_on: day(1), end_on: day(20), description: "Milk" },
	};
	await till.ask(shop, "POST standing-orders", { body });
}

/** A person pays at a counter, where a till asks for no account. */
async function payAtCounter(
	till: StormTill,
	{ shortcode }: Pick<Shop, "shortcode">,
	{ nth, account }: { nth: number; account: string },
): Promise<void> {
	const phone = `2541${String(nth).padStart(8, "0")}`;
	const body = { shortcode, account, amount_minor: 3_000 + (nth % 50) * 100 };
	await till.sandbox("POST", `/_control/phones/${phone}/pay`, body);
}

/** A payer types the code of a request at the counter of its payee. */
export async function payByCode(till: StormTill, { nth, accountCode }: Request): Promise<void> {
	const shop = till.shops[Math.floor(nth / 2) % till.shops.length];
	const shortcode = nth % 2 === 0 ? "600100" : (shop?.shortcode ?? "");
	await payAtCounter(till, { shortcode }, { nth: 50_000_000 + nth, account: accountCode });
}

/** The operator moves money from the bank to the transfer balance, and books it. */
export async function topUp(till: StormTill, amount: number): Promise<void> {
	await till.cards("POST", "/_control/top-up", { amount });
	await bookTopUp(till, amount);
}

/** Two operators book what one of them moved from the bank to the transfer balance. */
export async function bookTopUp(till: StormTill, amount: number): Promise<void> {
	const body = { purpose: "top_up", currency: "KES", amount_minor: amount, because: "Float for payouts." };
	const asked = await till.operate("POST", "adjustments", { body });
	await till.operate("POST", `adjustments/${asked.body["id"]}/approve`, { body: {}, by: "checker" });
}

const dayMs = 86_400_000;

/** The operator has the charges of the last days compared. */
export async function compareCharges(till: StormTill): Promise<void> {
	const now = till.now().getTime();
	const body = { kind: "transactions", from: new Date(now - 3 * dayMs), to: new Date(now + dayMs) };
	await till.operate("POST", "reconciliation/runs", { body });
}

/** The gateway settles, and the operator has its settlements fetched. */
export async function settle(till: StormTill): Promise<void> {
	await till.cards("POST", "/_control/settle");
	const now = till.now().getTime();
	const body = { from: new Date(now - 3 * dayMs), to: new Date(now + dayMs) };
	await till.operate("POST", "settlements/fetch", { body });
}
