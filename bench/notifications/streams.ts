import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { quantile } from "../figures.ts";
import { type Section, table } from "../report.ts";
import { startWorker } from "../sign-on/driver.ts";
import { memoryOf, stopChild } from "../sign-on/processes.ts";
import { addItems, addRecipients } from "./installation.store.ts";
import { type Item, plainStreamPath } from "./plain-routes.ts";
import type { Stage, Target } from "./stage.ts";
import type { Arrivals, Opening } from "./streams-process.ts";

/** A person may have five streams. */
const each = 5;
const arrivalSecondsMax = 30;

/** A server with streams: how they are opened, and what adds an item for each of some people. */
type Streaming = {
	target: Target;
	path: string;
	people: ReadonlyArray<{ id: string; token: string }>;
	/** Returns the ids of the items. */
	add(userIds: readonly string[]): Promise<string[]>;
};
/** From the insert to the arrival on each stream, in milliseconds, and the memory of a stream. */
type Delays = { all: number[]; single: number[]; kilobytes: number };

/**
 * Measures how fast items come on open streams: one for everybody at once, and one after the other; beside
 * peer and floor.
 */
export async function measureStreams(stage: Stage): Promise<Section> {
	const { options } = stage;
	const people = Math.ceil(options.streams / each);
	const own = await measureArrivals(stage, await openService(stage, people));
	const boss = await measureArrivals(stage, openPlain(await stage.startPeer(), people));
	const bare = await measureArrivals(stage, openPlain(await stage.startFloor(), people));
	const count = people * each;
	const p95 = quantile(own.all, 0.95);
	const row = (name: string, delays: readonly number[]) => [
		name,
		...[quantile(delays, 0.5), quantile(delays, 0.95), Math.max(...delays)].map((ms) => ms.toFixed(0)),
	];
	const head = ["insert to arrival", "p50 ms", "p95 ms", "longest ms"];
	const rows = [
		row(`an item for each of ${people} people, on ${count} streams`, own.all),
		row("an item for one of them, on 5 streams", own.single),
		row("pg-boss, a job per item: for each of them", boss.all),
		row("pg-boss: for one of them", boss.single),
		row("one insert with a notification: for each of them", bare.all),
		row("one insert: for one of them", bare.single),
	];
	const memory = `Each stream takes ${own.kilobytes.toFixed(0)} KB of memory, one of the floor ${bare.kilobytes.toFixed(0)} KB.`;
	return {
		title: `${count} open streams of inboxes`,
		text: [table(head, rows), memory].join("\n\n"),
		verdicts: [
			{
				...{ what: `p95 of an item on ${count} streams`, figure: `${p95.toFixed(0)} ms` },
				...{
					target: "< 300 ms",
					isReached: p95 < 300,
					ifNot: `One process reads the news and writes to every stream. Without reading anything, the floor takes ${quantile(bare.all, 0.95).toFixed(0)} ms.`,
				},
			},
		],
	};
}

async function openService(stage: Stage, count: number): Promise<Streaming> {
	const { admin, tenantId, streamPath: path } = stage;
	const target = await stage.startService();
	await stage.drive(target, { tenants: 1, seconds: 1, connections: 1, settleSeconds: 0, requests: 1 });
	const people = stage.makePeople(count);
	await addRecipients(admin, { tenantId, ids: people.map(({ id }) => id) });
	return { target, path, people, add: (userIds) => addItems(admin, { tenantId, userIds }) };
}

function openPlain(target: Target, count: number): Streaming {
	const people = Array.from({ length: count }, () => randomUUID()).map((id) => ({ id, token: id }));
	const add = async (userIds: readonly string[]) => {
		const items = userIds.map((user): Item => ({ user, id: randomUUID() }));
		const answer = await fetch(`${target.running.url}/items`, {
			...{ method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(items) },
		});
		if (!answer.ok) throw new Error(`adding items: ${answer.status}`);
		return items.map(({ id }) => id);
	};
	return { target, path: plainStreamPath, people, add };
}

/** Opens the streams of a server, measures items on them, and stops it. */
async function measureArrivals(stage: Stage, { target, path, people, add }: Streaming): Promise<Delays> {
	const { pid, url } = target.running;
	const before = memoryOf(pid).nowMb;
	const streams = await openStreams(stage, { url, path, each, tokens: people.map(({ token }) => token) });
	const kilobytes = ((memoryOf(pid).nowMb - before) * 1_000) / streams.count;
	/** Adds an item for each person at once. Returns the delays until they are on all streams. */
	const deliver = async (to: readonly string[]): Promise<number[]> => {
		const at = Date.now();
		const items = await add(to);
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
	const ids = people.map(({ id }) => id);
	await deliver(ids);
	const delays: Delays = { all: [], single: [], kilobytes };
	for (let run = 0; run < stage.options.runs; run += 1) {
		delays.all.push(...(await deliver(ids)));
		for (const id of ids.slice(0, 10)) delays.single.push(...(await deliver([id])));
	}
	await streams.stop();
	await target.running.stop();
	return delays;
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
