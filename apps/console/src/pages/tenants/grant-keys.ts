import { createIdempotencyKey } from "@lango/client";

/** The key of what is granted: the same for the same thing sent again, until it was given. */
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
