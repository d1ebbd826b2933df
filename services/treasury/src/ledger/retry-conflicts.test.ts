import { expect, test, vi } from "vitest";
import { retryConflicts } from "./retry-conflicts.ts";

const failing = (code: string) => Object.assign(new Error(`failed with ${code}`), { code });
const atOnce = { random: () => 0 };

test.each(["40001", "40P01"])("work that failed with %s is repeated until it succeeds", async (code) => {
	const work = vi.fn().mockRejectedValueOnce(failing(code)).mockRejectedValueOnce(failing(code));
	work.mockResolvedValue("posted");
	expect(await retryConflicts(work, atOnce)).toBe("posted");
	expect(work).toHaveBeenCalledTimes(3);
});

test("a conflict that does not end is thrown after five retries, as the conflict that it is", async () => {
	const conflict = failing("40P01");
	const work = vi.fn().mockRejectedValue(conflict);
	await expect(retryConflicts(work, atOnce)).rejects.toBe(conflict);
	expect(work).toHaveBeenCalledTimes(6);
});

test("any other error is thrown at once", async () => {
	const work = vi.fn().mockRejectedValue(failing("LT001"));
	await expect(retryConflicts(work, atOnce)).rejects.toThrow("LT001");
	expect(work).toHaveBeenCalledTimes(1);
});
