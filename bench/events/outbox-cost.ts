import { accessMigrations } from "@lango/access";
import { eventMigrations } from "@lango/events";
import { type MigrationSet, migrate, prepareDatabase } from "@lango/postgres";
import { tenancyMigrations } from "@lango/tenancy";
import { median, quartilesOf } from "../figures.ts";
import { percent, rate, type Section, table, type Verdict } from "../report.ts";
import { install } from "../sign-on/stage.ts";
import type { Options } from "./options.ts";
import { type Mode, modes } from "./transactions/record-by-mode.ts";
import { type Measured, startTransactions } from "./transactions/transaction-process.ts";
import { countWritten, makeRows, settle } from "./transactions/transactions.store.ts";

const lanes = 8;
const sliceMs = 250;
/**
 * The warm-up of each kind of slice: connections prepare their statements, and the engine compiles hot code.
 */
const warmUpMs = 2_000;
const costMax = 0.15;

/** A transaction that records an event. */
type Transaction = {
	what: string;
	/** Whether a service of the suite has this transaction; otherwise it was written for this bench. */
	isReal: boolean;
	program: string;
	/** Creates its database with this name and returns the arguments of the program. */
	prepare: (adminUrl: string, database: string) => Promise<string[]>;
};

const plain = (inserts: number): Transaction => ({
	what: inserts === 1 ? "1 plain insert" : `${inserts} plain inserts`,
	isReal: false,
	program: "bench/events/transactions/plain-process.ts",
	prepare: async (...at) => [await makeDatabase(...at, [eventMigrations]), String(inserts)],
});
const ofSignOn = (what: string, run: string): Transaction => ({
	what,
	isReal: true,
	program: "services/auth/test/transactions-process.ts",
	prepare: async (adminUrl, database) => {
		const { appUrl, adminUrl: ofDatabase } = await install(adminUrl, database, {
			people: 1_000,
			tenants: 100,
		});
		return [appUrl, ofDatabase, run];
	},
});
const transactions: readonly Transaction[] = [
	ofSignOn("sign-in: both sessions of a person whose password was proved", "sign-in"),
	ofSignOn("an outlet changed", "outlet"),
	ofSignOn("a session ended", "session"),
	{
		what: "a role assigned or taken back, in a domain service",
		isReal: true,
		program: "bench/events/transactions/roles-process.ts",
		prepare: async (...at) => [
			await makeDatabase(...at, [eventMigrations, tenancyMigrations, accessMigrations]),
		],
	},
	plain(1),
	plain(4),
];

async function makeDatabase(adminUrl: string, name: string, sets: readonly MigrationSet[]): Promise<string> {
	const { owner, app } = await prepareDatabase(adminUrl, name);
	await migrate(owner, sets);
	return app;
}

const databaseOf = (at: number) => `bench_ride_${at}`;
/** The database of each transaction. */
export const databases: readonly string[] = transactions.map((_, at) => databaseOf(at));

type Stage = { adminUrl: string; databasePid: number };
/** The measurements of each mode by round. */
type Rounds = Array<Record<Mode, Measured>>;

/**
 * Measures by how much an event reduces the rate of a transaction, and by how much a plain row in its place
 * does. Slices of all three follow each other and are compared per round.
 */
export async function measureOutboxCost(stage: Stage, options: Options): Promise<Section> {
	const measured: Array<{ transaction: Transaction; rounds: Rounds }> = [];
	for (const [at, transaction] of transactions.entries()) {
		const rounds = await run(stage, transaction, { ...options, database: databaseOf(at) });
		measured.push({ transaction, rounds });
	}
	return {
		title: "Outbox",
		text: describe(measured),
		verdicts: measured
			.filter(({ transaction }) => transaction.isReal)
			.map(({ transaction, rounds }) => judge(transaction, rounds)),
	};
}

async function run(
	{ adminUrl, databasePid }: Stage,
	{ program, prepare }: Transaction,
	{ database, rounds, isProfiled }: Options & { database: string },
): Promise<Rounds> {
	const words = await prepare(adminUrl, database);
	await makeRows(adminUrl, database);
	const profile = isProfiled ? database : undefined;
	const running = await startTransactions({ program, words, databasePid, profile });
	const measured: Rounds = [];
	try {
		for (const mode of modes) await running.run({ mode, ms: warmUpMs, lanes });
		await settle(adminUrl, database);
		for (let round = 0; round < rounds; round += 1) {
			const all = {} as Record<Mode, Measured>;
			// The order rotates, so that no mode always follows the same other one.
			for (const at of modes.keys()) {
				const mode = modes[(at + round) % modes.length] ?? "nothing";
				all[mode] = await running.run({ mode, ms: sliceMs, lanes });
			}
			measured.push(all);
		}
	} finally {
		await running.stop();
	}
	const { events, rows } = await countWritten(adminUrl, database);
	if (events === 0 || rows === 0) throw new Error(`${program} wrote ${events} events and ${rows} rows`);
	return measured;
}

/** By how much the row reduces the rate of the transaction, by round. */
const lossBy = (mode: Mode, rounds: Rounds): number[] =>
	rounds.map((of) => 1 - of[mode].perSecond / of.nothing.perSecond);

function judge({ what }: Transaction, rounds: Rounds): Verdict {
	const loss = quartilesOf(lossBy("event", rounds));
	return {
		what: `what the outbox row costs: ${what}`,
		figure: percent(loss),
		target: `at most ${costMax * 100} %`,
		isReached: loss.middle <= costMax,
		ifNot: `A plain row of the same bytes in its place costs ${percent(quartilesOf(lossBy("row", rounds)))}.`,
	};
}

function describe(measured: ReadonlyArray<{ transaction: Transaction; rounds: Rounds }>): string {
	const rates = measured.map(({ transaction, rounds }) => {
		const loss = quartilesOf(lossBy("event", rounds));
		return [
			transaction.what,
			rate(quartilesOf(rounds.map(({ nothing }) => nothing.perSecond))),
			rate(quartilesOf(rounds.map(({ event }) => event.perSecond))),
			percent(loss),
			percent(quartilesOf(lossBy("row", rounds))),
			loss.middle <= costMax ? "yes" : "no",
		];
	});
	const processor = measured.map(({ transaction, rounds }) => [
		transaction.what,
		...(["nothing", "row", "event"] as const).map((mode) => processorOf(rounds, mode)),
		percent(quartilesOf(rounds.map((of) => used(of.event) / used(of.nothing) - 1))),
	]);
	return `Transactions a second by ${lanes} at once, and what they lose of that: by the event, and by a plain row of the same bytes in its place.

${table(["transaction", "a second", "with an event", "the event costs", "a plain row costs", `at most ${costMax * 100} %`], rates)}

Processor time of one transaction in ms, service + PostgreSQL, and how much more it is with the event.

${table(["transaction", "without", "with a plain row", "with an event", "more"], processor)}`;
}

const used = ({ serviceMs, databaseMs }: Measured) => serviceMs + databaseMs;

function processorOf(rounds: Rounds, mode: Mode): string {
	const middle = (name: "serviceMs" | "databaseMs") => median(rounds.map((of) => of[mode][name])).toFixed(3);
	return `${middle("serviceMs")} + ${middle("databaseMs")}`;
}
