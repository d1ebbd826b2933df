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
import { after, before, fitsPrompt } from "../receipts/receipt.ts";
import type { ComparedLine } from "./statement-line.store.ts";

type Comparing = {
	/** The shortcode of the statement. */
	source: string;
	/** The other lines of the same amount of which nothing here has the number. */
	others: readonly ComparedLine[];
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
			const countedId = intentId === undefined ? fitting.receipt.id : undefined;
			await applyOutcome(tx, {
				...{ tenantId, intentId, countedId, isTrusted: true, source: "statement", sourceId, at },
				money: {
					...{ receipt, shortcode, custody, amountMinor, currency, paidAt },
					...{ accountRef, payerMasked: maskedOf(payer) },
				},
			});
			return { kind: "receipt" as const, tenantId, id: fitting.receipt.id, amountMinor };
		}),
	);
}

/** The prompt that a line is of, if it can be of no other payer's. */
async function findPrompt(
	db: Database,
	line: ComparedLine,
	{ source, others }: Comparing,
): Promise<Unnumbered | undefined> {
	const { accountRef, payer } = line;
	const money = moneyOf(line, source);
	const fitting = (await listUnnumbered(db, { ...money, accountRef })).filter((one) => fits(line, one));
	const [first] = fitting;
	if (first === undefined || accountRef !== null) return first;
	if (payer !== null) return fitting.every((one) => isOfSamePayer(first, one)) ? first : undefined;
	const isOnly = fitting.length === 1 && !others.some((other) => fits(other, first));
	return isOnly && !(await isPromptLive(db, money)) ? first : undefined;
}

const moneyOf = ({ amountMinor, at }: ComparedLine, shortcode: string) => ({
	...{ shortcode, amountMinor },
	paid: { from: before(at), until: after(at) },
});

function fits(
	{ payer, at: occurredAt }: ComparedLine,
	prompt: Pick<Unnumbered, "phone" | "submittedAt" | "until">,
): boolean {
	const isOther = payer !== null && isPhone(payer) && prompt.phone !== null && prompt.phone !== payer;
	return !isOther && fitsPrompt({ payerMasked: maskedOf(payer), occurredAt }, prompt);
}

const isPhone = (payer: string): boolean => readPhone(payer) !== undefined;

const maskedOf = (payer: string | null): string | null =>
	payer === null ? null : (maskShown(payer) ?? null);

const isOfSamePayer = (one: Unnumbered, other: Unnumbered): boolean =>
	one.tenantId === other.tenantId && one.phone === other.phone;
