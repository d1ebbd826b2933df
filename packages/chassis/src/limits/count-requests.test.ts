import type { FastifyReply } from "fastify";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Failure } from "../request/failure.ts";
import { countRequests } from "./count-requests.ts";

beforeEach(() => vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => vi.useRealTimers());

const now = () => new Date("2026-03-01T12:00:00Z");

/** Counts one request: the headers of its response, and whether it is refused. */
function count(counter: ReturnType<typeof countRequests>, name: string) {
	let headers: Record<string, unknown> = {};
	const reply = {
		headers(given: Record<string, unknown>) {
			headers = given;
		},
	};
	try {
		counter(name, reply as unknown as FastifyReply);
		return { left: headers["ratelimit-remaining"], reset: headers["ratelimit-reset"] };
	} catch (error) {
		if (!(error instanceof Failure)) throw error;
		return { left: headers["ratelimit-remaining"], reset: headers["ratelimit-reset"], refused: error.code };
	}
}

test("requests beyond the limit are refused until the window ends, then a new one begins", () => {
	const counter = countRequests({ requests: 2, windowSeconds: 60 }, "address", { now });
	expect(count(counter, "a")).toEqual({ left: 1, reset: 60 });
	vi.advanceTimersByTime(30_500);
	expect(count(counter, "a")).toEqual({ left: 0, reset: 30 });
	expect(count(counter, "a")).toEqual({ left: 0, reset: 30, refused: "rate_limited" });
	expect(count(counter, "b")).toEqual({ left: 1, reset: 60 });
	vi.advanceTimersByTime(29_500);
	expect(count(counter, "a")).toEqual({ left: 1, reset: 60 });
});

test("beyond 65,536 counters the oldest is evicted, and the others are kept", () => {
	const counter = countRequests({ requests: 1, windowSeconds: 60 }, "address", { now });
	for (let at = 0; at <= 65_536; at += 1) count(counter, `network ${at}`);
	expect(count(counter, "network 1").refused).toBe("rate_limited");
	expect(count(counter, "network 65536").refused).toBe("rate_limited");
	expect(count(counter, "network 0").refused).toBeUndefined();
});
