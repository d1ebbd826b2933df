import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { table } from "../sign-on/report.ts";
import { day, ratePerSecond } from "./day.ts";
import { busiestHour, coresOfHour, habits, inRush, wholeCores } from "./model.ts";
import { measuredFlows, type Recorded } from "./recorded.ts";

const page = join(import.meta.dirname, "../../docs/pages/operating.md");
const opening = "<!-- Written by `npm run bench -- scale --simulate`; never edited. -->";
const closing = "<!-- End of what is written. -->";

/** The part of docs/pages/operating.md that follows from what was recorded. Throws when the page has no place for it. */
export function readCostModel(): string {
	const { written } = splitPage(readFileSync(page, "utf8"));
	return written;
}

/** Puts it there anew. */
export function writeCostModel(text: string): void {
	const { before, after } = splitPage(readFileSync(page, "utf8"));
	writeFileSync(page, `${before}${text}${after}`);
}

function splitPage(text: string): { before: string; written: string; after: string } {
	const [begin, end] = [text.indexOf(opening), text.indexOf(closing)];
	if (begin < 0 || end < begin) throw new Error("docs/pages/operating.md has no place for the cost model");
	const from = begin + opening.length;
	return { before: text.slice(0, from), written: text.slice(from, end), after: text.slice(end) };
}

/** The cost model with the sizing of so many people, as it stands in docs/pages/operating.md: arithmetic alone. */
export function describeCostModel(recorded: Recorded): string {
	const { people } = day;
	return `
Measured on ${recorded.date}, ${recorded.machine}, with ${recorded.installation.people.toLocaleString("en")} people in ${recorded.installation.tenants.toLocaleString("en")} tenants:

${costTable(recorded)}

${people.toLocaleString("en")} people, of whom ${day.comingShare * 100} of 100 come on a day, in their busiest hour:

${hourTable(recorded, people)}

Rows that come and go by themselves:

${keptTable(recorded, people)}

`;
}

function costTable({ costs, serviceTimes }: Recorded): string {
	const rows = measuredFlows.map((flow) => {
		const { serverMs, databaseMs, statements, walBytes, pages } = costs[flow];
		const steps = Object.values(serviceTimes[flow]);
		const bytes = steps.reduce((sum, { receivedBytes }) => sum + receivedBytes, 0);
		return [
			flow,
			serverMs.toFixed(2),
			databaseMs.toFixed(2),
			digits(1_000 / serverMs),
			digits(1_000 / databaseMs),
			statements.toFixed(1),
			walBytes.toFixed(0),
			pages.toFixed(1),
			bytes.toFixed(0),
		];
	});
	const head = [
		"what",
		"ms of a core of the service",
		"of PostgreSQL",
		"a second on a core of the service",
		"of PostgreSQL",
		"statements",
		"WAL bytes",
		"pages changed",
		"bytes answered",
	];
	return table(head, rows);
}

function hourTable(recorded: Recorded, people: number): string {
	const hour = busiestHour(recorded, people);
	const cores = coresOfHour(recorded, hour, people);
	const rushed = inRush(cores);
	const whole = wholeCores(rushed);
	let [wal, answered] = [0, 0];
	const rows = habits.map((habit) => {
		const rate = ratePerSecond(habit, hour, people);
		const { serverMs, databaseMs, walBytes } = recorded.costs[habit.flow];
		wal += rate * walBytes;
		for (const { receivedBytes } of Object.values(recorded.serviceTimes[habit.flow]))
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
	const together = ["together", "", "", "", cores.server.toFixed(2), cores.database.toFixed(2)];
	const head = [
		"what",
		"a day of one who comes",
		"in this hour",
		"a second",
		"cores of the service",
		"of PostgreSQL",
	];
	return `${table(head, [...rows, together])}

In the rush at the beginning of the hour, ${day.rush.times} times as much: ${rushed.server.toFixed(2)} cores of the service and ${rushed.database.toFixed(2)} of PostgreSQL, so **${whole.server} and ${whole.database} whole ones**.

Beside it PostgreSQL writes ${mb(wal)} MB of changes a second, and ${mb(answered)} MB a second are answered.`;
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
		"rows a day of one who comes",
		"days kept",
		"bytes a row",
		"bytes a person",
		`of ${people.toLocaleString("en")}`,
	];
	return table(head, rows);
}

const digits = (figure: number) => (figure >= 100 ? figure.toFixed(0) : figure.toFixed(1));
