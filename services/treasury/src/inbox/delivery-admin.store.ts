import type { Database } from "@lango/postgres";
import { columns, fromRow, type Row } from "./delivery.store.ts";
import type { Delivery, DeliveryStatus } from "./delivery.ts";

/** What an operator looks for. */
type DeliveryFilter = {
	status?: DeliveryStatus;
	gateway?: string;
	route?: string;
	object?: string;
	from?: string;
	to?: string;
};

type DeliveryQuery = {
	filter: DeliveryFilter;
	/** Between which times they were received, besides those of the filter. */
	aged: { from: Date | undefined; to: Date | undefined } | undefined;
	before: string | undefined;
	limit: number;
};

/** Lists deliveries, the latest first. */
export async function listDeliveries(
	db: Database,
	{ filter, aged, before, limit }: DeliveryQuery,
): Promise<Delivery[]> {
	const rows = await db.query<Row>(
		`select ${columns} from webhook_deliveries
		  where ($1::text is null or status = $1) and ($2::text is null or gateway = $2) and ($3::text is null or route = $3)
		    and ($4::text is null or object_key in ($4, 'card_gateway.' || $4, 'mobile_money.' || $4)) and ($5::timestamptz is null or received_at >= $5)
		    and ($6::timestamptz is null or received_at < $6) and ($7::bigint is null or id < $7)
		    and ($8::timestamptz is null or received_at >= $8) and ($9::timestamptz is null or received_at < $9)
		  order by webhook_deliveries.id desc limit $10`,
		[
			...[filter.status ?? null, filter.gateway ?? null, filter.route ?? null, filter.object ?? null],
			...[filter.from ?? null, filter.to ?? null, before ?? null, aged?.from ?? null],
			...[aged?.to ?? null, limit],
		],
	);
	return rows.map(fromRow);
}

/** Finds a delivery by its id. */
export async function findDelivery(db: Database, id: string): Promise<Delivery | undefined> {
	const [row] = await db.query<Row>(`select ${columns} from webhook_deliveries where id = $1`, [id]);
	return row && fromRow(row);
}

/** One delivery, or those of a status that were received within a time. */
export type ReplayedDeliveries =
	| { id: string }
	| { from: string; to: string; status: Exclude<DeliveryStatus, "received"> };

/** Makes ended deliveries due again, the first first. Returns the object of each. */
export async function replayDeliveries(
	tx: Database,
	{ which, limit }: { which: ReplayedDeliveries; limit: number },
): Promise<string[]> {
	const { id, from, to, status } = {
		id: undefined,
		from: undefined,
		to: undefined,
		status: undefined,
		...which,
	};
	const rows = await tx.query<{ object: string }>(
		`update webhook_deliveries set status = 'received', tries = 0, error = null, event_key = null, ended_at = null
		  where id in (
		    select id from webhook_deliveries
		     where status <> 'received' and ($1::bigint is null or id = $1) and ($2::timestamptz is null or received_at >= $2)
		       and ($3::timestamptz is null or received_at < $3) and ($4::text is null or status = $4)
		     order by id limit $5)
		 returning object_key as object`,
		[id ?? null, from ?? null, to ?? null, status ?? null, limit],
	);
	return rows.map(({ object }) => object);
}
