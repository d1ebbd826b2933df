import { setTimeout as sleep } from "node:timers/promises";
import { acrossTenants } from "@lango/postgres";
import { bookTopUp } from "./people.ts";
import type { Shop, StormTill } from "./storm-till.ts";
import { compare, type Movement, readMovements, type Storm } from "./truth.ts";

/** Enters the one-time passwords for which transfers wait: new ones, because the first may be over. */
export async function enterPasswords(till: StormTill): Promise<void> {
	const waiting = await acrossTenants(till.database.db, (tx) =>
		tx.query<{ id: string; reference: string }>(
			// The sandbox shows the newest ones.
			"select id, reference from payouts where status = 'needs_otp' order by created_at desc, id desc",
		),
	);
	for (const { id, reference } of waiting) {
		await till.operate("POST", `payouts/${id}/resend-otp`, { body: {} });
		const { transfers } = await till.cards("GET", "/_control/overview");
		const shown = transfers as Array<{ reference: string; otp: string }>;
		const otp = shown.find((one) => one.reference === reference)?.otp;
		if (otp !== undefined) await till.operate("POST", `payouts/${id}/otp`, { body: { otp } });
	}
}

export type Exception = Record<"id" | "class" | "subject", string> & {
	amount_minor: number;
	ours: Record<string, unknown>;
	theirs: Record<string, unknown>;
	proposed: { purpose: string } | null;
};

/** How often operators did what, by the class of an exception or by what they decided about. */
export type Decisions = Record<string, number>;

function count(decisions: Decisions, what: string): void {
	decisions[what] = (decisions[what] ?? 0) + 1;
}

/** Lists the open exceptions. */
export async function listOpen(till: StormTill): Promise<Exception[]> {
	const found: Exception[] = [];
	for (let cursor = ""; ; ) {
		const path = `reconciliation/exceptions?state=open&limit=100${cursor === "" ? "" : `&cursor=${cursor}`}`;
		const { status, body } = await insist(() => till.operate("GET", path));
		if (status !== 200) throw new Error(`the exceptions answered ${status}: ${JSON.stringify(body)}`);
		found.push(...(body["items"] as Exception[]));
		if (typeof body["next_cursor"] !== "string") return found;
		cursor = encodeURIComponent(body["next_cursor"]);
	}
}

const dayMs = 86_400_000;

/** How many movements of each ledger the statements had that were imported until now. */
export type Imported = { mobile: number; cards: number };

/** Starts the runs of a day, and imports the new lines of the statements of shortcodes and bank. */
export async function compareDay(
	till: StormTill,
	imported: Imported,
	settled: () => Promise<void>,
): Promise<void> {
	await importStatements(till, imported);
	await settled();
	const now = till.now().getTime();
	const range = { from: new Date(now - 30 * dayMs), to: new Date(now + dayMs) };
	for (const kind of ["settlements", "transactions", "expectations", "balances"]) {
		const started = await insist(() =>
			till.operate("POST", "reconciliation/runs", { body: { kind, ...range } }),
		);
		if (started.status !== 202)
			throw new Error(`${kind} answered ${started.status}: ${JSON.stringify(started.body)}`);
		await settled();
	}
}

const triesMax = 20;

/** On a busy machine an answer is that the database takes too long: the operator tries again. */
async function insist<A extends { status: number }>(ask: () => Promise<A>, tries = 1): Promise<A> {
	const answer = await ask();
	if (answer.status < 500 || tries === triesMax) return answer;
	await sleep(1_000);
	return insist(ask, tries + 1);
}

/**
 * Does what operators do about exceptions: posts a journal that is proposed if the ledger of the gateway
 * confirms it, accepts what is explained otherwise, and asks about what a statement has. What nothing here
 * explains stays open. So no variance is booked: no fault makes the gateway pay less than it states. Returns
 * how many it could do something about.
 */
export async function explain(till: StormTill, decisions: Decisions): Promise<number> {
	const open = await listOpen(till);
	if (open.length === 0) return 0;
	const known = await readKnown(till);
	let done = 0;
	for (const one of open) {
		const { what, act } = actionOf(till, one, known);
		if (!(await act())) continue;
		count(decisions, `${one.class} ${what}`);
		done += 1;
	}
	return done;
}

/** What operators do about an exception; `act` returns whether they could. */
type Action = { what: string; act: () => Promise<boolean> };

function actionOf(till: StormTill, one: Exception, known: Known): Action {
	const waived = { what: "waived", act: () => resolve(till, one, "waived") };
	if (isFeeError(one) || isConfirmed(one, known)) return waived;
	const posted = { what: `posted ${one.proposed?.purpose}`, act: () => resolve(till, one, "posted") };
	if (isLost(one, known)) return posted;
	const forgotten = forgottenOf(one, known);
	if (forgotten === undefined) return { what: "asked", act: () => askAbout(till, one) };
	if (one.proposed !== null && one.amount_minor === forgotten) return posted;
	return { what: "booked", act: () => bookTopUp(till, forgotten).then(() => true) };
}

/** What the fault `settlement_fee_error` adds to the fee of each charge of a settlement. */
const feeErrorMinor = 100;

/** The settlement took more than the event of the charge said, by that fault. The fee is corrected. */
const isFeeError = ({ class: of, proposed, ours, theirs }: Exception): boolean =>
	of === "fee" &&
	proposed === null &&
	Number(theirs["fee_minor"]) - Number(ours["fee_minor"]) === feeErrorMinor;

/** A charge of the gateway's ledger is not counted, and its journal is proposed. */
const isLost = ({ class: of, proposed, theirs }: Exception, { found }: Known): boolean =>
	of === "missing_here" &&
	proposed !== null &&
	found.moved.collections.lost.includes(`${theirs["reference"]} ${theirs["amount_minor"]}`);

/** The bank lacks what the transfer balance has more: a top-up that was not booked. Returns its amount. */
function forgottenOf({ class: of, ours }: Exception, { found: { accounts } }: Known): number | undefined {
	const { "card.balance": balance, bank } = accounts;
	const isOfBalance = of === "balance" && ours["account"] === "card.balance";
	if (!isOfBalance || balance === undefined || bank === undefined) return undefined;
	const amount = balance.truth - balance.ours;
	return amount > 0 && amount === bank.ours - bank.truth ? amount : undefined;
}

/** `ended` has the ids of what has ended, and the references of charges that were returned. */
type Known = { found: Storm; charges: ReadonlyMap<string, number>; ended: ReadonlySet<string> };

async function readKnown(till: StormTill): Promise<Known> {
	const charges = await readMovements(till.cards, ({ kind, amount }) => kind === "charge" && amount > 0);
	const ended = await acrossTenants(till.database.db, (tx) =>
		tx.query<{ id: string }>(
			`select id::text from refunds where ended_at is not null
			 union all select id::text from payouts where ended_at is not null
			 union all select id::text from attempts where ended_at is not null
			 union all select id::text from disputes where ended_at is not null
			 union all
			 select coalesce(a.reference, r.account_ref)
			   from (select tenant_id, receipt_id from refunds where status = 'processed'
			         union select tenant_id, receipt_id from disputes where status = 'lost') returned
			   join receipts r on r.tenant_id = returned.tenant_id and r.id = returned.receipt_id
			   left join attempts a on a.tenant_id = r.tenant_id and a.id = r.attempt_id`,
		),
	);
	return {
		found: await compare(till),
		charges: new Map(charges.map(({ subject, amount }) => [subject, amount])),
		ended: new Set(ended.map(({ id }) => id)),
	};
}

/**
 * Whether both ledgers say the same by now: the gateway has this amount; it has nothing of what is missing
 * there; the account has what the gateway has; what somebody had to look at has ended.
 */
function isConfirmed(
	{ class: of, subject, ours, theirs }: Exception,
	{ found, charges, ended }: Known,
): boolean {
	const { collections } = found.moved;
	const isCounted = ![...collections.lost, ...collections.doubled].some((one) =>
		one.startsWith(`${subject} `),
	);
	if (of === "amount" && charges.has(subject))
		return isCounted && charges.get(subject) === theirs["amount_minor"];
	if (of === "balance") return found.accounts[String(ours["account"])] === undefined;
	const id = ours["attempt_id"] ?? ours["refund_id"] ?? ours["payout_id"] ?? ours["dispute_id"];
	const isOver = ended.has(String(id));
	// A settlement contains a charge that was returned: it names the charge alone.
	if (of === "status") return isOver || ended.has(String(ours["reference"]));
	// What a forger confirmed is in neither ledger.
	return of === "missing_there" && isCounted && (isOver || ours["receipt_id"] !== undefined);
}

type Waiting = { id: string; kind: "refunds" | "payouts" | "disputes"; what: string; name: string };

/** What left the gateways by a refund, a payout or a dispute that is not counted as such yet. */
async function listUncounted(till: StormTill): Promise<string[]> {
	const { moved } = await compare(till);
	const named = (what: string, names: readonly string[]) => names.map((name) => `${what} ${name}`);
	return [
		...named("card", moved.refunds.lost),
		...named("reversal", moved.reversals.lost),
		...named("card_gateway", moved.transfers.lost),
		...named("dispute", moved.disputes.lost),
		...["payout", "mobile_money"].flatMap((what) => named(what, moved.payouts.lost)),
	];
}

function takeOne(left: string[], name: string): boolean {
	const at = left.indexOf(name);
	if (at !== -1) left.splice(at, 1);
	return at !== -1;
}

const waitingText = `
select f.id, 'refunds' as kind, f.method as what,
       concat_ws(' ', case f.method when 'card' then coalesce(a.reference, r.account_ref) when 'reversal' then r.receipt
                                    else f.originator_id end, f.amount_minor) as name
  from refunds f join receipts r on r.tenant_id = f.tenant_id and r.id = f.receipt_id
  left join attempts a on a.tenant_id = r.tenant_id and a.id = r.attempt_id
 where f.needs_review and f.ended_at is null
union all
select id, 'payouts', rail, concat_ws(' ', reference, net_minor) from payouts where needs_review and ended_at is null
union all
select d.id, 'disputes', 'dispute', concat_ws(' ', coalesce(a.reference, r.account_ref), d.amount_minor)
  from disputes d join receipts r on r.tenant_id = d.tenant_id and r.id = d.receipt_id
  left join attempts a on a.tenant_id = r.tenant_id and a.id = r.attempt_id
 where d.ended_at is null and d.due_at < $1`;

/** What operators say of each kind whose money has moved, and of one whose money has not. */
const ends = { refunds: ["processed", "failed"], payouts: ["paid", "failed"], disputes: ["lost", "won"] };

/**
 * Two operators decide what gateways say nothing about, after they looked into their statements: whether the
 * money of a refund, a payout or an overdue dispute has moved. Returns how many wait for that.
 */
export async function decide(
	till: StormTill,
	decisions: Decisions,
	settled: () => Promise<void>,
): Promise<number> {
	const waiting = await acrossTenants(till.database.db, (tx) => tx.query<Waiting>(waitingText, [till.now()]));
	if (waiting.length === 0) return 0;
	const left = await listUncounted(till);
	const all = waiting.map(({ id, kind, what, name }) => {
		const [moved = "", notMoved = ""] = ends[kind];
		return { kind, id, as: takeOne(left, `${what} ${name}`) ? moved : notMoved };
	});
	for (const by of ["maker", "checker"] as const) {
		// The gateway is asked once more, and the decision counts once it has answered.
		const first = await resolveAll(till, all, by);
		await settled();
		const again = await resolveAll(till, first.pending, by);
		await settled();
		if (by === "checker")
			for (const { kind, as } of [...first.done, ...again.done]) count(decisions, `${kind} ${as}`);
	}
	return waiting.length;
}

type Decision = Pick<Waiting, "kind" | "id"> & { as: string };

async function resolveAll(
	till: StormTill,
	all: readonly Decision[],
	by: "maker" | "checker",
): Promise<Record<"pending" | "done", Decision[]>> {
	const resolved = { pending: [] as Decision[], done: [] as Decision[] };
	for (const one of all) {
		const body = { as: one.as, because: "Its statement says so." };
		const asked = await till.operate("POST", `${one.kind}/${one.id}/resolve`, { body, by });
		if (asked.body["code"] === "verify_pending") resolved.pending.push(one);
		if (asked.status === 200) resolved.done.push(one);
	}
	return resolved;
}

async function resolve(till: StormTill, { id }: Exception, as: "waived" | "posted"): Promise<boolean> {
	const body = { as, because: "A storm." };
	const resolved = await till.operate("POST", `reconciliation/exceptions/${id}/resolve`, { body });
	const { adjustment_id } = resolved.body;
	if (typeof adjustment_id !== "string") return resolved.status === 200;
	const path = `adjustments/${adjustment_id}/approve`;
	return (await till.operate("POST", path, { body: {}, by: "checker" })).status === 200;
}

/** A statement has what the treasury does not know: its shop asks the gateway about the number. */
async function askAbout(till: StormTill, { class: of, theirs, amount_minor }: Exception): Promise<boolean> {
	if (of !== "missing_here" || typeof theirs["shortcode"] !== "string" || amount_minor < 0) return false;
	const shop = shopOf(till, theirs["shortcode"]);
	const body = { receipt: theirs["receipt"] };
	const asked = shop && (await till.ask(shop, "POST mobile-money/status", { body }));
	return asked?.status === 202;
}

const platformShop = ({ tenants }: StormTill): Shop => ({
	...tenants.lango,
	shortcode: "600100",
	kind: "paybill",
	recipientId: "",
});

const shopOf = (till: StormTill, shortcode: string): Shop | undefined =>
	[platformShop(till), ...till.shops].find((one) => one.shortcode === shortcode);

/** Imports what came to each shortcode and left it, by the sandbox's truth, and what the bank received. */
async function importStatements(till: StormTill, imported: Imported): Promise<void> {
	const [mobile, cards] = [
		await readMovements(till.sandbox, () => true, imported.mobile),
		await readMovements(till.cards, () => true, imported.cards),
	];
	const own = new Map(
		[platformShop(till), ...till.shops].map(({ shortcode }) => [shortcode, [] as string[]]),
	);
	const tills = new Set(till.shops.flatMap(({ kind, shortcode }) => (kind === "till" ? shortcode : [])));
	for (const one of mobile.filter(({ kind }) => kind !== "deposit")) {
		const [from, to] = [shortcodeOf(one.from), shortcodeOf(one.to)];
		const line = (minor: number) =>
			`${one.at},${(minor / 100).toFixed(2)},${one.receipt},,${namedBy(one, tills)}`;
		// Between two accounts of a shortcode: the statement of the one that is paid to has it.
		if (from !== undefined) own.get(from)?.push(line(-one.amount_minor));
		if (to !== undefined && to !== from) own.get(to)?.push(line(one.amount_minor));
	}
	for (const [shortcode, lines] of own) await send(till, shortcode, lines);
	const banked = cards.filter(({ account }) => account === "bank");
	await send(
		till,
		"bank",
		banked.map((one) => `${one.at},${(one.amount / 100).toFixed(2)},${one.subject},,,`),
	);
	imported.mobile += mobile.length;
	imported.cards += cards.length;
}

/** A statement of a paybill names the account and masks the phone; that of a till shows the phone. */
function namedBy({ shortcode, reference, phone }: Movement, tills: ReadonlySet<string>): string {
	const shown = phone ?? "";
	return tills.has(shortcode ?? "")
		? `,${shown}`
		: `${reference ?? ""},${shown.slice(0, 4)}*****${shown.slice(-3)}`;
}

const shortcodeOf = (account: string) => /^shortcode\/(\d+)\//.exec(account)?.[1];

async function send(till: StormTill, source: string, lines: readonly string[]): Promise<void> {
	if (lines.length === 0) return;
	const body = Buffer.from(`date,amount,reference,description,account,payer\n${lines.join("\n")}\n`);
	const asked = { body, headers: { "content-type": "text/csv" } };
	const sent = await insist(() => till.operate("POST", `statements?source=${source}`, asked));
	if (sent.status !== 200)
		throw new Error(`the statement answered ${sent.status}: ${JSON.stringify(sent.body)}`);
}
