import { listDeadLetters, type Relay, redriveDeadLetter, startConsumers, startRelay } from "@lango/events";
import { type Database, openPool, type Pool } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
	count,
	countUnpublished,
	createTrialDatabase,
	effectsOf,
	emptyAll,
	manualClock,
	meddling,
	noting,
} from "./trial.ts";

const database = setUp(createTrialDatabase, ({ drop }) => drop());
let db: Database;
let owner: Pool;
let admin: Pool;

beforeAll(async () => {
	db = database.db;
	owner = openPool({ url: database.ownerUrl, name: "owner", sizeMax: 1 });
	admin = openPool({ url: process.env.TEST_DATABASE_URL ?? "", name: "admin", sizeMax: 1 });
});
afterAll(async () => {
	await admin.close();
	await owner.close();
});

/** The faults of a publication and of the effect of a delivery. */
const faults = ["none", "lost before", "lost after", "twice at once", "relay dies"] as const;
type Fault = (typeof faults)[number];

type Step =
	| { what: "count"; subject: string }
	| { what: "count and undo"; subject: string }
	| { what: "publish"; relays: 1 | 2; faults: readonly Fault[]; failingEffects: readonly boolean[] };

const subject = fc.constantFrom("a", "b", "c");
const step: fc.Arbitrary<Step> = fc.oneof(
	{ weight: 4, arbitrary: fc.record({ what: fc.constant("count" as const), subject }) },
	{ weight: 1, arbitrary: fc.record({ what: fc.constant("count and undo" as const), subject }) },
	{
		weight: 2,
		arbitrary: fc.record({
			what: fc.constant("publish" as const),
			relays: fc.constantFrom(1 as const, 2 as const),
			faults: fc.array(fc.constantFrom(...faults), { maxLength: 6 }),
			failingEffects: fc.array(fc.boolean(), { maxLength: 6 }),
		}),
	},
);

/** Terminates the connection of the relay that holds the lock, as its death would. */
const killRelay = () =>
	admin.query(
		`select pg_terminate_backend(pid, 5000) from pg_locks
		  where locktype = 'advisory' and granted and objid = hashtext('lango-relay')::oid
		    and database = (select oid from pg_database where datname = $1)`,
		[new URL(database.url).pathname.slice(1)],
	);

/** Two consuming services with a given, finite list of faults. */
async function createWorld() {
	const clock = manualClock();
	const misfortunes: { faults: Fault[]; failingEffects: boolean[] } = { faults: [], failingEffects: [] };
	const transport = meddling(async (envelope, inner) => {
		const fault = misfortunes.faults.shift() ?? "none";
		if (fault === "lost before") throw new Error(fault);
		if (fault === "twice at once") await Promise.all([inner.publish(envelope), inner.publish(envelope)]);
		await inner.publish(envelope);
		if (fault === "relay dies") await killRelay();
		if (fault === "lost after") throw new Error(fault);
	});
	const mayFail = async () => {
		if (misfortunes.failingEffects.shift()) throw new Error("effect failed");
	};
	const consuming = await Promise.all(
		["pos", "ordering"].map((service) =>
			startConsumers({
				service,
				db,
				transport,
				consumers: [noting(service, undefined, mayFail)],
				onError: () => {},
				now: clock.now,
				intervalMs: 5,
			}),
		),
	);
	const publish = async (relays: number) => {
		const running: Relay[] = Array.from({ length: relays }, () =>
			startRelay({ db, transport, now: clock.now, onError: () => {}, intervalMs: 3_600_000, batchMax: 3 }),
		);
		// A relay that dies rejects here; the next one continues its work.
		await Promise.allSettled(running.map((relay) => relay.flush()));
		for (const relay of running) await relay.stop();
		clock.advance(120_000);
	};
	const stop = async () => {
		for (const each of consuming) await each.stop();
	};
	/** The applied counts of a service. Retries are made due, and dead letters are redriven. */
	const recover = async (service: string) => {
		clock.advance(900_000);
		const { items } = await listDeadLetters(db, { service });
		for (const { id } of items) await redriveDeadLetter(db, { service, id, now: clock.now() });
		return effectsOf(db, service);
	};
	return { misfortunes, publish, recover, stop };
}

async function live(steps: readonly Step[]): Promise<void> {
	await emptyAll(owner);
	const { misfortunes, publish, recover, stop } = await createWorld();
	const expected: Record<string, number[]> = {};
	try {
		for (const each of steps) {
			if (each.what === "count") {
				const n = await count(db, each.subject);
				expected[each.subject] = [...(expected[each.subject] ?? []), n];
			} else if (each.what === "count and undo") {
				const undone = db.transaction(async (tx) => {
					await count(tx, each.subject);
					throw new Error("undo");
				});
				await expect(undone).rejects.toThrow("undo");
			} else {
				misfortunes.faults = [...each.faults];
				misfortunes.failingEffects = [...each.failingEffects];
				await publish(each.relays);
			}
		}
		misfortunes.faults = [];
		misfortunes.failingEffects = [];
		await publish(1);
		expect(await countUnpublished(db)).toBe(0);
		for (const service of ["pos", "ordering"])
			await expect.poll(() => recover(service), { timeout: 10_000, interval: 20 }).toEqual(expected);
	} finally {
		await stop();
	}
}

test("with any loss, duplicate, kill or failure, every committed event is applied once and in order", {
	timeout: 120_000,
}, async () => {
	await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), live), {
		numRuns: 20,
		endOnFailure: true,
	});
});
