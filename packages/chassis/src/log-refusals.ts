import { TokenRefused } from "@lango/tokens";
import type { FastifyRequest } from "fastify";
import type { Failure } from "./failure.ts";

/** Lines per minute and reason. Anybody can send an invalid token; an outage is worth more lines, each with its stack. */
const linesMax = { rejected: 10, failed: 60 };
const windowMs = 60_000;
/** Reasons counted at the same time. Reasons come from the code; the bound holds if one ever contains what a caller sent. */
const reasonsMax = 100;

/** Logs the cause of a refusal. */
export type LogRefusal = (failure: Failure, request: FastifyRequest) => void;

/** What was logged and suppressed of one reason in the current minute. */
type Window = { endsAt: number; lines: number; suppressed: number };

/**
 * Makes the log of refusals: an invalid credential is one short line, another cause one line with its stack. Within a minute each
 * reason has a limited number of lines; the first line after that says how many were suppressed. `clock` is in milliseconds.
 */
export function createRefusalLog(clock: () => number = () => performance.now()): LogRefusal {
	const take = sampleWith(clock);
	return (failure, { log }) => {
		const { cause, kind, code } = failure;
		if (kind === "unauthenticated") {
			const reason = reasonOf(cause);
			const line = take(`${code} ${reason}`, linesMax.rejected);
			if (line !== undefined) log.info({ refusal: code, reason, ...line }, "credential rejected");
			return;
		}
		const line = take(code, linesMax.failed);
		if (line !== undefined) log.warn({ err: cause, refusal: code, ...line }, "refused");
	};
}

function reasonOf(cause: unknown): string {
	if (cause instanceof TokenRefused) return cause.reason;
	return cause instanceof Error ? cause.message : String(cause);
}

/** Returns what a line says of those suppressed before it, or undefined where the line itself is suppressed. */
function sampleWith(clock: () => number) {
	const windows = new Map<string, Window>();
	const current = (reason: string): { window: Window; suppressed: number } => {
		const known = windows.get(reason);
		if (known !== undefined && clock() < known.endsAt) return { window: known, suppressed: 0 };
		if (known === undefined && windows.size >= reasonsMax) windows.clear();
		const window = { endsAt: clock() + windowMs, lines: 0, suppressed: 0 };
		windows.set(reason, window);
		return { window, suppressed: known?.suppressed ?? 0 };
	};
	return (reason: string, most: number): { suppressed?: number } | undefined => {
		const { window, suppressed } = current(reason);
		if (window.lines >= most) {
			window.suppressed += 1;
			return undefined;
		}
		window.lines += 1;
		return suppressed > 0 ? { suppressed } : {};
	};
}
