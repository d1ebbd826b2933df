import { setTimeout as sleep } from "node:timers/promises";
import { startConsumers, startRelay } from "@lango/events";
import type { Database } from "@lango/postgres";
import { describe, expect, test } from "vitest";
import { busKinds } from "./buses.ts";
import {
	count,
	countersOf,
	countUnpublished,
	createTrialDatabase,
	effectsOf,
	event,
	noting,
} from "./trial.ts";

/** The maximum number of unapplied events (README). */
const waitingMax = 5_000;
const each = 100;
const subjects = Array.from({ length: waitingMax / each }, (_, index) => `counter ${index}`);
const more = 30;
/** The events of each counter that are left when consumption continues. */
const left = 6;

/** Stores the maximum number of unapplied events, which continue the given counters. */
async function fillInbox(db: Database): Promise<void> {
	const envelopes = Array.from({ length: each }, (_, n) =>
		subjects.map((subject) => event(n + 1, subject)),
	).flat();
	await db.query(
		`insert into deliveries (consumer, event_id, type, subject, body, received_at)
		 select 'pos', (e->>'id')::uuid, e->>'type', e->>'subject', convert_to(e::text, 'UTF8'), now()
		   from unnest($1::text[]) with ordinality as given (line, place), lateral (select line::jsonb as e) read
		  order by place`,
		[envelopes.map((envelope) => JSON.stringify(envelope))],
	);
	await db.query("insert into counters (subject, value) select unnest($1::text[]), $2", [subjects, each]);
}

/** As if another process had applied the later events of each counter. */
async function applyElsewhere(db: Database): Promise<void> {
	await db.query(
		"delete from deliveries where (convert_from(body, 'UTF8')::jsonb->'data'->>'n')::int between $1 and $2",
		[left + 1, each],
	);
}

async function countWaiting(db: Database): Promise<number> {
	const [row] = await db.query<{ n: number }>("select count(*)::int as n from deliveries");
	return row?.n ?? -1;
}

describe.each(busKinds)("$name", ({ open }) => {
	test("when the maximum number of unapplied events is stored, no more are, and all are applied in order when consumption continues", {
		timeout: 150_000,
	}, async () => {
		const database = await createTrialDatabase();
		const { db } = database;
		const stand = await open();
		const errors: string[] = [];
		const onError = (error: unknown) => void errors.push(String(error));
		const gate = Promise.withResolvers<void>();
		try {
			await fillInbox(db);
			const transport = stand.connect("trial", onError);
			const relay = startRelay({ db, transport, now: () => new Date(), onError, intervalMs: 10 });
			for (const subject of subjects.slice(0, more)) await count(db, subject);
			await expect.poll(() => countUnpublished(db)).toBe(0);

			const consumers = [noting("pos", () => gate.promise)];
			const common = { service: "pos", db, transport, consumers, onError, intervalMs: 20 };
			const consuming = await startConsumers(common);
			await sleep(2_000);
			expect(await countWaiting(db)).toBe(waitingMax);

			await applyElsewhere(db);
			gate.resolve();
			const isLeft = (n: number) => n <= left || n > each;
			const counters = Object.entries(await countersOf(db));
			const effects = Object.fromEntries(counters.map(([subject, list]) => [subject, list.filter(isLeft)]));
			await expect.poll(() => countWaiting(db), { timeout: 120_000, interval: 200 }).toBe(0);
			await expect.poll(() => effectsOf(db, "pos"), { timeout: 15_000, interval: 200 }).toEqual(effects);
			await consuming.stop();
			await relay.stop();
			expect(Object.values(effects).flat()).toHaveLength(subjects.length * left + more);
			expect(errors.filter((line) => !line.includes("the bus cannot be reached"))).toEqual([]);
		} finally {
			gate.resolve();
			await stand.close();
			await database.drop();
		}
	});
});
