import { expect, test } from "vitest";
import { type Attempt, createFailureCount } from "./failure-count.ts";

const from = (account: string, ip: string, device?: string): Attempt => ({ account, ip, device });
const refused = { code: "too_many_attempts", headers: { "retry-after": expect.stringMatching(/^\d+$/) } };

async function fail(
	count: ReturnType<typeof createFailureCount>,
	times: number,
	attemptOf: (turn: number) => Attempt,
) {
	for (let turn = 0; turn < times; turn += 1) await count.record(attemptOf(turn));
}

test("ten failures of an account from one address close that address for that account, and nothing else", async () => {
	const count = createFailureCount();
	await fail(count, 10, () => from("a", "1"));
	await expect(count.check(from("a", "1"))).rejects.toMatchObject(refused);
	await expect(count.check(from("a", "2"))).resolves.toBeUndefined();
	await expect(count.check(from("b", "1"))).resolves.toBeUndefined();
});

test("a success clears the count of its account from its address", async () => {
	const count = createFailureCount();
	await fail(count, 9, () => from("a", "1"));
	await count.clear(from("a", "1"));
	await fail(count, 9, () => from("a", "1"));
	await expect(count.check(from("a", "1"))).resolves.toBeUndefined();
});

test("a hundred failures from one address close it for every account", async () => {
	const count = createFailureCount();
	await fail(count, 100, (turn) => from(`account-${turn}`, "1"));
	await expect(count.check(from("somebody", "1"))).rejects.toMatchObject(refused);
	await expect(count.check(from("somebody", "2"))).resolves.toBeUndefined();
});

test("an account with a hundred failures from anywhere is slowed to one attempt in ten seconds, and not locked", async () => {
	const count = createFailureCount();
	await fail(count, 100, (turn) => from("a", `ip-${turn}`));
	await expect(count.check(from("a", "new"))).resolves.toBeUndefined();
	await expect(count.check(from("a", "new"))).rejects.toMatchObject(refused);
	await expect(count.check(from("b", "new"))).resolves.toBeUndefined();
});

test("a device that has signed in before is not locked out by strangers' failures, only by its own", async () => {
	const count = createFailureCount();
	await fail(count, 200, (turn) => from("a", `ip-${turn % 2}`));
	for (let attempt = 0; attempt < 3; attempt += 1)
		await expect(count.check(from("a", "ip-0", "device"))).resolves.toBeUndefined();
	await fail(count, 10, () => from("a", "ip-0", "device"));
	await expect(count.check(from("a", "ip-0", "device"))).rejects.toMatchObject(refused);
});
