import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Outcome } from "../provider.ts";
import { createCallGuard } from "./guard-calls.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const unreachable: Outcome = { is: "refused", mayRetry: true, code: "connect", isUnreachable: true };
const down: Outcome = { is: "refused", mayRetry: true, code: "provider_down", isUnreachable: true };
const fail = (guard: ReturnType<typeof createCallGuard>, outcome: Outcome, times: number) =>
	Promise.all(Array.from({ length: times }, () => guard.call(async () => outcome)));

test.each<[string, Outcome]>([
	["unreachable", unreachable],
	["without an answer", { is: "unknown", code: "timeout" }],
])(
	"after five calls in a row that ended %s no call is made for ten seconds, then one",
	async (_name, outcome) => {
		const guard = createCallGuard(100);
		await fail(guard, outcome, 4);
		expect(guard.isClosed()).toBe(true);
		await fail(guard, outcome, 1);
		const send = vi.fn(async (): Promise<Outcome> => ({ is: "accepted" }));
		expect([guard.isClosed(), await guard.call(send)]).toEqual([false, down]);
		expect(send).not.toHaveBeenCalled();
		vi.advanceTimersByTime(10_000);
		expect([guard.isClosed(), await guard.call(send)]).toEqual([true, { is: "accepted" }]);
		expect(await guard.call(send)).toEqual({ is: "accepted" });
	},
);

test("a call that fails after ten seconds stops calls again", async () => {
	const guard = createCallGuard(100);
	await fail(guard, unreachable, 5);
	vi.advanceTimersByTime(10_000);
	await fail(guard, unreachable, 1);
	expect(guard.isClosed()).toBe(false);
});

test.each<[string, Outcome]>([
	["refused messages", { is: "refused", mayRetry: false, code: "bad_number" }],
	["requests to wait", { is: "refused", mayRetry: true, code: "busy", isUnreachable: true, afterSeconds: 5 }],
])("%s do not stop calls", async (_name, outcome) => {
	const guard = createCallGuard(100);
	await fail(guard, outcome, 20);
	expect(guard.isClosed()).toBe(true);
});

test("as many calls as allowed run at once, as many wait, and others are refused without a call", async () => {
	const guard = createCallGuard(2);
	const { promise, resolve } = Promise.withResolvers<Outcome>();
	const send = vi.fn(() => promise);
	const calls = Array.from({ length: 5 }, () => guard.call(send));
	await vi.advanceTimersByTimeAsync(0);
	expect(send).toHaveBeenCalledTimes(2);
	expect(await calls[4]).toMatchObject({ code: "provider_busy", isUnreachable: true });
	resolve({ is: "accepted" });
	expect(await Promise.all(calls.slice(0, 4))).toEqual(Array(4).fill({ is: "accepted" }));
});
