import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { table } from "../report.ts";
import { day, ratePerSecond } from "./day.ts";
import { atPeak, busiestHour, coresOfHour, habits, wholeCores } from "./model.ts";
import { measuredFlows, type Recorded } from "./recorded.ts";

const page = join(import.meta.dirname, "../../docs/pages/operating.md");
const opening = "<!-- Written by `npm run bench -- scale --cost-model`; do not edit. -->";
const closing = "<!-- End of the written part. -->";

/**
 * The part of docs/pages/operating.md that is computed from the record. Throws an Error if the page has no
 * markers.
 */
export function readCostModel(): string {
	const { written } = splitPage(readFileSync(page, "utf8"));
	return written;
}

/** Replaces this part of the page. */
export function writeCostModel(text: string): void {
	const { before, after } = splitPage(readFileSync(page, "utf8"));
	writeFileSync(page, `${before}${text}${after}`);
}

function splitPage(text: string): { before: string; written: string; after: string } {
	const [begin, end] = [text.indexOf(opening), text.indexOf(closing)];
	if (begin < 0 || end < begin) throw new Error("docs/pages/operating.md has no markers for the cost model");
	const from = begin + opening.length;
	return { before: text.slice(0, from), written: text.slice(from, end), after: text.slice(end) };
}

/** The cost model of docs/pages/operating.md: arithmetic without queues. */
export function describeCostModel(recorded: Recorded): string {
	const { people } = day;
	return `
Measured on ${recorded.date}, ${recorded.machine}, with ${recorded.installation.people.toLocaleString("en")} people in ${recorded.installation.tenants.toLocaleString("en")} tenants:

${costTable(recorded)}

The busiest hour of ${people.toLocaleString("en")} people (${day.comingShare * 100} % of them come on a day):

${hourTable(recorded, people)}

Rows that are removed automatically:

${keptTable(recorded, people)}

`;
}

function costTable({ costs }: Recorded): string {
	const rows = measuredFlows.map((flow) => {
		const { serverMs, databaseMs, statements, walBytes, pages, receivedBytes } = costs[flow];
		return [
			flow,
			serverMs.toFixed(2),
			databaseMs.toFixed(2),
			digits(1_000 / serverMs),
			digits(1_000 / databaseMs),
			statements.toFixed(1),
			walBytes.toFixed(0),
			pages.toFixed(1),
			receivedBytes.toFixed(0),
		];
	});
	const head = [
		"request",
		"service, ms of a core",
		"PostgreSQL, ms of a core",
		"per second on a core of the service",
		"per second on a core of PostgreSQL",
		"statements",
		"WAL bytes",
		"changed pages",
		"response bytes",
	];
	return table(head, rows);
}

function hourTable(recorded: Recorded, people: number): string {
	const hour = busiestHour(recorded, people);
	const cores = coresOfHour(recorded, hour, people);
	const peak = atPeak(cores);
	const whole = wholeCores(peak);
	let [wal, answered] = [0, 0];
	const rows = habits.map((habit) => {
		const rate = ratePerSecond(habit, hour, people);
		const { serverMs, databaseMs, walBytes, receivedBytes } = recorded.costs[habit.flow];
		wal += rate * walBytes;
		answered += rate * receivedBytes;
		return [
			habit.flow,
			habit.aDay.toFixed(2),
			`${day.curves[habit.curve][hour]} %`,
			rate.toFixed(1),
			((rate * serverMs) / 1_000).toFixed(2),
			((rate * databaseMs) / 1_000).toFixed(2),
		];
	});
	const total = ["total", "", "", "", cores.server.toFixed(2), cores.database.toFixed(2)];
	const head = [
		"request",
		"per day and person who comes",
		"share in this hour",
		"per second",
		"cores of the service",
		"cores of PostgreSQL",
	];
	return `${table(head, [...rows, total])}

At the peak, at the beginning of the hour, ${day.peakTimes} times as much: ${peak.server.toFixed(2)} cores of the service and ${peak.database.toFixed(2)} of PostgreSQL, rounded up to **${whole.server} and ${whole.database} cores**.

In this hour PostgreSQL writes ${mb(wal)} MB of WAL per second, and responses are ${mb(answered)} MB per second.`;
}

const mb = (bytes: number) => (bytes / 1e6).toFixed(2);

function keptTable({ costs, bytesARow }: Recorded, people: number): string {
	const rows = Object.entries(day.daysKept).map(([name, days]) => {
		const aDay = habits.reduce(
			(sum, { flow, aDay }) => sum + aDay * Math.max(0, costs[flow].rows[name] ?? 0),
			0,
		);
		const bytes = bytesARow[name] ?? 0;
		const ofPeople = people * day.comingShare * aDay * days;
		const gb = (ofPeople * bytes) / 1e9;
		return [
			`\`${name}\``,
			aDay.toFixed(2),
			String(days),
			String(bytes),
			(day.comingShare * aDay * days * bytes).toFixed(0),
			`${(ofPeople / 1e6).toFixed(1)} million rows, ${gb.toFixed(1)} GB`,
		];
	});
	const head = [
		"table",
		"rows per day and person who comes",
		"days kept",
		"bytes per row",
		"bytes per person",
		`for ${people.toLocaleString("en")} people`,
	];
	return table(head, rows);
}

const digits = (figure: number) => (figure >= 100 ? figure.toFixed(0) : figure.toFixed(1));
