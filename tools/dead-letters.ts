/**
 * `node tools/dead-letters.ts <service> list | redrive <id> | discard <id>`: the events a service could not apply. `redrive` has
 * one tried again, and those of its subject after it; `discard` gives it up and lets those after it go on. The service's database
 * is the one of the environment, else the one of `npm start`; the service may run or not.
 */
import { mendDeadLetter } from "@lango/chassis";
import { listDeadLetters } from "@lango/events";
import type { Database } from "@lango/postgres";
import { onServiceDatabase, operator } from "./up/service-database.ts";

const [name = "", verb = "", id = ""] = process.argv.slice(2);
const isKnown = verb === "list" || ((verb === "redrive" || verb === "discard") && id !== "");
if (!isKnown) {
	console.error("Say what to do: node tools/dead-letters.ts <service> list | redrive <id> | discard <id>");
	process.exit(1);
}

await onServiceDatabase(name, async (db, { name: service, recordDeed }) => {
	if (verb === "redrive" || verb === "discard") {
		const mending = { service, db, now: () => new Date(), recordDeed };
		if (!(await mendDeadLetter(mending, { id, verb }, { actor: operator })))
			throw new Error(`${service} has no dead letter ${id}; see: node tools/dead-letters.ts ${service} list`);
		console.log(verb === "redrive" ? "It is tried again within a second." : "It is given up.");
	} else await print(db, service);
});

async function print(db: Database, service: string): Promise<void> {
	let cursor: string | undefined;
	let count = 0;
	do {
		const page = await listDeadLetters(db, { service, cursor, limit: 200 });
		for (const { id: letter, type, subject = "-", deadAt, attempts, waiting, reason } of page.items)
			console.log(
				`${letter}  ${type}  ${subject}  since ${deadAt.toISOString()}  ${attempts} tries, ${waiting} wait behind it: ${reason}`,
			);
		count += page.items.length;
		cursor = page.nextCursor;
	} while (cursor !== undefined);
	if (count === 0) console.log("There are no dead letters.");
}
