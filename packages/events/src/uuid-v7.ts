import { randomUUID } from "node:crypto";

/** Mints a UUIDv7 (RFC 9562 §5.7): 48 bits of Unix milliseconds, the rest random, so that ids sort by their time. */
export function uuidV7(at: Date): string {
	const ms = at.getTime().toString(16).padStart(12, "0");
	// Of a random UUID all is kept that is random and lies behind the version; it draws its randomness in advance.
	return `${ms.slice(0, 8)}-${ms.slice(8)}-7${randomUUID().slice(15)}`;
}

/** The least UUIDv7 of a moment: an id that is not smaller was minted then or later. */
export function uuidV7Floor(at: Date): string {
	const ms = Math.max(at.getTime(), 0).toString(16).padStart(12, "0");
	return `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8000-000000000000`;
}
