/**
 * `node tools/dead-letters.ts <service> list | redrive <id> | discard <id>`: the events a service could not apply. `redrive` has
 * one tried again, and those of its subject after it; `discard` gives it up and lets those after it go on. In place of the id
 * `--all` is all there are, with `--type auth.user.updated` those of a type, with `--since 2026-03-01T12:00:00Z` those that died
 * since then; a list is narrowed so, too. The service's database is the one of the environment, else the one of `npm start`; the
 * service may run or not.
 */
import { parseArgs } from "node:util";
import { type FailedWork, resolveDeadLetter, resolveDeadLetters } from "@lango/chassis";
import { listDeadLetters } from "@lango/events";
import type { Database } from "@lango/postgres";
import { onServiceDatabase, operator } from "./up/service-database.ts";

type Only = { type: string | undefined; since: Date | undefined };

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		all: { type: "boolean", default: false },
		type: { type: "string" },
		since: { type: "string" },
	},
});
const [name = "", verb = "", id = ""] = positionals;
const only: Only = {
	type: values.type,
	since: values.since === undefined ? undefined : new Date(values.since),
};
const isNarrowed = only.type !== undefined || only.since !== undefined;
const isMending = (verb === "redrive" || verb === "discard") && (id !== "") !== values.all;
const isKnown =
	(verb === "list" || (isMending && (values.all || !isNarrowed))) && !Number.isNaN(only.since?.getTime());
if (!isKnown) {
	console.error(
		"Say what to do: node tools/dead-letters.ts <service> list | redrive <id> | discard <id>, or --all [--type <type>] [--since <time>] for the id",
	);
	process.exit(1);
}

await onServiceDatabase(name, async (db, { name: service, recordPlatformAction }) => {
	const mending: FailedWork = { service, db, now: () => new Date(), recordPlatformAction };
	if (verb === "redrive" || verb === "discard") await mend(mending, verb);
	else await print(db, service);
});

async function mend(mending: FailedWork, chosen: "redrive" | "discard"): Promise<void> {
	const { service } = mending;
	const isRedrive = chosen === "redrive";
	if (values.all) {
		const count = await resolveDeadLetters(mending, { verb: chosen, ...only }, { actor: operator });
		console.log(`${count} ${isRedrive ? "are tried again within a second." : "are given up."}`);
		return;
	}
	if (!(await resolveDeadLetter(mending, { id, verb: chosen }, { actor: operator })))
		throw new Error(`${service} has no dead letter ${id}; see: node tools/dead-letters.ts ${service} list`);
	console.log(isRedrive ? "It is tried again within a second." : "It is given up.");
}

async function print(db: Database, service: string): Promise<void> {
	let cursor: string | undefined;
	let count = 0;
	do {
		const page = await listDeadLetters(db, { service, cursor, limit: 200, ...only });
		for (const { id: letter, type, subject = "-", deadAt, attempts, waiting, reason } of page.items)
			console.log(
				`${letter}  ${type}  ${subject}  since ${deadAt.toISOString()}  ${attempts} tries, ${waiting} wait behind it: ${reason}`,
			);
		count += page.items.length;
		cursor = page.nextCursor;
	} while (cursor !== undefined);
	if (count === 0) console.log("There are no dead letters.");
}
