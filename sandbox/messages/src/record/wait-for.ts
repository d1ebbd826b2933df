import { type Filter, matches, type Records } from "./records.ts";

/**
 * Resolves with the number of arrivals that match once it is `count`, or with the number so far when `signal`
 * aborts. Throws `TooMany` above the limit of waiting requests.
 */
export function waitFor(
	records: Records,
	{ filter, count, signal }: { filter: Filter; count: number; signal: AbortSignal },
): Promise<number> {
	let found = records.list(filter).length;
	if (found >= count || signal.aborted) return Promise.resolve(found);
	const { promise, resolve } = Promise.withResolvers<number>();
	const unsubscribe = records.subscribe((change) => {
		if (change.type === "cleared") found = 0;
		if (change.type === "arrival" && matches(change.arrival, filter)) found += 1;
		if (found >= count) end();
	});
	const end = () => {
		unsubscribe();
		signal.removeEventListener("abort", end);
		resolve(found);
	};
	signal.addEventListener("abort", end);
	return promise;
}
