import { type Database, inTenant } from "@lango/postgres";
import { retryConflicts } from "../ledger/retry-conflicts.ts";
import { maskShown, readPhone } from "../money/phone.ts";
import { applyOutcome } from "../outcomes/apply-outcome.ts";
import { lockPayable } from "../outcomes/collecting/lock-payable.ts";
import {
	isPromptLive,
	listUnnumbered,
	lockUnnumbered,
	type Unnumbered,
} from "../receipts/fitting-receipt.store.ts";
import { findCounted } from "../receipts/receipt.store.ts";
import { after, before, fitsPrompt } from "../receipts/receipt.ts";
import { type ComparedLine, isOtherOpen } from "./statement-line.store.ts";

const gateway = "mobile_money" as const;

/** What lines of a statement are compared with. */
export type Comparing = {
	/** The shortcode of the statement. */
	source: string;
	/** The time of the last line of the statement. */
	coveredUntil: Date | undefined;
	now: Date;
};

/**
 * Gives the number of a line to what a prompt brought to the shortcode of its statement: a question found it
 * paid, and said no number. It is given only if the line can be of no other payer's prompt: a wrong number
 * would return money to another phone. Returns what has the number then; undefined if the line fits none, or
 * more than one (decision 0133). Call it outside of a transaction.
 */
export async function numberPrompted(
	db: Database,
	line: ComparedLine,
	comparing: Comparing,
): Promise<ComparedLine["found"]> {
	const place = await findPrompt(db, line, comparing);
	if (place === undefined) return undefined;
	const { source: shortcode, now: at } = comparing;
	const { id: sourceId, reference: receipt, amountMinor, currency, at: paidAt } = line;
	const { accountRef, payer } = line;
	const { tenantId, intentId, custody } = place;
	return retryConflicts(() =>
		inTenant(db, tenantId, async (tx) => {
			await lockPayable(tx, { tenantId, intentId });
			const unnumbered = await lockUnnumbered(tx, { ...moneyOf(line, shortcode), intentId });
			const fitting = unnumbered.find(({ receipt: { occurredAt: until }, prompt }) =>
				fits(line, { ...prompt, until }),
			);
			if (fitting === undefined) return undefined;
			// It may have been counted since the lines were listed.
			if ((await findCounted(tx, gateway, receipt)) !== undefined) return undefined;
			const countedId = intentId === undefined ? fitting.receipt.id : undefined;
			await applyOutcome(tx, {
				...{ tenantId, intentId, countedId, isTrusted: true, source: "statement", sourceId, at },
				money: {
					...{ receipt, shortcode, custody, amountMinor, currency, paidAt },
					...{ accountRef, payerMasked: maskedOf(payer) },
				},
			});
			// Of two prompts of the intent the other one may have got it.
			const counted = await findCounted(tx, gateway, receipt);
			if (counted?.objectId !== fitting.receipt.id) return undefined;
			return { kind: "receipt" as const, tenantId, id: fitting.receipt.id, amountMinor };
		}),
	);
}

/**
 * Finds the prompt without a number that a line is of, if it can be of no other payer's. Call it outside of a
 * transaction.
 */
export async function findPrompt(
	db: Database,
	line: ComparedLine,
	{ source, coveredUntil }: Comparing,
): Promise<Unnumbered | undefined> {
	const { accountRef } = line;
	const money = moneyOf(line, source);
	// It is asked first: a prompt that is found paid meanwhile is listed.
	const isLive = await isPromptLive(db, money);
	const payer = { accountRef, phone: phoneOf(line), phoneEnds: line.payer?.slice(-3) };
	const fitting = (await listUnnumbered(db, { ...money, ...payer })).filter((one) => fits(line, one));
	const [first] = fitting;
	if (first === undefined || accountRef !== null) return first;
	if (fitting.every(({ tenantId, phone }) => tenantId === first.tenantId && phone === payer.phone))
		return first;
	const isStatedWhole = coveredUntil !== undefined && coveredUntil >= after(first.until);
	if (fitting.length > 1 || isLive || !isStatedWhole) return undefined;
	const { submittedAt, phone, until } = first;
	const time = { from: submittedAt === null ? undefined : before(submittedAt), until: after(until) };
	const { id, amountMinor } = line;
	return (await isOtherOpen(db, { source, id, amountMinor, phone, ...time })) ? undefined : first;
}

/** The phone in full, if the line shows it. */
export const phoneOf = ({ payer }: ComparedLine): string | undefined => readPhone(payer);

const moneyOf = ({ amountMinor, at }: ComparedLine, shortcode: string) => ({
	...{ shortcode, amountMinor },
	paid: { from: before(at), until: after(at) },
});

function fits(
	line: ComparedLine,
	{ phone, ...prompt }: Pick<Unnumbered, "phone" | "submittedAt" | "until">,
): boolean {
	const shown = phoneOf(line);
	const isOther = line.accountRef === "" || (shown !== undefined && phone !== null && phone !== shown);
	const payment = { payerMasked: maskedOf(line.payer), occurredAt: line.at };
	return !isOther && fitsPrompt(payment, { ...prompt, phone });
}

const maskedOf = (payer: string | null): string | null =>
	payer === null ? null : (maskShown(payer) ?? null);
