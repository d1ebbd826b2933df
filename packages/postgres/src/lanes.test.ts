import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ConnectionsBusy, type Lane, openLanes } from "./lanes.ts";

const reserve = { priority: 1, check: 1 };
const five = () => openLanes({ sizeMax: 5, reserve, waitMs: 20 });
const enterTimes = (lanes: ReturnType<typeof openLanes>, lane: Lane, times: number) =>
	Promise.all(Array.from({ length: times }, () => lanes.enter(lane)));

describe("a pool of five with two reserved", () => {
	test.each<[Lane, number]>([
		["ordinary", 3],
		["priority", 4],
		["check", 5],
	])(
		"the lane %s uses at most %i connections and refuses the next caller after the wait",
		async (lane, most) => {
			const lanes = five();
			await enterTimes(lanes, lane, most);
			await expect(lanes.enter(lane)).rejects.toThrow(ConnectionsBusy);
			expect(lanes.waiting()).toBe(0);
		},
	);

	test("priority and check get a connection at once while all ordinary connections are in use", async () => {
		const lanes = five();
		await enterTimes(lanes, "ordinary", 3);
		await lanes.enter("priority");
		await lanes.enter("check");
		await expect(lanes.enter("check")).rejects.toThrow(ConnectionsBusy);
	});

	test("a returned connection goes to the first waiting caller whose lane has room", async () => {
		const lanes = five();
		const [leave] = await enterTimes(lanes, "ordinary", 3);
		await enterTimes(lanes, "priority", 1);
		const came: string[] = [];
		const waiting = (["ordinary", "priority"] as const).map(async (lane) => {
			await lanes.enter(lane);
			came.push(lane);
		});
		leave?.();
		await Promise.allSettled(waiting);
		expect(came).toEqual(["ordinary"]);
	});
});

test("a reserve that leaves no ordinary connection is refused", () => {
	expect(() => openLanes({ sizeMax: 2, reserve })).toThrow(
		"a pool of 2 connections cannot reserve 2 of them",
	);
});

test("callers over the limit of the queue are refused at once", async () => {
	const lanes = openLanes({ sizeMax: 1, waitMs: 1_000 });
	const leave = await lanes.enter("ordinary");
	const waiting = Array.from({ length: 1_000 }, async () => (await lanes.enter("ordinary"))());
	await expect(lanes.enter("ordinary")).rejects.toThrow(
		"1000 callers are already waiting for a database connection",
	);
	leave();
	await Promise.all(waiting);
	expect(lanes.waiting()).toBe(0);
});

test("for any order of entering and leaving, no lane exceeds its limit, and every connection is returned", async () => {
	const step = fc.record({
		lane: fc.constantFrom<Lane>("ordinary", "priority", "check"),
		holdMs: fc.integer({ min: 0, max: 3 }),
		fails: fc.boolean(),
	});
	await fc.assert(
		fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
			const lanes = openLanes({ sizeMax: 5, reserve, waitMs: 5_000 });
			const used = { ordinary: 0, priority: 0, check: 0 };
			const work = async ({ lane, holdMs, fails }: (typeof steps)[number]) => {
				const leave = await lanes.enter(lane);
				used[lane] += 1;
				expect(used.ordinary).toBeLessThanOrEqual(3);
				expect(used.ordinary + used.priority).toBeLessThanOrEqual(4);
				expect(used.ordinary + used.priority + used.check).toBeLessThanOrEqual(5);
				await sleep(holdMs);
				used[lane] -= 1;
				leave();
				if (fails) throw new Error("refused");
			};
			await Promise.allSettled(steps.map(work)).then((ended) => {
				const broken = ended.filter((one) => one.status === "rejected" && one.reason.message !== "refused");
				expect(broken).toEqual([]);
			});
			expect(lanes.waiting()).toBe(0);
			await enterTimes(lanes, "check", 5);
		}),
		{ numRuns: 60 },
	);
});
