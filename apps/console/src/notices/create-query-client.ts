import { type Client, explainError } from "@lango/client";
import { currentLanguage, watchSending } from "@lango/interface";
import { type Mutation, MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { explain } from "./explain.ts";
import { tables } from "./texts.ts";
import { closeToasts, openToasts, showToast } from "./toast.ts";

const staleMilliseconds = 15_000;

/**
 * Creates the query cache. A 403 with `upgrade` (§7) is shown as a toast and never starts a sign-in. A
 * temporary failure is retried once. The cache is cleared when the session ends: a running action then
 * completes without its callbacks, so it shows no toast and opens no page to the next user.
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
			// An action fails without a network. It is not sent later.
			mutations: { retry: false, networkMode: "always" },
		},
	});
	watchSending(mutationCache, notifyNotSent);
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

/** Says that what was entered in a form which was left while it was sent could not be saved. */
function notifyNotSent(failure: unknown): void {
	const texts = tables[currentLanguage()];
	showToast("error", texts.notSent(explain(failure, { texts, messages: {} }).text));
}

function notifyUpgrade(error: unknown): void {
	if (explainError(error) !== "upgrade") return;
	showToast("warning", tables[currentLanguage()].errors.upgrade, { isUpgrade: true });
}
