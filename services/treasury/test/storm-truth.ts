import { acrossTenants, inTenant } from "@lango/postgres";
import { findViolations } from "./ledger/invariants.ts";
import { findBroken } from "./outcomes/state.ts";
import type { StormTill } from "./storm.ts";
import type { Till } from "./till.ts";

/** What a storm found. It is exact if each collection is one receipt of its amount, and nothing else is. */
export type Storm = {
	/** Collections in the ledgers of the sandboxes, and their sum. */
	collections: number;
	collectedMinor: number;
	/** Our receipts, and their sum. */
	receipts: number;
	receivedMinor: number;
	/** Collections without a receipt of their amount. */
	lost: string[];
	/** Receipts beyond the collections. */
	doubled: string[];
	/** Bills by their status at the end. */
	bills: Record<string, number>;
	/** Webhooks that were stored, those that came again included. */
	webhooks: number;
	/** Events that were published. */
	events: number;
};

type Movement = Record<"receipt" | "kind" | "phone" | "subject", string> & {
	amount_minor: number;
	amount: number;
};
type Collected = { name: string; amountMinor: number };

/** Reads every movement of a sandbox, in parts. Returns those that `isWanted` names. */
async function readMovements(
	ask: Till["sandbox"],
	isWanted: (one: Movement) => boolean,
): Promise<Movement[]> {
	const wanted: Movement[] = [];
	for (let [offset, total] = [0, 1]; offset < total; offset += 10_000) {
		const page = await ask("GET", `/_control/ledger?limit=10000&offset=${offset}`);
		wanted.push(...(page["movements"] as Movement[]).filter(isWanted));
		total = Number(page["total"]);
	}
	return wanted;
}

/** A collection is named by its receipt number, one of a card by its reference. */
export async function compare(till: StormTill): Promise<Storm> {
	const prompts = await readMovements(till.sandbox, ({ kind }) => kind === "push");
	const charges = await readMovements(till.cards, ({ kind, amount }) => kind === "charge" && amount > 0);
	const numbers = new Map(prompts.map(({ phone, receipt }) => [phone, receipt]));
	const truth: Collected[] = [
		...prompts.map((one) => ({ name: one.receipt, amountMinor: one.amount_minor })),
		...charges.map((one) => ({ name: one.subject, amountMinor: one.amount })),
	];
	const ours = (await readAll<Row>(till, receiptsText)).map(({ receipt, amount, phone, reference }) => ({
		name: reference ?? receipt ?? numbers.get(phone ?? "") ?? "unknown",
		amountMinor: amount,
	}));
	return {
		...{ collections: truth.length, collectedMinor: sumOf(truth) },
		...{ receipts: ours.length, receivedMinor: sumOf(ours), ...differ(truth, ours) },
		...{ bills: await countBills(till), webhooks: await count(till, webhooksText) },
		events: await count(till, "select count(*)::int as count from outbox where published_at is not null"),
	};
}

const sumOf = (all: readonly Collected[]): number => all.reduce((sum, one) => sum + one.amountMinor, 0);

function differ(truth: readonly Collected[], ours: readonly Collected[]): Pick<Storm, "lost" | "doubled"> {
	const left = new Map<string, number>();
	const add = ({ name, amountMinor }: Collected, by: number) => {
		const key = `${name} ${amountMinor}`;
		left.set(key, (left.get(key) ?? 0) + by);
	};
	for (const one of truth) add(one, 1);
	for (const one of ours) add(one, -1);
	const those = (is: (n: number) => boolean) => [...left].filter(([, n]) => is(n)).map(([key]) => key);
	return { lost: those((n) => n > 0), doubled: those((n) => n < 0) };
}

async function countBills(till: StormTill): Promise<Record<string, number>> {
	const bills: Record<string, number> = {};
	const text = "select status, count(*)::int as count from intents where tenant_id = $1 group by status";
	for (const { status, count: some } of await readAll<{ status: string; count: number }>(till, text))
		bills[status] = (bills[status] ?? 0) + some;
	return bills;
}

async function count({ database: { db } }: Till, text: string): Promise<number> {
	const [row] = await db.query<{ count: number }>(text);
	return row?.count ?? 0;
}

const webhooksText = "select coalesce(sum(1 + duplicates), 0)::int as count from webhook_deliveries";

/** Returns what is wrong in the ledger and in the tenants' money after a storm; empty: nothing. */
export async function findWrong({ tenants, shops, database: { db } }: StormTill): Promise<readonly object[]> {
	const read: Parameters<typeof findViolations>[0]["read"] = (text, values) =>
		acrossTenants(db, (tx) => tx.query(text, values));
	const wrong = [...(await findViolations({ read }))];
	for (const { id } of [tenants.lango, ...shops]) wrong.push(...(await findBroken({ db }, id)));
	return wrong;
}

type Row = { receipt: string | null; amount: number; phone: string | null; reference: string | null };

const receiptsText = `
select r.receipt, r.amount_minor::int as amount, a.phone,
       case when r.gateway = 'card_gateway' then a.reference end as reference
  from receipts r left join attempts a on a.tenant_id = r.tenant_id and a.id = r.attempt_id
 where r.tenant_id = $1 and r.kind = 'collection' and r.state = 'verified'`;

async function readAll<R extends Record<string, unknown>>(till: StormTill, text: string): Promise<R[]> {
	const rows: R[] = [];
	for (const { id } of [till.tenants.lango, ...till.shops])
		rows.push(...(await inTenant(till.database.db, id, (tx) => tx.query<R>(text, [id]))));
	return rows;
}
