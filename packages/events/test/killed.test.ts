import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { inProcessTransport, startConsumers, startRelay } from "@lango/events";
import { expect, test } from "vitest";
import { countUnpublished, createTrialDatabase, effectsOf, noting } from "./trial.ts";

const program = join(import.meta.dirname, "counting-process.ts");

/** Starts the process, lets it work for some rounds, and kills it as hard as can be. */
async function runAndKill(url: string, rounds: number): Promise<void> {
	const child: ChildProcess = spawn(process.execPath, [program, url], {
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

test("a process killed at any moment loses no committed event and repeats no effect", {
	timeout: 60_000,
}, async () => {
	const database = await createTrialDatabase();
	const { db } = database;
	try {
		for (const rounds of [1, 4, 11, 25, 30]) await runAndKill(database.url, rounds);

		const transport = inProcessTransport();
		const onError = (error: unknown) => expect.fail(String(error));
		const { stop } = await startConsumers({
			service: "pos",
			db,
			transport,
			consumers: [noting("pos")],
			onError,
		});
		const relay = startRelay({ db, transport, now: () => new Date(), onError });
		await expect.poll(() => countUnpublished(db), { timeout: 20_000 }).toBe(0);
		await relay.stop();
		await stop();

		const counters = await db.query<{ subject: string; value: number }>(
			"select subject, value from counters",
		);
		expect(counters.length).toBe(3);
		expect(Math.min(...counters.map(({ value }) => value))).toBeGreaterThanOrEqual(71);
		const expected = counters.map(({ subject, value }) => [
			subject,
			Array.from({ length: value }, (_, index) => index + 1),
		]);
		expect(await effectsOf(db, "pos")).toEqual(Object.fromEntries(expected));
	} finally {
		await database.drop();
	}
});
