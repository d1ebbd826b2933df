import { createHashingQueue, type HashingQueue, hashPassword } from "@lango/passwords";
import { expect, test } from "vitest";
import { failures } from "../src/failures.ts";
import { findPasswordHash } from "../src/passwords/credential.store.ts";
import { renewHash } from "../src/passwords/renew-hash.ts";
import { password, setUpSignOn } from "./sign-on.ts";

const signOn = setUpSignOn();

const shares = {
	max: { account: 2, address: 2, tenant: 2 },
	overShare: () => failures.too_many_sign_ins(),
};
const queue = () =>
	createHashingQueue({ atOnce: 1, waitingMax: 0, busy: () => failures.sign_in_busy(), shares });
const requester = { account: "a", address: "1", tenant: undefined };
const renewIn = (hashing: HashingQueue, renewal: Awaited<ReturnType<typeof somebody>>) =>
	hashing.withShare(requester, (share) =>
		renewHash({ db: signOn.db, now: () => signOn.now.at, hashing: share }, renewal),
	);
const somebody = async () => {
	const [row] = await signOn.db.query<{ id: string }>(
		"select id from users where email = 'nurse@uhai.example'",
	);
	const userId = row?.id ?? "";
	return { userId, password, proved: (await findPasswordHash(signOn.db, userId)) ?? "" };
};

test("a correct password is accepted with its outdated hash if the hashing queue is full", async () => {
	const hashing = await queue();
	const renewal = await somebody();
	const occupied = hashing.withShare(requester, (share) => share.hash("somebody else's"));
	const renewed = await renewIn(hashing, renewal);
	await occupied;
	expect(renewed).toBe(renewal.proved);
	expect(await findPasswordHash(signOn.db, renewal.userId)).toBe(renewal.proved);
});

test("with room in the queue the hash is renewed and stored", async () => {
	const renewal = await somebody();
	const renewed = await renewIn(await queue(), renewal);
	expect(renewed).not.toBe(renewal.proved);
	expect(await findPasswordHash(signOn.db, renewal.userId)).toBe(renewed);
});

test("any other error of hashing is thrown", async () => {
	const renewal = await somebody();
	const renewing = (await queue()).withShare(requester, (share) => {
		const hashing = { ...share, hash: () => Promise.reject(new Error("no memory")) };
		return renewHash({ db: signOn.db, now: () => signOn.now.at, hashing }, renewal);
	});
	await expect(renewing).rejects.toThrow("no memory");
	expect(await hashPassword(password)).toContain("argon2id");
});
