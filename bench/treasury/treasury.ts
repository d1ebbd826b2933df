import { type Facts, type Run, reportBench, type Section } from "../report.ts";
import { countStatements, describeDurability } from "../sign-on/installation.store.ts";
import { printStatements } from "../sign-on/print-statements.ts";
import { measureLedger } from "./ledger.ts";
import { type Part, readOptions } from "./options.ts";
import { database, openStage, type Stage } from "./stage.ts";

const work: ReadonlyArray<readonly [Part, (stage: Stage) => Promise<Section>]> = [["ledger", measureLedger]];

/**
 * Measures the treasury. After a run of all parts at full size it writes its page, otherwise it only
 * prints.
 */
export function treasury(words: readonly string[]): Promise<void> {
	return reportBench("treasury", words, (run) => measure(run, words));
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
		return {
			packages: ["pg"],
			lines: {
				"database, the same for all": durability,
				load: `${options.processes} processes with ${options.connections} connections each`,
			},
		};
	} finally {
		await stage.close();
	}
}
