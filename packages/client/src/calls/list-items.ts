import { ClientError, recordOf, textOf } from "./client-error.ts";
import type { CallOptions } from "./send-request.ts";

/** `total`: the entries of all pages, if it was requested with `total=true` where the list offers it. */
export type Page<T> = { items: T[]; next_cursor: string | null; total?: number };
type Caller = { call<T>(path: string, options?: CallOptions): Promise<T> };

/** Returns one page of a list. The `next_cursor` of the last page is null. */
export function listPage<T>(client: Caller, path: string, options: CallOptions = {}): Promise<Page<T>> {
	return client.call<Page<T>>(path, options);
}

/**
 * Iterates over the items of a paged list, at most `itemsMax` (default 1,000). Throws ClientError
 * `unreadable` if a response is not a page or repeats a cursor.
 */
export async function* listItems<T>(
	client: Caller,
	path: string,
	{ itemsMax = 1_000, query, ...options }: CallOptions & { itemsMax?: number } = {},
): AsyncGenerator<T, void, void> {
	let cursor: string | undefined;
	let left = itemsMax;
	while (left > 0) {
		const page: unknown = await listPage(client, path, { ...options, query: { ...query, cursor } });
		const { items, next_cursor } = recordOf(page);
		const next = textOf(next_cursor);
		if (!Array.isArray(items) || (next !== undefined && next === cursor)) throw new ClientError("unreadable");
		yield* (items as T[]).slice(0, left);
		left -= items.length;
		if (next === undefined) return;
		cursor = next;
	}
}
