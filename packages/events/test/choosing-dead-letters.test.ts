import { inProcessTransport, listDeadLetters, startConsumers } from "@lango/events";
import { expect, test } from "vitest";
import { counted, createTrialDatabase, event, noting, standingClock } from "./trial.ts";

test("dead letters are chosen by their type and by since when they are", async () => {
	const database = await createTrialDatabase();
	const { db } = database;
	const clock = standingClock();
	const transport = inProcessTransport();
	const removed = { ...counted, type: "trial.counter.removed" };
	const consumers = [noting("pos"), { ...noting("pos"), eventType: removed }];
	const told = { db, transport, now: clock.now, onError: () => undefined };
	const { stop } = await startConsumers({ ...told, service: "pos", consumers, intervalMs: 20 });
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
