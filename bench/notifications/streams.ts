import { setTimeout as sleep } from "node:timers/promises";
import { quantile } from "../figures.ts";
import { type Section, table } from "../report.ts";
import { startWorker } from "../sign-on/driver.ts";
import { memoryOf, stopChild } from "../sign-on/processes.ts";
import { addItems, addRecipients } from "./installation.store.ts";
import type { Stage } from "./stage.ts";
import type { Arrivals, Opening } from "./streams-process.ts";

/** A person may have five streams. */
const each = 5;
const arrivalSecondsMax = 30;

/** Measures how fast items come on open streams: one for everybody at once, and one after the other. */
export async function measureStreams(stage: Stage): Promise<Section> {
	const { options, admin, tenantId } = stage;
	const service = await stage.startService();
	await stage.drive(service, { tenants: 1, seconds: 1, connections: 1, settleSeconds: 0, requests: 1 });
	const before = memoryOf(service.running.pid).nowMb;
	const people = stage.makePeople(Math.ceil(options.streams / each));
	const ids = people.map(({ id }) => id);
	await addRecipients(admin, { tenantId, ids });
	const streams = await openStreams(stage, {
		...{ url: service.running.url, path: stage.streamPath, each },
		tokens: people.map(({ token }) => token),
	});
	const perStream = (memoryOf(service.running.pid).nowMb - before) / streams.count;
	/** Adds an item for each person by one statement. Returns the delays until they are on all streams. */
	const deliver = async (to: readonly string[]): Promise<number[]> => {
		const at = Date.now();
		const items = await addItems(admin, { tenantId, userIds: to });
		const arrived = new Map<string, readonly number[]>();
		const end = at + arrivalSecondsMax * 1_000;
		const count = () => [...arrived.values()].reduce((sum, { length }) => sum + length, 0);
		while (count() < items.length * each) {
			if (Date.now() > end) throw new Error(`${count()} of ${items.length * each} items came`);
			await sleep(20);
			for (const [id, times] of Object.entries(await streams.read()))
				arrived.set(id, [...(arrived.get(id) ?? []), ...times]);
		}
		return [...arrived.values()].flat().map((time) => time - at);
	};
	await deliver(ids);
	const all: number[] = [];
	const single: number[] = [];
	for (let run = 0; run < options.runs; run += 1) {
		all.push(...(await deliver(ids)));
		for (const id of ids.slice(0, 10)) single.push(...(await deliver([id])));
	}
	await streams.stop();
	await service.running.stop();
	const p95 = quantile(all, 0.95);
	const row = (name: string, delays: readonly number[]) => [
		name,
		...[quantile(delays, 0.5), quantile(delays, 0.95), Math.max(...delays)].map((ms) => ms.toFixed(0)),
	];
	const head = ["insert to arrival", "p50 ms", "p95 ms", "longest ms"];
	const rows = [
		row(`an item for each of ${ids.length} people, on ${streams.count} streams`, all),
		row("an item for one of them, on 5 streams", single),
	];
	return {
		title: `${streams.count} open streams of inboxes`,
		text: [table(head, rows), `Each stream takes ${(perStream * 1_000).toFixed(0)} KB of memory.`].join(
			"\n\n",
		),
		verdicts: [
			{
				...{ what: `p95 of an item on ${streams.count} streams`, figure: `${p95.toFixed(0)} ms` },
				...{
					target: "< 300 ms",
					isReached: p95 < 300,
					ifNot: "One process reads the news and writes to every stream.",
				},
			},
		],
	};
}

async function openStreams({ cores }: Stage, opening: Opening) {
	const { child, ask } = startWorker("../notifications/streams-process.ts", cores, cores.rest);
	const give = async <T>(job: object) => {
		const { result, error } = await ask<{ result: T; error?: string }>(job);
		if (error !== undefined) throw new Error(`opening streams: ${error}`);
		return result;
	};
	return {
		count: await give<number>(opening),
		read: () => give<Arrivals>({}),
		stop: () => stopChild(child),
	};
}
