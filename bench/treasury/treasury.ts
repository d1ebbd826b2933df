import { type Facts, type Run, reportBench, type Section } from "../report.ts";
import { countStatements, describeDurability } from "../sign-on/installation.store.ts";
import { printStatements } from "../sign-on/print-statements.ts";
import { measureCalls } from "./calls.ts";
import { measureCollection } from "./collection/collection.ts";
import { measureLedger } from "./ledger.ts";
import { type Part, readOptions } from "./options.ts";
import { measurePosted } from "./posted.ts";
import { measureReconciliation } from "./reconciliation/reconciliation.ts";
import { database, openStage, type Stage } from "./stage.ts";
import { measureStorms } from "./storms.ts";
import { measureWebhooks } from "./webhooks.ts";

const work: ReadonlyArray<readonly [Part, (stage: Stage) => Promise<Section>]> = [
	["ledger", measureLedger],
	["webhooks", measureWebhooks],
	["posted", measurePosted],
	["collection", measureCollection],
	["calls", measureCalls],
	["reconciliation", measureReconciliation],
];

/**
 * Measures the treasury. After a run of all parts at full size it writes its page, otherwise it only
 * prints. With `--storm` it runs the storm of the treasury's tests instead; storms have a page of their own.
 */
export async function treasury(words: readonly string[]): Promise<void> {
	const options = readOptions(words);
	if (!options.isStorm) return reportBench("treasury", words, (run) => measure(run, words));
	const differences: string[] = [];
	await reportBench("treasury", words, async (run) => {
		const measured = await measureStorms(options, run);
		differences.push(...measured.differences);
		return measured.facts;
	});
	if (differences.length > 0) throw new Error(["A storm found:", ...differences.slice(0, 30)].join("\n"));
}

async function measure({ add }: Run, words: readonly string[]): Promise<Facts | undefined> {
	const options = readOptions(words);
	const stage = await openStage(options);
	try {
		const durability = await describeDurability(stage.adminUrl);
		if (options.isProfiled) await countStatements(stage.adminUrl);
		for (const [part, measurePart] of work) if (options.only.includes(part)) add(await measurePart(stage));
		if (options.isProfiled) await printStatements(stage.adminUrl, [database]);
		if (!options.isWhole) return undefined;
		const { isSplit, server, rest } = stage.cores;
		const cores = isSplit
			? `of webhooks: the measured server on core ${server}; PostgreSQL and the driver on ${rest}`
			: "not pinned";
		return {
			packages: ["fastify", "pg"],
			lines: {
				"database, the same for all": durability,
				load: `journals: ${options.processes} processes with ${options.connections} connections each`,
				cores,
			},
		};
	} finally {
		await stage.close();
	}
}
