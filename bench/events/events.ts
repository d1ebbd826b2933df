import { join } from "node:path";
import { natsTransport } from "@lango/events";
import { hasBus, startTestBus } from "@lango/testkit";
import { removeCluster, startCluster } from "../../tools/postgres/cluster.ts";
import { type Facts, type Run, reportBench } from "../report.ts";
import { countStatements, describeDurability } from "../sign-on/installation.store.ts";
import { printStatements } from "../sign-on/print-statements.ts";
import { statementsCounted } from "../sign-on/stage.ts";
import { createEventDatabase } from "./event-database.store.ts";
import { measureLatency } from "./latency.ts";
import { readOptions } from "./options.ts";
import { databases, measureOutboxCost } from "./outbox-cost.ts";
import { compareRelay } from "./relay.ts";

const path = join(import.meta.dirname, "../../.lango/bench-events-postgres");

/** Measures events. After a run of all parts at full size it writes its page, otherwise it only prints. */
export async function events(words: readonly string[]): Promise<void> {
	if (!hasBus()) throw new Error("This bench needs a nats-server on the path.");
	return reportBench("events", words, (run) => measure(run, words));
}

async function measure({ add }: Run, words: readonly string[]): Promise<Facts | undefined> {
	const options = readOptions(words);
	const { only, isProfiled, isWhole } = options;
	await removeCluster(path);
	const settings = isProfiled ? statementsCounted : {};
	const cluster = await startCluster({ path, settings, signal: new AbortController().signal });
	const stops: Array<() => Promise<void>> = [() => removeCluster(path), () => cluster.stop()];
	try {
		const bus = await startTestBus();
		stops.push(() => bus.stop());
		const { url: busUrl } = bus;
		const onError = (error: unknown, about: string) => console.error(about, error);
		const transport = natsTransport({ url: busUrl, name: "bench", onError, streamBytesMax: 2 ** 30 });
		stops.push(() => transport.close());
		const producer = await createEventDatabase(cluster.adminUrl, "bench_producer");
		const consumer = await createEventDatabase(cluster.adminUrl, "bench_consumer");
		stops.push(
			() => producer.db.close(),
			() => consumer.db.close(),
		);
		const work = {
			relay: () => compareRelay({ db: producer.db, transport, busUrl }, options),
			latency: () => measureLatency({ producer, consumer, transport, busUrl }, options),
			outbox: () => measureOutboxCost({ adminUrl: cluster.adminUrl, databasePid: cluster.pid }, options),
		};
		if (isProfiled) await countStatements(cluster.adminUrl);
		for (const part of only) add(await work[part]());
		if (isProfiled) await printStatements(cluster.adminUrl, databases);
		const database = await describeDurability(cluster.adminUrl);
		return isWhole ? { packages: ["pg", "@nats-io/jetstream"], lines: { database } } : undefined;
	} finally {
		for (const stop of stops.toReversed()) await stop();
	}
}
