import { recordAudit } from "@lango/access";
import {
	actorOf,
	callerOf,
	type Domain,
	originOf,
	pageBy,
	pageOf,
	platformOwner,
	type Route,
	readKey,
	route,
	tenantWide,
	uuidForm,
} from "@lango/chassis";
import { FailureBody, Page, PageQuery, Shape, Uuid } from "@lango/contracts";
import Type, { type Static } from "typebox";
import { BalanceMinor, toMinor } from "../money/amount.ts";
import {
	type BookedAccount,
	type BookedPosting,
	findAccount,
	listAccounts,
	listPostings,
	raiseShards,
} from "./account.store.ts";
import { ledgerFailures } from "./failures.ts";
import { readPlace, timeOf, toCursor } from "./place.ts";

type Dependencies = Pick<Domain, "db" | "now">;

const tags = ["ledger"];
const access = platformOwner();
const outlets = tenantWide("the ledger has no outlets");
const limitOf100 = Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 }));
const Nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

const AccountWire = Type.Object({
	id: Uuid,
	tenant_id: Nullable(Uuid),
	code: Type.String(),
	currency: Type.String(),
	type: Type.Enum(["asset", "liability", "revenue", "expense"], { type: "string" }),
	custody: Type.Enum(["platform", "tenant"], { type: "string" }),
	is_guarded: Type.Boolean({ description: "Its balance never falls below 0" }),
	shards: Type.Integer(),
	merged_into: Nullable(Uuid),
	balance_minor: BalanceMinor,
});

const PostingWire = Type.Object({
	journal_id: Type.String(),
	line: Type.Integer(),
	side: Type.Enum(["debit", "credit"], { type: "string" }),
	amount_minor: BalanceMinor,
	posted_at: Type.String({ format: "date-time" }),
	effective_at: Type.String({ format: "date-time" }),
	purpose: Type.String(),
	source: Type.Object({ type: Type.String(), id: Uuid }),
	evidence_id: Uuid,
	tenant_id: Nullable(Uuid),
});

/** The platform owner's routes of the ledger. */
export const ledgerRoutes = (domain: Dependencies): readonly Route[] => [
	listingAccounts(domain),
	listingPostings(domain),
	spreading(domain),
];

const listingAccounts = ({ db }: Dependencies): Route =>
	route({
		method: "GET",
		url: "/api/v1/platform/accounts",
		...{ access, outlets },
		schema: {
			summary: "Lists the accounts of the platform, or of a tenant, with their balances",
			description: "A balance is in the direction in which the account grows: the debit of an asset is more.",
			tags,
			querystring: Type.Object({
				tenant_id: Type.Optional(Uuid),
				cursor: PageQuery.cursor,
				limit: limitOf100,
			}),
			response: { 200: Page(AccountWire) },
		},
		handler: async ({ query: { tenant_id: tenantId, cursor, limit = 50 } }) => {
			const after = readKey(cursor, uuidForm);
			const found = await listAccounts(db, { tenantId, after, limit: limit + 1 });
			return pageBy(found, { limit, toWire: toAccountWire, keyOf: ({ id }) => id });
		},
	});

const listingPostings = ({ db }: Dependencies): Route =>
	route({
		method: "GET",
		url: "/api/v1/platform/accounts/:id/postings",
		...{ access, outlets },
		schema: {
			summary: "Lists the postings of an account, the newest first",
			tags,
			params: Type.Object({ id: Uuid }),
			querystring: Type.Object({ cursor: PageQuery.cursor, limit: limitOf100 }),
			response: { 200: Page(PostingWire) },
		},
		handler: async ({ params: { id }, query: { cursor, limit = 50 } }) => {
			const before = readPlace(cursor);
			const found = await listPostings(db, { account: id, before, limit: limit + 1 });
			if (found === undefined) throw ledgerFailures.account_not_found();
			return pageOf(found, { limit, toWire: toPostingWire, placeOf: ({ place }) => toCursor(place) });
		},
	});

const spreading = ({ db, now }: Dependencies): Route =>
	route({
		method: "PUT",
		url: "/api/v1/platform/accounts/:id/shards",
		...{ access, outlets },
		subscription: { exempt: "the platform owner spreads an account regardless of the tenant's subscription" },
		schema: {
			summary: "Gives a busy account more shards",
			description:
				"Concurrent journals that raise it no longer wait for each other. It works while the service runs; shards are never taken away.",
			tags,
			params: Type.Object({ id: Uuid }),
			body: Shape({ shards: Type.Integer({ minimum: 1, maximum: 64 }) }),
			response: { 200: AccountWire, 401: FailureBody, 403: FailureBody, 404: FailureBody, 409: FailureBody },
		},
		handler: async (request) => {
			const { id } = request.params;
			const { shards } = request.body;
			const account = await getAccount(db, id);
			if (account.shards > shards) throw ledgerFailures.shards_not_fewer();
			const detail = { code: account.code, tenant_id: account.tenantId, from: account.shards, to: shards };
			const by = { at: now(), actor: actorOf(callerOf(request)), ...originOf(request) };
			await db.transaction(async (tx) => {
				await raiseShards(tx, id, shards);
				await recordAudit(tx, { tenantId: undefined, ...by, action: "account.spread", subject: id, detail });
			});
			return toAccountWire(await getAccount(db, id));
		},
	});

async function getAccount(db: Domain["db"], id: string): Promise<BookedAccount> {
	const account = await findAccount(db, id);
	if (account === undefined) throw ledgerFailures.account_not_found();
	return account;
}

const toAccountWire = (one: BookedAccount): Static<typeof AccountWire> => ({
	...{ id: one.id, tenant_id: one.tenantId, code: one.code, currency: one.currency },
	type: one.type as Static<typeof AccountWire>["type"],
	custody: one.custody as Static<typeof AccountWire>["custody"],
	...{ is_guarded: one.isGuarded, shards: one.shards, merged_into: one.mergedInto },
	balance_minor: toMinor(one.balanceMinor),
});

const toPostingWire = (one: BookedPosting): Static<typeof PostingWire> => ({
	...{ journal_id: String(one.place.journalId), line: one.place.line },
	side: one.side as Static<typeof PostingWire>["side"],
	amount_minor: toMinor(one.amountMinor),
	posted_at: timeOf(one.place).toISOString(),
	effective_at: one.effectiveAt.toISOString(),
	...{ purpose: one.purpose, source: one.source, evidence_id: one.evidenceId, tenant_id: one.tenantId },
});
