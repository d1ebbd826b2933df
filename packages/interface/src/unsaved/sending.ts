/** A request that changes something, as the mutation cache of TanStack Query has it. */
type Sent = { state: { status: string; error: unknown } };
type SentCache = {
	getAll: () => readonly Sent[];
	subscribe: (listener: (event: { mutation?: Sent | undefined }) => void) => () => void;
};

let cache: SentCache | undefined;
let onFailed: ((failure: unknown) => void) | undefined;

/**
 * Says what is on its way: what was entered in a form that is left meanwhile is kept until it is saved.
 * `failed` is called when it could not be saved.
 */
export function watchSending(sent: SentCache, failed?: (failure: unknown) => void): void {
	cache = sent;
	onFailed = failed;
}

/** Calls a function when all that is on its way is saved: at once if nothing is; never after a failure. */
export function whenSaved(listener: () => void): void {
	const pending = new Set(cache?.getAll().filter(isPending));
	if (cache === undefined || pending.size === 0) {
		listener();
		return;
	}
	const failures: unknown[] = [];
	const stop = cache.subscribe(({ mutation }) => {
		if (mutation === undefined || isPending(mutation) || !pending.delete(mutation)) return;
		if (mutation.state.status === "error") failures.push(mutation.state.error);
		if (pending.size > 0) return;
		stop();
		if (failures.length > 0) onFailed?.(failures[0]);
		else listener();
	});
}

const isPending = ({ state }: Sent) => state.status === "pending";
