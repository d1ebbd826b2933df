import { type Client, explainError } from "@lango/client";
import { currentLanguage } from "@lango/interface";
import { type Mutation, MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { tables } from "./texts.ts";
import { closeToasts, openToasts, showToast } from "./toast.ts";

const staleMilliseconds = 15_000;

/**
 * The cache of what was asked. A 403 that says `upgrade` (§7) is told over the page wherever it comes from, and never leads to a sign-in;
 * what may pass by itself is asked once more; nothing outlives the session: an action that is under way when it ends completes without its
 * callbacks, so it shows no toast and opens no page to the next person.
 */
export function createQueryClient(client: Pick<Client, "getState" | "subscribe" | "onClear">): QueryClient {
	const mutationCache: MutationCache = new MutationCache({
		onError(...[error, , , { mutationId }]) {
			// A mutation that is not in the cache belongs to a session that ended.
			if (mutationCache.getAll().some((one) => one.mutationId === mutationId)) notifyUpgrade(error);
		},
	});
	const queries = new QueryClient({
		queryCache: new QueryCache({ onError: notifyUpgrade }),
		mutationCache,
		defaultOptions: {
			queries: {
				staleTime: staleMilliseconds,
				retry: (failures, error) => failures < 1 && explainError(error) === "unavailable",
			},
			// What cannot be sent now fails, and is not done by itself when the network is back.
			mutations: { retry: false, networkMode: "always" },
		},
	});
	client.onClear(() => {
		for (const mutation of mutationCache.getAll()) mutation.setOptions(withoutCallbacks(mutation.options));
		queries.clear();
		closeToasts();
	});
	client.subscribe(() => {
		if (client.getState().status === "ready") openToasts();
	});
	return queries;
}

function withoutCallbacks({
	onSuccess,
	onError,
	onSettled,
	...options
}: Mutation["options"]): Mutation["options"] {
	return options;
}

function notifyUpgrade(error: unknown): void {
	if (explainError(error) !== "upgrade") return;
	showToast("heed", tables[currentLanguage()].refusal.upgrade, { isUpgrade: true });
}
