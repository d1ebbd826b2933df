/**
 * `node tools/dead-letters.ts <service> list | redrive <id> | discard <id>`: events that a service failed to
 * apply. `redrive` retries an event, then the later events of its subject. `discard` drops it and continues
 * with the later ones. `--all` instead of the id selects all events, `--type auth.user.updated` those of a
 * type, `--since 2026-03-01T12:00:00Z` those that failed since then; `list` accepts these filters, too. Uses
 * the service's database from the environment, otherwise that of `npm start`. The service can be running or
 * stopped.
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
const isResolving = (verb === "redrive" || verb === "discard") && (id !== "") !== values.all;
const isKnown =
	(verb === "list" || (isResolving && (values.all || !isNarrowed))) && !Number.isNaN(only.since?.getTime());
if (!isKnown) {
	console.error(
		"Usage: node tools/dead-letters.ts <service> list | redrive <id> | discard <id>, or --all [--type <type>] [--since <time>] instead of the id",
	);
	process.exit(1);
}

await onServiceDatabase(name, async (db, { name: service, recordPlatformAction }) => {
	const failedWork: FailedWork = { service, db, now: () => new Date(), recordPlatformAction };
	if (verb === "redrive" || verb === "discard") await resolve(failedWork, verb);
	else await print(db, service);
});

async function resolve(failedWork: FailedWork, chosen: "redrive" | "discard"): Promise<void> {
	const { service } = failedWork;
	const isRedrive = chosen === "redrive";
	if (values.all) {
		const count = await resolveDeadLetters(failedWork, { verb: chosen, ...only }, { actor: operator });
		console.log(`${count} ${isRedrive ? "will be retried within a second." : "discarded."}`);
		return;
	}
	if (!(await resolveDeadLetter(failedWork, { id, verb: chosen }, { actor: operator })))
		throw new Error(
			`${service} has no dead letter ${id}. List them: node tools/dead-letters.ts ${service} list`,
		);
	console.log(isRedrive ? "It will be retried within a second." : "Discarded.");
}

async function print(db: Database, service: string): Promise<void> {
	let cursor: string | undefined;
	let count = 0;
	do {
		const page = await listDeadLetters(db, { service, cursor, limit: 200, ...only });
		for (const { id: letter, type, subject = "-", deadAt, attempts, waiting, reason } of page.items)
			console.log(
				`${letter}  ${type}  ${subject}  since ${deadAt.toISOString()}  ${attempts} attempts, ${waiting} waiting behind it: ${reason}`,
			);
		count += page.items.length;
		cursor = page.nextCursor;
	} while (cursor !== undefined);
	if (count === 0) console.log("There are no dead letters.");
}
