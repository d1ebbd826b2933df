import type { Database } from "@lango/postgres";
import type { Sealed } from "@lango/tokens";
import type { DeliveryStatus } from "../delivery.ts";
import type { AddressPlace } from "../suppressions/suppress-addresses.store.ts";

/** A report as it is stored: encrypted, under the SHA-256 of the provider's id of it. */
export type NewReport = { eventKey: Buffer; report: Sealed };

/** A report that was taken to be applied. */
export type TakenReport = { id: string; providerId: string; attempt: number; report: Sealed };

/** Stores reports of a provider, each once. Returns how many are new. */
export async function storeReports(
	db: Database,
	{ providerId, reports, now }: { providerId: string; reports: readonly NewReport[]; now: Date },
): Promise<number> {
	const rows = reports.map(({ eventKey, report }) => ({
		event_key: eventKey.toString("hex"),
		key_id: report.keyId,
		body: report.sealed.toString("hex"),
	}));
	const [row] = await db.query<{ stored: number }>("select store_reports($1, $2, $3) as stored", [
		providerId,
		JSON.stringify(rows),
		now,
	]);
	return row?.stored ?? 0;
}

/** Takes due reports of all tenants. They are due again after `againSeconds` unless they are finished. */
export async function takeReports(
	db: Database,
	{ limit, againSeconds, now }: { limit: number; againSeconds: number; now: Date },
): Promise<TakenReport[]> {
	const rows = await db.query<{
		id: string;
		provider_id: string;
		attempt: number;
		body_key_id: string;
		body: Buffer;
	}>("select id, provider_id, attempt, body_key_id, body from take_reports($1, $2, $3)", [
		limit,
		againSeconds,
		now,
	]);
	return rows.map((row) => ({
		id: row.id,
		providerId: row.provider_id,
		attempt: row.attempt,
		report: { keyId: row.body_key_id, sealed: row.body },
	}));
}

/** Marks reports as applied. Returns the ids of those that were not: another process applied the others. */
export async function finishReports(db: Database, ids: readonly string[], now: Date): Promise<string[]> {
	const rows = await db.query<{ id: string }>("select id from finish_reports($1, $2)", [[...ids], now]);
	return rows.map(({ id }) => id);
}

/** What identifies the delivery of a report. */
export type ReportReference = {
	id: string;
	providerId: string;
	ref: string | undefined;
	tenantId: string | undefined;
	deliveryId: string | undefined;
};

/** The delivery that a report is about. */
export type Reported = { reportId: string; tenantId: string; deliveryId: string; status: DeliveryStatus };

/**
 * Finds the deliveries of reports, in every tenant: only those that were sent through the report's provider.
 */
export async function findReported(
	db: Database,
	references: readonly ReportReference[],
): Promise<Reported[]> {
	const asked = references.map(({ id, providerId, ref, tenantId, deliveryId }) => ({
		...{ id, provider_id: providerId, ref, tenant_id: tenantId, delivery_id: deliveryId },
	}));
	const rows = await db.query<{
		report_id: string;
		tenant_id: string;
		delivery_id: string;
		status: DeliveryStatus;
	}>("select report_id, tenant_id, delivery_id, status from find_reported($1)", [JSON.stringify(asked)]);
	return rows.map((row) => ({
		reportId: row.report_id,
		tenantId: row.tenant_id,
		deliveryId: row.delivery_id,
		status: row.status,
	}));
}

/** An entry of a delivery's timeline. */
export type ReportEntry = { deliveryId: string; detail: Readonly<Record<string, unknown>> };

/** Adds reports to the timelines of deliveries. Call it inside the tenant. */
export async function noteReports(
	tx: Database,
	{ tenantId, entries, now }: { tenantId: string; entries: readonly ReportEntry[]; now: Date },
): Promise<void> {
	await tx.query("select note_deliveries($1, 'report', $2, $3)", [tenantId, JSON.stringify(entries), now]);
}

/**
 * Returns those deliveries whose address had at least `times` soft bounces since a time. Call it inside the
 * tenant.
 */
export async function listOftenBounced(
	tx: Database,
	{
		tenantId,
		places,
		times,
		since,
	}: { tenantId: string; places: readonly AddressPlace[]; times: number; since: Date },
): Promise<string[]> {
	const asked = places.map(({ deliveryId: id, channel, keys }) => ({
		...{ id, channel, keys: keys.map((key) => key.toString("hex")) },
	}));
	const rows = await tx.query<{ id: string }>(
		`select a.id from jsonb_to_recordset($1) as a (id uuid, channel text, keys jsonb)
		  where (
		    select count(*) from message_deliveries o
		      join delivery_events e on e.tenant_id = $4 and e.delivery_id = o.id
		     where o.tenant_id = $4 and o.address_key in (select decode(key, 'hex') from jsonb_array_elements_text(a.keys) key) and o.channel = a.channel
		       and e.kind = 'report' and e.detail->>'report' = 'soft_bounced' and e.at >= $3) >= $2`,
		[JSON.stringify(asked), times, since, tenantId],
	);
	return rows.map(({ id }) => id);
}

/** Returns the categories of deliveries' messages. Call it inside the tenant. */
export async function categoriesOf(
	tx: Database,
	deliveryIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
	const rows = await tx.query<{ id: string; category: string }>(
		`select d.id, m.category from message_deliveries d
		   join messages m on m.tenant_id = d.tenant_id and m.id = d.message_id where d.id = any ($1)`,
		[[...deliveryIds]],
	);
	return new Map(rows.map(({ id, category }) => [id, category]));
}
