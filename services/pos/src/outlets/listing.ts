import { type Domain, listIn, outletsOf, pageBy, readKey, uuidForm } from "@lango/chassis";
import { PageQuery as PageParams } from "@lango/contracts";
import type { Database } from "@lango/postgres";
import Type from "typebox";
import type { ListPage } from "./outlet.store.ts";

/** The query parameters of every list of this service. */
export const PageQuery = Type.Object({
	cursor: PageParams.cursor,
	limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
});

type Listing<Row, Wire> = {
	query: { cursor?: string; limit?: number };
	look: (tx: Database, page: ListPage) => Promise<Row[]>;
	toWire: (row: Row) => Wire;
};

/**
 * Returns a page of rows of the caller's outlets in the order of their ids. The platform owner gets rows of
 * all tenants.
 */
export async function listPage<Row extends { id: string }, Wire>(
	domain: Pick<Domain, "db" | "now">,
	request: Parameters<typeof outletsOf>[0],
	{ query: { cursor, limit = 50 }, look, toWire }: Listing<Row, Wire>,
): Promise<{ items: Wire[]; next_cursor: string | null }> {
	const after = readKey(cursor, uuidForm);
	const outlets = outletsOf(request);
	const found = await listIn(domain, request, (tx, tenantId) =>
		look(tx, { tenantId, after, outlets, limit: limit + 1 }),
	);
	return pageBy(found, { limit, toWire, keyOf: ({ id }) => id });
}
