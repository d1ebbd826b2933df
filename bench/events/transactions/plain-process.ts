import { recordEvent } from "@lango/events";
import { openPool } from "@lango/postgres";
import { thingMade } from "../thing-made.ts";
import { answerSlices } from "./answer-slices.ts";
import { recordThing } from "./transactions.store.ts";

/** A transaction of plain inserts. Its arguments are the URL of its database and the number of inserts. */
const [, , url = "", inserts = ""] = process.argv;
const db = openPool({ url, name: "bench", sizeMax: 8 });
const subjects = 1_000;
let n = 0;

answerSlices({
	transact: () =>
		db.transaction(async (tx) => {
			n += 1;
			const subject = `s${n % subjects}`;
			for (let insert = 0; insert < Number(inserts); insert += 1) await recordThing(tx, subject);
			await recordEvent(tx, thingMade, { subject, now: new Date(), data: { n, note: "x".repeat(200) } });
		}),
});
