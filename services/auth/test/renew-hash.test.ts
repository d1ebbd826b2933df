import { createHashingQueue, hashPassword } from "@lango/passwords";
import { afterAll, beforeAll, expect, test } from "vitest";
import { failures } from "../src/failures.ts";
import { findPasswordHash } from "../src/passwords/credential.store.ts";
import { renewHash } from "../src/passwords/renew-hash.ts";
import { password, type SignOn, startSignOn } from "./sign-on.ts";

let signOn: SignOn;
beforeAll(async () => {
	signOn = await startSignOn();
});
afterAll(() => signOn.close());

const queue = () => createHashingQueue({ atOnce: 1, waitingMax: 0, busy: () => failures.sign_in_busy() });
const somebody = async () => {
	const [row] = await signOn.db.query<{ id: string }>(
		"select id from users where email = 'nurse@uhai.example'",
	);
	const userId = row?.id ?? "";
	return { userId, password, proved: (await findPasswordHash(signOn.db, userId)) ?? "" };
};

test("a right password whose hash is to be renewed while too many wait is let in by the old one, which stays", async () => {
	const hashing = await queue();
	const renewal = await somebody();
	const occupied = hashing.hash("somebody else's");
	const renewed = await renewHash({ db: signOn.db, now: () => signOn.now.at, hashing }, renewal);
	await occupied;
	expect(renewed).toBe(renewal.proved);
	expect(await findPasswordHash(signOn.db, renewal.userId)).toBe(renewal.proved);
});

test("with room in the queue the hash is made anew and kept", async () => {
	const renewal = await somebody();
	const renewed = await renewHash(
		{ db: signOn.db, now: () => signOn.now.at, hashing: await queue() },
		renewal,
	);
	expect(renewed).not.toBe(renewal.proved);
	expect(await findPasswordHash(signOn.db, renewal.userId)).toBe(renewed);
});

test("any other trouble with the hash is told", async () => {
	const hashing = { ...(await queue()), hash: () => Promise.reject(new Error("no memory")) };
	const renewing = renewHash({ db: signOn.db, now: () => signOn.now.at, hashing }, await somebody());
	await expect(renewing).rejects.toThrow("no memory");
	expect(await hashPassword(password)).toContain("argon2id");
});
