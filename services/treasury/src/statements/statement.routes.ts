import type { Readable } from "node:stream";
import {
	type Domain,
	pageOf,
	permit,
	preferredLanguage,
	type Route,
	route,
	tenantOf,
	tenantWide,
} from "@lango/chassis";
import { Page, PageQuery } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import Type, { type Static } from "typebox";
import { readPlace, timeOf, toCursor } from "../ledger/place.ts";
import { BalanceMinor, Currency, toMinor } from "../money/amount.ts";
import { listConfirmedBalances } from "../queries/query.store.ts";
import { arrangeBalances, BalancesWire } from "./balances.ts";
import {
	openStatement,
	readAllLines,
	readLines,
	requireShort,
	type StatementWanted,
} from "./read-statement.ts";
import { getStatementTenant, listBalances } from "./statement.store.ts";
import { isFee, type StatementLine, statementNames } from "./statement.ts";
import { writeStatementCsv } from "./statement-csv.ts";
import { pdfLinesMax, writeStatementPdf } from "./statement-pdf.ts";

type Dependencies = Pick<Domain, "db" | "now">;

const tags = ["statements"];
const access = permit("treasury.statements.view");
const outlets = tenantWide("the ledger is the tenant's");

/** The database knows no year 0. */
const day = { format: "date", pattern: "^[1-9]" } as const;
const Wanted = {
	currency: Type.Optional(Currency),
	account: Type.Optional(
		Type.Enum(statementNames, {
			type: "string",
			default: "platform_custody",
			description: "What the statement is of: everything in a custody, or one account",
		}),
	),
	from: Type.Optional(Type.String({ ...day, description: "The first day, in the time zone of the tenant" })),
	to: Type.Optional(
		Type.String({ ...day, description: "The last day; today unless given. 400 days at most" }),
	),
};
const WantedQuery = Type.Object(Wanted);
const PageWanted = Type.Object({
	...Wanted,
	cursor: PageQuery.cursor,
	limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
});

const LineWire = Type.Object({
	journal_id: Type.String(),
	line: Type.Integer(),
	posted_at: Type.String({ format: "date-time" }),
	effective_at: Type.String({ format: "date-time", description: "When the money moved" }),
	purpose: Type.String(),
	source: Type.Object({ type: Type.String(), id: Type.String({ format: "uuid" }) }),
	receipt: Type.Union([Type.String(), Type.Null()], {
		description: "The number that the gateway gave the movement; null if it has none, or not yet",
	}),
	account: Type.String(),
	kind: Type.Enum(["amount", "fee"], { type: "string" }),
	amount_minor: BalanceMinor,
	balance_minor: BalanceMinor,
});

const StatementWire = Type.Object({
	currency: Type.String(),
	account: Type.String(),
	from: Type.String({ format: "date" }),
	to: Type.String({ format: "date" }),
	opening_minor: BalanceMinor,
	...Page(LineWire).properties,
});

/** The routes of balances and statements. */
export const statementRoutes = (domain: Dependencies): readonly Route[] => [
	showingBalances(domain),
	showing(domain),
	writingCsv(domain),
	writingPdf(domain),
];

const showingBalances = ({ db }: Dependencies): Route =>
	route({
		method: "GET",
		url: "/balances",
		...{ access, outlets },
		schema: {
			summary: "Returns the balances of the tenant, by custody",
			tags,
			querystring: Type.Object({ currency: Wanted.currency }),
			response: { 200: BalancesWire },
		},
		handler: async (request) => {
			const { id } = tenantOf(request);
			return inTenant(db, id, async (tx) => {
				const { currency } = await getStatementTenant(tx, id);
				const known = { balances: await listBalances(tx), confirmed: await listConfirmedBalances(tx) };
				return arrangeBalances(known, request.query.currency ?? currency);
			});
		},
	});

const showing = ({ db, now }: Dependencies): Route =>
	route({
		method: "GET",
		url: "/statement",
		...{ access, outlets },
		schema: {
			summary: "Lists the postings of a statement, the oldest first, each with the balance after it",
			description:
				"Amounts are what they mean for the tenant: what it owes is negative. Fees are lines of their own.",
			tags,
			querystring: PageWanted,
			response: { 200: StatementWire },
		},
		handler: async (request) => {
			const { cursor, limit = 50 } = request.query;
			const after = readPlace(cursor);
			const statement = await openStatement(db, wantedOf(request.query, tenantOf(request).id, now()));
			const lines = await readLines(db, statement, { after, limit: limit + 1 });
			const { currency, of, days, openingMinor } = statement;
			return {
				...{ currency, account: of, ...days, opening_minor: toMinor(openingMinor) },
				...pageOf(lines, { limit, toWire: toLineWire, placeOf: ({ place }) => toCursor(place) }),
			};
		},
	});

const writingCsv = ({ db, now }: Dependencies): Route =>
	route({
		method: "GET",
		url: "/statement.csv",
		...{ access, outlets },
		schema: {
			summary: "Returns a statement as CSV, with amounts in whole units of the currency",
			tags,
			querystring: WantedQuery,
			produces: ["text/csv"],
			response: { 200: Type.Unsafe<Readable>({ type: "string", description: "The lines of the statement" }) },
		},
		handler: async (request, reply) => {
			const { id, slug } = tenantOf(request);
			const statement = await openStatement(db, wantedOf(request.query, id, now()));
			reply.type("text/csv; charset=utf-8; header=present");
			reply.header("content-disposition", attachment(slug, statement.days, "csv"));
			return reply.send(writeStatementCsv(readAllLines(db, statement), statement.currency));
		},
	});

const writingPdf = ({ db, now }: Dependencies): Route =>
	route({
		method: "GET",
		url: "/statement.pdf",
		...{ access, outlets },
		schema: {
			summary: "Returns a statement of at most 10,000 lines as PDF",
			description: "In the language that Accept-Language prefers, `en` or `sw`, else in that of the tenant.",
			tags,
			querystring: WantedQuery,
			produces: ["application/pdf"],
			response: { 200: Type.Unsafe<Buffer>({ type: "string", description: "The statement" }) },
		},
		handler: async (request, reply) => {
			const { id, slug } = tenantOf(request);
			const statement = await openStatement(db, wantedOf(request.query, id, now()));
			await requireShort(db, statement, pdfLinesMax);
			const wanted = preferredLanguage(request.headers["accept-language"]);
			const language = wanted ?? preferredLanguage(statement.locale) ?? "en";
			const pdf = await writeStatementPdf({ ...statement, language }, readAllLines(db, statement));
			reply.type("application/pdf");
			reply.header("content-disposition", attachment(slug, statement.days, "pdf"));
			return reply.send(pdf);
		},
	});

function wantedOf(query: Static<typeof WantedQuery>, tenantId: string, now: Date): StatementWanted {
	const { account = "platform_custody", currency, from, to } = query;
	return {
		...{ tenantId, of: account, currency, now },
		...(from !== undefined && { from }),
		...(to !== undefined && { to }),
	};
}

const attachment = (slug: string, { from, to }: { from: string; to: string }, ending: string): string =>
	`attachment; filename="statement-${slug}-${from}-${to}.${ending}"`;

const toLineWire = (line: StatementLine): Static<typeof LineWire> => ({
	journal_id: String(line.place.journalId),
	line: line.place.line,
	posted_at: timeOf(line.place).toISOString(),
	effective_at: line.effectiveAt.toISOString(),
	purpose: line.purpose,
	source: line.source,
	receipt: line.receipt,
	account: line.account,
	kind: isFee(line) ? "fee" : "amount",
	amount_minor: toMinor(line.amountMinor),
	balance_minor: toMinor(line.balanceMinor),
});
