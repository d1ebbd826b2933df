import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { startConsumers, startRelay } from "@lango/events";
import { describe, expect, test } from "vitest";
import { kinds } from "./buses.ts";
import { countersOf, countUnpublished, createTrialDatabase, effectsOf, noting } from "./trial.ts";

const program = join(import.meta.dirname, "counting-process.ts");

/** Starts the process, lets it work for some rounds, and kills it with SIGKILL. */
async function runAndKill(words: readonly string[], rounds: number): Promise<void> {
	const child: ChildProcess = spawn(process.execPath, [program, ...words], {
		stdio: ["ignore", "pipe", "inherit"],
	});
	const exited = once(child, "exit");
	if (child.stdout === null) throw new Error("the process has no output");
	let done = 0;
	for await (const dots of child.stdout) {
		done += String(dots).length;
		if (done >= rounds) break;
	}
	child.kill("SIGKILL");
	expect(await exited).toEqual([null, "SIGKILL"]);
}

describe.each(kinds)("$name", ({ open }) => {
	test("a process killed at any time loses no committed event and repeats no effect", {
		timeout: 120_000,
	}, async () => {
		const database = await createTrialDatabase();
		const { db } = database;
		const stand = await open();
		try {
			const words = [database.url, ...(stand.busUrl === undefined ? [] : [stand.busUrl])];
			for (const rounds of [1, 4, 11, 25, 30]) await runAndKill(words, rounds);

			const errors: string[] = [];
			const onError = (error: unknown) => void errors.push(String(error));
			const transport = stand.connect("trial", onError);
			const consumers = [noting("pos")];
			const { stop } = await startConsumers({ service: "pos", db, transport, consumers, onError });
			const relay = startRelay({ db, transport, now: () => new Date(), onError });
			const counters = await countersOf(db);
			await expect.poll(() => effectsOf(db, "pos"), { timeout: 60_000 }).toEqual(counters);
			expect(await countUnpublished(db)).toBe(0);
			await relay.stop();
			await stop();
			expect(Object.values(counters).map((all) => all.length >= 71)).toEqual([true, true, true]);
			expect(errors.filter((line) => !line.includes("the bus cannot be reached"))).toEqual([]);
		} finally {
			await stand.close();
			await database.drop();
		}
	});
});
