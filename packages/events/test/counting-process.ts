import { inProcessTransport, natsTransport, startConsumers, startRelay } from "@lango/events";
import { openPool } from "@lango/postgres";
import { count, noting, streamBytesMax } from "./trial.ts";

/**
 * A process that counts, relays and consumes as fast as it can until it is killed. Prints a dot for each
 * round. Its arguments are the database URL and optionally the bus URL.
 */
const [, , url = "", busUrl] = process.argv;
const db = openPool({ url, name: "counting", sizeMax: 5 });
// Errors are ignored, because the process is killed.
const onError = () => {};
const transport =
	busUrl === undefined
		? inProcessTransport()
		: natsTransport({ url: busUrl, name: "counting", onError, streamBytesMax });
await startConsumers({ service: "pos", db, transport, consumers: [noting("pos")], onError, intervalMs: 20 });
startRelay({ db, transport, now: () => new Date(), onError, intervalMs: 1, batchMax: 20 });
for (;;) {
	await Promise.all(["a", "b", "c"].map((subject) => count(db, subject)));
	process.stdout.write(".");
}
