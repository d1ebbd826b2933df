import { inProcessTransport, listDeadLetters, startConsumers } from "@lango/events";
import { expect, test } from "vitest";
import { counted, createTrialDatabase, event, manualClock, noting } from "./trial.ts";

test("dead letters are filtered by type and by time", async () => {
	const database = await createTrialDatabase();
	const { db } = database;
	const clock = manualClock();
	const transport = inProcessTransport();
	const removed = { ...counted, type: "trial.counter.removed" };
	const consumers = [noting("pos"), { ...noting("pos"), eventType: removed }];
	const options = { db, transport, now: clock.now, onError: () => undefined };
	const { stop } = await startConsumers({ ...options, service: "pos", consumers, intervalMs: 20 });
	const of = async (only: object) =>
		(await listDeadLetters(db, { service: "pos", ...only })).items.map(
			({ body }) => JSON.parse(body).subject,
		);
	await transport.publish(event("no", "a"));
	await expect.poll(() => of({})).toEqual(["a"]);
	clock.advance(60_000);
	const since = clock.now();
	await transport.publish(event("no", "b"));
	await transport.publish(event("no", "c", { type: removed.type }));
	await expect.poll(() => of({})).toEqual(["a", "b", "c"]);
	expect(await of({ since })).toEqual(["b", "c"]);
	expect(await of({ type: counted.type })).toEqual(["a", "b"]);
	expect(await of({ since, type: counted.type })).toEqual(["b"]);
	await stop();
	await database.drop();
});
