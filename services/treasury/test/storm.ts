import { setTimeout as sleep } from "node:timers/promises";
import { acrossTenants, inTenant } from "@lango/postgres";
import { payUrlOf } from "../src/payments/pay-code.ts";
import { addBill, keys } from "./add-bill.ts";
import { findViolations } from "./ledger/invariants.ts";
import { findBroken } from "./outcomes/state.ts";
import { type Faults, rounds } from "./storm-faults.ts";
import type { Till } from "./till.ts";

/** What a storm found. Without `differences` each collection is exactly one receipt of its amount. */
export type Storm = {
	/** Collections in the ledgers of the sandboxes, and their sum. */
	collections: number;
	collectedMinor: number;
	/** Collections without a receipt, receipts without a collection, and other amounts. */
	differences: string[];
	/** Bills by their status at the end. */
	bills: Record<string, number>;
	/** Webhooks that were stored, those that came again included. */
	webhooks: number;
};

type Request = { nth: number; code: string };

/** Two days, as steps of seconds between the times at which gateways are asked. */
const ladder = [25, 30, 60, 240, 900, 3_600, 21_600, 90_000, 90_000];
const lifeMs = 90 * 86_400_000;
const atOnce = 8;
/** So many are paid before the next: the sandboxes keep the latest 10,000 deliveries. */
const waveMax = 500;

/**
 * Asks for so many payments, every second one for the platform, and lets phones and cards pay them under the
 * faults of each round; then the clock moves until nothing is open. Returns how the ledgers of the sandboxes
 * and ours differ.
 */
export async function runStorm(till: Till, { bills }: { bills: number }): Promise<Storm> {
	const { db } = till.database;
	await db.query(`update gateway_profiles set settings = settings || '{"per_second": 10000}'`);
	for (const name of ["lango", "uhai", "kahawa"] as const) await till.registerUrls(till.tenants[name]);
	const requests = await ask(till, bills);
	for (const [at, faults] of rounds.entries()) {
		await setFaults(till, faults);
		const ofRound = requests.filter(({ nth }) => nth % rounds.length === at);
		for (let from = 0; from < ofRound.length; from += waveMax) {
			await payAll(till, ofRound.slice(from, from + waveMax));
			await settle(till, 1);
		}
		await passTime(till);
	}
	return compare(till);
}

async function ask(till: Till, bills: number): Promise<Request[]> {
	const requests: Request[] = [];
	for (let nth = 0; nth < bills; nth += 1) {
		const { id } = nth % 4 < 2 ? till.tenants.uhai : till.tenants.kahawa;
		const intent = await inTenant(till.database.db, id, (tx) =>
			addBill(tx, id, {
				...{ payee: nth % 2 === 0 ? "platform" : "tenant", amountMinor: BigInt(10_000 + (nth % 500) * 100) },
				expiresAt: new Date(Date.now() + lifeMs),
			}),
		);
		const code = payUrlOf(intent, { keys, settings: { consoleUrl: "" } }).slice("/pay/".length);
		requests.push({ nth, code });
	}
	return requests;
}

async function setFaults(till: Till, { mobileMoney, cards }: Faults): Promise<void> {
	await till.sandbox("PUT", "/_control/faults", mobileMoney as object);
	await till.cards("PUT", "/_control/faults", cards as object);
}

/** Pays several requests at once, while what arrives is applied. */
async function payAll(till: Till, requests: readonly Request[]): Promise<void> {
	const left = [...requests];
	const work = async () => {
		for (let one = left.shift(); one !== undefined; one = left.shift()) await pay(till, one);
	};
	let isPaying = true;
	const paying = Promise.all(Array.from({ length: atOnce }, work)).finally(() => {
		isPaying = false;
	});
	while (isPaying) await Promise.all([till.service.jobs.runDue(), sleep(20)]);
	await paying;
}

const post = (till: Till, path: string, body: object) =>
	till.call({ method: "POST", url: `/api/v1/pay/${path}`, body });

/** No two prompts are for the same phone. What its owner does follows from its last digits. */
const push = (till: Till, request: Request, owner: string) =>
	post(till, `${request.code}/push`, { phone: `2547${String(request.nth).padStart(5, "0")}${owner}` });

async function checkOut(till: Till, request: Request, action: string): Promise<void> {
	const { body } = await post(till, `${request.code}/checkout`, { email: "amina@example.com" });
	const code = body["access_code"];
	if (typeof code === "string")
		await till.cards("POST", `/_control/checkouts/${code}`, { action, channel: "card" });
}

/** Pays by phone, by card or by both, or does not pay. */
async function pay(till: Till, request: Request): Promise<void> {
	const way = Math.floor(request.nth / rounds.length) % 10;
	if (way === 9) return checkOut(till, request, "decline");
	const owner = ({ 7: "032", 8: "037" } as Record<number, string>)[way] ?? "001";
	if (way < 4 || way > 5) await push(till, request, owner);
	if (way >= 4 && way <= 6) await checkOut(till, request, "pay");
}

async function passTime(till: Till): Promise<void> {
	await settle(till, 6);
	for (const seconds of ladder) {
		await till.wait(seconds);
		await settle(till, 1);
	}
	await settle(till, 6);
}

type Sent = { state: string; attempts: number };

/** Waits until no callback is being sent and no job is due, at so many checks in a row. */
async function settle(till: Till, checks: number): Promise<void> {
	for (let quiet = 0; quiet < checks; ) {
		const ran = await till.service.jobs.runDue();
		const sent = await Promise.all([
			till.sandbox("GET", "/_control/deliveries?limit=10000"),
			till.cards("GET", "/_control/deliveries"),
		]);
		const items = sent.flatMap(({ items: some }) => some as Sent[]);
		const isSending = items.some(({ state, attempts }) => state === "planned" && attempts === 0);
		quiet = isSending || ran > 0 ? 0 : quiet + 1;
		if (quiet < checks) await sleep(100);
	}
}

type Movement = Record<"receipt" | "kind" | "phone" | "subject", string> & {
	amount_minor: number;
	amount: number;
};
type Collected = { name: string; amountMinor: number };

async function readTruth(till: Till): Promise<{ prompts: Movement[]; charges: Movement[] }> {
	const moved: Movement[] = [];
	for (let total = 1; moved.length < total; ) {
		const page = await till.sandbox("GET", `/_control/ledger?limit=10000&offset=${moved.length}`);
		moved.push(...(page["movements"] as Movement[]));
		total = Number(page["total"]);
	}
	const { movements } = await till.cards("GET", "/_control/ledger");
	return {
		prompts: moved.filter(({ kind }) => kind === "push"),
		charges: (movements as Movement[]).filter(({ kind, amount }) => kind === "charge" && amount > 0),
	};
}

/** Returns what is wrong in the ledger and in the tenants' money after a storm; empty: nothing. */
export async function findWrong({ tenants, database: { db } }: Till): Promise<readonly object[]> {
	const read: Parameters<typeof findViolations>[0]["read"] = (text, values) =>
		acrossTenants(db, (tx) => tx.query(text, values));
	const wrong = [...(await findViolations({ read }))];
	for (const { id } of Object.values(tenants)) {
		const broken = await findBroken({ db }, id);
		// The clock moves by days, after which published events are removed.
		wrong.push(...broken.filter(({ rule }) => !rule.startsWith("I22")));
	}
	return wrong;
}

type Row = { receipt: string | null; amount: number; phone: string | null; reference: string | null };

/** A collection is named by its receipt number, one of a card by its reference. */
async function compare(till: Till): Promise<Storm> {
	const { prompts, charges } = await readTruth(till);
	const numbers = new Map(prompts.map(({ phone, receipt }) => [phone, receipt]));
	const truth: Collected[] = [
		...prompts.map((one) => ({ name: one.receipt, amountMinor: one.amount_minor })),
		...charges.map((one) => ({ name: one.subject, amountMinor: one.amount })),
	];
	const rows = await readAll<Row>(till, receiptsText);
	const ours = rows.map(({ receipt, amount, phone, reference }) => ({
		name: reference ?? receipt ?? numbers.get(phone ?? "") ?? "unknown",
		amountMinor: amount,
	}));
	const bills: Record<string, number> = {};
	for (const { status } of await readAll<{ status: string }>(
		till,
		"select status from intents where tenant_id = $1",
	))
		bills[status] = (bills[status] ?? 0) + 1;
	return {
		...{ collections: truth.length, collectedMinor: truth.reduce((sum, one) => sum + one.amountMinor, 0) },
		...{ differences: differ(truth, ours), bills, webhooks: await countWebhooks(till) },
	};
}

async function countWebhooks({ database: { db } }: Till): Promise<number> {
	const [row] = await db.query<{ webhooks: number }>(
		"select coalesce(sum(1 + duplicates), 0)::int as webhooks from webhook_deliveries",
	);
	return row?.webhooks ?? 0;
}

function differ(truth: readonly Collected[], ours: readonly Collected[]): string[] {
	const left = new Map<string, number>();
	const count = ({ name, amountMinor }: Collected, by: number) => {
		const key = `${name} ${amountMinor}`;
		left.set(key, (left.get(key) ?? 0) + by);
	};
	for (const one of truth) count(one, 1);
	for (const one of ours) count(one, -1);
	return [...left].flatMap(([key, n]) => {
		if (n === 0) return [];
		return n > 0 ? `${key}: no receipt` : `${key}: a receipt without a collection`;
	});
}

const receiptsText = `
select r.receipt, r.amount_minor::int as amount, a.phone,
       case when r.gateway = 'card_gateway' then a.reference end as reference
  from receipts r left join attempts a on a.tenant_id = r.tenant_id and a.id = r.attempt_id
 where r.tenant_id = $1 and r.state = 'verified'`;

async function readAll<R extends Record<string, unknown>>(till: Till, text: string): Promise<R[]> {
	const rows: R[] = [];
	for (const { id } of Object.values(till.tenants))
		rows.push(...(await inTenant(till.database.db, id, (tx) => tx.query<R>(text, [id]))));
	return rows;
}
