import { ClientError, listItems } from "@lango/client";
import type { ServiceAuditEntry, TenantAuditEntry } from "@lango/contracts";
import type { Platform } from "../../platform.ts";
import { serviceAddress, servicesOf } from "../../services/service-access.queries.ts";
import { subscriptionAddress } from "../../subscription/subscription.queries.ts";
import { tenantAddress } from "../../tenant/tenant.queries.ts";
import { cursorOf, mergeNewest, startOfPage } from "./timeline.ts";
import { type FoldedEntry, foldPage } from "./visits.ts";

/** The sign-on service, which has the log of the organisation, and the service of its plan. */
export const signOn = "auth";
export const subscriptions = "subscriptions";

/** The log of one service. */
export type Source = { name: string; address: string };
type Tenant = { id: string; slug: string };

/** The logs of an organisation. */
export function sourcesOf(platform: Platform, { id, slug }: Tenant): Source[] {
	return [
		{ name: signOn, address: `${tenantAddress(platform, slug)}/audit` },
		{ name: subscriptions, address: subscriptionAddress(platform, id, "/audit") },
		...servicesOf(platform.settings).map((service) => ({
			name: service,
			address: `${serviceAddress(platform, { service, slug })}/audit`,
		})),
	];
}

/** An entry with the service that it is from. */
export type Entry = { source: string } & (
	| { kind: "tenant"; at: string; entry: TenantAuditEntry }
	| { kind: "service"; at: string; entry: ServiceAuditEntry }
);

export type TimelineQuery = Readonly<Record<"from" | "to" | "actor" | "about", string | undefined>>;

type Reading = { query: TimelineQuery; signal?: AbortSignal | undefined };

const requestedMax = 200;

/** `limit`: the entries of one request. */
type Limits = { itemsMax: number; limit?: number };

/** Reads the log of one service, at most `itemsMax` entries. */
async function* readSource(
	{ client }: Platform,
	{ name, address }: Source,
	{ query, signal, itemsMax, limit = requestedMax }: Reading & Limits,
): AsyncGenerator<Entry, void, void> {
	const all = { ...query, limit: Math.min(limit, requestedMax) };
	const options = { itemsMax, query: all, ...(signal && { signal }) };
	if (name !== signOn)
		for await (const entry of listItems<ServiceAuditEntry>(client, address, options))
			yield { source: name, kind: "service", at: entry.at, entry };
	// Actors of the sign-on service are people. It refuses the id of an API key.
	else if (query.actor === undefined || uuid.test(query.actor))
		for await (const entry of listItems<TenantAuditEntry>(client, address, options))
			yield { source: name, kind: "tenant", at: entry.at, entry };
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** An iterator that has read its first entry, and continues with it. */
async function startReading<T>(list: AsyncGenerator<T, void, void>): Promise<AsyncGenerator<T, void, void>> {
	const first = await list.next();
	return (async function* () {
		if (first.done) return;
		yield first.value;
		yield* list;
	})();
}

/** The services whose log the user may not read are left out. `missing`: those that did not answer. */
type Opened = { lists: Array<AsyncGenerator<Entry, void, void>>; missing: string[] };

/**
 * Opens the logs. Throws if the only one, or the one of the organisation, cannot be read: without it the page
 * has no content.
 */
async function openSources(
	platform: Platform,
	sources: readonly Source[],
	reading: Reading & Limits,
): Promise<Opened> {
	const found = await Promise.allSettled(
		sources.map((source) => startReading(readSource(platform, source, reading))),
	);
	const opened: Opened = { lists: [], missing: [] };
	for (const [index, { name }] of sources.entries()) {
		const one = found[index];
		if (one?.status === "fulfilled") opened.lists.push(one.value);
		else if (sources.length === 1 || name === signOn) throw one?.reason;
		else if (!isRefused(one?.reason)) opened.missing.push(name);
	}
	return opened;
}

const isRefused = (error: unknown) => error instanceof ClientError && error.status === 403;

/** `before`: how many rows previous pages have. */
export type TimelinePage = {
	items: FoldedEntry[];
	next_cursor: string | null;
	before: number;
	missing: readonly string[];
};

/** The maximum number of entries that are read for a page. More than its rows are read for long visits. */
const readMax = 1_000;

/** A page of the logs, merged by time, with visits as one row. */
export async function readPage(
	platform: Platform,
	sources: readonly Source[],
	{ query, signal, cursor, size }: Reading & { cursor: string | undefined; size: number },
): Promise<TimelinePage> {
	const { before, start } = startOfPage(cursor);
	const narrowed = { ...query, to: before ?? query.to };
	const { lists, missing } = await openSources(platform, sources, {
		...{ query: narrowed, signal, itemsMax: start.shown + readMax + 1, limit: start.shown + size + 1 },
	});
	const { items, end } = await foldPage(mergeNewest(lists), { start, size, entriesMax: readMax });
	return { items, missing, before: start.rows, next_cursor: end === undefined ? null : cursorOf(end) };
}

/** A service did not answer, so that a file would be incomplete. */
export class SourcesMissing extends Error {
	readonly names: readonly string[];
	constructor(names: readonly string[]) {
		super(`No answer from ${names.join(", ")}.`);
		this.names = names;
	}
}

/** The newest entries of the logs, at most `itemsMax`. Throws SourcesMissing if a service does not answer. */
export async function readAll(
	platform: Platform,
	sources: readonly Source[],
	reading: Reading & { itemsMax: number },
): Promise<{ items: Entry[]; isCut: boolean }> {
	const { itemsMax } = reading;
	const { lists, missing } = await openSources(platform, sources, { ...reading, itemsMax: itemsMax + 1 });
	if (missing.length > 0) throw new SourcesMissing(missing);
	const items: Entry[] = [];
	for await (const entry of mergeNewest(lists)) {
		if (items.length === itemsMax) return { items, isCut: true };
		items.push(entry);
	}
	return { items, isCut: false };
}
