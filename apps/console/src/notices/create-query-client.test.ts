import { type Client, ClientError, type ClientState } from "@lango/client";
import { afterEach, expect, test } from "vitest";
import { createQueryClient } from "./create-query-client.ts";
import { listToasts, openToasts, showToast } from "./toast.ts";

afterEach(openToasts);

/** The parts of a client that the cache uses. The test starts and ends its session. */
function openClient() {
	const clearings = new Set<(isSignOut: boolean) => void>();
	const listeners = new Set<() => void>();
	let state = { status: "ready" } as ClientState;
	const add = <T>(all: Set<T>, one: T) => {
		all.add(one);
		return () => void all.delete(one);
	};
	const client: Pick<Client, "getState" | "subscribe" | "onClear"> = {
		getState: () => state,
		subscribe: (listener) => add(listeners, listener),
		onClear: (clearing) => add(clearings, clearing),
	};
	const change = (status: "ready" | "signed_out") => {
		if (status === "signed_out") for (const clearing of clearings) clearing(true);
		state = { status, ended: true } as ClientState;
		for (const listener of listeners) listener();
	};
	return { client, signOut: () => change("signed_out"), signIn: () => change("ready") };
}

/** A running action, and the promise that completes it. */
function begin(queries: ReturnType<typeof createQueryClient>) {
	const answer = Promise.withResolvers<string>();
	const mutation = queries.getMutationCache().build(queries, {
		mutationFn: () => answer.promise,
		onSuccess: (name: string) => showToast("done", `${name} is saved.`),
		onError: () => showToast("error", "It failed."),
	});
	return { answer, done: mutation.execute(undefined).catch(() => undefined) };
}

const upgrade = new ClientError("subscription_inactive", { status: 403, body: { upgrade: true } });

test.each(["succeeds", "fails", "is refused by the plan"])(
	"an action that %s after the sign-out shows no toast, neither before nor after the next sign-in",
	async (outcome) => {
		const { client, signOut, signIn } = openClient();
		const queries = createQueryClient(client);
		const [early, late] = [begin(queries), begin(queries)];
		const settle = ({ answer }: typeof early) =>
			outcome === "succeeds"
				? answer.resolve("Ward")
				: answer.reject(outcome === "fails" ? new ClientError("unreachable") : upgrade);
		showToast("done", "Saved before.");
		signOut();
		settle(early);
		await early.done;
		expect(listToasts()).toEqual([]);
		signIn();
		settle(late);
		await late.done;
		expect(listToasts()).toEqual([]);
	},
);

test("an error that is reported outside of an action after the sign-out is not shown, and the next session shows its own", () => {
	const { client, signOut, signIn } = openClient();
	createQueryClient(client);
	signOut();
	showToast("error", "Signed out.");
	expect(listToasts()).toEqual([]);
	signIn();
	showToast("done", "Saved.");
	expect(listToasts()).toMatchObject([{ kind: "done", text: "Saved." }]);
});
