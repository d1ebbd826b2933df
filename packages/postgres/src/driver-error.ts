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
	"57014", // The statement took too long: the server is overloaded, or something held what it needed.
	"55P03", // A lock was not had in time.
	"40P01", // Two transactions waited for each other, and this one was chosen to end.
]);

/** Whether an error says that the database cannot be reached, or cannot do it now, so that trying again may help. */
export function isUnavailable(error: unknown): boolean {
	if (!(error instanceof Error)) return false;
	if (error instanceof ConnectionsBusy) return true;
	const code = "code" in error ? String(error.code) : "";
	if (unavailableCodes.has(code) || code.startsWith("08")) return true;
	return /Connection terminated|timeout expired|timeout exceeded when trying to connect|connection error and is not queryable|Query read timeout/.test(
		error.message,
	);
}

/** The name of the constraint an error reports as violated, or undefined when it reports none. */
export function violatedConstraint(error: unknown): string | undefined {
	if (!(error instanceof Error) || !("code" in error) || !String(error.code).startsWith("23"))
		return undefined;
	return "constraint" in error && typeof error.constraint === "string" ? error.constraint : undefined;
}
