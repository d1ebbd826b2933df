import { ratios } from "../../figures.ts";
import { type Section, table, times } from "../../report.ts";
import { settleTables } from "../../settle-tables.ts";
import { processorMsOf } from "../../sign-on/cores.ts";
import type { Running } from "../../sign-on/processes.ts";
import { ask } from "../ask.ts";
import type { Stage } from "../stage.ts";
import { type Operator, operatorOf } from "./import-statements.ts";
import {
	addReceipts,
	addShortcode,
	countAtFloor,
	createReconciliation,
	isNumberedAlike,
	listRaised,
	sumMatched,
} from "./reconciliation.store.ts";
import { expectedOf, fileOf, paymentAt, paymentsOf, plantedEach, type Statement } from "./stated.ts";

const dayMs = 86_400_000;
/** What is younger is not expected in a statement yet. */
const youngestDays = 8;

/** A comparison: its time, and the processor time of the server and of PostgreSQL, in milliseconds. */
type Took = { ms: number; ownMs: number; databaseMs: number };
type Compared = { lines: number; treasury: Took; floor: Took };
/** The statements until a number of lines, and what is missing in all of them. */
type Size = { statements: Compared[]; lines: number; rest: Compared; wrong: string[] };

/**
 * Measures the reconciliation of a shortcode: statements of equal size are imported and compared one after
 * the other, then the treasury looks for receipts that none of them has. It is done with a tenth of all
 * statements and again with all of them. Every difference is one that was planted, and the others are equal
 * to the cent.
 */
export async function measureReconciliation(stage: Stage): Promise<Section> {
	const { options, admin, tenants } = stage;
	const [tenantId = ""] = tenants;
	await createReconciliation(admin);
	await addShortcode(admin, tenantId);
	const all = planStatements(options.lines, options.linesAStatement);
	if (!(await isNumberedAlike(admin, options.lines))) throw new Error("SQL numbers payments otherwise");
	const service = await stage.startService();
	const floor = await stage.startFloor("reconciliation/floor-process.ts", { TENANT_ID: tenantId });
	const place: Place = {
		stage,
		service,
		floor,
		operator: operatorOf(service, service.operatorToken),
		tenantId,
	};
	const tenth = Math.max(1, Math.round(all.length / 10));
	const sizes: Size[] = [];
	for (const [from, until] of [
		[0, tenth],
		[tenth, all.length],
	] as const)
		if (until > from) sizes.push(await reconcile(place, all.slice(from, until), all.slice(0, until)));
	for (const server of [service, floor]) await server.stop();
	return describe(sizes, options.linesAStatement);
}

/** Statements of days one after the other, the last one before what is too young. */
function planStatements(lines: number, each: number): Statement[] {
	const count = Math.max(1, Math.round(lines / each));
	const today = Math.floor(Date.now() / dayMs) * dayMs;
	return Array.from({ length: count }, (_, nth) => ({
		...{ first: nth * paymentsOf(each), lines: each },
		startsAt: today - (count - nth + youngestDays) * dayMs,
	}));
}

type Place = { stage: Stage; service: Running; floor: Running; operator: Operator; tenantId: string };

async function reconcile(
	place: Place,
	added: readonly Statement[],
	all: readonly Statement[],
): Promise<Size> {
	const { stage, service, floor, operator, tenantId } = place;
	const { admin } = stage;
	for (const statement of added) await addReceipts(admin, tenantId, statement);
	await settleTables(admin);
	const statements: Compared[] = [];
	for (const statement of added) {
		const bytes = fileOf(statement);
		const treasury = await measure(place, service, async () => {
			const known = await operator.import(bytes);
			if (known !== statement.lines) throw new Error(`${known} of ${statement.lines} lines were added`);
		});
		const of = { type: "text/csv", body: bytes };
		const atFloor = await measure(place, floor, () => ask(`${floor.url}/statements`, of));
		statements.push({ lines: statement.lines, treasury, floor: atFloor });
	}
	const lines = all.reduce((sum, one) => sum + one.lines, 0);
	const rest: Compared = {
		lines,
		treasury: await measure(place, service, operator.compareExpectations),
		floor: await measure(place, floor, () => ask(`${floor.url}/rest`)),
	};
	return { statements, lines, rest, wrong: await findWrong(stage, all) };
}

async function measure({ stage }: Place, { pid }: Running, work: () => Promise<unknown>): Promise<Took> {
	const { databasePid } = stage;
	const [began, own, database] = [performance.now(), processorMsOf(pid), processorMsOf(databasePid)];
	await work();
	return {
		ms: performance.now() - began,
		ownMs: processorMsOf(pid) - own,
		databaseMs: processorMsOf(databasePid) - database,
	};
}

/** What is not as it was planted: an exception too much or too few, or a sum that differs by a cent. */
async function findWrong({ admin }: Stage, all: readonly Statement[]): Promise<string[]> {
	const expected = all.flatMap(expectedOf);
	const raised = await listRaised(admin);
	const matched = await sumMatched(admin);
	let [lines, cents, differences] = [0, 0n, 0];
	for (const statement of all)
		for (let position = 0; position < paymentsOf(statement.lines); position += 1) {
			const { theirs, difference } = paymentAt(statement, position);
			if (difference !== undefined) differences += 1;
			if (difference !== undefined || theirs === undefined) continue;
			lines += 1;
			cents += theirs;
		}
	const sums = [
		["lines with a receipt", matched.lines, lines],
		["cents of these lines", matched.theirs, cents],
		["cents of their receipts", matched.ours, cents],
		["lines unlike their receipts", matched.unequal, 0],
		["differences at the floor", await countAtFloor(admin), differences],
	] as const;
	return [
		...raised.filter((one) => !expected.includes(one)).map((one) => `not planted: ${one}`),
		...expected.filter((one) => !raised.includes(one)).map((one) => `not found: ${one}`),
		...(raised.length === new Set(raised).size ? [] : ["an exception was raised twice"]),
		...sums.flatMap(([what, is, wanted]) => (is === wanted ? [] : [`${what}: ${is} instead of ${wanted}`])),
	];
}

const wrongShown = 10;

const perSecond = (lines: number, ms: number) => ((lines * 1_000) / ms).toFixed(0);
const usEach = (ms: number, lines: number) => ((ms * 1_000) / lines).toFixed(0);
const seconds = (ms: number) => (ms / 1_000).toFixed(1);
const sumOf = (all: readonly Compared[], read: (one: Compared) => number) =>
	all.reduce((sum, one) => sum + read(one), 0);

function describe(sizes: readonly Size[], linesAStatement: number): Section {
	const statements = sizes.flatMap((size) => size.statements);
	let until = 0;
	const rows = statements.map(({ lines, treasury, floor }) => {
		until += lines;
		return [
			...[String(until), perSecond(lines, treasury.ms), perSecond(lines, floor.ms)],
			...[usEach(treasury.ownMs, lines), usEach(treasury.databaseMs, lines)],
		];
	});
	const last = sizes.at(-1);
	const ofFloor = ratios(
		statements.map(({ treasury }) => treasury.ms),
		statements.map(({ floor }) => floor.ms),
	);
	return {
		title: `Reconciliation of ${last?.lines} lines of a shortcode`,
		text: [
			table(["lines until then", "lines a second", "floor", "own µs a line", "database µs"], rows),
			"",
			table(
				["lines", "imported in s", "floor", "missing receipts found in s", "floor", "lines a second in all"],
				sizes.map((size, nth) =>
					describeSize(
						size,
						sizes.slice(0, nth + 1).flatMap((one) => one.statements),
					),
				),
			),
			"",
			`A statement of ${linesAStatement} lines takes ${times(ofFloor)} the time of the floor.`,
			...sizes.flatMap(({ wrong }) => wrong.slice(0, wrongShown).map((one) => `\nNot as planted: ${one}.`)),
		].join("\n"),
		verdicts: sizes.map(({ lines, wrong }) => ({
			what: `Exceptions and cents that are not as planted, ${lines} lines with ${(lines / linesAStatement) * plantedEach} differences`,
			...{ figure: String(wrong.length), target: "0", isReached: wrong.length === 0 },
			ifNot: wrong.slice(0, 5).join("; "),
		})),
	};
}

function describeSize({ lines, rest }: Size, statements: readonly Compared[]): string[] {
	const ms = sumOf(statements, ({ treasury }) => treasury.ms);
	return [
		...[String(lines), seconds(ms), seconds(sumOf(statements, ({ floor }) => floor.ms))],
		...[seconds(rest.treasury.ms), seconds(rest.floor.ms), perSecond(lines, ms + rest.treasury.ms)],
	];
}
