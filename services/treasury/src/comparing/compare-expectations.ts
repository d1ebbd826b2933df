import type { Proposal } from "../exceptions/exception.ts";
import { raiseException } from "../exceptions/raise-exception.ts";
import { getCardProfile } from "../gateways/profiles/profile.store.ts";
import { compareStatements } from "../importing/import-statement.ts";
import { toProposed, varyUnsettled } from "../ledger/postings/settling.ts";
import { toMinor } from "../money/amount.ts";
import type { Treasury } from "../treasury.ts";
import {
	listUnbanked,
	listUnlistedPayouts,
	listUnlistedReceipts,
	listUnlistedRefunds,
	listUnpaid,
	listUnsettled,
	type Overdue,
} from "./expected.store.ts";

const atOnce = 100;
const dayMs = 86_400_000;

/**
 * What is expected: a settlement contains each charge, is paid out, and is in the statement of the bank; what
 * a shortcode received, paid out and returned is in its statement.
 */
const expectations = [
	{ list: listUnsettled, kind: "receipt", subject: "charge", waitsFor: "settlement" },
	{ list: listUnpaid, kind: "settlement", subject: "settlement", waitsFor: "payment" },
	{ list: listUnbanked, kind: "settlement", subject: "bank line of settlement", waitsFor: "bank" },
	{
		list: listUnlistedReceipts,
		kind: "receipt",
		subject: "statement line of receipt",
		waitsFor: "statement",
	},
	{ list: listUnlistedPayouts, kind: "payout", subject: "statement line of payout", waitsFor: "statement" },
	{ list: listUnlistedRefunds, kind: "refund", subject: "statement line of refund", waitsFor: "statement" },
] as const;

/**
 * Compares statements of shortcodes again, then raises an exception for each charge that no settlement
 * contains when it is due, for each settlement that is not paid out then, and for what statements cover and
 * do not have. Returns how many are late.
 */
export async function compareExpectations(domain: Treasury): Promise<number> {
	await compareStatements(domain);
	const { settings } = await getCardProfile(domain.db);
	const before = new Date(domain.now().getTime() - settings.settlement_days * dayMs);
	let late = 0;
	for (const { list, ...expectation } of expectations)
		for (let after: string | undefined; ; ) {
			const found = await list(domain.db, { before, after, limit: atOnce });
			for (const one of found) await raiseLate(domain, one, expectation);
			late += found.length;
			if (found.length < atOnce) break;
			after = found.at(-1)?.id;
		}
	return late;
}

type Expectation = {
	kind: "receipt" | "settlement" | "payout" | "refund";
	subject: string;
	waitsFor: string;
};

const raiseLate = (
	{ db, now }: Treasury,
	one: Overdue,
	{ kind, subject, waitsFor }: Expectation,
): Promise<void> =>
	db.transaction((tx) =>
		raiseException(tx, {
			...{ class: "late", subject: `${subject} ${one.number}`, now: now(), theirs: {} },
			...{ amountMinor: one.amountMinor, currency: one.currency, proposed: proposalFor(one) },
			ours: {
				...{
					[`${kind}_id`]: one.id,
					...(one.tenantId !== undefined && { tenant_id: one.tenantId }),
					waits_for: waitsFor,
				},
				...{ amount_minor: toMinor(one.amountMinor), since: one.since.toISOString() },
			},
		}),
	);

/**
 * A charge that is never paid out is the platform's loss: the payer has paid the tenant. So its receipt
 * counts as settled, once two operators say so.
 */
function proposalFor({ id, tenantId, amountMinor, feeMinor, currency }: Overdue): Proposal | undefined {
	if (tenantId === undefined || feeMinor === undefined) return undefined;
	const lines = toProposed(varyUnsettled({ amountMinor: amountMinor - feeMinor, currency }));
	return { tenant_id: tenantId, purpose: "variance", currency, lines, receipt_id: id };
}
