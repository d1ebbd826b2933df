import { failures } from "../../failures.ts";

type FromSomewhere = { headers: { origin?: string | undefined; cookie?: string | undefined } };

/**
 * Refuses a request from a page of an unknown origin. Native callers send neither cookie nor Origin. Throws
 * `origin_forbidden`.
 */
export function requireOrigin({ headers }: FromSomewhere, allowed: readonly string[]): void {
	const isNative = headers.origin === undefined && headers.cookie === undefined;
	if (!isNative && !allowed.includes(headers.origin ?? "")) throw failures.origin_forbidden();
}
