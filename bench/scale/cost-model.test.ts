import { expect, test } from "vitest";
import { describeCostModel, readCostModel } from "./cost-model.ts";
import { readRecorded } from "./recorded.ts";

test("the cost model in docs/pages/operating.md is computed from the recording", () => {
	expect(readCostModel()).toBe(describeCostModel(readRecorded()));
});
