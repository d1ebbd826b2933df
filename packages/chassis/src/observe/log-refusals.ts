import { TokenRefused } from "@lango/tokens";
import type { FastifyRequest } from "fastify";
import type { Failure } from "../request/failure.ts";
import { sampleLines } from "./sample-lines.ts";

/**
 * Lines per minute and reason. Anyone can send an invalid token. An outage has more lines, each with its
 * stack.
 */
const linesMax = { rejected: 10, failed: 60 };

/** Logs the cause of a refusal. */
export type LogRefusal = (failure: Failure, request: FastifyRequest) => void;

/**
 * Creates the log of refusals: an invalid credential is one short line, another cause one line with its
 * stack. The lines per minute and reason are limited; the first line after a limit gives the number of
 * suppressed lines. `clock` is in milliseconds.
 */
export function createRefusalLog(clock?: () => number): LogRefusal {
	const take = sampleLines(clock);
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
