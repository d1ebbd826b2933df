import { defineConsumer, natsTransport, startConsumers } from "@lango/events";
import { openPool } from "@lango/postgres";
import { recordEffect } from "./event-database.store.ts";
import { thingMade } from "./thing-made.ts";

/**
 * Another service, which records when each event had its effect. Its arguments are the URLs of its database
 * and of the bus.
 */
const [, , databaseUrl = "", busUrl = ""] = process.argv;
const onError = (error: unknown, about: string) => console.error(about, error);
const db = openPool({ url: databaseUrl, name: "bench-consumer", sizeMax: 5 });
const transport = natsTransport({ url: busUrl, name: "bench-consumer", onError });
const effect = defineConsumer(thingMade, async (tx, { data }) => {
	await recordEffect(tx, data.n, Date.now());
});
const consuming = await startConsumers({ service: "other", db, transport, consumers: [effect], onError });
process.stdout.write("ready\n");
process.once("SIGTERM", async () => {
	await consuming.stop();
	await transport.close();
	await db.close();
});
