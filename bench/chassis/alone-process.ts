/**
 * Measures parts of the chassis without HTTP, each in its own process: `first-sight TOKENS`, `decision`,
 * `caches PEOPLE TENANTS`. Prints the result as one line of JSON.
 */
import { randomUUID } from "node:crypto";
import { mayDo } from "@lango/access";
import {
	createVerifier,
	generateSigningKey,
	localKeySet,
	publicJwk,
	readPublicJwk,
	signJwt,
} from "@lango/tokens";
import { quantile } from "../figures.ts";
import { claimsOf } from "./claims.ts";
import { fillCaches } from "./fill-caches.ts";
import { permissions } from "./permissions.ts";

/** Measures the verification of unknown tokens, in milliseconds. The first few hundred do not count. */
async function measureFirstSight(count: number): Promise<{ p50: number; p99: number; bytes: number }> {
	const key = await generateSigningKey("ES256");
	const published = readPublicJwk(publicJwk(key));
	if (published === undefined) throw new Error("the key is invalid");
	const issuer = "http://localhost:4000";
	const verifier = createVerifier({
		issuer,
		audiences: ["lango"],
		keys: localKeySet(() => [published]),
		now: () => new Date(),
	});
	const warmUp = 300;
	const tenant = { id: randomUUID(), slug: "duka-mart" };
	const iat = Math.floor(Date.now() / 1_000);
	const standard = { iss: issuer, aud: "lango", client_id: "till", iat, exp: iat + 3_600, permissions };
	const tokens = Array.from({ length: count + warmUp }, () =>
		signJwt(key, "at+jwt", { ...standard, ...claimsOf({ sub: randomUUID(), tenant }) }),
	);
	const times: number[] = [];
	for (const token of tokens) {
		const from = performance.now();
		await verifier.verify(token);
		times.push(performance.now() - from);
	}
	const counted = times.slice(warmUp);
	return { p50: quantile(counted, 0.5), p99: quantile(counted, 0.99), bytes: tokens[0]?.length ?? 0 };
}

/**
 * Measures one decision, in nanoseconds: of a granted permission, a missing one, and one granted by another
 * action.
 */
function measureDecision(): { ns: number; held: number } {
	const needed = ["stock.things.view", "stock.shelves.delete", "stock.audit.view", "stock.counts.change_own"];
	const held = permissions.filter((code) => code !== "stock.audit.view");
	const rounds = 500_000;
	let allowed = 0;
	const decide = () => {
		for (const code of needed) if (mayDo(held, code)) allowed += 1;
	};
	for (let round = 0; round < rounds / 5; round += 1) decide();
	const before = process.cpuUsage();
	for (let round = 0; round < rounds; round += 1) decide();
	const { user, system } = process.cpuUsage(before);
	if (allowed !== 3 * (rounds + rounds / 5)) throw new Error("a decision was wrong");
	return { ns: ((user + system) * 1_000) / (rounds * needed.length), held: held.length };
}

/** Measures the heap of full caches, in megabytes. */
async function measureCaches(people: number, tenants: number): Promise<{ mb: number; tokenBytes: number }> {
	const before = heapMb();
	const { keep, tokenBytes } = await fillCaches({ people, tenants });
	const mb = heapMb() - before;
	if (keep.length === 0) throw new Error("the caches are empty");
	return { mb, tokenBytes };
}

function heapMb(): number {
	if (globalThis.gc === undefined) throw new Error("this program needs --expose-gc");
	for (let turn = 0; turn < 3; turn += 1) globalThis.gc();
	const { heapUsed, external } = process.memoryUsage();
	return (heapUsed + external) / 1e6;
}

const [what, ...numbers] = process.argv.slice(2);
const [first = 0, second = 0] = numbers.map(Number);
const measured =
	what === "first-sight"
		? await measureFirstSight(first)
		: what === "decision"
			? measureDecision()
			: await measureCaches(first, second);
console.log(JSON.stringify(measured));
