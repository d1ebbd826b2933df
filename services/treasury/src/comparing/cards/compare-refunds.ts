import { inTenant } from "@lango/postgres";
import { closeExplained, listUnexplained } from "../../exceptions/exception.store.ts";
import { raiseException } from "../../exceptions/raise-exception.ts";
import { requireAccepted, requireRead } from "../../gateways/calls/require-accepted.ts";
import type { CardGateway } from "../../gateways/card-gateway/account.ts";
import { type CardRefund, listRefunds } from "../../gateways/card-gateway/refunds.ts";
import { saidByRefundStatus } from "../../gateways/card-gateway/said-by-refund.ts";
import { toMinor } from "../../money/amount.ts";
import { refundOutcomeOf } from "../../outcomes/refunds/refund-outcome.ts";
import { findCounted, findReceipt } from "../../receipts/receipt.store.ts";
import { checkRefundsOf } from "../../refunding/find-out-refund.ts";
import { listRefundsOf } from "../../refunds/refund.store.ts";
import type { Refund } from "../../refunds/refund.ts";
import type { Range } from "../../settling/fetch-settlements.ts";
import type { Treasury } from "../../treasury.ts";
import { askPageByPage } from "./ask-page-by-page.ts";

const perPage = 100;
const pagesMax = 10_000;

type Comparing = Pick<Treasury, "db" | "now" | "gateways">;

/** What the gateway listed of a charge, by the id of its transaction; nothing: the charge was not counted. */
type Returned = { id: string; listed: readonly CardRefund[] };

/** So long it is looked again whether the charge of a refund is counted. */
const uncountedMs = 120 * 86_400_000;

const uncountedException = (transaction: string) =>
	({ class: "missing_here", subject: `refunds of charge ${transaction}` }) as const;

/**
 * Compares the refunds that were made at the card gateway within a time, and all of charges that were not
 * counted before, with ours: their events may be lost. Where something is not known here, the gateway is
 * asked for all refunds of the charge: two of one amount are distinguished only so. Compare charges first.
 * Returns how many the gateway listed; 0 without the capability `list_refunds`. What fails keeps nothing else
 * from being applied: the first failure is thrown at the end, `gateway_unavailable`, or `gateway_refused`
 * also if an entry cannot be read.
 */
export async function compareRefunds(domain: Comparing, gateway: CardGateway, range: Range): Promise<number> {
	if (!gateway.profile.settings.capabilities.list_refunds) return 0;
	const failures: unknown[] = [];
	const keep = (work: Promise<unknown>) => work.catch((failure: unknown) => failures.push(failure));
	const listed = new Map<string, CardRefund[]>();
	await keep(listAll(gateway, range, listed));
	const ask = (returned: Returned) =>
		compareReturned(domain, returned).catch((failure: unknown) => {
			failures.push(failure);
			return true;
		});
	const all = [...listed].map(([id, refunds]): Returned => ({ id, listed: refunds }));
	await keep(askPageByPage({ list: async (page) => pageOf(all, page), ask }));
	const since = new Date(domain.now().getTime() - uncountedMs);
	const { class: of, subject: prefix } = uncountedException("");
	const list = (page: Page) => listUnexplained(domain.db, { class: of, prefix, since, ...page });
	const askAgain = async ({ subject }: { subject: string }) => {
		const id = subject.slice(prefix.length);
		return listed.has(id) || ask({ id, listed: [] });
	};
	await keep(askPageByPage({ list, ask: askAgain }));
	if (failures.length > 0) throw failures[0];
	return all.reduce((sum, returned) => sum + returned.listed.length, 0);
}

type Page = { after: string | undefined; limit: number };

function pageOf(all: readonly Returned[], { after, limit }: Page): Returned[] {
	const first = all.findIndex(({ id }) => id === after) + 1;
	return all.slice(first, first + limit);
}

async function listAll(gateway: CardGateway, range: Range, listed: Map<string, CardRefund[]>): Promise<void> {
	const bounds = { from: range.from.toISOString(), to: range.to.toISOString() };
	let unread = 0;
	for (let page = 1; page <= pagesMax; page += 1) {
		const { refunds, unreadable } = requireAccepted(
			await listRefunds(gateway, { page, perPage, ...bounds }),
		).ids;
		for (const refund of refunds) {
			const { transactionId: id } = refund;
			if (id === undefined) unread += 1;
			else listed.set(id, [...(listed.get(id) ?? []), refund]);
		}
		unread += unreadable;
		if (refunds.length + unreadable < perPage) break;
	}
	requireRead(unread);
}

/** Returns whether the gateway answered, if it had to be asked. */
async function compareReturned(domain: Comparing, { id, listed }: Returned): Promise<boolean> {
	const { db, now } = domain;
	const counted = await findCounted(db, "card_gateway", id);
	const found =
		counted &&
		(await inTenant(db, counted.tenantId, async (tx) => ({
			receipt: await findReceipt(tx, counted.objectId),
			ours: await listRefundsOf(tx, counted.objectId),
		})));
	if (found?.receipt === undefined) {
		await raiseUncounted(domain, { id, listed });
		return true;
	}
	const { receipt, ours } = found;
	const isNews = listed.length === 0 || !listed.every((one) => isKnown(ours, one));
	if (isNews && !(await checkRefundsOf(domain, receipt))) return false;
	await closeExplained(db, { ...uncountedException(id), receiptIds: [receipt.id], now: now() });
	return true;
}

/** Whether a refund is recorded by its id, with its amount, and nothing follows from its state any more. */
const isKnown = (ours: readonly Refund[], { id, status, amountMinor }: CardRefund): boolean =>
	ours.some(
		(refund) =>
			refund.gatewayRef === id &&
			refund.amountMinor === amountMinor &&
			refundOutcomeOf(refund, saidByRefundStatus(status)) === undefined,
	);

/** A refund that failed moved no money. */
async function raiseUncounted({ db, now }: Comparing, { id, listed }: Returned): Promise<void> {
	const moved = listed.filter(({ status }) => saidByRefundStatus(status).kind !== "failed");
	const [first] = moved;
	if (first === undefined) return;
	const { currency = "KES" } = first;
	const amountMinor = moved.reduce((sum, one) => sum + one.amountMinor, 0n);
	await db.transaction((tx) =>
		raiseException(tx, {
			...{ ...uncountedException(id), amountMinor, currency, now: now(), ours: {} },
			theirs: {
				...{ transaction: id, amount_minor: toMinor(amountMinor), currency },
				refunds: moved.map((one) => one.id).join(", "),
			},
		}),
	);
}
