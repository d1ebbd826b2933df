import { once } from "node:events";
import { median, quantile } from "../figures.ts";
import { type Section, table } from "../report.ts";
import { moveTo } from "../sign-on/cores.ts";
import { startWorker } from "../sign-on/driver.ts";
import { stopChild } from "../sign-on/processes.ts";
import type { Called, CallingMessage, CallingRun, SandboxUrls } from "./calling.ts";
import type { Stage } from "./stage.ts";

const targetMs = 20;
const operations = [
	{ gateway: "cards", name: "card gateway: a transaction is verified" },
	{ gateway: "mobileMoney", name: "mobile money: a prompt is asked about" },
] as const;
/** The calls of all runs, and what each took more than the median of the bare ones of its run. */
type Measured = Called & { name: string; pace: string; overheads: number[] };

/**
 * Measures what the treasury adds to a call of a gateway: in one process each call is followed by the same
 * request without the treasury. Both sandboxes are a process of their own.
 */
export async function measureCalls(stage: Stage): Promise<Section> {
	const { options, cores, databasePid, appUrl } = stage;
	moveTo(cores, databasePid, cores.rest);
	const sandboxes = startWorker("../../services/treasury/test/storm/sandbox-process.ts", cores, cores.rest);
	const program = "../../services/treasury/test/gateways/calling-process.ts";
	const caller = startWorker(program, cores, cores.server);
	const ask = async (message: CallingMessage) => {
		const { result, error } = await caller.ask<{ result: Called; error?: string }>(message);
		if (error !== undefined) throw new Error(error);
		return result;
	};
	try {
		const [urls] = (await once(sandboxes.child, "message")) as [SandboxUrls];
		await ask({ urls, databaseUrl: appUrl, connections: options.databaseConnections });
		const measured: Measured[] = [];
		for (const { gateway, name } of operations)
			for (const perSecond of [undefined, options.perSecond]) {
				const pace = perSecond === undefined ? "one at a time" : `${perSecond} a second`;
				await ask({ gateway, perSecond, seconds: options.warmUpSeconds });
				measured.push({ name, pace, ...(await runAll(stage, ask, { gateway, perSecond })) });
			}
		return describe(measured);
	} finally {
		for (const { child } of [caller, sandboxes]) await stopChild(child);
	}
}

async function runAll(
	{ options }: Stage,
	ask: (run: CallingRun) => Promise<Called>,
	run: Omit<CallingRun, "seconds">,
): Promise<Called & { overheads: number[] }> {
	const all = { ours: [] as number[], bare: [] as number[], overheads: [] as number[] };
	for (let n = 0; n < options.runs; n += 1) {
		const { ours, bare } = await ask({ ...run, seconds: options.seconds });
		const gatewayMs = median(bare);
		all.ours.push(...ours);
		all.bare.push(...bare);
		all.overheads.push(...ours.map((ms) => ms - gatewayMs));
	}
	return all;
}

const shown = (ms: number) => ms.toFixed(1);
const ofAll = (all: readonly number[]) => [0.5, 0.99].map((q) => shown(quantile(all, q)));

function describe(measured: readonly Measured[]): Section {
	const head = [
		"",
		"pace",
		"calls",
		"p50 ms",
		"p99 ms",
		"bare p50",
		"bare p99",
		"overhead p50",
		"overhead p99",
	];
	return {
		title: "Calls of a gateway",
		text: table(
			[...head, "p99 less the p99 of bare ones"],
			measured.map(({ name, pace, ours, bare, overheads }) => [
				...[name, pace, String(ours.length), ...ofAll(ours), ...ofAll(bare), ...ofAll(overheads)],
				shown(quantile(ours, 0.99) - quantile(bare, 0.99)),
			]),
		),
		verdicts: measured.map(({ name, pace, overheads }) => {
			const p99 = quantile(overheads, 0.99);
			return {
				...{ what: `p99 of our overhead, ${name}, ${pace}`, figure: `${shown(p99)} ms` },
				...{ target: `< ${targetMs} ms`, isReached: p99 < targetMs, ifNot: "The target is for eight cores." },
			};
		}),
	};
}
