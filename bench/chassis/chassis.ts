import { type Facts, type Run, reportBench, type Section } from "../report.ts";
import { measureCaches, measureDecision, measureFirstSight } from "./alone.ts";
import { type Part, readOptions } from "./options.ts";
import { compareObserved, comparePipeline } from "./requests.ts";
import { openStage, type Stage } from "./stage.ts";

const parts: ReadonlyArray<readonly [Part, (stage: Stage) => Promise<Section>]> = [
	["pipeline", comparePipeline],
	["observed", compareObserved],
	["first-sight", measureFirstSight],
	["decision", measureDecision],
	["caches", measureCaches],
];

/**
 * Measures the chassis. After a run of all parts at full size it writes its page, otherwise it only prints.
 */
export function chassis(words: readonly string[]): Promise<void> {
	return reportBench("chassis", words, (run) => measure(run, words));
}

async function measure({ add }: Run, words: readonly string[]): Promise<Facts | undefined> {
	const options = readOptions(words);
	const stage = await openStage(options);
	try {
		for (const [part, work] of parts) if (options.only.includes(part)) add(await work(stage));
		const { isSplit, server, rest } = stage.cores;
		const cores = isSplit
			? `the measured server on core ${server}, one at a time; PostgreSQL, the driver and the issuer on ${rest}`
			: "not pinned";
		const packages = ["fastify", "@fastify/jwt", "get-jwks", "express", "express-oauth2-jwt-bearer", "pino"];
		return options.isWhole ? { packages, lines: { cores } } : undefined;
	} finally {
		await stage.close();
	}
}
