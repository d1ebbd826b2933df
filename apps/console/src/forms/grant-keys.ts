import { createIdempotencyKey } from "@lango/client";

/**
 * Creates the idempotency keys of grants. A retry of the same input has the same key until it succeeds.
 */
export function createGrantKeys(): { keyFor(entered: string): string; forget(): void } {
	let last: { entered: string; key: string } | undefined;
	return {
		keyFor(entered) {
			if (last?.entered !== entered) last = { entered, key: createIdempotencyKey() };
			return last.key;
		},
		forget() {
			last = undefined;
		},
	};
}
