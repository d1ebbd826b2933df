import type { EventType } from "@lango/contracts";
import { natsTransport, recordEvent, startConsumers, startRelay } from "@lango/events";
import type { Database } from "@lango/postgres";
import { hasBus, startTestBus, type TestBus, type TestDatabase } from "@lango/testkit";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import Type, { type TObject, type TString } from "typebox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { count, counted, createTrialDatabase, effectsOf, noting } from "./trial.ts";

// Limits of the bus: the maximum size of a message and of a stream.

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

	test("is reported at once, and only the event that is too large for it waits, with its reason", async () => {
		const errors: string[] = [];
		const onError = (error: unknown, about: string) =>
			void errors.push(`${about}: ${(error as Error).message}`);
		const transport = natsTransport({ url: bus.url, name: "limits", onError });
		await expect.poll(() => transport.check().then(() => "up", String)).toBe("up");
		expect(errors).toEqual([expect.stringMatching(/the bus: max_payload is 2048 bytes/)]);

		const relay = startRelay({ db, transport, now: () => new Date(), onError, intervalMs: 20 });
		await recordEvent(db, described, { subject: "a", now: new Date(), data: { text: "x".repeat(4_000) } });
		await count(db, "a");
		await count(db, "b");
		await expect.poll(untold).toEqual(["a", "a"]);
		expect(errors.slice(1)).toEqual(
			expect.arrayContaining([expect.stringMatching(/publish trial\.counter\.described .*max_payload/)]),
		);
		await relay.stop();
		await transport.close();
	});

	/** Publishes one event with the relay of a service that has this setting. */
	async function publishWith(streamBytesMax: number, subject: string, errors: string[] = []): Promise<void> {
		const onError = (error: unknown, about: string) =>
			void errors.push(`${about}: ${(error as Error).message}`);
		const transport = natsTransport({ url: bus.url, name: "limits", onError, streamBytesMax });
		await expect.poll(() => transport.check().then(() => "up", String)).toBe("up");
		await count(db, subject);
		const relay = startRelay({ db, transport, now: () => new Date(), onError, intervalMs: 20 });
		await expect.poll(untold).not.toContain(subject);
		await relay.stop();
		await transport.close();
	}

	async function streamOnBus(name = "TRIAL") {
		const nc = await connect({ servers: bus.url });
		const { config, state } = await (await jetstreamManager(nc)).streams.info(name);
		await nc.close();
		return { config, messages: state.messages };
	}

	async function removeStream(): Promise<void> {
		const nc = await connect({ servers: bus.url });
		await (await jetstreamManager(nc)).streams.delete("TRIAL");
		await nc.close();
	}

	test("an existing stream is updated to the settings of the next publisher", async () => {
		await removeStream();
		for (const mebibytes of [8, 16]) {
			await publishWith(mebibytes * 2 ** 20, `of ${mebibytes}`);
			expect((await streamOnBus()).config).toMatchObject({
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
	});

	test("a publisher with a smaller limit does not shrink the stream, which is logged once", async () => {
		const errors: string[] = [];
		await publishWith(16 * 2 ** 20, "ample");
		await publishWith(4 * 2 ** 20, "scant", errors);
		expect((await streamOnBus()).config.max_bytes).toBe(16 * 2 ** 20);
		expect(errors.filter((line) => line.includes("TRIAL"))).toEqual([
			"the stream TRIAL: the limit is 16777216 bytes and NATS_STREAM_BYTES_MAX is 4194304: not reduced, because unread events would be removed",
		]);
	});

	test("a reader creates a missing stream and does not change an existing one", async () => {
		await publishWith(16 * 2 ** 20, "read");
		const before = await streamOnBus();
		const onError = () => undefined;
		const scant = { url: bus.url, name: "reads", onError, streamBytesMax: 2 ** 20, replicas: 1 };
		const ample = { ...scant, streamBytesMax: 32 * 2 ** 20 };
		for (const settings of [scant, ample]) {
			const transport = natsTransport(settings);
			const common = { service: "pos", db, transport, onError, intervalMs: 20 };
			const consuming = await startConsumers({ ...common, consumers: [noting("pos")] });
			await expect.poll(async () => (await effectsOf(db, "pos"))["read"]).toEqual([1]);
			await expect
				.poll(() => db.query("select from readings where holder is not null and sequence > 0"))
				.toHaveLength(1);
			await new Promise((resolve) => setTimeout(resolve, 300));
			expect(await streamOnBus()).toEqual(before);
			await consuming.stop();
			await transport.close();
		}
		await removeStream();
		const transport = natsTransport(scant);
		const common = { service: "pos", db, transport, onError, intervalMs: 20 };
		const consuming = await startConsumers({ ...common, consumers: [noting("pos")] });
		await expect.poll(() => streamOnBus().then(({ config }) => config.max_bytes, String)).toBe(2 ** 20);
		await consuming.stop();
		await transport.close();
	});

	test("the stream of isp.* events, which hold passwords, keeps one day", async () => {
		const onError = () => undefined;
		const transport = natsTransport({ url: bus.url, name: "isp", onError, streamBytesMax: 2 ** 20 });
		const consumers = [{ ...noting("pos"), eventType: { ...counted, type: "isp.payment.received" } }];
		const consuming = await startConsumers({ service: "pos", db, transport, onError, consumers });
		await expect
			.poll(() => streamOnBus("ISP").then(({ config }) => config.max_age, String))
			.toBe(86_400 * 1e9);
		await consuming.stop();
		await transport.close();
	});
});
