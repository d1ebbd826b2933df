/**
 * Hashes passwords by argon2id with the parameters of the sign-on service, several at once, to measure the
 * rate of the machine.
 */
import { randomBytes } from "node:crypto";
import { derivePassword } from "./password.ts";

process.on("message", async ({ seconds, atOnce }: { seconds: number; atOnce: number }) => {
	const begin = performance.now();
	const end = begin + seconds * 1_000;
	let hashes = 0;
	const work = async () => {
		while (performance.now() < end) {
			await derivePassword("Karibu-2026!", randomBytes(16));
			hashes += 1;
		}
	};
	await Promise.all(Array.from({ length: atOnce }, work));
	process.send?.({ perSecond: hashes / ((performance.now() - begin) / 1_000) });
});
process.on("disconnect", () => process.exit(0));
