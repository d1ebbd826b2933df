import { quantile, spreadOf } from "../figures.ts";
import { rate, type Section, table } from "../report.ts";
import { startWorker } from "../sign-on/driver.ts";
import { ask } from "../sign-on/http.ts";
import { stopChild } from "../sign-on/processes.ts";
import type { GateJob } from "./gate-process.ts";
import { tenantIdOf } from "./installation.store.ts";
import type { Stage } from "./stage.ts";

const targetMs = 250;
const gatesCount = 4;
const tenantsCount = 50;
const feature = "api_webhooks";

type Gate = { give(job: GateJob): Promise<number>; stop(): Promise<void> };

/**
 * Measures the time from the request that changes a feature of a tenant until every gate applies the change.
 */
export async function measureGates(stage: Stage): Promise<Section> {
	const { options } = stage;
	const gates = await openGates(stage);
	const [p50, p99, most]: number[][] = [[], [], []];
	try {
		await changeEach(stage, { gates, changes: tenantsCount });
		for (let run = 0; run < options.runs; run += 1) {
			const times = await changeEach(stage, { gates, changes: options.changes });
			p50?.push(quantile(times, 0.5));
			p99?.push(quantile(times, 0.99));
			most?.push(Math.max(...times));
		}
	} finally {
		await Promise.all(gates.map((gate) => gate.stop()));
	}
	const [middle, late, last] = [p50, p99, most].map((figures = []) => spreadOf(figures));
	if (middle === undefined || late === undefined || last === undefined)
		throw new Error("the gates measured no change");
	const head = ["ms until the last gate applies it", "p50", "p99", "most"];
	return {
		title: "A change is applied by every gate",
		text: `${gatesCount} gates, each in its own process, over NATS; ${options.changes} changes per run, one after the other.\n\n${table(
			head,
			[["since the request", rate(middle), rate(late), rate(last)]],
		)}`,
		verdicts: [
			{
				what: "A change is seen by every service's gate, p99 in ms",
				figure: rate(late),
				target: `< ${targetMs}`,
				isReached: late.middle < targetMs,
				ifNot: "",
			},
		],
	};
}

async function openGates({ cores, bus, apiKey, subscriptionsUrl }: Stage): Promise<Gate[]> {
	if (bus === undefined) throw new Error("This part needs a nats-server on the path.");
	return Promise.all(
		Array.from({ length: gatesCount }, async () => {
			const { child, ask: send } = startWorker("../subscriptions/gate-process.ts", cores, cores.rest);
			const give = async (job: GateJob) => {
				const { result, error } = await send<{ result: number; error?: string }>(job);
				if (error !== undefined) throw new Error(error);
				return result;
			};
			await give({ kind: "open", busUrl: bus.url, subscriptionsUrl, apiKey });
			return { give, stop: () => stopChild(child) };
		}),
	);
}

/** Whether each tenant has the feature after the last change. */
const hasIt = new Map<string, boolean>();

/**
 * Switches a feature on and off for one tenant after the other. Returns the milliseconds until the last gate
 * applied each change.
 */
async function changeEach(
	stage: Stage,
	{ gates, changes }: { gates: readonly Gate[]; changes: number },
): Promise<number[]> {
	const times: number[] = [];
	for (let n = 0; n < changes; n += 1) {
		const tenantId = tenantIdOf((n % tenantsCount) + 1);
		const isWanted = hasIt.get(tenantId) !== true;
		await Promise.all(gates.map((gate) => gate.give({ kind: "watch", tenantId, feature, isWanted })));
		const sentAt = Date.now();
		await setFeature(stage, { tenantId, isWanted });
		const seenAt = await Promise.all(gates.map((gate) => gate.give({ kind: "seen" })));
		hasIt.set(tenantId, isWanted);
		times.push(Math.max(...seenAt) - sentAt);
	}
	return times;
}

async function setFeature(
	{ subscriptionsUrl, platformToken }: Stage,
	{ tenantId, isWanted }: { tenantId: string; isWanted: boolean },
): Promise<void> {
	const { status, text } = await ask({
		url: `${subscriptionsUrl}/api/v1/admin/tenants/${tenantId}/overrides`,
		method: "PUT",
		headers: { authorization: `Bearer ${platformToken()}`, "content-type": "application/json" },
		body: JSON.stringify({
			features: { [feature]: isWanted },
			limits: {},
			products: [],
			because: "the bench",
		}),
	});
	if (status !== 200) throw new Error(`the change was refused: ${status}: ${text.slice(0, 300)}`);
}
