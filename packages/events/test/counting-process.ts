import { inProcessTransport, natsTransport, startConsumers, startRelay } from "@lango/events";
import { openPool } from "@lango/postgres";
import { count, noting, streamBytesMax } from "./trial.ts";

/**
 * A process that counts, relays and consumes as fast as it can until it is killed, and prints a dot for each round. Its
 * arguments are the address of the database and, when there is one, of the bus.
 */
const [, , url = "", busUrl] = process.argv;
const db = openPool({ url, name: "counting", sizeMax: 5 });
// The errors of a process about to be killed are of no interest; what it leaves behind is.
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
