import { randomUUID } from "node:crypto";

/**
 * Mints a UUIDv7 (RFC 9562 §5.7): 48 bits of Unix milliseconds, the rest random, so that ids sort by their
 * time.
 */
export function uuidV7(at: Date): string {
	const ms = at.getTime().toString(16).padStart(12, "0");
	// Keeps the random bits of a random UUID behind the version.
	return `${ms.slice(0, 8)}-${ms.slice(8)}-7${randomUUID().slice(15)}`;
}

/** The smallest UUIDv7 of a time: ids that are not smaller were created at that time or later. */
export function uuidV7Floor(at: Date): string {
	const ms = Math.max(at.getTime(), 0).toString(16).padStart(12, "0");
	return `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8000-000000000000`;
}
