import { expect, test } from "vitest";
import { createHashingQueue } from "./hashing-queue.ts";
import { checkPassword, hashPassword } from "./password.ts";

const busy = () => new Error("busy");
const shares = { max: { account: 9, address: 9, tenant: 9 }, overShare: () => new Error("over share") };
const requester = { account: "a", address: "1", tenant: undefined };

test("a password matches its own hash and no other", async () => {
	const hash = await hashPassword("Karibu-2026!");
	expect(await checkPassword("Karibu-2026!", hash)).toEqual({ matches: true, isOutdated: false });
	expect((await checkPassword("karibu-2026!", hash)).matches).toBe(false);
});

test("the same password written in two Unicode forms is one password", async () => {
	expect((await checkPassword("cafe\u0301-2026", await hashPassword("caf\u00e9-2026"))).matches).toBe(true);
});

test("two hashes of one password differ", async () => {
	expect(await hashPassword("same")).not.toBe(await hashPassword("same"));
});

test("a stored hash in an unknown format is a bug, not a wrong password", async () => {
	await expect(checkPassword("x", "$2b$10$abc")).rejects.toThrow(/form/);
});

test("a full queue rejects new work with the busy error, and accepts work again afterwards", async () => {
	const queue = await createHashingQueue({ atOnce: 1, waitingMax: 2, busy, shares });
	const hash = () => queue.withShare(requester, (share) => share.hash("x"));
	const results = await Promise.allSettled(Array.from({ length: 5 }, hash));
	expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
	expect(results.filter((one) => one.status === "rejected" && one.reason.message === "busy")).toHaveLength(2);
	await expect(hash()).resolves.toContain("$argon2id$");
});

test("an unknown person's password is checked against a decoy and never matches", async () => {
	const queue = await createHashingQueue({ atOnce: 1, waitingMax: 1, busy, shares });
	const check = queue.withShare(requester, (share) => share.check("decoy password", undefined));
	expect(await check).toEqual({ matches: false, isOutdated: false });
});
