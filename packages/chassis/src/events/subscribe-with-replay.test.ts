import { authSessionRevoked } from "@lango/contracts";
import type { Transport } from "@lango/events";
import { expect, test } from "vitest";
import { subscribeWithReplay } from "./subscribe-with-replay.ts";

test("any number of gaps during a replay cause one more replay", async () => {
	let readings = 0;
	let gap = () => {};
	const waiting: Array<() => void> = [];
	const transport: Pick<Transport, "observe" | "replaySince"> = {
		observe: async ({ onGap }) => {
			gap = onGap;
			return { stop: async () => undefined };
		},
		replaySince: () => {
			readings += 1;
			return new Promise((done) => waiting.push(done));
		},
	};
	const stops: Array<() => Promise<void> | void> = [];
	await subscribeWithReplay(
		{
			transport: transport as Transport,
			now: () => new Date(),
			log: { error: () => undefined } as never,
			onStop: (stop) => void stops.push(stop),
			readyWhen: () => undefined,
		},
		{ name: "trial", eventType: authSessionRevoked, rememberMs: 1_000, deliver: () => undefined },
	);
	for (let gaps = 0; gaps < 5; gaps += 1) gap();
	expect(readings).toBe(1);
	waiting.shift()?.();
	await expect.poll(() => readings).toBe(2);
	waiting.shift()?.();
	await expect.poll(() => waiting.length).toBe(0);
	gap();
	await expect.poll(() => readings).toBe(3);
	waiting.shift()?.();
	for (const stop of stops) await stop();
	expect(readings).toBe(3);
});
