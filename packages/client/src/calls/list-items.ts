import type { CallOptions } from "./call.ts";
import { ClientError, isRecord, textOf } from "./client-error.ts";

export type Page<T> = { items: T[]; next_cursor: string | null };
type Caller = { call<T>(path: string, options?: CallOptions): Promise<T> };

/** One page of a list; `next_cursor` is null on the last. */
export function listPage<T>(client: Caller, path: string, options: CallOptions = {}): Promise<Page<T>> {
	return client.call<Page<T>>(path, options);
}

/**
 * Every item of a paged list, page by page, as many as `itemsMax` (default 1,000). A service that answers no page, or the same
 * cursor twice, is a ClientError `unreadable`.
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
		const items = isRecord(page) ? page["items"] : undefined;
		const next = isRecord(page) ? textOf(page["next_cursor"]) : undefined;
		if (!Array.isArray(items) || (next !== undefined && next === cursor)) throw new ClientError("unreadable");
		yield* (items as T[]).slice(0, left);
		left -= items.length;
		if (next === undefined) return;
		cursor = next;
	}
}
