import { ConnectionsBusy } from "./lanes.ts";

const unavailableCodes = new Set([
	"ECONNREFUSED",
	"ECONNRESET",
	"ENOENT",
	"ETIMEDOUT",
	"EPIPE",
	"ENOTFOUND",
	"EAI_AGAIN",
	"EHOSTUNREACH",
	"ENETUNREACH",
	"57P01",
	"57P02",
	"57P03",
	"53300",
	"57014", // The statement timed out: the server is overloaded, or a lock was not released.
	"55P03", // A lock was not acquired in time.
	"40P01", // A deadlock; this transaction was chosen to abort.
]);

/** Whether an error means that the database is unreachable or overloaded, so that a retry may succeed. */
export function isUnavailable(error: unknown): boolean {
	if (!(error instanceof Error)) return false;
	if (error instanceof ConnectionsBusy) return true;
	const code = "code" in error ? String(error.code) : "";
	if (unavailableCodes.has(code) || code.startsWith("08")) return true;
	return /Connection terminated|timeout expired|timeout exceeded when trying to connect|connection error and is not queryable|Query read timeout/.test(
		error.message,
	);
}

/** Returns the name of the violated constraint, or undefined if the error is not a constraint violation. */
export function violatedConstraint(error: unknown): string | undefined {
	if (!(error instanceof Error) || !("code" in error) || !String(error.code).startsWith("23"))
		return undefined;
	// On a cluster the name of a unique rule or a key ends with the number of a shard, and a node has it in its
	// message only.
	const named = "constraint" in error && typeof error.constraint === "string" ? error.constraint : undefined;
	const name = named ?? /constraint "(\w+)"/.exec(error.message)?.[1];
	return name?.replace(/_\d+$/, "");
}
