import { chassisFailures } from "@lango/chassis";
import { type Database, inTenant } from "@lango/postgres";
import type { Place } from "../ledger/place.ts";
import { statementFailures } from "./failures.ts";
import {
	countLines,
	findRange,
	getBalanceBefore,
	getStatementTenant,
	listLines,
	type StatementRange,
} from "./statement.store.ts";
import {
	type Days,
	dayIn,
	daysMax,
	daysOf,
	lengthOf,
	type StatementLine,
	type StatementOf,
	statementCodes,
} from "./statement.ts";

/** A request for a statement. The currency is the tenant's unless given. */
export type StatementWanted = Partial<Days> & {
	tenantId: string;
	of: StatementOf;
	currency: string | undefined;
	now: Date;
};

/** A statement before its lines. */
export type Statement = {
	tenantId: string;
	tenant: string;
	of: StatementOf;
	currency: string;
	timeZone: string;
	/** Of the tenant, for example `sw-KE`. */
	locale: string;
	days: Days;
	range: StatementRange;
	openingMinor: bigint;
};

const linesAtOnce = 1_000;

/**
 * Finds accounts, days and opening balance of a statement. Throws `invalid_input` if the days are in the
 * wrong order, and `range_too_long` beyond 400 of them.
 */
export async function openStatement(db: Database, wanted: StatementWanted): Promise<Statement> {
	const { tenantId, of, now } = wanted;
	return inTenant(db, tenantId, async (tx) => {
		const { name: tenant, timeZone, locale, currency: own } = await getStatementTenant(tx, tenantId);
		const days = requireDays(wanted, dayIn(timeZone, now));
		const currency = wanted.currency ?? own;
		const range = await findRange(tx, { codes: statementCodes[of], currency, days, timeZone });
		const openingMinor = await getBalanceBefore(tx, range.accountIds, range.from);
		return { tenantId, tenant, of, currency, timeZone, locale, days, range, openingMinor };
	});
}

function requireDays(wanted: Partial<Days>, today: string): Days {
	const days = daysOf(wanted, today);
	if (days === undefined)
		throw chassisFailures.invalid_input({
			message: "from must not be after to.",
			fields: { field: "from", in: "query" },
		});
	if (lengthOf(days) > daysMax)
		throw statementFailures.range_too_long({ fields: { field: "from", in: "query", days_max: daysMax } });
	return days;
}

/** Reads lines of a statement: the first ones, or those after a place. */
export async function readLines(
	db: Database,
	{ tenantId, range }: Pick<Statement, "tenantId" | "range">,
	{ after, limit }: { after: Place | undefined; limit: number },
): Promise<readonly StatementLine[]> {
	const from = after === undefined || isBefore(after, range.from) ? range.from : nextOf(after);
	return inTenant(db, tenantId, (tx) => listLines(tx, { ...range, from }, limit));
}

const nextOf = (place: Place): Place => ({ ...place, line: place.line + 1 });
const isBefore = (one: Place, other: Place): boolean => one.at < other.at;

/** Reads all lines of a statement, a thousand in each transaction. */
export async function* readAllLines(
	db: Database,
	statement: Pick<Statement, "tenantId" | "range">,
): AsyncGenerator<readonly StatementLine[]> {
	let after: Place | undefined;
	do {
		const lines = await readLines(db, statement, { after, limit: linesAtOnce });
		yield lines;
		after = lines.length < linesAtOnce ? undefined : lines.at(-1)?.place;
	} while (after !== undefined);
}

/** Throws `range_too_long` if a statement has more lines than this. */
export async function requireShort(
	db: Database,
	{ tenantId, range }: Pick<Statement, "tenantId" | "range">,
	linesMax: number,
): Promise<void> {
	const many = await inTenant(db, tenantId, (tx) => countLines(tx, range, linesMax + 1));
	if (many > linesMax)
		throw statementFailures.range_too_long({ fields: { field: "from", in: "query", lines_max: linesMax } });
}
