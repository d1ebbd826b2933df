import { acrossTenants, inTenant } from "@lango/postgres";
import { findViolations } from "../ledger/invariants.ts";
import { findBroken } from "../outcomes/state.ts";
import type { StormTill } from "./storm-till.ts";

/** What accounts of fees and losses have, and what the card gateway and its faults explain of it. */
export type Losses = Record<string, { ours: number; explained: number }>;

/** Movements of one kind at the gateways and in the treasury. They are exact if both have the same. */
type Compared = {
	/** How many there are at the gateways, and their sum. */
	truth: number;
	truthMinor: number;
	ours: number;
	oursMinor: number;
	/** At the gateways, and not here with this amount. */
	lost: string[];
	/** Here, and not at the gateways. */
	doubled: string[];
};

/** What a storm found. */
export type Storm = {
	moved: Record<"collections" | "refunds" | "reversals" | "payouts" | "transfers" | "disputes", Compared>;
	/** The accounts of the gateways whose balance here is another one than there. */
	accounts: Record<string, { ours: number; truth: number }>;
	/** Bills by their status at the end. */
	bills: Record<string, number>;
	/** Refunds, payouts and disputes by their status at the end. */
	ends: Record<string, number>;
	events: Events;
};

/**
 * What entered the treasury or left it: bills and other requests, webhooks, what gateways answered about
 * money, lines of settlements and statements; what was published.
 */
export type Events = Record<
	"bills" | "requests" | "webhooks" | "answers" | "settlementLines" | "statementLines" | "published",
	number
>;

export type Movement = Record<
	"receipt" | "kind" | "subject" | "account" | "at" | "from" | "to" | "reverses",
	string
> & {
	originator_conversation_id: string;
	shortcode: string | null;
	phone: string | null;
	reference: string | null;
	amount_minor: number;
	amount: number;
};
type Named = { name: string; amountMinor: number };

/** Reads the movements of a sandbox, in parts: from one on. Returns those that `isWanted` names. */
export async function readMovements(
	ask: StormTill["sandbox"],
	isWanted: (one: Movement) => boolean,
	from = 0,
): Promise<Movement[]> {
	const wanted: Movement[] = [];
	for (let [offset, total] = [from, from + 1]; offset < total; offset += 10_000) {
		const page = await ask("GET", `/_control/ledger?limit=10000&offset=${offset}`);
		wanted.push(...(page["movements"] as Movement[]).filter(isWanted));
		total = Number(page["total"]);
	}
	return wanted;
}

/** Compares what moved at the gateways with what the treasury has. */
export async function compare(till: StormTill): Promise<Storm> {
	const mobile = await readMovements(till.sandbox, ({ kind }) => kind !== "deposit");
	const cards = await readMovements(till.cards, () => true);
	return {
		moved: {
			collections: await compareCollections(till, { mobile, cards }),
			refunds: differ(
				cards
					.filter(({ kind }) => kind === "refund")
					.map((one) => ({ name: one.subject, amountMinor: -one.amount })),
				await readAll<Named>(till, refundsText),
			),
			reversals: differ(
				mobile
					.filter(({ kind }) => kind === "reversal")
					.map((one) => ({ name: one.reverses, amountMinor: one.amount_minor })),
				await readAll<Named>(till, reversalsText),
			),
			payouts: differ(
				mobile
					.filter(({ kind }) => kind === "payout" || kind === "business" || kind === "own_working")
					.map((one) => ({ name: one.originator_conversation_id, amountMinor: one.amount_minor })),
				await readAll<Named>(till, payoutsText),
			),
			transfers: differ(sumTransfers(cards), await readAll<Named>(till, transfersText)),
			disputes: differ(
				cards
					.filter(({ kind }) => kind === "dispute")
					.map((one) => ({ name: one.subject, amountMinor: -one.amount })),
				await readAll<Named>(till, disputesText),
			),
		},
		accounts: await compareAccounts(till),
		bills: await countBy(
			till,
			"select status, count(*)::int as count from intents where tenant_id = $1 group by status",
		),
		ends: await countBy(till, endsText),
		events: await countEvents(till),
	};
}

/** What left the balance for each transfer, less its fee and what came back. */
function sumTransfers(cards: readonly Movement[]): Named[] {
	const sums = new Map<string, number>();
	for (const { kind, subject, amount } of cards)
		if (kind === "transfer" || kind === "transfer_returned")
			sums.set(subject, (sums.get(subject) ?? 0) - amount);
	return [...sums].filter(([, sum]) => sum !== 0).map(([name, amountMinor]) => ({ name, amountMinor }));
}

const collected = new Set(["push", "paybill", "till", "standing_order"]);

type Movements = { mobile: readonly Movement[]; cards: readonly Movement[] };

/** A collection is named by its receipt number, one of a card by its reference. */
async function compareCollections(till: StormTill, { mobile, cards }: Movements): Promise<Compared> {
	const received = mobile.filter(({ kind }) => collected.has(kind));
	const charges = cards.filter(({ kind, amount }) => kind === "charge" && amount > 0);
	const numbers = new Map(received.map(({ phone, receipt }) => [phone, receipt]));
	const ours = (await readAll<Receipt>(till, receiptsText)).map(({ receipt, amount, phone, reference }) => ({
		name: reference ?? receipt ?? numbers.get(phone ?? "") ?? "unknown",
		amountMinor: amount,
	}));
	return differ(
		[
			...received.map((one) => ({ name: one.receipt, amountMinor: one.amount_minor })),
			...charges.map((one) => ({ name: one.subject, amountMinor: one.amount })),
		],
		ours,
	);
}

const sumOf = (all: readonly Named[]): number => all.reduce((sum, one) => sum + one.amountMinor, 0);

function differ(truth: readonly Named[], ours: readonly Named[]): Compared {
	const left = new Map<string, number>();
	const add = ({ name, amountMinor }: Named, by: number) => {
		const key = `${name} ${amountMinor}`;
		left.set(key, (left.get(key) ?? 0) + by);
	};
	for (const one of truth) add(one, 1);
	for (const one of ours) add(one, -1);
	const those = (is: (n: number) => boolean) => [...left].filter(([, n]) => is(n)).map(([key]) => key);
	return {
		...{ truth: truth.length, truthMinor: sumOf(truth), ours: ours.length, oursMinor: sumOf(ours) },
		...{ lost: those((n) => n > 0), doubled: those((n) => n < 0) },
	};
}

/** The accounts of the card gateway and of the shortcodes, here and there. */
async function compareAccounts(till: StormTill): Promise<Storm["accounts"]> {
	const [ours, truth] = [await readOurs(till), await readCardBalances(till)];
	const { items } = await till.sandbox("GET", "/_control/shortcodes");
	const shortcodes = items as Array<{ shortcode: string; utility_minor: number; working_minor: number }>;
	const own = new Set(["600100", ...till.shops.map(({ shortcode }) => shortcode)]);
	const there = [
		["card.unsettled", truth["unsettled"]] as const,
		["card.balance", truth["balance"]] as const,
		["bank", truth["bank"]] as const,
		...shortcodes
			.filter(({ shortcode }) => own.has(shortcode))
			.map((one) => [`mm.float.${one.shortcode}`, one.utility_minor + one.working_minor] as const),
	];
	return Object.fromEntries(
		there
			.map(([code, minor = 0]) => [code, { ours: ours.get(code) ?? 0, truth: minor }] as const)
			.filter(([, { ours: here, truth: other }]) => here !== other),
	);
}

/** What our accounts of the platform have, and the floats of shortcodes, by code. */
async function readOurs({ database: { db } }: StormTill): Promise<ReadonlyMap<string, number>> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<{ code: string; balance: number }>(
			`select a.code, sum(b.balance_minor)::float8 as balance from ledger_accounts a join ledger_balances b on b.account_id = a.id
			  where a.currency = 'KES' and (a.tenant_id is null or a.code like 'mm.float.%') group by a.code`,
		),
	);
	return new Map(rows.map(({ code, balance }) => [code, balance]));
}

/** What the accounts of the card gateway have, by its sandbox. */
async function readCardBalances(till: StormTill): Promise<Readonly<Record<string, number>>> {
	const { balances } = await till.cards("GET", "/_control/ledger?limit=1");
	return (balances as Record<string, Record<string, number>>)["KES"] ?? {};
}

/**
 * Compares fees and losses with what explains them. All that the gateway keeps is a fee: what a settlement
 * takes more than the event of a charge said is in its lines. So nothing explains a variance, and operators
 * of a storm give up no debt, also not that of a chargeback.
 */
export async function compareLosses(till: StormTill): Promise<Losses> {
	const [ours, truth] = [await readOurs(till), await readCardBalances(till)];
	const fees = [...ours].filter(([code]) => code.startsWith("gateway_fee."));
	return {
		"gateway_fee.*": { ours: fees.reduce((sum, [, minor]) => sum + minor, 0), explained: truth["fees"] ?? 0 },
		recon_variance: { ours: ours.get("recon_variance") ?? 0, explained: 0 },
		chargeback_loss: { ours: ours.get("chargeback_loss") ?? 0, explained: 0 },
	};
}

/**
 * Returns which of some things a storm did not do: what moved at shortcodes, named as `moved push`, and the
 * beginnings of the names of `Storm.ends`.
 */
export async function findMissing(till: StormTill, required: readonly string[]): Promise<string[]> {
	const moved = await readMovements(till.sandbox, () => true);
	const ends = Object.keys(await countBy(till, endsText));
	const done = new Set([...moved.map(({ kind }) => `moved ${kind}`), ...ends]);
	return required.filter((what) => !done.has(what) && !ends.some((end) => end.startsWith(`${what} `)));
}

async function countBy(till: StormTill, text: string): Promise<Record<string, number>> {
	const counts: Record<string, number> = {};
	for (const { status, count: some } of await readAll<{ status: string; count: number }>(till, text))
		counts[status] = (counts[status] ?? 0) + some;
	return counts;
}

/** Counts what entered the treasury and left it until now. */
export async function countEvents({ database: { db }, asked }: StormTill): Promise<Events> {
	const [stored] = await db.query<Omit<Events, "bills" | "requests" | "answers">>(eventsText);
	const [said] = await acrossTenants(db, (tx) => tx.query<Pick<Events, "answers">>(answersText));
	if (stored === undefined || said === undefined) throw new Error("a count has a row");
	return { ...asked, ...stored, ...said };
}

const answersText = "select count(*)::int as answers from evidence where source in ('query', 'answer')";

/** Webhooks that came again count again. */
const eventsText = `
select (select coalesce(sum(1 + duplicates), 0)::int from webhook_deliveries) as webhooks,
       (select count(*)::int from settlement_lines) as "settlementLines",
       (select count(*)::int from statement_lines) as "statementLines",
       (select count(*)::int from outbox where published_at is not null) as published`;

/** The size of the database in MB. */
export async function databaseMb({ database: { db } }: StormTill): Promise<number> {
	const [row] = await db.query<{ mb: number }>(
		"select round(pg_database_size(current_database()) / 1e6)::int as mb",
	);
	return row?.mb ?? 0;
}

/** Returns what is wrong in the ledger and in the tenants' money after a storm; empty: nothing. */
export async function findWrong({ tenants, shops, database: { db } }: StormTill): Promise<readonly object[]> {
	const read: Parameters<typeof findViolations>[0]["read"] = (text, values) =>
		acrossTenants(db, (tx) => tx.query(text, values));
	const wrong = [...(await findViolations({ read }))];
	for (const { id } of [tenants.lango, ...shops]) wrong.push(...(await findBroken({ db }, id)));
	return wrong;
}

type Receipt = { receipt: string | null; amount: number; phone: string | null; reference: string | null };

const receiptsText = `
select r.receipt, r.amount_minor::int as amount, a.phone,
       case when r.gateway = 'card_gateway' then coalesce(a.reference, r.account_ref) end as reference
  from receipts r left join attempts a on a.tenant_id = r.tenant_id and a.id = r.attempt_id
 where r.tenant_id = $1 and r.kind = 'collection' and r.state = 'verified'`;

const refundsText = `
select coalesce(a.reference, r.account_ref) as name, f.amount_minor::int as "amountMinor"
  from refunds f join receipts r on r.tenant_id = f.tenant_id and r.id = f.receipt_id
  left join attempts a on a.tenant_id = r.tenant_id and a.id = r.attempt_id
 where f.tenant_id = $1 and f.method = 'card' and f.status = 'processed'`;

const reversalsText = `
select r.receipt as name, f.amount_minor::int as "amountMinor"
  from refunds f join receipts r on r.tenant_id = f.tenant_id and r.id = f.receipt_id
 where f.tenant_id = $1 and f.method = 'reversal' and f.status = 'processed'`;

const payoutsText = `
select reference as name, net_minor::int as "amountMinor" from payouts
 where tenant_id = $1 and rail = 'mobile_money' and status = 'paid'
union all
select originator_id, amount_minor::int from refunds where tenant_id = $1 and method = 'payout' and status = 'processed'`;

const transfersText = `
select reference as name, net_minor::int as "amountMinor" from payouts
 where tenant_id = $1 and rail = 'card_gateway' and status = 'paid'`;

const disputesText = `
select coalesce(a.reference, r.account_ref) as name, d.amount_minor::int as "amountMinor"
  from disputes d join receipts r on r.tenant_id = d.tenant_id and r.id = d.receipt_id
  left join attempts a on a.tenant_id = r.tenant_id and a.id = r.attempt_id
 where d.tenant_id = $1 and d.status = 'lost'`;

const endsText = `
select 'refund ' || method || ' ' || status as status, count(*)::int as count from refunds where tenant_id = $1 group by 1
union all
select concat_ws(' ', 'payout', kind, case when batch_id is not null then 'of several' end, status), count(*)::int
  from payouts where tenant_id = $1 group by 1
union all
select 'card subscription ' || status, count(*)::int from card_subscriptions where tenant_id = $1 group by 1
union all
select 'paid at a page', count(*)::int from intents i join payment_pages g on g.tenant_id = i.tenant_id and g.id::text = i.order_id
 where i.tenant_id = $1 and i.status = 'succeeded' having count(*) > 0
union all
select 'dispute ' || status, count(*)::int from disputes where tenant_id = $1 group by 1`;

async function readAll<R extends Record<string, unknown>>(till: StormTill, text: string): Promise<R[]> {
	const rows: R[] = [];
	for (const { id } of [till.tenants.lango, ...till.shops])
		rows.push(...(await inTenant(till.database.db, id, (tx) => tx.query<R>(text, [id]))));
	return rows;
}
