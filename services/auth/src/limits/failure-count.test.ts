import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { type Attempt, createFailureCount, type FailureCount } from "./failure-count.ts";
import { createLimiter } from "./limiter.ts";

afterEach(() => void vi.useRealTimers());

const from = (account: string, ip: string, device?: string): Attempt => ({ account, ip, device });
const refused = { code: "too_many_attempts", headers: { "retry-after": expect.stringMatching(/^\d+$/) } };
const wrong = async () => undefined;
const right = async () => "proved";

async function fail(count: FailureCount, times: number, attemptOf: (turn: number) => Attempt) {
	for (let turn = 0; turn < times; turn += 1)
		expect(await count.attempt(attemptOf(turn), wrong)).toBeUndefined();
}

test("ten failures of an account from one address close that address for that account, and nothing else", async () => {
	const count = createFailureCount(createLimiter);
	await fail(count, 10, () => from("a", "1"));
	await expect(count.attempt(from("a", "1"), right)).rejects.toMatchObject(refused);
	expect(await count.attempt(from("a", "2"), right)).toBe("proved");
	expect(await count.attempt(from("b", "1"), right)).toBe("proved");
});

test("a closed address is open again after a minute, however often it was tried meanwhile", async () => {
	vi.useFakeTimers();
	const count = createFailureCount(createLimiter);
	await fail(count, 10, () => from("a", "1"));
	for (let second = 0; second < 59; second += 1) {
		vi.advanceTimersByTime(1_000);
		await expect(count.attempt(from("a", "1"), right)).rejects.toMatchObject(refused);
	}
	vi.advanceTimersByTime(1_000);
	expect(await count.attempt(from("a", "1"), right)).toBe("proved");
});

test("of a hundred wrong passwords at once ten are tried", async () => {
	const count = createFailureCount(createLimiter);
	let tried = 0;
	const slowly = async () => {
		tried += 1;
		await new Promise((resolve) => setTimeout(resolve, 5));
		return undefined;
	};
	const all = await Promise.allSettled(
		Array.from({ length: 100 }, () => count.attempt(from("a", "1"), slowly)),
	);
	expect(tried).toBe(10);
	expect(all.filter((one) => one.status === "rejected" && one.reason.code === refused.code)).toHaveLength(90);
	expect(await count.attempt(from("b", "1"), right)).toBe("proved");
});

test("a success clears the count of its account from its address", async () => {
	const count = createFailureCount(createLimiter);
	await fail(count, 9, () => from("a", "1"));
	expect(await count.attempt(from("a", "1"), right)).toBe("proved");
	await fail(count, 10, () => from("a", "1"));
	await expect(count.attempt(from("a", "1"), right)).rejects.toMatchObject(refused);
});

test("successful attempts are not counted", async () => {
	const count = createFailureCount(createLimiter);
	for (let turn = 0; turn < 150; turn += 1) expect(await count.attempt(from("a", "1"), right)).toBe("proved");
	await fail(count, 10, () => from("a", "1"));
	expect(await count.attempt(from("b", "1"), right)).toBe("proved");
});

test("an attempt that throws is not counted, and its error is thrown", async () => {
	const count = createFailureCount(createLimiter);
	const busy = () => Promise.reject(new Error("busy"));
	for (let turn = 0; turn < 150; turn += 1)
		await expect(count.attempt(from("a", "1"), busy)).rejects.toThrow("busy");
	expect(await count.attempt(from("a", "1"), right)).toBe("proved");
});

test("a hundred failures from one address close it for every account", async () => {
	const count = createFailureCount(createLimiter);
	await fail(count, 100, (turn) => from(`account-${turn}`, "1"));
	await expect(count.attempt(from("somebody", "1"), right)).rejects.toMatchObject(refused);
	expect(await count.attempt(from("somebody", "2"), right)).toBe("proved");
});

test("addresses of one IPv6 network are one address", async () => {
	const count = createFailureCount(createLimiter);
	await fail(count, 10, (turn) => from("a", `2001:db8:1:2::${turn}`));
	await expect(count.attempt(from("a", "2001:db8:1:2:ffff::1"), right)).rejects.toMatchObject(refused);
	expect(await count.attempt(from("a", "2001:db8:1:3::1"), right)).toBe("proved");
});

test("an account with a hundred failures from anywhere is slowed to one attempt in ten seconds, and not locked", async () => {
	vi.useFakeTimers();
	const count = createFailureCount(createLimiter);
	await fail(count, 100, (turn) => from("a", `ip-${turn}`));
	for (let turn = 0; turn < 3; turn += 1) {
		expect(await count.attempt(from("a", "new"), wrong)).toBeUndefined();
		await expect(count.attempt(from("a", "new"), right)).rejects.toMatchObject(refused);
		vi.advanceTimersByTime(10_000);
	}
	expect(await count.attempt(from("a", "new"), right)).toBe("proved");
	expect(await count.attempt(from("b", "new"), right)).toBe("proved");
});

test("a known device is not locked out by failures elsewhere, only by its own", async () => {
	const count = createFailureCount(createLimiter);
	await fail(count, 10, () => from("a", "ip-0"));
	await fail(count, 90, (turn) => from("a", `ip-${turn}-more`));
	await expect(count.attempt(from("a", "ip-0"), right)).rejects.toMatchObject(refused);
	for (let attempt = 0; attempt < 3; attempt += 1)
		expect(await count.attempt(from("a", "ip-0", "device"), right)).toBe("proved");
	await fail(count, 10, () => from("a", "ip-0", "device"));
	await expect(count.attempt(from("a", "ip-0", "device"), right)).rejects.toMatchObject(refused);
});

test("after a hundred failures in an hour on devices of an account, its devices are treated as unknown", async () => {
	vi.useFakeTimers();
	const count = createFailureCount(createLimiter);
	// Somebody who knew an earlier password has collected many marks of devices.
	await fail(count, 100, (turn) => from("a", "attacker", `mark-${turn}`));
	await expect(count.attempt(from("a", "attacker", "mark-101"), wrong)).resolves.toBeUndefined();
	await expect(count.attempt(from("a", "attacker", "mark-102"), right)).rejects.toMatchObject(refused);
	expect(await count.attempt(from("b", "attacker", "mark-b"), right)).toBe("proved");
	vi.advanceTimersByTime(10_000);
	expect(await count.attempt(from("a", "owner", "mark-owner"), right)).toBe("proved");
});

test("of parallel failures on many devices of an account a hundred are tried as known ones", async () => {
	const count = createFailureCount(createLimiter);
	let tried = 0;
	const slowly = async () => {
		tried += 1;
		await new Promise((resolve) => setTimeout(resolve, 5));
		return undefined;
	};
	await Promise.allSettled(
		Array.from({ length: 300 }, (_, turn) => count.attempt(from("a", "1", `mark-${turn}`), slowly)),
	);
	expect(tried).toBe(100);
});

test("one address at five attempts a second keeps no other address from signing in", async () => {
	vi.useFakeTimers();
	const count = createFailureCount(createLimiter);
	for (let tenth = 0; tenth < 3 * 36_000; tenth += 2) {
		await count.attempt(from("a", "attacker"), wrong).catch(() => undefined);
		if (tenth % 600 === 0) expect(await count.attempt(from("a", "owner"), right)).toBe("proved");
		vi.advanceTimersByTime(200);
	}
});

test("an attempt that could not be tried does not take the slot of a slowed account, nor does a success", async () => {
	vi.useFakeTimers();
	const count = createFailureCount(createLimiter);
	await fail(count, 100, (turn) => from("a", `ip-${turn}`));
	const busy = () => Promise.reject(new Error("busy"));
	await expect(count.attempt(from("a", "new"), busy)).rejects.toThrow("busy");
	expect(await count.attempt(from("a", "new"), right)).toBe("proved");
	expect(await count.attempt(from("a", "other"), right)).toBe("proved");
});

test("rejected attempts change nothing: without them every other attempt is answered the same", async () => {
	vi.useFakeTimers();
	const step = fc.record({
		account: fc.constantFrom("a", "b"),
		ip: fc.constantFrom("1", "2", "3", "4", "5"),
		device: fc.option(fc.constant("device"), { nil: undefined, freq: 8 }),
		outcome: fc.constantFrom("wrong", "wrong", "wrong", "wrong", "right", "throws"),
		times: fc.integer({ min: 1, max: 40 }),
		waitMs: fc.constantFrom(0, 1_000, 9_000, 60_000, 600_000),
	});
	const run = async (
		steps: ReadonlyArray<{ at: number; who: Attempt; outcome: string }>,
	): Promise<string[]> => {
		vi.setSystemTime(0);
		const count = createFailureCount(createLimiter);
		const answers: string[] = [];
		for (const { at, who, outcome } of steps) {
			vi.advanceTimersByTime(at - Date.now());
			const prove = async () => {
				if (outcome === "throws") throw new Error("busy");
				return outcome === "right" ? "proved" : undefined;
			};
			const answer = await count.attempt(who, prove).catch((error) => error.code ?? error.message);
			answers.push(answer ?? "wrong");
		}
		vi.clearAllTimers();
		return answers;
	};
	await fc.assert(
		fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (drawn) => {
			let at = 0;
			const steps = drawn.flatMap(({ account, ip, device, outcome, times, waitMs }) => {
				at += waitMs;
				return Array.from({ length: times }, () => ({ at, who: { account, ip, device }, outcome }));
			});
			const answers = await run(steps);
			const isTried = (turn: number) => answers[turn] !== refused.code;
			const withoutRejected = await run(steps.filter((_, turn) => isTried(turn)));
			expect(withoutRejected).toEqual(answers.filter((_, turn) => isTried(turn)));
		}),
		{ numRuns: 30 },
	);
});
