import { type Client, explainError } from "@lango/client";
import { currentLanguage } from "@lango/interface";
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { tables } from "./texts.ts";
import { clearToasts, showToast } from "./toast.ts";

const staleMilliseconds = 15_000;

/**
 * The cache of what was asked. A 403 that says `upgrade` (§7) is told over the page wherever it comes from, and never leads to a sign-in;
 * what may pass by itself is asked once more; nothing outlives the session.
 */
export function makeQueries(client: Client): QueryClient {
	const queries = new QueryClient({
		queryCache: new QueryCache({ onError: tellUpgrade }),
		mutationCache: new MutationCache({ onError: tellUpgrade }),
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
		queries.clear();
		clearToasts();
	});
	return queries;
}

function tellUpgrade(error: unknown): void {
	if (explainError(error) !== "upgrade") return;
	showToast("heed", tables[currentLanguage()].refusal.upgrade, { isUpgrade: true });
}
