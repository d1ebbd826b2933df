import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Lane } from "./claim.store.ts";
import { createSettling } from "./settle-batches.ts";

const lane: Lane = { tenantId: "t", channel: "sms", messageClass: "normal" };
const result = { id: "d", attempt: 1, from: ["sending"], status: "sent" } as const;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const outage = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
const given = (willRetry: boolean) => [expect.anything(), { results: 1, willRetry }] as const;

/** A collection whose results are refused with an error until `repair` is called. */
function settleWith(error: Error) {
	let isBroken = true;
	const onError = vi.fn();
	const settle = async () => {
		if (isBroken) throw error;
	};
	const repair = () => {
		isBroken = false;
	};
	return { settling: createSettling({ settle, onError }), onError, repair };
}

test("results that come while the database is unavailable are recorded when it is back, minutes later", async () => {
	const { settling, onError, repair } = settleWith(outage);
	const added = settling.add(lane, result);
	await vi.advanceTimersByTimeAsync(5 * 60_000);
	repair();
	await vi.advanceTimersByTimeAsync(8_000);
	await added;
	expect(onError).toHaveBeenCalled();
	expect(onError).not.toHaveBeenCalledWith(...given(false));
});

test("results that fail for another reason are given up after half a minute", async () => {
	const { settling, onError } = settleWith(new Error("refused"));
	const added = settling.add(lane, result);
	await vi.advanceTimersByTimeAsync(32_000);
	await added;
	expect(onError).toHaveBeenLastCalledWith(...given(false));
});

test("a stop waits half a minute for the database", async () => {
	const { settling, onError } = settleWith(outage);
	void settling.add(lane, result);
	const flushed = settling.flush();
	await vi.advanceTimersByTimeAsync(32_000);
	await flushed;
	expect(onError).toHaveBeenLastCalledWith(...given(false));
});
