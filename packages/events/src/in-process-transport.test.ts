import type { EventEnvelope } from "@lango/contracts";
import { expect, test } from "vitest";
import { inProcessTransport } from "./in-process-transport.ts";

const event: EventEnvelope = {
	specversion: "1.0",
	id: "0197a000-0000-7000-8000-000000000001",
	source: "/trial",
	type: "trial.made",
	time: "2026-03-01T12:00:00.000Z",
	subject: "a",
	datacontenttype: "application/json",
	data: { list: [1] },
};
const types = ["trial.made"];

test("an event nobody asked for is published all the same", async () => {
	await expect(inProcessTransport().publish(event)).resolves.toBeUndefined();
});

test("every subscriber gets a copy of its own", async () => {
	const transport = inProcessTransport();
	const seen: unknown[] = [];
	for (const consumer of ["pos", "ordering"]) {
		const deliver = async ({ data }: EventEnvelope) => {
			const { list } = data as { list: number[] };
			list.push(2);
			seen.push(list);
		};
		await transport.subscribe({ consumer, types, deliver });
	}
	await transport.publish(event);
	expect(seen).toEqual([
		[1, 2],
		[1, 2],
	]);
	expect(event.data).toEqual({ list: [1] });
});

test("publishing rejects with every reason when some consumers fail, and the others have had the event", async () => {
	const transport = inProcessTransport();
	const had: string[] = [];
	const faults = { pos: new Error("one"), ordering: undefined, inventory: new Error("two") };
	for (const [consumer, fault] of Object.entries(faults)) {
		const deliver = () => {
			if (fault !== undefined) throw fault;
			had.push(consumer);
			return Promise.resolve();
		};
		await transport.subscribe({ consumer, types, deliver });
	}
	await expect(transport.publish(event)).rejects.toMatchObject({
		message: "2 of 3 consumers failed",
		errors: [faults.pos, faults.inventory],
	});
	expect(had).toEqual(["ordering"]);
});

test("a second subscription under the same name is refused until the first has stopped", async () => {
	const transport = inProcessTransport();
	const subscription = { consumer: "pos", types, deliver: async () => {} };
	const { stop } = await transport.subscribe(subscription);
	await expect(transport.subscribe(subscription)).rejects.toThrow(
		'the consumer "pos" has subscribed already',
	);
	await stop();
	await expect(transport.subscribe(subscription)).resolves.toBeDefined();
});

test("closing waits for deliveries under way, then nothing is published or subscribed", async () => {
	const transport = inProcessTransport();
	let release = () => {};
	const gate = new Promise<void>((resolve) => {
		release = resolve;
	});
	await transport.subscribe({ consumer: "pos", types, deliver: () => gate });
	const publishing = transport.publish(event);
	let isClosed = false;
	const closing = transport.close().then(() => {
		isClosed = true;
	});
	await new Promise((resolve) => setTimeout(resolve, 10));
	expect(isClosed).toBe(false);
	release();
	await Promise.all([closing, publishing]);
	await expect(transport.publish(event)).rejects.toThrow("the transport is closed");
	await expect(transport.subscribe({ consumer: "x", types, deliver: async () => {} })).rejects.toThrow(
		"the transport is closed",
	);
});
