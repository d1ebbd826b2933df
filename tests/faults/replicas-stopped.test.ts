import { setTimeout as sleep } from "node:timers/promises";
import { hasBus } from "@lango/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { activities } from "./activities.ts";
import { authorize, codeIn, cookieOf, signIn, trade } from "./person.ts";
import { kinds } from "./replicas.ts";
import { openStand, type Stand, underLoad, untilItFlows } from "./under-load.ts";

// Three services, each two processes behind a round-robin, at work while processes of theirs are stopped,
// killed and started again.

/** Half a minute on two cores that do nothing else. */
const slowly = { timeout: 300_000 };

describe.runIf(hasBus())("two processes of each service", slowly, () => {
	let stand: Stand;
	beforeAll(async () => {
		stand = await openStand();
	}, 120_000);
	afterAll(() => stand?.replicas.stop());

	const lostSoFar = () => kinds.flatMap((kind) => stand.replicas.balancers[kind].lost);

	test("a code that is traded at both processes at once is traded at one of them", async () => {
		const { of, urls } = stand.replicas;
		const cookie = cookieOf(await signIn(urls.auth, "admin@uhai.example"));
		for (let turn = 0; turn < 10; turn += 1) {
			const code = codeIn(await authorize(urls.auth, cookie)) ?? "";
			const answers = await Promise.all(of.auth.flatMap(({ url }) => [trade(url, code), trade(url, code)]));
			expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400]);
		}
	});

	test("every process is stopped by SIGTERM and started again, one after the other, and no request fails", async () => {
		const { of, balancers } = stand.replicas;
		const before = kinds.map((kind) => balancers[kind].answered());
		await underLoad(stand, async () => {
			for (const replica of kinds.flatMap((kind) => of[kind])) {
				expect([replica.name, await replica.stop()]).toEqual([replica.name, 0]);
				await replica.start();
			}
		});
		expect(stand.ledger.failures).toEqual([]);
		expect(lostSoFar()).toEqual([]);
		for (const [index, kind] of kinds.entries())
			for (const [at, count] of balancers[kind].answered().entries())
				expect(count - (before[index]?.[at] ?? 0), kind).toBeGreaterThan(5);
	});

	test.each(kinds)("a killed process of %s loses only the requests that it was answering", async (kind) => {
		const before = lostSoFar().length;
		await underLoad(stand, async (load) => {
			for (const replica of stand.replicas.of[kind]) {
				await replica.kill();
				await untilItFlows(load, Date.now());
				await replica.start();
			}
		});
		// Each kind of work has one request in progress, and each process was killed once.
		expect(lostSoFar().length - before).toBeLessThanOrEqual(2 * activities.length);
	});

	test("both processes of the sign-on service killed at once lose no acknowledged change", () =>
		underLoad(stand, async () => {
			await Promise.all(stand.replicas.of.auth.map((replica) => replica.kill()));
			await Promise.all(stand.replicas.of.auth.map((replica) => replica.start()));
		}));

	test("a PostgreSQL that crashes and is restarted has lost no acknowledged change", () =>
		underLoad(stand, async () => {
			await stand.replicas.postgres.crash();
			await sleep(2_000);
			await stand.replicas.postgres.restart();
		}));
});
