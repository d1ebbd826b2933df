import { createIdempotencyKey } from "@lango/client";
import { type KeptNote, useKeptNote } from "@lango/interface";
import { useState } from "react";

type Last = { entered: string; key: string };
type GrantKeys = { keyFor(entered: string): string; forget(): void };

/**
 * Creates the idempotency keys of grants. A retry of the same input has the same key until it succeeds.
 */
export function createGrantKeys(last: KeptNote<Last>): GrantKeys {
	return {
		keyFor(entered) {
			const before = last.read();
			if (before?.entered === entered) return before.key;
			const key = createIdempotencyKey();
			last.write({ entered, key });
			return key;
		},
		forget() {
			last.write(undefined);
		},
	};
}

/** The idempotency keys of a form: its entries are kept over a reload, so the key of an attempt is, too. */
export function useGrantKeys(form: string): GrantKeys {
	const last = useKeptNote<Last>(`keys of ${form}`);
	const [keys] = useState(() => createGrantKeys(last));
	return keys;
}
