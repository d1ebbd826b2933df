import { once } from "node:events";
import pg from "pg";
import { median, quantile, ratios } from "../../figures.ts";
import { ms, percent, type Section, table } from "../../report.ts";
import { settleTables } from "../../settle-tables.ts";
import { processorMsOf } from "../../sign-on/cores.ts";
import { startWorker } from "../../sign-on/driver.ts";
import { type Running, stopChild } from "../../sign-on/processes.ts";
import { ask } from "../ask.ts";
import type { ShopPlace } from "../calling.ts";
import type { Stage, Treasury } from "../stage.ts";
import { callbackPauseMs } from "./callback-pause.ts";
import { collectedChannel, countCollected, createCollection } from "./collection.store.ts";

const amountMinor = 10_000;
/** So many payers at once. */
const payersOf = [1, 8] as const;
const waitMsMax = 30_000;

/** A collection from the request until the commit of its event, and the processor time of it, in ms. */
type Outcome = {
	p50: number;
	p95: number;
	p99: number;
	perSecond: number;
	ownUs: number;
	databaseUs: number;
};
/** What begins a collection on a phone, and returns the id of the intent. */
type Begin = (phone: string) => Promise<string>;
type Target = { name: string; server: Running; begin: Begin };

/**
 * Measures a collection end to end: the request, the prompt at the sandbox of the mobile-money gateway, whose
 * phone accepts at once, the callback, and the commit of journal and event.
 */
export async function measureCollection(stage: Stage): Promise<Section> {
	const { admin, adminUrl, cores } = stage;
	await createCollection(admin);
	const collected = await listen(adminUrl);
	// Each has its own: a new token of one would end that of the other.
	const sandboxes = [1, 2].map(() =>
		startWorker("../treasury/collection/sandbox-process.ts", cores, cores.rest),
	);
	try {
		const urls = await Promise.all(
			sandboxes.map(async ({ child }) => ((await once(child, "message")) as [{ url: string }])[0].url),
		);
		const targets = await startTargets(stage, urls);
		const outcomes = await runInTurn(stage, { targets, collected });
		for (const { server } of targets) await server.stop();
		return describe(outcomes);
	} finally {
		await collected.close();
		for (const { child } of sandboxes) await stopChild(child);
	}
}

async function startTargets(stage: Stage, [ours = "", theirs = ""]: readonly string[]): Promise<Target[]> {
	const service = await stage.startService({ mobileMoneyUrl: ours });
	await openShop(stage, { databaseUrl: stage.appUrl, tenantId: service.customer.id, mobileMoneyUrl: ours });
	const [tenantId = ""] = stage.tenants;
	const floor = await stage.startFloor("collection/floor-process.ts", {
		...{ TENANT_ID: tenantId, GATEWAY_URL: theirs },
	});
	await settleTables(stage.admin);
	return [
		{ name: "treasury", server: service, begin: beginAt(service) },
		{
			...{ name: "floor", server: floor },
			begin: async (phone) => {
				const body = JSON.stringify({ phone, amount_minor: amountMinor });
				const { id } = await ask(`${floor.url}/collections`, { type: "application/json", body });
				return String(id);
			},
		},
	];
}

/** Gives the tenant the paybill of the sandbox, and the platform its keys there. */
async function openShop({ cores }: Stage, place: ShopPlace): Promise<void> {
	const program = "../../services/treasury/test/gateways/shop-process.ts";
	const { child, ask: request } = startWorker(program, cores, cores.rest);
	try {
		const { error } = await request<{ error?: string }>(place);
		if (error !== undefined) throw new Error(error);
	} finally {
		await stopChild(child);
	}
}

/** A person of the tenant creates an intent, and has a phone asked to pay it. */
function beginAt({ url, customer, customerToken }: Treasury): Begin {
	const token = customerToken();
	const post = (path: string, body: object) =>
		ask(`${url}/api/v1/${customer.slug}/treasury/${path}`, {
			...{ type: "application/json", body: JSON.stringify(body), token },
		});
	return async (phone) => {
		const intent = {
			amount_minor: amountMinor,
			currency: "KES",
			description: "Bench",
			channels: ["push"],
		};
		const { id } = await post("intents", intent);
		await post(`intents/${id}/push`, { phone });
		return String(id);
	};
}

type Collected = { wait(id: string): Promise<void>; close(): Promise<void> };

/** Waits for the commit of the event of an intent, which may come before its id is known. */
async function listen(url: string): Promise<Collected> {
	const client = new pg.Client({ connectionString: url });
	const announced = new Set<string>();
	const waiting = new Map<string, () => void>();
	client.on("notification", ({ payload = "" }) => {
		announced.add(payload);
		waiting.get(payload)?.();
	});
	await client.connect();
	await client.query(`listen ${collectedChannel}`);
	return {
		wait: (id) =>
			new Promise((done, fail) => {
				if (announced.has(id)) return done();
				const cut = setTimeout(() => fail(new Error(`intent ${id} was not paid`)), waitMsMax);
				waiting.set(id, () => {
					clearTimeout(cut);
					done();
				});
			}),
		close: () => client.end(),
	};
}

type Comparing = { targets: readonly Target[]; collected: Collected };
type Outcomes = ReadonlyArray<{ payers: number; outcomes: Outcome[][] }>;

async function runInTurn(stage: Stage, { targets, collected }: Comparing): Promise<Outcomes> {
	const { options } = stage;
	const all: Array<{ payers: number; outcomes: Outcome[][] }> = [];
	for (const payers of payersOf) {
		const run = (target: Target, seconds: number) => measure(stage, { target, collected, payers, seconds });
		for (const target of targets) await run(target, options.warmUpSeconds);
		const outcomes = targets.map((): Outcome[] => []);
		for (let n = 0; n < options.runs; n += 1)
			for (const [at, target] of targets.entries()) outcomes[at]?.push(await run(target, options.seconds));
		all.push({ payers, outcomes });
	}
	const { service, floor, total } = await countCollected(stage.admin);
	if (total !== 0) throw new Error(`the balances of the ledger add up to ${total}`);
	if (service !== begun.treasury || floor !== begun.floor)
		throw new Error(`${service} and ${floor} payments succeeded of ${JSON.stringify(begun)}`);
	return all;
}

type Measuring = { target: Target; collected: Collected; payers: number; seconds: number };

let phones = 0;
/** A new phone that accepts by itself: the sandbox knows by the end. */
const nextPhone = () => `2547${String(++phones % 100_000).padStart(5, "0")}001`;
const begun: Record<string, number> = { treasury: 0, floor: 0 };

async function measure(
	{ databasePid }: Stage,
	{ target: { name, server, begin }, collected, payers, seconds }: Measuring,
): Promise<Outcome> {
	const times: number[] = [];
	const [own, database] = [processorMsOf(server.pid), processorMsOf(databasePid)];
	const starts = performance.now();
	const ends = starts + seconds * 1_000;
	const pay = async () => {
		for (let from = performance.now(); from < ends; from = performance.now()) {
			begun[name] = (begun[name] ?? 0) + 1;
			await collected.wait(await begin(nextPhone()));
			times.push(performance.now() - from);
		}
	};
	await Promise.all(Array.from({ length: payers }, pay));
	const each = (before: number, pid: number) => ((processorMsOf(pid) - before) * 1_000) / times.length;
	return {
		...{ p50: quantile(times, 0.5), p95: quantile(times, 0.95), p99: quantile(times, 0.99) },
		perSecond: (times.length * 1_000) / (performance.now() - starts),
		...{ ownUs: each(own, server.pid), databaseUs: each(database, databasePid) },
	};
}

const head = ["", "at once", "p50 ms", "p95 ms", "p99 ms", "a second", "own µs", "database µs"];
const figures = (all: readonly Outcome[], read: (one: Outcome) => number) => all.map(read);

function describe(all: Outcomes): Section {
	const row = (name: string, payers: number, of: readonly Outcome[]) => [
		...[name, String(payers)],
		...[figures(of, (one) => one.p50), figures(of, (one) => one.p95), figures(of, (one) => one.p99)].map(ms),
		median(figures(of, (one) => one.perSecond)).toFixed(1),
		...[figures(of, (one) => one.ownUs), figures(of, (one) => one.databaseUs)].map((one) =>
			median(one).toFixed(0),
		),
	];
	return {
		title: "A collection by mobile money, end to end",
		text: [
			table(
				head,
				all.flatMap(({ payers, outcomes: [ours = [], floor = []] }) => [
					row("treasury", payers, ours),
					row("floor", payers, floor),
				]),
			),
			"",
			...all.map(({ payers, outcomes: [ours = [], floor = []] }) => {
				const share = ratios(
					figures(floor, (one) => one.p50 - callbackPauseMs),
					figures(ours, (one) => one.p50 - callbackPauseMs),
				);
				return `With ${payers} at once the floor needs ${percent(share)} of the time of the treasury (p50, both less the ${callbackPauseMs} ms until the phone accepts).`;
			}),
		].join("\n"),
		verdicts: [],
	};
}
