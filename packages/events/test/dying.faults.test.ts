import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import {
	listDeadLetters,
	redriveDeadLetter,
	type Step,
	startConsumers,
	startRelay,
	steps,
} from "@lango/events";
import { type Database, openPool, type Pool } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Kind, kinds, type Stand } from "./buses.ts";
import {
	count,
	countUnpublished,
	createTrialDatabase,
	effectsOf,
	emptyAll,
	fastClock,
	type Misfortune,
	noting,
} from "./trial.ts";

const program = join(import.meta.dirname, "dying-process.ts");

/**
 * The fault that makes a process reach a step, and the occurrence at which it dies. The type requires every
 * step.
 */
const deaths: Readonly<Record<Step, ReadonlyArray<[misfortune: Misfortune, nth: number]>>> = {
	"events read": [["none", 2]],
	"event sent": [["none", 3]],
	"event acknowledged": [["none", 3]],
	"refusal recorded": [["refused", 1]],
	"events marked": [["none", 2]],
	"marks committed": [["none", 2]],
	"messages fetched": [["none", 2]],
	"messages stored": [["none", 2]],
	"messages acknowledged": [["none", 2]],
	"delivery taken": [
		["none", 3],
		["redriven", 1],
	],
	"effect applied": [
		["none", 3],
		["redriven", 1],
	],
	"effect committed": [
		["none", 3],
		["redriven", 1],
	],
	"effect failed": [
		["fails once", 1],
		["poisoned", 10],
		["unfit", 2],
	],
	"delivery parked": [
		["fails once", 1],
		["poisoned", 9],
	],
	"delivery discarded": [["poisoned", 1]],
	"delivery marked dead": [
		["poisoned", 1],
		["unfit", 1],
	],
	"dead letter redriven": [["redriven", 1]],
	"dead letter removed": [["given up", 1]],
};

const cases = steps.flatMap((step) => deaths[step].map(([misfortune, nth]) => ({ step, misfortune, nth })));
/** From this step on, a process works on stored messages, whatever transport they came by. */
const firstOfStored = steps.indexOf("delivery taken");
/** Deaths after the message is stored are tested over one transport: the bus, if there is one. */
const casesOf = (kind: Kind) =>
	kind === kinds.at(-1) ? cases : cases.filter(({ step }) => steps.indexOf(step) < firstOfStored);
const counts = { a: 4, b: 4, c: 4 };
const inOrder = { a: [1, 2, 3, 4], b: [1, 2, 3, 4], c: [1, 2, 3, 4] };

type Life = { url: string; busUrl: string | undefined; since: number };

/** Starts the process and waits until it has died at its step, which its exit signal proves. */
async function liveAndDie(
	{ url, busUrl = "", since }: Life,
	{ step, nth, misfortune }: (typeof cases)[number],
) {
	const words = [program, url, busUrl, step, String(nth), misfortune, String(since)];
	const child = spawn(process.execPath, words, { stdio: ["ignore", "inherit", "inherit"] });
	expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
}

/** Starts another process. The lease of the dead one is released at once instead of after ten seconds. */
async function goOn(db: Database, stand: Stand, since: number) {
	await db.query("update readings set holder = null, held_until = null");
	const errors: string[] = [];
	const onError = (error: unknown) => void errors.push(String(error));
	const transport = stand.connect("trial", onError);
	const now = fastClock(since);
	const consumers = [noting("pos")];
	const common = { db, transport, now, onError };
	const consuming = await startConsumers({ ...common, service: "pos", consumers, intervalMs: 10 });
	// By the real time: once a minute it removes old events.
	const relay = startRelay({ ...common, now: () => new Date(), intervalMs: 5 });
	return {
		errors,
		/** The applied counts, after an operator has redriven the dead letters. */
		async settle() {
			const { items } = await listDeadLetters(db, { service: "pos" });
			for (const { id } of items) await redriveDeadLetter(db, { service: "pos", id, now: now() });
			return effectsOf(db, "pos");
		},
		async stop() {
			await relay.stop();
			await consuming.stop();
		},
	};
}

const database = setUp(createTrialDatabase, ({ drop }) => drop());
let owner: Pool;

beforeAll(() => {
	owner = openPool({ url: database.ownerUrl, name: "owner", sizeMax: 1 });
});
afterAll(() => owner.close());

describe.each(kinds)("$name", (kind) => {
	test.each(casesOf(kind))(
		"a process killed after: $step (earlier fault: $misfortune) loses no effect, repeats none and keeps the order",
		{
			timeout: 60_000,
		},
		async (death) => {
			const { db, url } = database;
			await emptyAll(owner);
			const stand = await kind.open();
			const since = Date.now();
			try {
				for (const [subject, many] of Object.entries(counts))
					for (let n = 0; n < many; n += 1) await count(db, subject);
				await liveAndDie({ url, busUrl: stand.busUrl, since }, death);

				const next = await goOn(db, stand, since);
				// An event with invalid data blocks no other: after a redrive it is applied late.
				const isLate = death.misfortune === "unfit" && death.step === "delivery marked dead";
				const expected = isLate ? { ...inOrder, b: [1, 3, 4, 2] } : inOrder;
				const settled = isLate
					? async () => {
							const effects = await effectsOf(db, "pos");
							return effects.b?.includes(3) && effects.b.includes(4) ? next.settle() : effects;
						}
					: next.settle;
				try {
					await expect.poll(settled, { timeout: 30_000 }).toEqual(expected);
					await expect.poll(() => countUnpublished(db)).toBe(0);
					// An event that was sent twice is stored a second time, and then discarded.
					await expect.poll(() => db.query("select from deliveries")).toEqual([]);
				} finally {
					await next.stop();
				}
				expect(await effectsOf(db, "pos")).toEqual(expected);
				expect(next.errors.filter((line) => !line.includes("the bus cannot be reached"))).toEqual([]);
			} finally {
				await stand.close();
			}
		},
	);
});
