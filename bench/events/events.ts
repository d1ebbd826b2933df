import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { natsTransport } from "@lango/events";
import { hasBus, startTestBus } from "@lango/testkit";
import { removeCluster, startCluster } from "../../tools/postgres/cluster.ts";
import { describeMachine, loadNow, quietLoad, versionOf } from "../machine.ts";
import { countStatements, describeDurability } from "../sign-on/installation.store.ts";
import { printStatements } from "../sign-on/print-statements.ts";
import type { Section } from "../sign-on/report.ts";
import { verdictTable } from "../sign-on/report.ts";
import { statementsCounted } from "../sign-on/stage.ts";
import { makeGround } from "./ground.store.ts";
import { measureLatency } from "./latency.ts";
import { type Options, parts, readOptions } from "./options.ts";
import { databases, measureOutboxCost } from "./outbox-cost.ts";
import { compareRelay } from "./relay.ts";

const root = join(import.meta.dirname, "../..");
const path = join(root, ".lango/bench-events-postgres");

/** The bench of the events. Writes its page when every part was run; with `--only` it prints and writes nothing. */
export async function events(words: readonly string[]): Promise<void> {
	const options = readOptions(words);
	if (!hasBus()) throw new Error("This bench needs a nats-server on the path.");
	const load = loadNow();
	if (load >= quietLoad)
		console.log(`The machine is not quiet (load ${load.toFixed(2)}): the figures will not be final.`);
	process.once("SIGINT", () => process.exit(130));
	const date = new Date();
	const { sections, durability } = await run(options);
	console.log(`\n${verdictTable(sections)}\n`);
	if (options.isProfiled || options.only.length < Object.keys(parts).length) return;
	const command = ["npm run bench -- events", ...words].join(" ");
	writeFileSync(
		join(root, "docs/generated/bench-events.md"),
		renderPage({ command, date, load, durability, sections }),
	);
	console.log("Wrote docs/generated/bench-events.md");
}

async function run({ only, ...options }: Options): Promise<{ sections: Section[]; durability: string }> {
	await removeCluster(path);
	const settings = options.isProfiled ? statementsCounted : {};
	const cluster = await startCluster({ path, settings, signal: new AbortController().signal });
	const stops: Array<() => Promise<void>> = [() => removeCluster(path), () => cluster.stop()];
	try {
		const bus = await startTestBus();
		stops.push(() => bus.stop());
		const { url: busUrl } = bus;
		const onError = (error: unknown, about: string) => console.error(about, error);
		const transport = natsTransport({ url: busUrl, name: "bench", onError, streamBytesMax: 2 ** 30 });
		stops.push(() => transport.close());
		const producer = await makeGround(cluster.adminUrl, "bench_producer");
		const consumer = await makeGround(cluster.adminUrl, "bench_consumer");
		stops.push(
			() => producer.db.close(),
			() => consumer.db.close(),
		);
		const all = { ...options, only };
		const work = {
			relay: () => compareRelay({ db: producer.db, transport, busUrl }, all),
			latency: () => measureLatency({ producer, consumer, transport, busUrl }, all),
			outbox: () => measureOutboxCost({ adminUrl: cluster.adminUrl, databasePid: cluster.pid }, all),
		};
		if (options.isProfiled) await countStatements(cluster.adminUrl);
		const sections: Section[] = [];
		for (const part of only) {
			const section = await work[part]();
			console.log(`\n## ${section.title}\n\n${section.text}`);
			sections.push(section);
		}
		if (options.isProfiled) await printStatements(cluster.adminUrl, databases);
		return { sections, durability: await describeDurability(cluster.adminUrl) };
	} finally {
		for (const stop of stops.toReversed()) await stop();
	}
}

type Page = { command: string; date: Date; load: number; durability: string; sections: readonly Section[] };

function renderPage({ command, date, load, durability, sections }: Page): string {
	const missed = sections.flatMap(({ verdicts }) => verdicts).filter(({ isReached }) => !isReached);
	const notReached =
		missed.length === 0
			? "Everything that was to be reached was reached."
			: missed
					.map((one) => `- **${one.what}**: ${one.figure} instead of ${one.target}. ${one.ifNot}`)
					.join("\n");
	const noise =
		load < quietLoad
			? ""
			: `\n**The machine was not quiet** (load ${load.toFixed(2)} before the start): these figures are not final.\n`;
	return `<!-- Written by \`npm run bench -- events\`; never edited. It holds measurements and does not follow from the code. -->

# Bench: events

What is compared and how to read it: [bench/README.md](../../bench/README.md).
${noise}
- command: \`${command}\`
- date: ${date.toISOString().slice(0, 16).replace("T", " ")} UTC
- machine: ${describeMachine()}
- versions: Node ${process.versions.node}, PostgreSQL 18, pg ${versionOf("pg")}, @nats-io/jetstream ${versionOf("@nats-io/jetstream")}
- database: ${durability}

## What was to be reached

${verdictTable(sections)}

## What was not reached, and what limits it

${notReached}

${sections.map(({ title, text }) => `## ${title}\n\n${text}`).join("\n\n")}
`;
}
