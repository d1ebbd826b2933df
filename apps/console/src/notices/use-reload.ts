import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import { showToast } from "./toast.ts";

/** Returns a function that reloads the queries of these cache keys, then shows a success message. */
export function useReload(...keys: QueryKey[]): (message: string) => Promise<void> {
	const queries = useQueryClient();
	return async (message) => {
		await Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })));
		showToast("done", message);
	};
}
