import { type Consumer, startConsumers, type Transport } from "@lango/events";
import { type Database, openPool, type Pool } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import {
	afterAll,
	afterEach,
	beforeAll,
	beforeEach,
	describe,
	expect,
	onTestFinished,
	test,
	vi,
} from "vitest";
import { busKinds, type Stand } from "./buses.ts";
import { counted, createTrialDatabase, effectsOf, emptyAll, event, noting } from "./trial.ts";

// Two releases of a service run side by side, and one knows event types that the other does not.

/** Generous: the machine may be busy, and a process that knows fewer types waits before it reads. */
const patient = { timeout: 45_000 };
const slowly = { timeout: 90_000 };
const removed = { ...counted, type: "trial.counter.removed" };
const before = noting("pos");
const further: Consumer = { ...noting("pos"), eventType: removed };

const database = setUp(createTrialDatabase, ({ drop }) => drop());
let db: Database;
let owner: Pool;

beforeAll(async () => {
	db = database.db;
	owner = openPool({ url: database.ownerUrl, name: "owner", sizeMax: 1 });
});
afterAll(() => owner.close());

describe.each(busKinds)("$name", ({ open }) => {
	let stand: Stand;
	let transport: Transport;
	let errors: string[] = [];
	let stops: Array<() => Promise<void>> = [];

	beforeEach(async () => {
		await emptyAll(owner);
		errors = [];
		stand = await open();
		transport = stand.connect("publisher", onError);
		await expect.poll(() => transport.check().then(() => "up", String), patient).toBe("up");
	});
	afterEach(async () => {
		for (const stop of stops.toReversed()) await stop();
		stops = [];
		await stand.close();
	});

	/** Moves the clock of intervals forward until the end of the test. */
	const passTime = (ms: number) => {
		const now = performance.now.bind(performance);
		const spy = vi.spyOn(performance, "now").mockImplementation(() => now() + ms);
		onTestFinished(() => spy.mockRestore());
	};
	const onError = (error: unknown, about: string) =>
		void errors.push(`${about}: ${(error as Error).message}`);
	const effects = () => expect.poll(() => effectsOf(db, "pos"), patient);
	const publishEvent = (n: number, type = counted.type, subject = "a") =>
		transport.publish(event(n, subject, { type }));

	/** Ages the lease by 18 of the 20 s after which a process that knows fewer types may acquire it. */
	const ageLease = () => owner.query("update readings set held_until = held_until - interval '18 seconds'");

	/** A process of a release that knows these types. */
	async function start(name: string, consumers: readonly Consumer[]) {
		const own = stand.elsewhere(name, onError);
		const { stop } = await startConsumers({
			service: "pos",
			db,
			transport: own,
			consumers,
			onError,
			intervalMs: 20,
		});
		stops.push(stop);
		return stop;
	}

	test(
		"an event of a type that only the new release knows is applied, even if a process of the earlier release reads first and continues",
		slowly,
		async () => {
			await start("before", [before]);
			await publishEvent(1);
			await effects().toEqual({ a: [1] });
			await publishEvent(2, removed.type);
			await publishEvent(3);
			await effects().toEqual({ a: [1, 3] });
			await start("new", [before, further]);
			await effects().toEqual({ a: [1, 3, 2] });
			for (let n = 4; n <= 40; n += 1) await publishEvent(n, n % 2 ? removed.type : counted.type);
			await effects().toEqual({ a: [1, 3, 2, ...Array.from({ length: 37 }, (_, n) => n + 4)] });
		},
	);

	test(
		"a delivery of a type that a process does not know is left to one that does, and later ones of its subject wait in order",
		slowly,
		async () => {
			const stopNew = await start("new", [before, further]);
			await publishEvent(1);
			await effects().toEqual({ a: [1] });
			await stopNew();
			await db.query(
				`insert into deliveries (consumer, event_id, type, subject, body, received_at)
				 select 'pos', (e->>'id')::uuid, e->>'type', e->>'subject', convert_to(e::text, 'UTF8'), now()
				   from unnest($1::text[]) with ordinality as given (line, place), lateral (select line::jsonb as e) read
				  order by place`,
				[
					[
						event(2, "a", { type: removed.type }),
						event(3),
						event(1, "b"),
						event(2, "c", { type: removed.type }),
					].map((one) => JSON.stringify(one)),
				],
			);
			await start("before", [before]);
			await effects().toEqual({ a: [1], b: [1] });
			await new Promise((resolve) => setTimeout(resolve, 500));
			expect(await effectsOf(db, "pos")).toEqual({ a: [1], b: [1] });
			expect(await db.query("select from deliveries")).toHaveLength(3);
			await start("new", [before, further]);
			await effects().toEqual({ a: [1, 2, 3], b: [1], c: [2] });
		},
	);

	test(
		"when the release that knew more types is gone, the earlier one reads, and unknown types are read again for the next release that knows them",
		slowly,
		async () => {
			await start("before", [before]);
			const stopNew = await start("new", [before, further]);
			await publishEvent(1);
			await publishEvent(2, removed.type);
			await effects().toEqual({ a: [1, 2] });
			await stopNew();
			await ageLease();
			await publishEvent(3, removed.type, "b");
			await publishEvent(4);
			await effects().toEqual({ a: [1, 2, 4] });
			for (const stop of stops.splice(0)) await stop();
			await start("new again", [before, further]);
			await effects().toEqual({ a: [1, 2, 4], b: [3] });
		},
	);

	test(
		"a process that knows more types requests them again if one that knows fewer has acquired the lease meanwhile",
		slowly,
		async () => {
			await start("new", [before, further]);
			await publishEvent(1);
			await effects().toEqual({ a: [1] });
			await owner.query(
				`update readings set types = array[$1], holder = gen_random_uuid(), held_until = now() + interval '1 hour'`,
				[counted.type],
			);
			await expect
				.poll(() => db.query("select types, replay_from is not null as again from readings"), patient)
				.toEqual([{ types: expect.arrayContaining([removed.type]), again: true }]);
		},
	);

	test(
		"a delivery of a type without subscribers blocks nothing, is not recorded as applied, and stays behind a dead letter",
		slowly,
		async () => {
			const stopNew = await start("new", [before, further]);
			await publishEvent(1);
			await effects().toEqual({ a: [1] });
			await stopNew();
			const left = event(2, "a", { type: removed.type });
			await db.query(
				`insert into deliveries (consumer, event_id, type, subject, body, received_at)
				 values ('pos', $1, $2, 'a', convert_to($3, 'UTF8'), now())`,
				[left.id, left.type, JSON.stringify(left)],
			);
			const behind = event(2, "b", { type: removed.type });
			await db.query(
				`insert into deliveries (consumer, event_id, type, subject, body, received_at, is_held, dead_at)
				 values ('pos', gen_random_uuid(), $1, 'b', 'dead', now(), true, now()),
				        ('pos', $2, $3, 'b', convert_to($4, 'UTF8'), now(), true, null)`,
				[counted.type, behind.id, behind.type, JSON.stringify(behind)],
			);
			await publishEvent(3);
			await ageLease();
			await start("without it", [before]);
			await expect
				.poll(() => db.query("select types from readings"), patient)
				.toEqual([{ types: [counted.type] }]);
			passTime(30_000);
			await effects().toEqual({ a: [1, 3] });
			expect(await db.query("select from inbox where event_id = $1", [left.id])).toEqual([]);
			const waiting = await db.query("select event_id from deliveries where dead_at is null");
			expect(waiting).toEqual([{ event_id: behind.id }]);
		},
	);
});
