import { recordEvent } from "@lango/events";
import { ratios, spreadOf } from "../figures.ts";
import { percent, rate, type Section, table, type Verdict } from "../sign-on/report.ts";
import { emptyGround, type Ground, recordThing } from "./ground.store.ts";
import type { Options } from "./options.ts";
import { thingMade } from "./thing-made.ts";

const lanes = 8;
const costMax = 0.15;

/** Statements of the transaction: the least there is, and about as many as a sign-in or a change of a tenant has. */
const sizes = [1, 4];

/** What the event's row costs the transaction it rides on: transactions a second with it, beside the same without. */
export async function measureOutboxCost({ db }: Ground, options: Options): Promise<Section> {
	const rows: string[][] = [];
	const verdicts: Verdict[] = [];
	for (const inserts of sizes) {
		const [without, withEvent] = await compare(db, inserts, options);
		const { middle, least, most } = ratios(withEvent, without);
		const figure = percent({ middle: 1 - middle, least: 1 - most, most: 1 - least });
		rows.push([`${inserts}`, rate(spreadOf(without)), rate(spreadOf(withEvent)), figure]);
		verdicts.push({
			what: `what the outbox row costs a transaction of ${inserts} plain ${inserts === 1 ? "insert" : "inserts"}`,
			figure,
			target: `at most ${costMax * 100} %`,
			isReached: 1 - middle <= costMax,
			ifNot: "It is one statement more, and with its begin and commit such a transaction has few.",
		});
	}
	const head = ["inserts", "transactions a second", "with an event", "cost"];
	return { title: "Outbox", text: table(head, rows), verdicts };
}

async function compare(
	db: Ground["db"],
	inserts: number,
	{ runs, seconds, subjects }: Options,
): Promise<[number[], number[]]> {
	await emptyGround(db);
	let n = 0;
	const transact = (withEvent: boolean) =>
		db.transaction(async (tx) => {
			n += 1;
			const subject = `s${n % subjects}`;
			const data = { n, note: "x".repeat(200) };
			for (let insert = 0; insert < inserts; insert += 1) await recordThing(tx, subject);
			if (withEvent) await recordEvent(tx, thingMade, { subject, now: new Date(), data });
		});
	const measure = async (withEvent: boolean): Promise<number> => {
		const startedAt = performance.now();
		let done = 0;
		const lane = async () => {
			for (; performance.now() - startedAt < seconds * 1_000; done += 1) await transact(withEvent);
		};
		await Promise.all(Array.from({ length: lanes }, lane));
		return (done * 1_000) / (performance.now() - startedAt);
	};
	const [without, withEvent] = [[] as number[], [] as number[]];
	await measure(true);
	for (let run = 0; run < runs; run += 1) {
		without.push(await measure(false));
		withEvent.push(await measure(true));
	}
	return [without, withEvent];
}
