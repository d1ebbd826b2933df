import type { EventType } from "@lango/contracts";
import { natsTransport, recordEvent, startRelay } from "@lango/events";
import type { Database } from "@lango/postgres";
import { hasBus, startTestBus, type TestBus, type TestDatabase } from "@lango/testkit";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import Type, { type TObject, type TString } from "typebox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { count, createTrialDatabase } from "./trial.ts";

// What a server of the bus does not take, and what a stream may take of its disk.

const described: EventType<TObject<{ text: TString }>> = {
	type: "trial.counter.described",
	source: "/trial",
	subject: "counter",
	because: "a counter was described",
	data: Type.Object({ text: Type.String() }),
};

describe.runIf(hasBus())("a bus that takes two kilobytes at most", () => {
	let database: TestDatabase;
	let db: Database;
	let bus: TestBus;
	beforeAll(async () => {
		database = await createTrialDatabase();
		db = database.db;
		bus = await startTestBus("max_payload: 2048");
	});
	afterAll(async () => {
		await bus.stop();
		await database.drop();
	});

	const untold = async () => {
		const rows = await db.query<{ subject: string }>(
			"select subject from outbox where published_at is null order by position",
		);
		return rows.map(({ subject }) => subject);
	};

	test("is told of at once, and an event too large for it waits alone with its reason while others go out", async () => {
		const told: string[] = [];
		const onError = (error: unknown, about: string) =>
			void told.push(`${about}: ${(error as Error).message}`);
		const transport = natsTransport({ url: bus.url, name: "limits", onError });
		await expect.poll(() => transport.check().then(() => "up", String)).toBe("up");
		expect(told).toEqual([expect.stringMatching(/the bus: max_payload is 2048 bytes/)]);

		const relay = startRelay({ db, transport, now: () => new Date(), onError, intervalMs: 20 });
		await recordEvent(db, described, { subject: "a", now: new Date(), data: { text: "x".repeat(4_000) } });
		await count(db, "a");
		await count(db, "b");
		await expect.poll(untold).toEqual(["a", "a"]);
		expect(told.slice(1)).toEqual(
			expect.arrayContaining([expect.stringMatching(/publish trial\.counter\.described .*max_payload/)]),
		);
		await relay.stop();
		await transport.close();
	});

	test("a stream that is there is brought up to the settings of who publishes next", async () => {
		const open = (streamBytesMax: number) =>
			natsTransport({ url: bus.url, name: "limits", onError: () => undefined, streamBytesMax });
		const nc = await connect({ servers: bus.url });
		const jsm = await jetstreamManager(nc);
		for (const mebibytes of [8, 16]) {
			const transport = open(mebibytes * 2 ** 20);
			await expect.poll(() => transport.check().then(() => "up", String)).toBe("up");
			await count(db, `of ${mebibytes}`);
			const relay = startRelay({
				db,
				transport,
				now: () => new Date(),
				onError: () => undefined,
				intervalMs: 20,
			});
			await expect.poll(untold).not.toContain(`of ${mebibytes}`);
			await relay.stop();
			await transport.close();
			const { config } = await jsm.streams.info("TRIAL");
			expect(config).toMatchObject({
				max_bytes: mebibytes * 2 ** 20,
				max_age: 7 * 24 * 3_600 * 1e9,
				duplicate_window: 600 * 1e9,
				num_replicas: 1,
				retention: "limits",
				discard: "old",
				storage: "file",
				subjects: ["trial.>"],
			});
		}
		await nc.close();
	});
});
