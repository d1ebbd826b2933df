import { type Domain, listIn, outletsOf } from "@lango/chassis";
import { Uuid } from "@lango/contracts";
import type { Database, OutletFilter } from "@lango/postgres";
import Type from "typebox";

/** The query parameters of every list of this service. */
export const PageQuery = Type.Object({
	cursor: Type.Optional(Uuid),
	limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
});

type Listing<Row> = {
	query: { cursor?: string; limit?: number };
	look: (
		tx: Database,
		page: { after: string | undefined; outlets: OutletFilter; limit: number },
	) => Promise<Row[]>;
};

/**
 * Returns a page of rows of the caller's outlets in the order of their ids. The platform owner gets rows of
 * all tenants.
 */
export async function listPage<Row extends { id: string }>(
	domain: Pick<Domain, "db" | "now">,
	request: Parameters<typeof outletsOf>[0],
	{ query: { cursor: after, limit = 50 }, look }: Listing<Row>,
): Promise<{ rows: Row[]; next_cursor: string | null }> {
	const outlets = outletsOf(request);
	const found = await listIn(domain, request, (tx) => look(tx, { after, outlets, limit: limit + 1 }));
	const rows = found.slice(0, limit);
	return { rows, next_cursor: found.length > limit ? (rows.at(-1)?.id ?? null) : null };
}
