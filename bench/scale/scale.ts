import { describeMachine } from "../machine.ts";
import { type Facts, type Run, reportBench } from "../report.ts";
import { describeDurability } from "../sign-on/installation.store.ts";
import { describeCostModel, writeCostModel } from "./cost-model.ts";
import { openLarge } from "./large.ts";
import { readOptions } from "./options.ts";
import { type Recorded, readRecorded, writeRecorded } from "./recorded.ts";
import { compareReplicas } from "./replicas.ts";
import { measureRequests } from "./requests.ts";
import { openStage, type Stage } from "./stage.ts";
import { measureStorage } from "./storage.ts";

/**
 * Measures several replicas, and the cost of each kind of request. After a run of all parts at full size it
 * writes its page and its record, otherwise it only prints. With `--cost-model` it measures nothing and
 * writes the cost model of docs/pages/operating.md from the record.
 */
export async function scale(words: readonly string[]): Promise<void> {
	if (words.includes("--cost-model")) return writeCostModel(describeCostModel(readRecorded()));
	return reportBench("scale", words, (run) => measure(run, words));
}

async function measure({ add, command, date }: Run, words: readonly string[]): Promise<Facts | undefined> {
	const options = readOptions(words);
	const { people, tenants, connections, databaseConnections, seconds, runs } = options;
	const stage = await openStage(options);
	try {
		const database = await describeDurability(stage.adminUrl);
		const { costs, bytesARow } = await runParts(stage, add);
		if (!options.isWhole || costs === undefined || bytesARow === undefined) return undefined;
		const machine = describeMachine();
		writeRecorded({ date, machine, command, installation: { people, tenants }, bytesARow, costs });
		const load = `${connections} requests in flight (8 sign-ins by password), ${databaseConnections} connections of each process to the database, runs of ${seconds} s, ${runs} of each`;
		return { packages: ["fastify", "pg"], lines: { database, load } };
	} finally {
		await stage.close();
	}
}

type Found = Partial<Pick<Recorded, "costs" | "bytesARow">>;

async function runParts(stage: Stage, add: Run["add"]): Promise<Found> {
	const { only } = stage.options;
	if (only.includes("replicas")) add(await compareReplicas(stage));
	if (only.every((part) => part === "replicas")) return {};
	const large = await openLarge(stage);
	const found: Found = {};
	if (only.includes("requests")) {
		const { section, costs } = await measureRequests(stage, large);
		add(section);
		found.costs = costs;
	}
	if (only.includes("storage")) {
		const { section, bytesARow } = await measureStorage(large);
		add(section);
		found.bytesARow = bytesARow;
	}
	return found;
}
