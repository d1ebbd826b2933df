import { inProcessTransport, startConsumers, startRelay } from "@lango/events";
import { openPool } from "@lango/postgres";
import { count, noting } from "./trial.ts";

/** A process that counts, relays and consumes as fast as it can until it is killed, and prints a dot for each round. Its argument is the database's address. */
const db = openPool({ url: process.argv[2] ?? "", name: "counting", sizeMax: 5 });
const transport = inProcessTransport();
// The errors of a process about to be killed are of no interest; what it leaves behind is.
const onError = () => {};
await startConsumers({ service: "pos", db, transport, consumers: [noting("pos")], onError });
startRelay({ db, transport, now: () => new Date(), onError, intervalMs: 1, batchMax: 20 });
for (;;) {
	await Promise.all(["a", "b", "c"].map((subject) => count(db, subject)));
	process.stdout.write(".");
}
