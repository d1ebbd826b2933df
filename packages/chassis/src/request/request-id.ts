import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";

const form = /^[\w.:-]{1,64}$/;
const idLength = 32;
/**
 * Random bytes are generated for this many requests at once (128 bits each), which is faster than one by
 * one.
 */
const atOnce = 256;
let drawn = "";
let used = 0;

/** A unique request id: 32 random hexadecimal digits. */
export function mintRequestId(): string {
	if (used === drawn.length) {
		drawn = randomBytes((atOnce * idLength) / 2).toString("hex");
		used = 0;
	}
	used += idLength;
	return drawn.slice(used - idLength, used);
}

/**
 * The id of a request: its X-Request-ID if that has 1 to 64 characters of A-Z a-z 0-9 _ . : -, else a new
 * one.
 */
export function requestIdOf({ headers }: IncomingMessage): string {
	const given = headers["x-request-id"];
	return typeof given === "string" && form.test(given) ? given : mintRequestId();
}
