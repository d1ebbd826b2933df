import { currentTenant, type Database } from "@lango/postgres";
import type {
	BalanceAnswer,
	GatewayQuery,
	QueryAbout,
	QueryResult,
	QueryStatus,
	StatusAnswer,
} from "./query.ts";

type Row = {
	tenant_id: string;
	id: string;
	kind: QueryAbout["kind"];
	status: QueryStatus;
	shortcode: string;
	receipt: string | null;
	originator_id: string | null;
	result: QueryResult | null;
	failure_code: string | null;
	gateway_originator_id: string | null;
	gateway_conversation_id: string | null;
	created_by_kind: string;
	created_by: string;
	created_at: Date;
	ended_at: Date | null;
};

const columns = `tenant_id, id, kind, status, shortcode, receipt, originator_id, result, failure_code, gateway_originator_id,
	gateway_conversation_id, created_by_kind, created_by, created_at, ended_at`;

const fromRow = (row: Row): GatewayQuery => ({
	...{ tenantId: row.tenant_id, id: row.id, status: row.status, shortcode: row.shortcode },
	...{ about: aboutOf(row), result: row.result ?? undefined, failureCode: row.failure_code ?? undefined },
	gatewayOriginatorId: row.gateway_originator_id ?? undefined,
	gatewayConversationId: row.gateway_conversation_id ?? undefined,
	createdBy: { kind: row.created_by_kind, id: row.created_by },
	...{ createdAt: row.created_at, endedAt: row.ended_at ?? undefined },
});

function aboutOf({ receipt, originator_id }: Row): QueryAbout {
	if (receipt !== null) return { kind: "status", receipt };
	return originator_id === null ? { kind: "balance" } : { kind: "status", originatorId: originator_id };
}

/** A question before it is sent. */
export type NewQuery = Pick<
	GatewayQuery,
	"tenantId" | "id" | "shortcode" | "about" | "createdBy" | "createdAt"
>;

/** Records a question as `submitting`. Call it inside the tenant. */
export async function recordQuery(tx: Database, query: NewQuery): Promise<void> {
	const { tenantId, id, shortcode, about, createdBy, createdAt } = query;
	await tx.query(
		`insert into gateway_queries (tenant_id, id, kind, status, shortcode, receipt, originator_id, created_by_kind, created_by,
		   created_at)
		 values ($1, $2, $3, 'submitting', $4, $5, $6, $7, $8, $9)`,
		[
			...[tenantId, id, about.kind, shortcode],
			...["receipt" in about ? about.receipt : null, "originatorId" in about ? about.originatorId : null],
			...[createdBy.kind, createdBy.id, createdAt],
		],
	);
}

/** Finds a question. Call it inside the tenant. */
export async function findQuery(tx: Database, id: string): Promise<GatewayQuery | undefined> {
	const [row] = await tx.query<Row>(
		`select ${columns} from gateway_queries where tenant_id = $2 and id = $1`,
		[id, currentTenant(tx)],
	);
	return row && fromRow(row);
}

/** Finds the last answer to a question of a shortcode about a receipt. Call it inside the tenant. */
export async function findAnswer(
	tx: Database,
	{ receipt, shortcode }: { receipt: string | null; shortcode: string | null },
): Promise<StatusAnswer | undefined> {
	const [row] = await tx.query<{ result: StatusAnswer }>(
		`select result from gateway_queries
		  where tenant_id = $3 and receipt = $1 and shortcode = $2 and status = 'answered' order by id desc limit 1`,
		[receipt, shortcode, currentTenant(tx)],
	);
	return row?.result;
}

/**
 * Whether the gateway answered a question about a request of ours since a moment, also that it does not know
 * it. Call it inside the tenant.
 */
export async function isAnsweredSince(
	tx: Database,
	{ originatorId, since }: { originatorId: string; since: Date },
): Promise<boolean> {
	const rows = await tx.query(
		`select from gateway_queries
		  where tenant_id = $3 and originator_id = $1 and created_at >= $2 and status in ('answered', 'failed')
		    and gateway_conversation_id is not null limit 1`,
		[originatorId, since, currentTenant(tx)],
	);
	return rows.length > 0;
}

/** Finds a question, locked. Call it inside the tenant. */
export async function lockQuery(tx: Database, id: string): Promise<GatewayQuery | undefined> {
	const [row] = await tx.query<Row>(
		`select ${columns} from gateway_queries where tenant_id = $2 and id = $1 for update`,
		[id, currentTenant(tx)],
	);
	return row && fromRow(row);
}

/** What the gateway replied to a question: that it took it, that it did not, or nothing. */
export type QueryReply =
	| { status: "awaiting"; originatorId: string | undefined; conversationId: string | undefined }
	| { status: "unknown" }
	| { status: "failed"; code: string };

/**
 * Records the reply to a question. One whose answer came first stays as it is. Call it inside the tenant.
 */
export async function recordReply(
	tx: Database,
	{ id, reply, now }: { id: string; reply: QueryReply; now: Date },
): Promise<void> {
	const ids = reply.status === "awaiting" ? reply : undefined;
	await tx.query(
		`update gateway_queries set status = $2, gateway_originator_id = $3, gateway_conversation_id = $4, failure_code = $5,
		   ended_at = $6
		  where tenant_id = $7 and id = $1 and status = 'submitting'`,
		[
			...[id, reply.status, ids?.originatorId ?? null, ids?.conversationId ?? null],
			...(reply.status === "failed" ? [reply.code, now] : [null, null]),
			currentTenant(tx),
		],
	);
}

/** Records that no answer comes in time. One that has its end stays as it is. Call it inside the tenant. */
export async function recordQueryUnknown(tx: Database, id: string): Promise<void> {
	await tx.query(
		"update gateway_queries set status = 'unknown' where tenant_id = $2 and id = $1 and status in ('submitting', 'awaiting')",
		[id, currentTenant(tx)],
	);
}

/** The end of a question. */
type QueryEnd = { result: QueryResult } | { failureCode: string };

/** Ends a question that is locked. Call it inside the tenant. */
export async function endQuery(
	tx: Database,
	{ id, end, now }: { id: string; end: QueryEnd; now: Date },
): Promise<void> {
	const result = "result" in end ? end.result : undefined;
	await tx.query(
		"update gateway_queries set status = $2, result = $3, failure_code = $4, ended_at = $5 where tenant_id = $6 and id = $1",
		[
			...[id, result === undefined ? "failed" : "answered"],
			...[result === undefined ? null : JSON.stringify(result)],
			...["failureCode" in end ? end.failureCode : null, now],
			currentTenant(tx),
		],
	);
}

/** The last answer about the balances of a shortcode. */
export type ConfirmedBalance = { shortcode: string; accounts: BalanceAnswer["accounts"]; at: Date };

/** Lists the last answer about the balances of each shortcode. Call it inside the tenant. */
export async function listConfirmedBalances(tx: Database): Promise<ConfirmedBalance[]> {
	const rows = await tx.query<{ shortcode: string; result: BalanceAnswer; ended_at: Date }>(
		`select distinct on (shortcode) shortcode, result, ended_at from gateway_queries
		  where tenant_id = $1 and kind = 'balance' and status = 'answered' order by shortcode, id desc`,
		[currentTenant(tx)],
	);
	return rows.map(({ shortcode, result, ended_at }) => ({
		...{ shortcode, accounts: result.accounts, at: ended_at },
	}));
}
