import { expect, test } from "vitest";
import { createAgenda } from "./agenda.ts";
import { createClock } from "./clock.ts";

const start = Date.parse("2026-11-24T08:00:00Z");
const at = (minutes: number) => new Date(start + minutes * 60_000);

test("a clock that is set to a later time does the work that has become due, in the order of its times", () => {
	const clock = createClock();
	clock.set(at(0));
	const agenda = createAgenda(clock);
	const done: string[] = [];
	agenda.plan(at(20), () => done.push("second"));
	agenda.plan(at(10), (due) => {
		done.push(`first at ${due.toISOString()}`);
		agenda.plan(at(15), () => done.push("planned meanwhile"));
	});
	agenda.plan(at(10), () => done.push("equal time"));
	agenda.plan(at(60), () => done.push("not yet"));
	agenda.plan(at(5), () => done.push("cancelled"))();
	expect(done).toEqual([]);
	clock.set(at(30));
	expect(done).toEqual([`first at ${at(10).toISOString()}`, "equal time", "planned meanwhile", "second"]);
	agenda.clear();
	clock.set(at(90));
	expect(done).not.toContain("not yet");
});

test("work that is due already is done soon, also while the clock is set", async () => {
	const clock = createClock();
	clock.set(at(10));
	const { promise, resolve } = Promise.withResolvers<Date>();
	createAgenda(clock).plan(at(5), resolve);
	await expect(promise).resolves.toEqual(at(5));
});

test("a clock that is not set does the work when the real time has come", async () => {
	const agenda = createAgenda(createClock());
	const { promise, resolve } = Promise.withResolvers<Date>();
	const due = new Date(Date.now() + 5);
	agenda.plan(due, resolve);
	await expect(promise).resolves.toEqual(due);
});
