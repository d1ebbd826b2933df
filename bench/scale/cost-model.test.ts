import { expect, test } from "vitest";
import { describeCostModel, readCostModel } from "./cost-model.ts";
import { readRecorded } from "./recorded.ts";
import { describeSimulation } from "./simulation.ts";

test("the cost model in docs/pages/operating.md is computed from the recording", () => {
	expect(readCostModel()).toBe(describeCostModel(readRecorded()));
});

test("a simulation of what was recorded is the same each time, and says how many cores are enough", () => {
	const run = () => describeSimulation(readRecorded(), { people: 30_000, seed: 7, isUsual: false });
	const text = run();
	expect(text).toBe(run());
	expect(text).toContain("# Simulation: 30,000 people");
	expect(text).toMatch(/Enough is where .+: 1 core of the service and 1 of PostgreSQL\./);
});
